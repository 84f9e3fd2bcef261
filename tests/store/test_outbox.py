"""What is owed is owed once for a turn, becomes due in order, and is sent by whoever moves it first."""

from datetime import timedelta

import pytest

from steadyhand.core.clock import to_text
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId
from steadyhand.store.people import people
from steadyhand.store.sessions import outbox
from store.ground import DESK, ME, OTHER
from store.racing import race

ROOF = SessionId("roof")


@pytest.fixture
def desk(store):
    def work(tx):
        for user in (ME, OTHER):
            for session in (DESK, ROOF):
                people.ensure_session(tx, user, session, "cli")

    store.write_now(work)
    return store


def owe(store, content, turn="turn", user=ME, session=DESK, **more):
    return store.write_now(lambda tx: outbox.owe(tx, user, session, turn, content, **({"source": "reply"} | more)))


def move(store, row, state, **columns):
    return store.write_now(lambda tx: outbox.move(tx, row, state, **columns))


def found(store, row, user=ME):
    return store.read_now(lambda tx: outbox.find(tx, user, row.id))


def due(store, limit=100):
    return [row.content for row in store.read_now(lambda tx: outbox.due(tx, limit))]


def test_what_is_owed_is_read_as_stored(desk):
    row = owe(desk, "好了", source="review", reply_to="m1", data={"week": 3}, shows=42)
    assert found(desk, row) == row
    assert (row.state, row.attempts, row.shows, row.reply_to, row.data) == ("queued", 0, 42, "m1", {"week": 3})
    assert found(desk, row, OTHER) is None


def test_a_turn_owes_the_very_same_once_whatever_became_of_it(desk):
    first = owe(desk, "done")
    assert owe(desk, "done") is None
    move(desk, first, "sent")
    assert owe(desk, "done", source="message") is None
    assert owe(desk, "done", "next turn") is not None
    assert owe(desk, "done", reply_to="m1") is not None
    assert owe(desk, "done", shows=1) is not None
    assert owe(desk, "done", user=OTHER) is not None
    rows = desk.read_now(lambda tx: outbox.of_turn(tx, ME, "turn"))
    assert [(row.content, row.reply_to, row.shows) for row in rows] == [
        ("done", None, None),
        ("done", "m1", None),
        ("done", None, 1),
    ]


def test_nothing_is_owed_to_a_session_that_is_not_there(store):
    with pytest.raises(DecisionRefused, match="session_unknown"):
        owe(store, "x")


def test_the_first_of_each_session_is_due_the_oldest_before_the_others(desk, clock):
    owe(desk, "a")
    clock.advance(timedelta(seconds=1))
    owe(desk, "x", user=OTHER)
    owe(desk, "b")
    clock.advance(timedelta(seconds=1))
    owe(desk, "r", session=ROOF)
    assert due(desk) == ["a", "x", "r"]
    assert due(desk, 2) == ["a", "x"]


def test_what_waits_for_another_try_holds_back_those_behind_it(desk, clock):
    row, _ = owe(desk, "a"), owe(desk, "b")
    move(desk, row, "queued", next_at=to_text(clock.now() + timedelta(seconds=30)), attempts=1)
    assert due(desk) == []
    clock.advance(timedelta(seconds=30))
    assert due(desk) == ["a"]


def test_what_is_being_sent_holds_back_those_behind_it_until_its_end_is_on_record(desk):
    row, _ = owe(desk, "a"), owe(desk, "b")
    move(desk, row, "sending", attempts=1)
    assert due(desk) == []
    (flying,) = desk.read_now(outbox.in_flight)
    assert flying.id == row.id
    move(desk, flying, "unknown", reason="no_answer")
    assert (due(desk), desk.read_now(outbox.in_flight)) == (["b"], [])


@pytest.mark.parametrize("state", ["sent", "failed", "unknown"])
def test_what_has_ended_is_due_no_more(desk, state):
    row = owe(desk, "a")
    assert move(desk, row, state, sent_message_id="m9")
    assert (due(desk), desk.read_now(lambda tx: outbox.unsent(tx, ME, DESK))) == ([], [])
    assert (found(desk, row).state, found(desk, row).sent_message_id) == (state, "m9")


def test_of_two_that_would_send_one_does(desk):
    row = owe(desk, "a")
    assert move(desk, row, "sending", attempts=1)
    assert not move(desk, row, "sending", attempts=1)
    again = found(desk, row)
    move(desk, again, "queued")
    assert not move(desk, row, "sending", attempts=1), "it was tried since"
    assert move(desk, found(desk, row), "sending", attempts=2)


def test_what_is_queued_for_a_session_is_told_in_order_due_or_not(desk, clock):
    rows = [owe(desk, text) for text in "abc"]
    owe(desk, "r", session=ROOF)
    move(desk, rows[0], "queued", next_at=to_text(clock.now() + timedelta(days=1)))
    move(desk, rows[1], "sent")
    assert [row.content for row in desk.read_now(lambda tx: outbox.unsent(tx, ME, DESK))] == ["a", "c"]


def test_what_was_owed_behind_a_number_is_told_in_order_whatever_became_of_it(desk):
    rows = [owe(desk, text) for text in "abcd"]
    owe(desk, "r", session=ROOF)
    move(desk, rows[1], "sent")

    def after(seq, limit=9):
        return [row.content for row in desk.read_now(lambda tx: outbox.after(tx, ME, DESK, seq, limit))]

    assert [after(0), after(1), after(rows[1].seq, 1), after(9)] == [list("abcd"), list("bcd"), ["c"], []]


def test_the_sessions_that_something_is_queued_for_are_told_once_each(desk, clock):
    rows = [owe(desk, text) for text in "ab"]
    owe(desk, "x", user=OTHER)
    move(desk, owe(desk, "r", session=ROOF), "sent")
    move(desk, rows[0], "queued", next_at=to_text(clock.now() + timedelta(days=1)))
    assert desk.read_now(outbox.sessions_owed) == [(ME, DESK), (OTHER, DESK)]


def test_only_what_ended_long_ago_is_forgotten_and_no_more_than_asked(desk, clock):
    rows = [owe(desk, text) for text in "abcde"]
    for row, state in zip(rows, ("sent", "failed", "unknown", "sending"), strict=False):
        move(desk, row, state)
    clock.advance(timedelta(seconds=1))
    now = desk.read_now(lambda tx: tx.now())

    def forget(limit):
        return desk.write_now(lambda tx: outbox.forget_ended(tx, now, limit))

    assert [forget(2), forget(2), forget(2)] == [2, 1, 0]
    assert [row.content for row in desk.read_now(lambda tx: outbox.of_turn(tx, ME, "turn"))] == ["d", "e"]


def test_processes_that_owe_the_same_owe_it_once_and_none_is_refused(desk, database_url, tmp_path):
    race(database_url, tmp_path / "race", "accept_the_same", 20)
    for number in range(20):
        assert len(desk.read_now(lambda tx, number=number: outbox.of_turn(tx, ME, f"turn {number}"))) == 1
