"""Every query takes a person: with the id of another one nothing of the first is returned, and nothing of theirs is changed."""

import dataclasses
import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from steadyhand import store as store_package
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import ChangeId, JobId
from steadyhand.store import Store
from steadyhand.store.changes import changes, drafts, records
from steadyhand.store.changes.changes import DecisionRow, Display
from steadyhand.store.changes.records import AppliedRow, Fenced, JournalRow
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.metadata import metadata
from steadyhand.store.later import counting, jobs, wakeups
from steadyhand.store.people import bindings, people, spending
from steadyhand.store.people.tables import sessions
from steadyhand.store.sessions import conversations, inbox, outbox, pairings, remembered, standing, turns
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.timetable import timetable
from steadyhand.store.timetable.tables import timetable_revisions
from steadyhand.store.timetable.timetable import Difference
from store.ground import DESK, ME, OTHER, a_job, a_run, a_turn, a_wakeup, change_row, claim, person
from store.test_timetable import EVERYTHING, cell, event, item, task_class, term

MODULES = tuple(
    import_module(f"{room.name}.{one.name}")
    for room in pkgutil.iter_modules(store_package.__path__, "steadyhand.store.")
    if room.ispkg and "tables" in {one.name for one in pkgutil.iter_modules(import_module(room.name).__path__)}
    for one in pkgutil.iter_modules(import_module(room.name).__path__)
    if one.name != "tables"
)
"""Every module of a room that has tables of its own."""
CHANGE = ChangeId("change_mine_1")
REVISION = 424_242

ACROSS_PEOPLE = {
    "bindings.find": "an account says who somebody is: before it is found there is no person to name",
    "changes.on_target": "a shared target has several people; whether a change may be shown is decided by its row",
    "changes.in_states": "recovery and the doctor look at every person's",
    "conversations.with_history_before": "the sweep of what is old looks at every person's, and is told ids alone",
    "inbox.sessions_waiting": "the host runs every person's turns, and is told ids alone",
    "inbox.forget_settled": "the sweep removes what is old of every person, and is told a number",
    "jobs.claim_queued": "the host runs every person's jobs, each for the person that its row names",
    "jobs.kinds_queued": "the host looks whether anything is to be run, whoever it is for",
    "jobs.queued_before": "the doctor looks whether anything waits for too long, whoever it is for, and is told a number",
    "jobs.renew": "the host keeps what it runs itself, whoever it is for",
    "jobs.running": "the host looks for jobs whose process is gone, whoever they are for",
    "jobs.untold": "the host tells every person's sessions what came of their jobs",
    "outbox.due": "the host sends to every person, each message to the session that it names",
    "outbox.sessions_owed": "the host sends to every person, and is told ids alone",
    "outbox.in_flight": "the host settles what a process that is gone was sending, whoever it is for",
    "outbox.forget_ended": "the sweep removes what is old of every person, and is told a number",
    "pairings.of_channel": "a code says who somebody is: before it is found there is no person to name",
    "remembered.forget_expired": "the sweep removes what is old of every person, and is told a number",
    "turns.all_running": "the host looks for turns whose process is gone, whoever they are for",
    "turns.forget_ended": "the sweep removes what is old of every person, and is told a number",
    "wakeups.claim_due": "the host wakes every person's sessions, each for the person that its row names",
    "wakeups.next_due": "the host sleeps until the next moment of any person, and is told a moment alone",
    "wakeups.booked_since": "a command asks whether anything that waits needs a host, and is told yes or no",
    "wakeups.overdue": "the doctor counts what is late of every person, and is told a number",
    "wakeups.sessions_with_pending": "the sweep spares the history of every person's waiting sessions, and is told ids alone",
    "wakeups.begun": "the host looks for wake-ups whose process is gone, whoever they are for",
    "wakeups.waiting_nowhere": "the host hands over again what stands in no inbox, whoever it is for",
    "wakeups.sessions_due": "the host wakes every person's sessions, each named with its person",
    "wakeups.taken_up_before": "the doctor counts what has not begun of every person, and is told a number",
    "jobs.taken_up_before": "the doctor counts what has not begun of every person, and is told a number",
    "people.hold_sessions": "each session is named with its person",
}


