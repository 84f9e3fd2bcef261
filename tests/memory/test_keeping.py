"""The sweep removes what is older than its tier, in bounded steps, and never what a waiting session still needs."""

import asyncio
from datetime import timedelta

import pytest

from steadyhand.core.ids import ChangeId, SessionId
from steadyhand.memory.keeping import Swept, sweep
from steadyhand.memory.preferences import Preferences
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox, turns
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.turns import TurnRow
from store.ground import DESK, ME, OTHER, change_row

OPEN = ("in_review", "sealed")
BUSY = SessionId("busy")


def entries(*names):
    return [Said(name, "user", name, "person") for name in names]


def say_in(store, user, session, *names):
    def work(tx):
        people.ensure_session(tx, user, session, "cli")
        conversations.add(tx, user, session, entries(*names))

    store.write_now(work)


def left(store, user=ME, session=DESK):
    return [said.id for said in store.read_now(lambda tx: conversations.history(tx, user, session))]


def swept(store, tiers=None, busy=(), batch=500):
    return asyncio.run(sweep(store, tiers or Tiers(), busy=busy, open_states=OPEN, batch=batch))


def a_turn(tx, name, state="done"):
    turns.insert_turn(tx, TurnRow(name, ME, DESK, "person", "running", 1, "t", [], 1, None, None, None, tx.now(), None))
    if state != "running":
        turns.change_turn(tx, ME, name, "t", state=state, ended_at=tx.now())


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_what_was_said_before_the_limit_is_removed_and_the_rest_stays(store, clock, batch):
    say_in(store, ME, DESK, "a", "b", "c")
    say_in(store, OTHER, DESK, "d")
    clock.advance(timedelta(days=6))
    say_in(store, ME, DESK, "e")
    clock.advance(timedelta(days=1, seconds=1))
    assert swept(store, batch=batch) == Swept(4, 0, 0, 0, 0)
    assert (left(store), left(store, OTHER)) == (["e"], [])
    assert swept(store) == Swept(0, 0, 0, 0, 0)


def test_a_session_that_has_lost_its_history_is_still_listed(store, clock):
    say_in(store, ME, DESK, "a")
    clock.advance(timedelta(days=8))
    swept(store)
    (row,) = store.read_now(lambda tx: conversations.sessions_of(tx, ME))
    assert (row.id, row.said) == (DESK, 0)


def test_kept_history_stays_but_what_was_held_for_a_while_goes(desk, clock):
    say_in(desk, ME, DESK, "a")
    working = Working(desk, Tiers())
    asyncio.run(working.hold(ME, DESK, "list", 1))
    asyncio.run(working.hold(OTHER, DESK, "list", 1))
    asyncio.run(working.hold(ME, DESK, "window", 1, keep=True))
    clock.advance(timedelta(days=4000))
    assert swept(desk, Tiers(history_days=None), batch=1) == Swept(0, 2, 0, 0, 0)
    assert left(desk) == ["a"]
    assert asyncio.run(working.held(ME, DESK)) == {"window": 1}


def test_a_busy_session_keeps_what_was_said_in_it(store, clock):
    say_in(store, ME, DESK, "a")
    say_in(store, ME, BUSY, "b")
    say_in(store, OTHER, BUSY, "c")
    clock.advance(timedelta(days=30))
    assert swept(store, busy={(ME, BUSY)}).said == 2
    assert (left(store), left(store, ME, BUSY), left(store, OTHER, BUSY)) == ([], ["b"], [])


@pytest.mark.parametrize(("state", "stays"), [("in_review", True), ("sealed", True), ("verified", False), ("expired", False)])
def test_a_session_with_an_open_change_keeps_what_was_said_in_it(store, clock, state, stays):
    say_in(store, ME, DESK, "a")
    say_in(store, OTHER, DESK, "b")
    store.write_now(lambda tx: changes.insert_change(tx, change_row(state=state)))
    clock.advance(timedelta(days=30))
    swept(store)
    assert (left(store), left(store, OTHER)) == (["a"] if stays else [], [])


def test_a_session_whose_turn_runs_keeps_what_was_said_in_it(store, clock):
    say_in(store, ME, DESK, "a")
    store.write_now(lambda tx: a_turn(tx, "running", "running"))
    clock.advance(timedelta(days=30))
    assert swept(store) == Swept(0, 0, 0, 0, 0)
    assert left(store) == ["a"]


def test_what_came_in_went_out_and_ran_is_removed_once_it_has_ended(desk, clock):
    def work(tx):
        accepted = [inbox.accept(tx, ME, DESK, "person", {"text": str(number)})[0] for number in range(3)]
        a_turn(tx, "old")
        inbox.start(tx, ME, [accepted[0].id], "old")
        inbox.settle(tx, ME, "old")
        inbox.start(tx, ME, [accepted[1].id], "lost")
        owed = [outbox.owe(tx, ME, DESK, "old", str(number), source="reply") for number in range(4)]
        for row, state in zip(owed, ("sent", "failed", "unknown"), strict=False):
            outbox.move(tx, row, state)

    desk.write_now(work)
    clock.advance(timedelta(days=8))
    assert swept(desk, batch=1) == Swept(0, 0, 1, 3, 1)

    def rest(tx):
        return len(inbox.waiting(tx, ME, DESK)), len(inbox.of_turn(tx, ME, "lost")), len(outbox.unsent(tx, ME, DESK))

    assert desk.read_now(rest) == (1, 1, 1)


def test_changes_and_preferences_are_never_swept(store, clock):
    say_in(store, ME, DESK, "a")
    store.write_now(lambda tx: changes.insert_change(tx, change_row(id=ChangeId("c"), state="verified")))
    asyncio.run(Preferences(store).prefer(ME, "evenings", "free"))
    clock.advance(timedelta(days=4000))
    swept(store)
    assert store.read_now(lambda tx: changes.by_number(tx, ME, 1)) is not None
    assert asyncio.run(Preferences(store).all(ME)) == {"evenings": "free"}
