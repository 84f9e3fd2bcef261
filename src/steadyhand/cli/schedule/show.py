"""Decides which days the week grid shows: what is stored with the draft laid over it, or both beside each other. It must not write."""

from collections.abc import Sequence

import click

from steadyhand.cli.schedule.calendar_lines import facts_json
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.grid import painted
from steadyhand.cli.schedule.inputs import WORDS
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.board.model import PlaceChange
from steadyhand.domains.schedule.draft import standing, week_view
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.standing import Standing
from steadyhand.domains.schedule.draft.week_grid import WIDTH, Column, draw
from steadyhand.domains.schedule.draft.week_view import Day
from steadyhand.domains.schedule.term.records import MAX_WEEKS
from steadyhand.domains.schedule.term.windows import whole_term


@click.command(cls=Command)
@option("--week", text="week", type=click.IntRange(1, MAX_WEEKS))
@option("--day", text="day", type=WORDS)
@option("--diff", text="diff", is_flag=True)
@pass_frame
def show(frame: Frame, week: int | None, day: str | None, *, diff: bool) -> None:
    """Show a week, or one day; with --diff as it is stored and as the draft would have it."""
    desk = Desk(frame)
    if week is not None and week > desk.term.weeks:
        raise ToolRefusal("weeks_outside", weeks=str(week), count=desk.term.weeks)
    draft = desk.look()
    holders = standing.drafted(desk.records, draft)
    first = min((block.day for one in draft.changed for block in (*one.before.slots, *one.after.slots)), default=None)
    of_draft = draft.window.week_of(first)[0] if diff and first is not None else None
    days = _days(desk, draft, week or of_draft or standing.default_week(desk.term, desk.today, holders), day)
    if diff:
        _show_both(desk, draft, holders, days)
        return
    columns = [_column(desk, holders, one) for one in days]
    foot = week_view.time_lines(desk.term, columns, days, frame.language)
    foot += week_view.foot_lines(desk.records, draft, days, frame.language)
    text = "\n".join([_title(desk, days), _drawn(desk, days, columns), *foot])
    frame.show(text, _json(desk, draft, days, {"days": columns}))


def _days(desk: Desk, draft: OpenDraft, week: int, day: str | None) -> list[Day]:
    """Return the days that are asked for: one, or those of a week."""
    if day is None:
        return week_view.days_of(week)
    window = draft.window if draft.row.revision else whole_term(desk.term)
    return [window.week_of(desk.day(day, window)[0])]


def _show_both(desk: Desk, draft: OpenDraft, after: Standing, days: Sequence[Day]) -> None:
    """Print the days before and after; what goes is marked in the one, what comes in the other."""
    frame, before = desk.frame, standing.stored(desk.records)
    gone, new = standing.differing(before, after, "-"), standing.differing(after, before, "+")
    above = ("", "") if len(days) > 1 else (frame.say("schedule.diff.before"), frame.say("schedule.diff.after"))
    columns = [[_column(desk, found, one, name) for one in days] for found, name in zip((gone, new), above, strict=True)]
    if len(days) == 1:
        grids = [_drawn(desk, days, [*columns[0], *columns[1]])]
    else:
        grids = [
            frame.say(f"schedule.diff.{name}") + "\n" + _drawn(desk, days, found)
            for name, found in zip(("before", "after"), columns, strict=True)
        ]
    changed = tuple(one for one in draft.changed if _touches(draft, one, days))
    lines = [frame.say("schedule.diff.changed", count=len(changed)), *desk.delta_text(draft, changed)]
    elsewhere = len(draft.changed) - len(changed)
    if elsewhere:
        lines.append(frame.say("schedule.diff.elsewhere", count=elsewhere))
    text = "\n".join(
        [
            _title(desk, days),
            *grids,
            frame.say("schedule.diff.legend"),
            *week_view.fact_lines(desk.records, days, frame.language),
            *lines,
        ]
    )
    data = _json(desk, draft, days, {"before": columns[0], "after": columns[1]})
    frame.show(text, {**data, "changed": [change.to_json() for change in changed], "elsewhere": elsewhere})


def _touches(draft: OpenDraft, change: PlaceChange, days: Sequence[Day]) -> bool:
    blocks = (*change.before.slots, *change.after.slots)
    return any(draft.window.week_of(block.day) in days for block in blocks)


def _drawn(desk: Desk, days: Sequence[Day], columns: Sequence[Column]) -> str:
    return draw(columns, desk.term.scale_of(*days[0]).slots, WIDTH, painted)


def _title(desk: Desk, days: Sequence[Day]) -> str:
    return week_view.title(desk.term, days[0][0], desk.frame.language)


def _column(desk: Desk, holders: Standing, day: Day, above: str = "") -> Column:
    return standing.column(desk.term, holders, day, today=desk.today, language=desk.frame.language, above=above)


def _json(desk: Desk, draft: OpenDraft, days: Sequence[Day], shown: dict[str, list[Column]]) -> dict[str, Json]:
    def cells(columns: Sequence[Column]) -> list[Json]:
        return [
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
        **{name: cells(columns) for name, columns in shown.items()},
        "facts": facts_json(desk.term, [fact for fact in desk.records.facts if fact.day in days]),
        "drafted": len(draft.changed),
        "pending": draft.timetable.pending,
    }
