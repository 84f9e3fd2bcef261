"""Decides which places that a program gives to tasks are over at a moment, so that nobody says yes to one unmarked. It must not refuse any.

Courses, and what a file brings with it, are a record of what was: their places in the past are what they should be.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steadyhand.core.clock import from_text, local
from steadyhand.domains.schedule.rows.forms import term_of
from steadyhand.store.timetable.timetable import Difference

Cell = tuple[int, int, int, int]
"""Event, week, day of week, section."""


def passed(differences: Sequence[Difference], facts: Mapping[str, Any]) -> list[Cell]:
    """Return the cells that come to tasks and had begun at the moment of *facts*, ascending."""
    if facts.get("now") is None or facts["term"] is None:
        return []
    term, cells = term_of(facts["term"]), _of_tasks(differences, facts["events"])
    here = local(from_text(facts["now"]), term.zone)
    found: list[Cell] = []
    for cell in cells:
        _, week, day_of_week, section = cell
        date, slots = term.date_of(week, day_of_week), term.scale_of(week, day_of_week).slots
        begins = slots[section - 1][0] if section <= len(slots) else ""
        if (date.isoformat(), begins) < (here.date().isoformat(), here.strftime("%H:%M")):
            found.append(cell)
    return sorted(found)


def _of_tasks(differences: Iterable[Difference], events: Mapping[str, Any]) -> list[Cell]:
    made = {diff.key[0]: diff.after for diff in differences if diff.table == "schedule_events" and diff.before is None}
    cells: list[Cell] = []
    for diff in differences:
        if diff.table != "schedules" or diff.after is None:
            continue
        event, week, day_of_week, section = diff.key
        new = made.get(event)
        row = new or events.get(str(event))
        if row is not None and row["kind"] == "task" and (new is None or row["item_id"] is not None):
            cells.append((event, week, day_of_week, section))
    return cells
