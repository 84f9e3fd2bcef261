"""Decides what is read of the timetable for a scope: rows, cells, and their footprint. It must not write."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json, digest
from steadyhand.core.ids import UserId
from steadyhand.domains.schedule.row_writes import cell_region, region
from steadyhand.gate.contract import Observation
from steadyhand.store import Tx, timetable


def look(tx: Tx, user: UserId, term: int, scope: Json) -> Observation:
    """Read the rows and cells of *scope* in one term.

    Facts: ``term`` (its row or null), ``rows`` (region → row or null), ``cells`` (region → rows of ``schedules`` that lie
    there), ``events`` (rows of the events named or standing in those cells, by id).
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
    events = {str(row["id"]): row for row in timetable.find(tx, user, "schedule_events", standing)}
    events |= {str(row["id"]): row for name, row in rows.items() if row is not None and name.startswith("schedule_events:")}
    own = next(iter(timetable.find(tx, user, "terms", [(term,)])), None)
    footprint = {name: digest(row) for name, row in rows.items()} | {name: digest(found) for name, found in cells.items()}
    facts: Json = {"term": own, "rows": rows, "cells": cells, "events": events}
    return Observation(facts, footprint)
