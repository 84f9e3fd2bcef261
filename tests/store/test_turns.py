"""Turns are stored, changed only under the lane that they run under, and one lane has one owner whoever reaches for it."""

from datetime import timedelta

import pytest

from steadyhand.core.clock import to_text
from steadyhand.core.ids import SessionId
from steadyhand.store.sessions import turns
from store.ground import DESK, ME, OTHER, a_turn, claim
from store.racing import race


def insert(store, *rows):
    store.write_now(lambda tx: [turns.insert_turn(tx, row) for row in rows])


def change(store, turn, under="token", user=ME, **columns):
    return store.write_now(lambda tx: turns.change_turn(tx, user, turn, under, **columns))


def latest(store, user=ME, session=DESK):
    return store.read_now(lambda tx: turns.latest(tx, user, session))


def at(clock, seconds):
    return to_text(clock.now() + timedelta(seconds=seconds))


def test_a_turn_is_read_as_stored(store):
    row = a_turn(
        "t", usage={"input_tokens": 3}, last_result={"text": "好"}, calls_begun=[{"id": "a", "tool": "message"}], attempt=2
    )
    insert(store, row)
    assert latest(store) == row
    assert store.read_now(lambda tx: turns.running(tx, ME, DESK)) == [row]


def test_a_turn_changes_while_it_runs_and_under_its_own_token_alone(store):
    insert(store, a_turn("t"))
    assert change(store, "t", rounds=2, calls_begun=["c"])
    assert not change(store, "t", "another token", rounds=3)
    assert not change(store, "t", user=OTHER, rounds=3)
    assert change(store, "t", state="done", ended_at="2026-09-07T01:00:05.000000Z")
    assert not change(store, "t", rounds=3)
    row = latest(store)
    assert (row.rounds, row.calls_begun, row.state, row.ended_at) == (2, ["c"], "done", "2026-09-07T01:00:05.000000Z")


def test_the_latest_turn_and_those_that_run_are_told_in_their_order(store, clock):
    insert(
        store,
        a_turn("b", started_at=at(clock, 2)),
        a_turn("a", started_at=at(clock, 1)),
        a_turn("elsewhere", session_id=SessionId("roof"), started_at=at(clock, 3)),
        a_turn("theirs", OTHER, started_at=at(clock, 0)),
    )
    assert latest(store).id == "b"
    assert [row.id for row in store.read_now(lambda tx: turns.running(tx, ME, DESK))] == ["a", "b"]
    assert [row.id for row in store.read_now(turns.all_running)] == ["theirs", "a", "b", "elsewhere"]
    change(store, "a", state="interrupted", ended_at=at(clock, 9))
    assert [row.id for row in store.read_now(lambda tx: turns.running(tx, ME, DESK))] == ["b"]
    assert latest(store, OTHER).id == "theirs"
    assert latest(store, OTHER, SessionId("roof")) is None


def test_only_turns_that_ended_long_ago_are_forgotten(store, clock):
    insert(store, *(a_turn(name) for name in ("old", "new", "running")))
    change(store, "old", state="done", ended_at=at(clock, 1))
    change(store, "new", state="stopped", ended_at=at(clock, 5))
    assert store.write_now(lambda tx: turns.forget_ended(tx, at(clock, 5), 9)) == 1
    assert [store.write_now(lambda tx: turns.forget_ended(tx, at(clock, 6), 9)) for _ in range(2)] == [1, 0]
    assert [row.id for row in store.read_now(turns.all_running)] == ["running"]


# --- the lane ---------------------------------------------------------------------------------------------------------


def lane(store, user=ME, session=DESK):
    return store.read_now(lambda tx: turns.lane(tx, user, session))


def take(store, token, user=ME, instead_of=None):
    return store.write_now(lambda tx: turns.take_lane(tx, user, DESK, claim(token), instead_of))


def test_a_lane_is_told_as_it_was_taken_and_free_when_left(store):
    assert lane(store) is None
    take(store, "mine")
    found = lane(store)
    assert (found.token, found.claim, found.stop_asked) == ("mine", claim("mine"), False)
    store.write_now(lambda tx: turns.leave_lane(tx, ME, DESK, "mine"))
    assert lane(store) is None


def test_a_lane_that_was_taken_over_is_neither_renewed_nor_left_by_the_first(store, clock):
    take(store, "first")
    take(store, "second", instead_of="first")
    assert not store.write_now(lambda tx: turns.renew_lane(tx, ME, DESK, "first", at(clock, 60)))
    store.write_now(lambda tx: turns.leave_lane(tx, ME, DESK, "first"))
    assert store.write_now(lambda tx: turns.renew_lane(tx, ME, DESK, "second", at(clock, 60)))
    assert (lane(store).token, lane(store).claim.lease_until) == ("second", at(clock, 60))


def test_a_wish_to_stop_is_for_who_has_the_lane_now(store):
    def ask(user=ME):
        return store.write_now(lambda tx: turns.ask_stop(tx, user, DESK))

    assert not ask()
    take(store, "mine")
    assert not ask(OTHER)
    assert not lane(store).stop_asked
    assert ask()
    assert lane(store).stop_asked
    take(store, "next", instead_of="mine")
    assert not lane(store).stop_asked


def test_each_person_has_a_lane_of_their_own_in_sessions_of_the_same_name(store):
    take(store, "mine")
    take(store, "theirs", OTHER)
    store.write_now(lambda tx: turns.leave_lane(tx, OTHER, DESK, "theirs"))
    assert (lane(store).token, lane(store, OTHER)) == ("mine", None)


@pytest.mark.parametrize("seen", [None, "gone", "never there"])
def test_a_lane_that_is_not_as_it_was_seen_is_not_taken(store, seen):
    take(store, "gone")
    assert take(store, "mine", instead_of="gone")
    assert not take(store, "late", instead_of=seen)
    assert lane(store).token == "mine"


def test_a_lane_that_was_seen_taken_and_is_free_again_is_looked_at_anew(store):
    assert not take(store, "late", instead_of="gone")
    assert lane(store) is None


def test_processes_that_take_lanes_by_compare_have_each_lane_once(store, database_url, tmp_path):
    for number in range(0, 25, 2):
        session = SessionId(f"desk {number}")
        store.write_now(lambda tx, session=session: turns.take_lane(tx, ME, session, claim("gone"), None))
    race(database_url, tmp_path / "race", "take_lanes", 25)
    taken = [
        name for file in (tmp_path / "race").glob("taken-*") for name in file.read_text(encoding="utf-8").split("\n") if name
    ]
    assert sorted(taken) == sorted(f"desk {number}" for number in range(25))