def public() -> dict[str, Callable[..., Any]]:
    """Return every public function of the modules that runs in a transaction, by its name."""
    found = {}
    for module in MODULES:
        short = module.__name__.rpartition(".")[2]
        for name, value in inspect.getmembers(module, inspect.isfunction):
            if value.__module__ == module.__name__ and not name.startswith("_") and "tx" in inspect.signature(value).parameters:
                found[f"{short}.{name}"] = value
    return found


def theirs(draft: drafts.Draft) -> drafts.Draft:
    return drafts.Draft(draft.id, OTHER, draft.domain, draft.target_name, draft.base, draft.revision, draft.head)


ROW = change_row(OTHER, 1, id=CHANGE, owner_token="mine token", state="submitting")
DISPLAY = Display(CHANGE, "seal", "0" * 64, 1, "t")
DECISION = "mine"
TURN, SAID = "the turn", "the entry"
WAKEUP, JOB = "the wake-up", JobId("the job")
LATE = "9999"
DAY = "2026-09-07"
REWRITTEN = {**term(), "name": "theirs", "is_current": False}

# What a person would say with another person's ids: the same change, draft, rows and keys, but under their own user id.
CALLS: dict[str, Callable[[Tx, drafts.Draft], Any]] = {
    "bindings.bind": lambda tx, _: bindings.bind(tx, "chat", "their account", OTHER, may_decide=True),
    "bindings.of_user": lambda tx, _: bindings.of_user(tx, OTHER),
    "bindings.unbind": lambda tx, _: bindings.unbind(tx, OTHER, "chat", "mine account"),
    "counting.next_number": lambda tx, _: counting.next_number(tx, OTHER, "wakeup"),
    "jobs.take_number": lambda tx, _: jobs.take_number(tx, OTHER),
    "jobs.insert_job": lambda tx, _: jobs.insert_job(tx, a_job("theirs", OTHER)),
    "jobs.by_number": lambda tx, _: jobs.by_number(tx, OTHER, 1),
    "jobs.by_id": lambda tx, _: jobs.by_id(tx, OTHER, JOB),
    "jobs.of_user": lambda tx, _: jobs.of_user(tx, OTHER, session=DESK, states=["running"]),
    "jobs.children": lambda tx, _: jobs.children(tx, OTHER, JOB),
    "jobs.count_open": lambda tx, _: jobs.count_open(tx, OTHER, "body") and "mine are counted",
    "jobs.change": lambda tx, _: jobs.change(tx, a_job(JOB, OTHER), title="theirs"),
    "jobs.report": lambda tx, _: jobs.report(tx, OTHER, JOB, "mine token", "theirs"),
    "pairings.put": lambda tx, _: pairings.put(tx, pairings.Waiting(OTHER, "chat", "s", "h", False, 0, LATE)),
    "pairings.drop": lambda tx, _: pairings.drop(tx, OTHER, "chat"),
    "wakeups.take_number": lambda tx, _: wakeups.take_number(tx, OTHER),
    "wakeups.insert_wakeup": lambda tx, _: wakeups.insert_wakeup(tx, a_wakeup("theirs", OTHER)),
    "wakeups.by_number": lambda tx, _: wakeups.by_number(tx, OTHER, 1),
    "wakeups.by_id": lambda tx, _: wakeups.by_id(tx, OTHER, WAKEUP),
    "wakeups.of_user": lambda tx, _: wakeups.of_user(tx, OTHER, session=DESK, families=["followup"], statuses=["pending"]),
    "wakeups.acknowledged": lambda tx, _: wakeups.acknowledged(tx, OTHER, TURN, "theirs"),
    "wakeups.made_unasked": lambda tx, _: wakeups.made_unasked(tx, OTHER, DESK, ""),
    "wakeups.change": lambda tx, _: wakeups.change(tx, a_wakeup(WAKEUP, OTHER), status="cancelled"),
    "wakeups.add_run": lambda tx, _: wakeups.add_run(tx, a_run("their run", "theirs", OTHER)),
    "wakeups.runs_of": lambda tx, _: wakeups.runs_of(tx, OTHER, WAKEUP),
    "wakeups.proactive_since": lambda tx, _: wakeups.proactive_since(tx, OTHER, DESK, "2020") and "mine are counted",
    "changes.insert_change": lambda tx, _: changes.insert_change(tx, change_row(OTHER, 9)),
    "changes.by_number": lambda tx, _: changes.by_number(tx, OTHER, 1),
    "changes.by_id": lambda tx, _: changes.by_id(tx, OTHER, CHANGE, lock=True),
    "changes.superseded_by": lambda tx, _: changes.superseded_by(tx, OTHER, 2),
    "changes.of_user": lambda tx, _: changes.of_user(tx, OTHER, states=["submitting"]),
    "changes.versions": lambda tx, _: changes.versions(tx, OTHER),
    "changes.compare_and_swap": lambda tx, _: changes.compare_and_swap(tx, ROW, {"state": "failed"}),
    "changes.renew_lease": lambda tx, _: changes.renew_lease(tx, OTHER, CHANGE, "mine token", "later"),
    "changes.note_stop": lambda tx, _: changes.note_stop(tx, OTHER, CHANGE),
    "changes.add_decision": lambda tx, _: changes.add_decision(
        tx, DecisionRow("theirs", OTHER, CHANGE, DESK, "approve", None, "cli", "person", "yes", "t")
    ),
    "changes.find_decision": lambda tx, _: changes.find_decision(tx, OTHER, DECISION),
    "changes.decisions_of": lambda tx, _: changes.decisions_of(tx, OTHER, CHANGE),
    "changes.show": lambda tx, _: changes.show(tx, OTHER, DESK, DISPLAY),
    "changes.shown": lambda tx, _: changes.shown(tx, OTHER, DESK, CHANGE),
    "changes.no_longer_last": lambda tx, _: changes.no_longer_last(tx, OTHER),
    "changes.is_last": lambda tx, _: changes.is_last(tx, OTHER) or None,
    "changes.of_session": lambda tx, _: changes.of_session(tx, OTHER, DESK, ["submitting"]),
    "conversations.add": lambda tx, _: (theirs_too(tx), conversations.add(tx, OTHER, DESK, [Said("theirs", "user", "t", "t")])),
    "conversations.history": lambda tx, _: conversations.history(tx, OTHER, DESK),
    "conversations.find": lambda tx, _: conversations.find(tx, OTHER, DESK, SAID),
    "conversations.by_channel_id": lambda tx, _: conversations.by_channel_id(tx, OTHER, DESK, "channel id"),
    "conversations.person_spoke_at": lambda tx, _: conversations.person_spoke_at(tx, OTHER, DESK) and "mine was heard",
    "conversations.name_on_channel": lambda tx, _: conversations.name_on_channel(tx, OTHER, SAID, "theirs"),
    "conversations.forget_before": lambda tx, _: conversations.forget_before(tx, OTHER, DESK, LATE, 9),
    "conversations.sessions_of": lambda tx, _: (theirs_too(tx), conversations.sessions_of(tx, OTHER)),
    "conversations.find_session": lambda tx, _: (theirs_too(tx), conversations.find_session(tx, OTHER, DESK)),
    "conversations.change_session": lambda tx, _: conversations.change_session(tx, OTHER, DESK, name="theirs"),
    "conversations.delete_session": lambda tx, _: (theirs_too(tx), conversations.delete_session(tx, OTHER, DESK)),
    "inbox.accept": lambda tx, _: (theirs_too(tx), inbox.accept(tx, OTHER, DESK, "person", "theirs", "origin")),
    "inbox.foremost": lambda tx, _: inbox.foremost(tx, OTHER, DESK),
    "inbox.waiting": lambda tx, _: inbox.waiting(tx, OTHER, DESK),
    "inbox.unsettled": lambda tx, _: inbox.unsettled(tx, OTHER, DESK, "person"),
    "inbox.find": lambda tx, _: [inbox.find(tx, OTHER, one.id) for one in inbox.waiting(tx, ME, DESK)],
    "inbox.of_turn": lambda tx, _: inbox.of_turn(tx, OTHER, TURN),
    "inbox.start": lambda tx, _: inbox.start(tx, OTHER, [one.id for one in inbox.waiting(tx, ME, DESK)], "theirs"),
    "inbox.settle": lambda tx, _: inbox.settle(tx, OTHER, TURN),
    "inbox.hand_over": lambda tx, _: inbox.hand_over(tx, OTHER, TURN, "theirs"),
    "outbox.owe": lambda tx, _: their_delivery(tx),
    "outbox.find": lambda tx, _: [outbox.find(tx, OTHER, one.id) for one in outbox.of_turn(tx, ME, TURN)],
    "outbox.after": lambda tx, _: outbox.after(tx, OTHER, DESK, 0, 9),
    "outbox.last_shown": lambda tx, _: outbox.last_shown(tx, OTHER, DESK),
    "outbox.is_review": lambda tx, _: [
        outbox.is_review(tx, OTHER, DESK, 1, one.id) or None for one in outbox.of_turn(tx, ME, TURN)
    ],
    "outbox.open_in": lambda tx, _: outbox.open_in(tx, OTHER, DESK),
    "outbox.unsent": lambda tx, _: outbox.unsent(tx, OTHER, DESK),
    "outbox.of_turn": lambda tx, _: outbox.of_turn(tx, OTHER, TURN),
    "outbox.move": lambda tx, _: their_move(tx),
    "remembered.put": lambda tx, _: remembered.put(tx, OTHER, DESK, "key", "theirs", None),
    "remembered.held": lambda tx, _: remembered.held(tx, OTHER, DESK),
    "remembered.drop": lambda tx, _: remembered.drop(tx, OTHER, DESK, "key"),
    "remembered.prefer": lambda tx, _: [remembered.prefer(tx, OTHER, "key", value) for value in ("theirs", None)],
    "remembered.preferred": lambda tx, _: remembered.preferred(tx, OTHER),
    "spending.add": lambda tx, _: spending.add(tx, OTHER, DAY, "mine model", spending.Spent(1, 1, 1, 1.0)),
    "spending.on_day": lambda tx, _: spending.on_day(tx, OTHER, DAY),
    "turns.insert_turn": lambda tx, _: turns.insert_turn(tx, a_turn("theirs", OTHER)),
    "turns.change_turn": lambda tx, _: turns.change_turn(tx, OTHER, TURN, "mine token", rounds=9),
    "turns.running": lambda tx, _: turns.running(tx, OTHER, DESK),
    "turns.find": lambda tx, _: turns.find(tx, OTHER, TURN),
    "turns.latest": lambda tx, _: turns.latest(tx, OTHER, DESK),
    "turns.lane": lambda tx, _: turns.lane(tx, OTHER, DESK),
    "turns.take_lane": lambda tx, _: [turns.take_lane(tx, OTHER, DESK, claim("theirs"), token) for token in ("mine token", None)],
    "turns.renew_lane": lambda tx, _: turns.renew_lane(tx, OTHER, DESK, "mine token", LATE),
    "turns.leave_lane": lambda tx, _: turns.leave_lane(tx, OTHER, DESK, "mine token"),
    "turns.ask_stop": lambda tx, _: turns.ask_stop(tx, OTHER, DESK),
    "turns.forget_stop": lambda tx, _: turns.forget_stop(tx, OTHER, DESK, "mine token"),
    "drafts.find_open": lambda tx, _: drafts.find_open(tx, OTHER, "schedule", "mine target"),
    "drafts.revision": lambda tx, _: drafts.revision(tx, OTHER, "schedule", "mine target"),
    "drafts.open_draft": lambda tx, _: drafts.open_draft(tx, OTHER, "schedule", "target", {}),
    "drafts.steps_of": lambda tx, draft: drafts.steps_of(tx, theirs(draft)),
    "drafts.append": lambda tx, draft: drafts.append(tx, theirs(draft), ["theirs"]),
    "drafts.move_head": lambda tx, draft: drafts.move_head(tx, theirs(draft), 0),
    "drafts.rebase": lambda tx, draft: drafts.rebase(tx, theirs(draft), {}),
    "drafts.close": lambda tx, draft: drafts.close(tx, theirs(draft)),
    "people.find_user": lambda tx, _: people.find_user(tx, OTHER),
    "people.require_user": lambda tx, _: people.require_user(tx, OTHER),
    "people.add_user": lambda tx, _: people.add_user(tx, person(OTHER)),
    "people.change_user": lambda tx, _: people.change_user(tx, OTHER, name="theirs"),
    "people.next_change_number": lambda tx, _: people.next_change_number(tx, OTHER),
    "people.ensure_session": lambda tx, _: people.ensure_session(tx, OTHER, DESK, "cli"),
    "people.take_seq": lambda tx, _: (theirs_too(tx), people.take_seq(tx, OTHER, DESK, 3)),
    "outbox.unseen": lambda tx, _: outbox.unseen(tx, OTHER),
    "people.hold_session": lambda tx, _: people.hold_session(tx, OTHER, DESK),
    "people.hold_user": lambda tx, _: people.hold_user(tx, OTHER),
    "people.count_messages": lambda tx, _: people.count_messages(tx, OTHER, DESK),
    "people.messages": lambda tx, _: people.messages(tx, OTHER, DESK),
    "standing.standing": lambda tx, _: (theirs_too(tx), standing.standing(tx, OTHER, DESK)),
    "records.last_entry": lambda tx, _: records.last_entry(tx, OTHER, CHANGE),
    "records.append_entry": lambda tx, _: records.append_entry(tx, OTHER, CHANGE, JournalRow(0, "theirs", "h")),
    "records.entries": lambda tx, _: records.entries(tx, OTHER, CHANGE),
    "records.put_artifact": lambda tx, _: records.put_artifact(tx, OTHER, CHANGE, "design.txt", b"theirs"),
    "records.artifacts_of": lambda tx, _: records.artifacts_of(tx, OTHER, CHANGE),
    "records.fence": lambda tx, _: records.fence(tx, OTHER, CHANGE, "mine token"),
    "records.record_applied": lambda tx, _: records.record_applied(tx, OTHER, CHANGE, AppliedRow("d", {}, None)),
    "records.find_applied": lambda tx, _: records.find_applied(tx, OTHER, CHANGE),
    "records.begin_step": lambda tx, _: records.begin_step(tx, OTHER, CHANGE, "theirs", None),
    "records.end_step": lambda tx, _: records.end_step(tx, OTHER, CHANGE, 0, "theirs"),
    "records.steps_of": lambda tx, _: records.steps_of(tx, OTHER, CHANGE),
    "records.put_call_result": lambda tx, _: records.put_call_result(tx, OTHER, CHANGE, "theirs"),
    "records.call_result": lambda tx, _: records.call_result(tx, OTHER, CHANGE),
    "timetable.current_term": lambda tx, _: timetable.current_term(tx, OTHER, lock=True),
    "timetable.lock_person": lambda tx, _: timetable.lock_person(tx, OTHER),
    "timetable.rows_of_term": lambda tx, _: timetable.rows_of_term(tx, OTHER, 1),
    "timetable.find": lambda tx, _: timetable.find(tx, OTHER, "schedule_events", [(11,), (12,)]),
    "timetable.find_by": lambda tx, _: timetable.find_by(tx, OTHER, "task_items", "class_id", [1]),
    "timetable.cells": lambda tx, _: timetable.cells(tx, OTHER, 1, [(1, 1, 1), (1, 1, 2)]),
    "timetable.apply": lambda tx, _: timetable.apply(
        tx,
        OTHER,
        [
            Difference("terms", term(), REWRITTEN),
            Difference("schedules", cell(12, 2), None),
            Difference("task_items", item(21), None),
            Difference("task_classes", task_class(), {**task_class(), "name": "theirs"}),
            Difference("schedule_events", event(11), None),
        ],
    ),
    "timetable.revision": lambda tx, _: timetable.revision(tx, OTHER),
    "timetable.grow_revision": lambda tx, _: timetable.grow_revision(tx, OTHER),
}


