"""Decides which days the week grid shows and what stands in them: what is stored, with the draft laid over it. It must not write."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import click

from steadyhand.cli.desk import Desk
from steadyhand.cli.frame import Command, Frame, option, pass_frame
from steadyhand.cli.grid import Column, Mark, Seat, draw
from steadyhand.cli.inputs import WORDS
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule.drafting import OpenDraft, whole_term
from steadyhand.domains.schedule.loading import rows_of
from steadyhand.domains.schedule.model import Task
from steadyhand.domains.schedule.records import DAYS_IN_WEEK, MAX_WEEKS, Records

Cell = tuple[int, int, int]
WEEK_WIDTH = DAY_WIDTH = 80


@click.command(cls=Command)
@option("--week", text="week", type=click.IntRange(1, MAX_WEEKS))
@option("--day", text="day", type=WORDS)
@pass_frame
def show(frame: Frame, week: int | None, day: str | None) -> None:
    """Show a week, or one day."""
    desk = Desk(frame)
    term = desk.term
    if week is not None and week > term.weeks:
        raise ToolRefusal("weeks_outside", weeks=str(week), count=term.weeks)
    draft = desk.look()
    holders = standing(desk.records, draft)
    if day is not None:
        index, _ = desk.day(day, draft.window if draft.row.revision else whole_term(term))
        window = draft.window if draft.row.revision else whole_term(term)
        days = [window.week_of(index)]
    else:
        shown = week or _default_week(desk, holders)
        days = [(shown, day_of_week) for day_of_week in range(1, DAYS_IN_WEEK + 1)]
    columns = [_column(desk, holders, *one) for one in days]
    text = "\n".join([_title(desk, *days[0]), draw(columns, term.scale.slots, WEEK_WIDTH), _foot(frame, draft)])
    frame.show(text, _json(desk, draft, days, columns))


@dataclass(frozen=True, slots=True)
class Holder:
    """What stands in a cell."""

    name: str
    mark: Mark
    where: str = ""
    host: str = ""


def standing(records: Records, draft: OpenDraft) -> dict[tuple[Cell, bool], Holder]:
    """Return who holds each cell, (cell, as a guest), of the whole term, with the draft's places in the stead of the stored ones."""
    events = {event.id: event for event in records.events}
    moved = {_event_of(draft, task): task for task in _touched(draft)}
    inside = draft.window.day_of
    found: dict[tuple[Cell, bool], Holder] = {}
    for row in records.rows:
        event = events[row.event_id]
        if row.event_id in moved and inside(row.week, row.day_of_week) is not None:
            continue
        guest = row.host_event_id is not None
        host = events[row.host_event_id].name if row.host_event_id is not None else ""
        mark: Mark = "C" if event.kind == "course" else "t" if guest else "T"
        found[(row.week, row.day_of_week, row.section), guest] = Holder(event.name, mark, event.location, host)
    for task in _touched(draft):
        hosted = task.place.embed_host
        host = "" if hosted is None else draft.timetable.tasks[hosted].name
        for cell in rows_of(task.place, draft.window):
            found[cell, hosted is not None] = Holder(task.name, "S" if hosted is None else "s", "", host)
    return found


def _touched(draft: OpenDraft) -> list[Task]:
    base = draft.base.timetable.tasks
    return [task for state_id, task in draft.timetable.tasks.items() if task.place != base[state_id].place]


def _event_of(draft: OpenDraft, task: Task) -> int | None:
    return task.source_id if task.source == "event" else draft.base.events.get(task.source_id)


def _default_week(desk: Desk, holders: Iterable[tuple[Cell, bool]]) -> int:
    """Return the week of today inside the term, else the first week that holds anything."""
    today = desk.term.week_of(desk.today)
    return today[0] if today is not None else min((cell[0] for cell, _ in holders), default=1)


def _column(desk: Desk, holders: dict[tuple[Cell, bool], Holder], week: int, day_of_week: int) -> Column:
    seats: list[Seat] = []
    for guest in (False, True):
        runs: list[tuple[int, int, Holder]] = []
        for slot in range(1, len(desk.term.scale) + 1):
            holder = holders.get(((week, day_of_week, slot), guest))
            if holder is None:
                continue
            if runs and runs[-1][1] == slot - 1 and runs[-1][2] == holder:
                runs[-1] = (runs[-1][0], slot, holder)
            else:
                runs.append((slot, slot, holder))
        seats += [Seat(first, last, one.name, one.mark, one.where, one.host) for first, last, one in runs]
    day = desk.term.date_of(week, day_of_week)
    return Column(_heading(desk, day), day, tuple(seats))


def _heading(desk: Desk, day: date) -> tuple[str, str]:
    today = "*" if day == desk.today else ""
    return say(desk.frame.language, f"export.day.{day.isoweekday()}"), f"{day:%m-%d}{today}"


def _title(desk: Desk, week: int, day_of_week: int) -> str:
    del day_of_week
    term = desk.term
    first, last = term.date_of(week, 1).isoformat(), term.date_of(week, DAYS_IN_WEEK).isoformat()
    return desk.frame.say("schedule.show.title", name=term.name, week=week, weeks=term.weeks, first=first, last=last)


def _foot(frame: Frame, draft: OpenDraft) -> str:
    lines = [frame.say("schedule.show.legend")]
    if draft.changed:
        lines.append(frame.say("schedule.show.draft", count=len(draft.changed)))
    return "\n".join([*lines, frame.say("schedule.show.pending", count=draft.timetable.pending)])


def _json(desk: Desk, draft: OpenDraft, days: list[tuple[int, int]], columns: list[Column]) -> Json:
    cells: list[Json] = [
        {
            "week": week,
            "day_of_week": day_of_week,
            "date": column.day.isoformat(),
            "day": draft.window.day_of(week, day_of_week),
            "cells": [seat.to_json() for seat in column.seats],
        }
        for (week, day_of_week), column in zip(days, columns, strict=True)
    ]
    return {
        "term": desk.term.name,
        "week": days[0][0],
        "days": cells,
        "drafted": len(draft.changed),
        "pending": draft.timetable.pending,
    }
