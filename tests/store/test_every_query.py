"""Every query takes a person: with the id of another one nothing of the first is returned, and nothing of theirs is changed."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import ChangeId
from steadyhand.store import Store, changes, drafts, people, records, timetable
from steadyhand.store.changes import DecisionRow, Display
from steadyhand.store.engine import Tx
from steadyhand.store.records import AppliedRow, Fenced, JournalRow
from steadyhand.store.tables import metadata, timetable_revisions
from steadyhand.store.timetable import Difference
from store.ground import DESK, ME, OTHER, change_row, person
from store.test_timetable import EVERYTHING, cell, event, item, task_class, term

MODULES = (changes, drafts, people, records, timetable)
CHANGE = ChangeId("change_mine_1")
REVISION = 424_242

ACROSS_PEOPLE = {
    "changes.on_target": "a shared target has several people; whether a change may be shown is decided by its row",
    "changes.in_states": "recovery and the doctor look at every person's",
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
REWRITTEN = {**term(), "name": "theirs", "is_current": False}

# What a person would say with another person's ids: the same change, draft, rows and keys, but under their own user id.
CALLS: dict[str, Callable[[Tx, drafts.Draft], Any]] = {
    "changes.insert_change": lambda tx, _: changes.insert_change(tx, change_row(OTHER, 9)),
    "changes.by_number": lambda tx, _: changes.by_number(tx, OTHER, 1),
    "changes.by_id": lambda tx, _: changes.by_id(tx, OTHER, CHANGE, lock=True),
    "changes.superseded_by": lambda tx, _: changes.superseded_by(tx, OTHER, 2),
    "changes.of_user": lambda tx, _: changes.of_user(tx, OTHER, states=["submitting"]),
    "changes.compare_and_swap": lambda tx, _: changes.compare_and_swap(tx, ROW, {"state": "failed"}),
    "changes.renew_lease": lambda tx, _: changes.renew_lease(tx, OTHER, CHANGE, "mine token", "later"),
    "changes.note_stop": lambda tx, _: changes.note_stop(tx, OTHER, CHANGE),
    "changes.add_decision": lambda tx, _: changes.add_decision(
        tx, DecisionRow("theirs", OTHER, CHANGE, DESK, "approve", None, "cli", "person", "yes", "t")
    ),
    "changes.decisions_of": lambda tx, _: changes.decisions_of(tx, OTHER, CHANGE),
    "changes.show": lambda tx, _: changes.show(tx, OTHER, DESK, DISPLAY),
    "changes.shown": lambda tx, _: changes.shown(tx, OTHER, DESK, CHANGE),
    "changes.no_longer_last": lambda tx, _: changes.no_longer_last(tx, OTHER, DESK),
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
    "people.count_message": lambda tx, _: people.count_message(tx, OTHER, DESK),
    "people.messages": lambda tx, _: people.messages(tx, OTHER, DESK),
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


def mine(value: Any) -> Any:
    """Put a word into every text, so that a leak is seen wherever it comes out."""
    return {key: f"mine {one}" if key in {"name", "content", "location"} else one for key, one in value.items()}


@pytest.fixture
def furnished(store):
    """A database in which one person has something in every table."""

    def work(tx: Tx) -> drafts.Draft:
        people.change_user(tx, ME, name="mine name", next_change=REVISION)
        people.ensure_session(tx, ME, DESK, "mine channel")
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
    carriers = {"user", "row", "draft"}
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