def theirs_too(tx: Tx) -> None:
    """The other person has a session of the same name: what is asked there is not refused for want of one."""
    people.ensure_session(tx, OTHER, DESK, "cli")


def their_move(tx: Tx) -> bool:
    (row,) = outbox.of_turn(tx, ME, TURN)
    return outbox.move(tx, dataclasses.replace(row, user_id=OTHER), "sent")


def their_delivery(tx: Tx) -> bool:
    """Owe the other person the very same: it must not count as owed already."""
    theirs_too(tx)
    assert outbox.owe(tx, OTHER, DESK, TURN, "mine owed", source="reply") is not None
    return True


def mine(value: Any) -> Any:
    """Put a word into every text, so that a leak is seen wherever it comes out."""
    return {key: f"mine {one}" if key in {"name", "content", "location"} else one for key, one in value.items()}


def converse(tx: Tx) -> None:
    """One of everything that a conversation leaves."""
    tx.execute(update(sessions).values(next_seq=REVISION, name="mine name", address="mine address"))
    conversations.add(tx, ME, DESK, [Said(SAID, "user", "mine words", "person", TURN, channel_message_id="channel id")])
    inbox.accept(tx, ME, DESK, "person", "mine body", "origin")
    taken, _ = inbox.accept(tx, ME, DESK, "person", "mine other body")
    inbox.start(tx, ME, [taken.id], TURN)
    outbox.owe(tx, ME, DESK, TURN, "mine owed", source="reply")
    turns.insert_turn(tx, a_turn(TURN, ME, lane_token="mine token"))
    turns.take_lane(tx, ME, DESK, claim("mine token"), None)
    remembered.put(tx, ME, DESK, "key", "mine value", None)
    remembered.prefer(tx, ME, "key", "mine preference")
    spending.add(tx, ME, DAY, "mine model", spending.Spent(1, REVISION, REVISION, 1.0))


