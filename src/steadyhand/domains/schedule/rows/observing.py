"""Decides what is read of the timetable for a scope: rows, cells, and their footprint. It must not write."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json, digest
from steadyhand.core.ids import UserId
from steadyhand.domains.schedule.rows.writes import Holder, cell_region, holder_region, region
from steadyhand.gate.contract import Observation
from steadyhand.store import Tx
from steadyhand.store.timetable import timetable


def look(tx: Tx, user: UserId, term: int, scope: Json) -> Observation:
    """Read the rows and cells of *scope* in one term.

    Facts: ``term`` (its row or null), ``rows`` (region → row or null), ``cells`` (region → rows of ``schedules`` that lie
    there), ``events`` (rows of the events named or standing in those cells, by id), ``classes`` (rows of the categories named
    or owning a task that is named, by id), ``items`` (rows of the tasks that those events stand for, by id), ``holders`` (region → rows that refer to what goes or hold what one row alone may),
    ``now`` (the moment of looking).
    """
    wanted = cast("Mapping[str, Any]", scope)
    rows: dict[str, Any] = {}
    for table, keys in cast("Mapping[str, list[list[int]]]", wanted["keys"]).items():
        rows |= {region(table, key): None for key in keys}
        found = timetable.find(tx, user, table, [tuple(key) for key in keys])
        rows |= {region(table, [row[column] for column in timetable.KEYS[table]]): row for row in found}
    places = [(week, dow, section) for week, dow, section in cast("list[list[int]]", wanted["cells"])]
    cells: dict[str, list[dict[str, Any]]] = {cell_region(place): [] for place in places}
    for row in timetable.cells(tx, user, term, places):
        cells[cell_region((row["week"], row["day_of_week"], row["section"]))].append(row)
    standing = {(row["event_id"],) for found in cells.values() for row in found}
    events = _by_id(tx, user, "schedule_events", rows, standing)
    owners = {(row["class_id"],) for name, row in rows.items() if row is not None and name.startswith("task_items:")}
    classes = _by_id(tx, user, "task_classes", rows, owners)
    tasks = {(row["item_id"],) for row in events.values() if row["item_id"] is not None}
    items = _by_id(tx, user, "task_items", rows, tasks)
    holders = _holders(tx, user, term, [(table, column, value) for table, column, value in wanted["holders"]])
    own = next(iter(timetable.find(tx, user, "terms", [(term,)])), None)
    held = {
        name: [[row[column] for column in timetable.KEYS[table]] for row in found] for name, (table, found) in holders.items()
    }
    looked = {**rows, **cells, **held}
    facts: Json = {
        "term": own,
        "rows": rows,
        "cells": cells,
        "events": events,
        "classes": classes,
        "items": items,
        "holders": {name: found for name, (_, found) in holders.items()},
        "now": tx.now(),
    }
    return Observation(facts, {name: digest(found) if found else EMPTY[found is None] for name, found in looked.items()})


EMPTY = (digest([]), digest(None))
"""The digests of no rows and of no row, which most regions of a new thing have."""


def _by_id(tx: Tx, user: UserId, table: str, rows: Mapping[str, Any], more: set[tuple[int]]) -> dict[str, Any]:
    named = {str(row["id"]): row for name, row in rows.items() if row is not None and name.startswith(f"{table}:")}
    rest = {key for key in more if str(key[0]) not in named}
    return named | {str(row["id"]): row for row in timetable.find(tx, user, table, rest)}


def _holders(tx: Tx, user: UserId, term: int, wanted: Iterable[Holder]) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    columns: dict[tuple[str, str], list[int | str]] = {}
    for table, column, value in wanted:
        columns.setdefault((table, column), []).append(value)
    holders: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for (table, column), values in columns.items():
        holders |= {holder_region((table, column, value)): (table, []) for value in values}
        for row in timetable.find_by(tx, user, table, column, values):
            if column not in ("uid", "name") or row["term_id"] == term:  # those are unique in a term
                holders[holder_region((table, column, row[column]))][1].append(row)
    return holders
