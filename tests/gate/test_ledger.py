"""Each move of a change is one transaction: legal, compared and swapped, journalled, or nothing at all."""

import threading

import pytest

from steadyhand.core.errors import DecisionRefused, IllegalTransition
from steadyhand.core.ids import SessionId
from steadyhand.gate.journal import Entry, Note
from steadyhand.gate.machine import Event, State
from steadyhand.store.changes import changes, records
from trial_domains.stand import DESK, ME, OTHER, me, note, run


def test_of_two_moves_from_the_same_row_the_second_is_refused_and_leaves_nothing(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.sealed())
    ledger = stand.controller.ledger
    run(ledger.move(row, Event.DENIED))
    before = stand.events(row.number)
    with pytest.raises(DecisionRefused, match="change_moved_on"):
        run(ledger.move(row, Event.WITHDRAWN, [Note(Entry.STOP_NOTED)]))
    assert stand.row(row.number).state == State.REJECTED
    assert stand.events(row.number) == before


def test_of_two_moves_that_leave_the_state_as_it_is_the_second_is_refused_too(stand_anywhere):
    """Two answers for the same round: the calls of one must not overwrite the calls of the other."""
    stand = stand_anywhere
    row = run(stand.collecting())
    ledger = stand.controller.ledger
    first = [{"index": 0, "round": 1, "name": "cut_plate", "arguments": {"plate": "deck"}}]
    run(ledger.move(row, Event.CALLS_PARTIAL, calls=first))
    with pytest.raises(DecisionRefused, match="change_moved_on"):
        run(ledger.move(row, Event.CALLS_PARTIAL, calls=[]))
    assert stand.row(row.number).calls == first


@pytest.mark.parametrize("state", [state for state in State if state is not State.SUBMITTING], ids=str)
def test_only_a_submission_under_way_may_write_and_only_with_its_own_token(stand, state):
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.set(row.number, state="submitting", owner_token="own_mine")
    stand.store.write_now(lambda tx: records.fence(tx, ME, row.id, "own_mine"))
    for token in ("own_other", "", "own_mine "):
        with pytest.raises(records.Fenced):
            stand.store.write_now(lambda tx, token=token: records.fence(tx, ME, row.id, token))
    with pytest.raises(records.Fenced):
        stand.store.write_now(lambda tx: records.fence(tx, OTHER, row.id, "own_mine"))
    stand.set(row.number, state=state.value)
    with pytest.raises(records.Fenced):
        stand.store.write_now(lambda tx: records.fence(tx, ME, row.id, "own_mine"))


def test_one_that_is_being_decided_elsewhere_does_not_hold_up_the_receipt_of_another(stand_on_postgres):
    """Both would wait for each other: the decision for the target, the receipt for the row."""
    stand = stand_on_postgres
    first = run(stand.open(note("monday"), domain="notebook"))
    second = run(stand.open(note("monday", "other"), domain="notebook", session=SessionId("roof")))
    held, done = threading.Event(), threading.Event()
    in_time = []

    def hold(tx):
        changes.by_id(tx, ME, second.id, lock=True)
        held.set()
        in_time.append(done.wait(60))

    holder = threading.Thread(target=stand.store.write_now, args=(hold,))
    holder.start()
    assert held.wait(60)
    verified = run(stand.approve(first))
    done.set()
    holder.join()
    assert in_time == [True]
    assert verified.state == State.VERIFIED
    assert stand.row(second.number).state == State.SEALED
    assert run(stand.approve(second)).state == State.STALE, "the executor compares its footprint anyway"


def test_a_move_that_the_table_lacks_is_our_own_mistake_and_writes_nothing(stand):
    row = run(stand.sealed())
    with pytest.raises(IllegalTransition):
        run(stand.controller.ledger.move(row, Event.MATCHED))
    assert stand.row(row.number) == row


def test_when_what_belongs_to_a_move_fails_the_move_is_undone_with_it(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.sealed())
    before = stand.events(row.number)

    def extra(tx, moved):
        assert moved.state == State.REJECTED
        raise RuntimeError("the decision could not be stored")

    with pytest.raises(RuntimeError):
        run(stand.controller.ledger.move(row, Event.DENIED, [Note(Entry.STOP_NOTED)], extra=extra))
    assert stand.row(row.number) == row
    assert stand.events(row.number) == before


def test_what_a_move_returns_is_what_is_stored(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.sealed_from_spec())
    moved, _ = run(stand.controller.ledger.move(row, Event.DENIED, reason={"code": "denied", "params": {}, "index": None}))
    assert moved == stand.row(row.number)
    assert moved.version == row.version + 1


def test_what_ended_or_is_unknown_has_no_owner(stand):
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.set(row.number, state="submitting", owner_token="own_x")
    moved, _ = run(stand.controller.ledger.move(stand.row(row.number), Event.UNCLEAR))
    assert (moved.state, moved.owner, moved.owner_token, moved.lease_until) == ("unknown", None, None, None)


def test_a_change_of_another_person_is_not_there(stand):
    row = run(stand.sealed())
    for ask in (
        stand.controller.ledger.find(OTHER, row.number),
        stand.controller.ledger.load(OTHER, row.id),
        stand.controller.approve(me(user=OTHER), row.number, row.seal_digest),
        stand.controller.deny(me(user=OTHER), row.number),
        stand.controller.offer_spec(OTHER, row.number, "x"),
    ):
        with pytest.raises(DecisionRefused, match="change_unknown"):
            run(ask)
    assert stand.row(row.number) == row


def test_each_person_counts_their_changes_from_one(stand):
    stand.panel.make("theirs")
    first, second = run(stand.sealed(session=DESK)), run(stand.sealed("roof"))
    theirs = run(stand.sealed(name="theirs", user=OTHER))
    assert (first.number, second.number, theirs.number) == (1, 2, 1)


def test_a_stop_that_is_noted_does_not_disturb_whoever_works_on_the_change(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.sealed())
    stand.set(row.number, state="submitting")
    working = stand.row(row.number)
    noted = run(stand.controller.withdraw(me(), row.number))
    assert noted.stop_noted
    moved, _ = run(stand.controller.ledger.move(working, Event.UNTOUCHED))
    assert moved.state == State.FAILED
    assert stand.row(row.number).stop_noted
    assert "stop_noted" in stand.events(row.number)
    assert stand.chain_holds(row.number)


def test_a_stop_is_not_noted_as_too_late_while_nothing_was_submitted(stand):
    row = run(stand.sealed())
    with pytest.raises(DecisionRefused, match="change_moved_on"):
        run(stand.controller.ledger.note_stop(row, "asked"))
    assert stand.row(row.number) == row