def look_ahead(tx: Tx) -> None:
    """One of everything that happens later."""
    counting.next_number(tx, ME, "wakeup")
    wakeups.insert_wakeup(tx, a_wakeup(WAKEUP, followup_reason="mine reason", chain=1, turn_id=TURN))
    wakeups.add_run(tx, a_run("mine run", WAKEUP, note="mine note"))
    jobs.insert_job(tx, a_job(JOB, title="mine title", state="running", owner_token="mine token"))
    jobs.insert_job(tx, a_job("mine child", number=2, parent_id=JOB))
    bindings.bind(tx, "chat", "mine account", ME, may_decide=True)
    pairings.put(tx, pairings.Waiting(ME, "chat", "mine salt", "mine", True, 0, LATE))


@pytest.fixture
def furnished(store):
    """A database in which one person has something in every table."""

    def work(tx: Tx) -> drafts.Draft:
        people.change_user(tx, ME, name="mine name", next_change=REVISION)
        people.ensure_session(tx, ME, DESK, "mine channel")
        converse(tx)
        look_ahead(tx)
        changes.insert_change(tx, change_row(id=CHANGE, request="mine", owner_token="mine token", state="submitting"))
        changes.add_decision(tx, DecisionRow("mine", ME, CHANGE, DESK, "approve", None, "cli", "person", "mine", "t"))
        changes.show(tx, ME, DESK, Display(CHANGE, "seal", "mine", 1, "t"))
        records.append_entry(tx, ME, CHANGE, JournalRow(0, "mine", "mine"))
        records.put_artifact(tx, ME, CHANGE, "design.txt", b"mine")
        records.record_applied(tx, ME, CHANGE, AppliedRow("mine", {"mine": "mine"}, "mine"))
        records.begin_step(tx, ME, CHANGE, "mine", "mine")
        records.put_call_result(tx, ME, CHANGE, "mine")
        timetable.apply(tx, ME, [Difference(one.table, None, mine(one.after)) for group in EVERYTHING for one in group])
        tx.execute(timetable_revisions.update().values(revision=REVISION))
        return drafts.append(tx, drafts.open_draft(tx, ME, "schedule", "mine target", "mine base"), ["mine step"])

    return store, store.write_now(work)


