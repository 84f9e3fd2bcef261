"""Decides what stands in the cells of a term: what is stored, and the same with the draft's places laid over it. It must not draw or write."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.loading import rows_of
from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.week_grid import Column, Mark, Seat
from steadyhand.domains.schedule.term.records import NOTHING_KNOWN, Particulars, Records, Term

Cell: TypeAlias = tuple[int, int, int]
"""(week, day of week, slot)"""


@dataclass(frozen=True, slots=True)
class Holder:
    """What stands in a cell."""

    name: str
    mark: Mark
    particulars: Particulars = NOTHING_KNOWN
    host: str = ""


Standing: TypeAlias = dict[tuple[Cell, bool], Holder]
"""Who holds each cell, (cell, as a guest)."""


def stored(records: Records, left_out: Mapping[int, Task] | None = None, draft: OpenDraft | None = None) -> Standing:
    """Return who holds each cell by what is stored; inside the window of *draft* without the events of *left_out*."""
    events = {event.id: event for event in records.events}
    found: Standing = {}
    for row in records.rows:
        event = events[row.event_id]
        if left_out and draft and event.id in left_out and draft.window.day_of(row.week, row.day_of_week) is not None:
            continue
        guest = row.host_event_id is not None
        host = events[row.host_event_id].name if row.host_event_id is not None else ""
        mark: Mark = "C" if event.kind == "course" else "t" if guest else "T"
        found[(row.week, row.day_of_week, row.section), guest] = Holder(event.name, mark, row.particulars, host)
    return found


def drafted(records: Records, draft: OpenDraft) -> Standing:
    """Return who holds each cell of the whole term, with the draft's places in the stead of the stored ones."""
    touched = _touched(draft)
    moved = {event: task for task in touched if (event := _event_of(draft, task)) is not None}
    found = stored(records, moved, draft)
    for task in touched:
        hosted = task.place.embed_host
        host = "" if hosted is None else draft.timetable.tasks[hosted].name
        for cell in rows_of(task.place, draft.window):
            found[cell, hosted is not None] = Holder(task.name, "S" if hosted is None else "s", host=host)
    return found


def _touched(draft: OpenDraft) -> list[Task]:
    base = draft.base.timetable.tasks
    return [task for state_id, task in draft.timetable.tasks.items() if task.place != base[state_id].place]


def _event_of(draft: OpenDraft, task: Task) -> int | None:
    return task.source_id if task.source == "event" else draft.base.events.get(task.source_id)


def differing(standing: Standing, other: Standing, mark: Mark) -> Standing:
    """Return *standing* with *mark* on what the *other* has not got in the same cell."""

    def same(one: Holder, two: Holder | None) -> bool:
        return two is not None and (one.name, one.host) == (two.name, two.host)

    return {key: holder if same(holder, other.get(key)) else replace(holder, mark=mark) for key, holder in standing.items()}


def default_week(term: Term, today: date, holders: Iterable[tuple[Cell, bool]]) -> int:
    """Return the week of today inside the term, else the first week that holds anything."""
    here = term.week_of(today)
    return here[0] if here is not None else min((cell[0] for cell, _ in holders), default=1)


def column(term: Term, holders: Standing, day: tuple[int, int], *, today: date, language: Language, above: str = "") -> Column:
    """Return a (week, day of week) of the term as a column; *above* takes the place of its weekday."""
    seats: list[Seat] = []
    scale = term.scale_of(*day).slots
    for guest in (False, True):
        runs: list[tuple[int, int, Holder]] = []
        for slot in range(1, len(term.scale) + 1):
            holder = holders.get(((*day, slot), guest))
            if holder is None:
                continue
            if runs and runs[-1][1] == slot - 1 and runs[-1][2] == holder:
                runs[-1] = (runs[-1][0], slot, holder)
            else:
                runs.append((slot, slot, holder))
        seats += [_seat(first, last, one, scale) for first, last, one in runs]
    on = term.date_of(*day)
    weekday = above or say(language, f"export.day.{on.isoweekday()}")
    return Column((weekday, f"{on:%m-%d}{'*' if on == today else ''}"), on, tuple(seats))


def _seat(first: int, last: int, one: Holder, scale: Sequence[tuple[str, str]]) -> Seat:
    known = one.particulars
    times = known.clock or (scale[first - 1][0], scale[last - 1][1])
    return Seat(first, last, one.name, one.mark, known.location, one.host, known.teacher, times, exact=known.clock is not None)
