"""A change moves only from the version and state that was seen; decisions stay; a session's display is its own."""

from dataclasses import replace

import pytest

from steadyhand.core.ids import ChangeId, SessionId
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import DecisionRow, Display
from steadyhand.store.database.engine import Duplicate
from store.ground import DESK, ME, OTHER, change_row


@pytest.fixture
def row(store):
    made = change_row(scope=["deck"], observation={"width": 3, "note": "深"}, calls=[])
    store.write_now(lambda tx: changes.insert_change(tx, made))
    return made


def read(store, number=1, user=ME):
    return store.read_now(lambda tx: changes.by_number(tx, user, number))


def test_a_change_comes_back_as_it_was_stored(store, row):
    assert read(store) == row
    assert store.read_now(lambda tx: changes.by_id(tx, ME, row.id)) == row
    assert store.write_now(lambda tx: changes.by_id(tx, ME, row.id, lock=True)) == row


def test_a_move_from_what_was_seen_is_made_and_counted(store, row):
    assert store.write_now(lambda tx: changes.compare_and_swap(tx, row, {"state": "approved"}))
    moved = read(store)
    assert (moved.state, moved.version) == ("approved", row.version + 1)
    assert (row.updated_at[:10], moved.updated_at) == ("2026-09-06", "2026-09-07T01:00:00.000000Z")


@pytest.mark.parametrize("seen", [{"version": 2}, {"state": "approved"}, {"user_id": OTHER}])
def test_a_move_from_anything_else_is_not_made(store, row, seen):
    assert not store.write_now(lambda tx: changes.compare_and_swap(tx, replace(row, **seen), {"state": "rejected"}))
    assert read(store) == row


def test_of_two_moves_from_the_same_version_one_is_made(store, row):
    made = [store.write_now(lambda tx: changes.compare_and_swap(tx, row, {"reason": {"code": "x"}})) for _ in range(2)]
    assert made == [True, False]


def test_a_number_is_given_once_to_a_person(store, row):
    with pytest.raises(Duplicate):
        store.write_now(lambda tx: changes.insert_change(tx, replace(row, id=ChangeId("another"))))
    store.write_now(lambda tx: changes.insert_change(tx, change_row(OTHER)))


@pytest.mark.parametrize("state", ["approved", "submitting", "executed", "unknown"])
def test_a_target_has_one_change_on_its_way(store, state):
    store.write_now(lambda tx: changes.insert_change(tx, change_row(state="approved", target_key="t")))
    with pytest.raises(Duplicate):
        store.write_now(lambda tx: changes.insert_change(tx, change_row(number=2, state=state, target_key="t")))
    store.write_now(lambda tx: changes.insert_change(tx, change_row(number=2, state="sealed", target_key="t")))


def test_changes_are_listed_newest_first_and_by_state(store):
    states = ["sealed", "rejected", "sealed", "unknown"]
    for number, state in enumerate(states, 1):
        store.write_now(lambda tx, number=number, state=state: changes.insert_change(tx, change_row(number=number, state=state)))
    found = store.read_now(lambda tx: changes.of_user(tx, ME))
    assert [one.number for one in found] == [4, 3, 2, 1]
    assert [one.number for one in store.read_now(lambda tx: changes.of_user(tx, ME, limit=2))] == [4, 3]
    sealed = store.read_now(lambda tx: changes.of_user(tx, ME, states=["sealed"]))
    assert [one.number for one in sealed] == [3, 1]
    assert store.read_now(lambda tx: changes.of_user(tx, ME, states=[])) == []


@pytest.mark.parametrize("lock", [None, "wait", "skip"])
def test_a_shared_target_shows_the_changes_of_all_its_people(store, lock):
    for user in (ME, OTHER):
        store.write_now(lambda tx, user=user: changes.insert_change(tx, change_row(user, target_key="door", target_shared=True)))
    found = store.write_now(lambda tx: changes.on_target(tx, "door", ["sealed"], lock=lock))
    assert {one.user_id for one in found} == {ME, OTHER}
    assert store.read_now(lambda tx: changes.on_target(tx, "door", ["approved"])) == []


def test_a_lease_is_renewed_by_the_holder_of_the_token_alone(store):
    store.write_now(lambda tx: changes.insert_change(tx, change_row(owner_token="a", lease_until="1")))
    key = (ME, ChangeId("change_mine_1"))
    assert not store.write_now(lambda tx: changes.renew_lease(tx, *key, "b", "2"))
    assert store.write_now(lambda tx: changes.renew_lease(tx, *key, "a", "3"))
    assert (read(store).lease_until, read(store).version) == ("3", 1)


def test_a_noted_stop_moves_nothing(store, row):
    store.write_now(lambda tx: changes.note_stop(tx, ME, row.id))
    assert read(store) == replace(row, stop_noted=True)


def test_decisions_are_kept_in_their_order(store, row):
    made = [DecisionRow(f"d{i}", ME, row.id, DESK, kind, None, "cli", "person", "是", f"{i}") for i, kind in enumerate("ab")]
    for one in reversed(made):
        store.write_now(lambda tx, one=one: changes.add_decision(tx, one))
    assert store.read_now(lambda tx: changes.decisions_of(tx, ME, row.id)) == made


def test_a_session_remembers_what_it_saw_last_and_no_other_session_does(store, row):
    first = Display(row.id, "spec", "1" * 64, 3, "t1")
    last = Display(row.id, "seal", "2" * 64, 4, "t2")
    for display in (first, last):
        store.write_now(lambda tx, display=display: changes.show(tx, ME, DESK, display))
    assert store.read_now(lambda tx: changes.shown(tx, ME, DESK, row.id)) == last
    assert store.read_now(lambda tx: changes.shown(tx, ME, SessionId("page"), row.id)) is None


def test_after_something_else_was_asked_no_display_is_the_last_one(store, row):
    for session in (DESK, SessionId("page")):
        display = Display(row.id, "seal", "2" * 64, 4, "t")
        store.write_now(lambda tx, session=session, display=display: changes.show(tx, ME, session, display))
    store.write_now(lambda tx: changes.no_longer_last(tx, ME))
    found = [store.read_now(lambda tx, at=at: changes.shown(tx, ME, at, row.id)).at_message for at in (DESK, SessionId("page"))]
    assert found == [-1, -1], "what is shown at one door is the last thing shown at all"