def all_of(tx: Tx, user: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of a person in every table."""
    return {
        name: sorted(
            (tuple(row) for row in tx.execute(select(table).where((table.c.id if name == "users" else table.c.user_id) == user))),
            key=repr,
        )
        for name, table in metadata.tables.items()
    }


class Undone(Exception):
    """Nothing of a call stays."""


def test_the_person_has_something_in_every_table(furnished):
    store, _ = furnished
    assert all(store.read_now(lambda tx: all_of(tx, ME)).values())


def test_every_public_query_is_called_here():
    assert set(public()) == set(CALLS) | set(ACROSS_PEOPLE)


def test_every_query_names_a_person_or_a_row_that_has_one():
    carriers = {"user", "row", "draft", "run", "waiting"}
    nameless = [name for name, function in public().items() if not carriers & set(inspect.signature(function).parameters)]
    assert sorted(nameless) == sorted(ACROSS_PEOPLE)


def outcome(tx: Tx, call: Callable[[], Any]) -> Any:
    """Return what a call gives or how it is refused."""
    try:
        with tx.connection.begin_nested():
            return call()
    except (SteadyhandError, Fenced) as error:
        return error.args
    except IntegrityError:
        return "refused by the database"


def leaks(store: Store, name: str, draft: drafts.Draft) -> list[str]:
    """Return what a call under another person's id gave away or changed; nothing of the call stays."""
    found: list[str] = []

    def work(tx: Tx) -> None:
        before = all_of(tx, ME)
        said = repr(outcome(tx, lambda: CALLS[name](tx, draft))).replace(CHANGE, "the change that was asked for")
        found.extend(f"{name} gave {said}" for sign in ("mine", str(REVISION)) if sign in said)
        found.extend(f"{name} changed {table}" for table, rows in all_of(tx, ME).items() if rows != before[table])
        raise Undone

    with pytest.raises(Undone):
        store.write_now(work)
    return found


def test_with_another_persons_id_nothing_is_returned_or_changed(furnished):
    store, draft = furnished
    assert [leak for name in sorted(CALLS) for leak in leaks(store, name, draft)] == []


def test_a_person_who_deletes_all_their_rows_deletes_their_own(furnished):
    store, _ = furnished
    rows = [one for group in EVERYTHING for one in group]
    store.write_now(lambda tx: timetable.apply(tx, OTHER, rows))
    before = store.read_now(lambda tx: all_of(tx, ME))
    store.write_now(lambda tx: timetable.apply(tx, OTHER, [Difference(one.table, one.after, None) for one in rows]))
    assert store.read_now(lambda tx: all_of(tx, ME)) == before
    assert store.read_now(lambda tx: all_of(tx, OTHER))["schedules"] == []


def test_the_dump_of_this_test_sees_a_row(store):
    store.write_now(lambda tx: tx.execute(insert(timetable_revisions).values(user_id=ME, revision=1)))
    assert store.read_now(lambda tx: all_of(tx, ME))["timetable_revisions"] == [(ME, 1)]
