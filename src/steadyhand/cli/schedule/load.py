"""Decides how full days are told at a terminal: a bar for each day, or for each week of a long span. It must not change a place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import click

from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.inputs import WORDS
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.cli.terminal.printing import styled
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule.draft import standing
from steadyhand.domains.schedule.draft.standing import Standing
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, MAX_WEEKS
from steadyhand.domains.schedule.term.windows import whole_term

MOST_DAYS = 35
BAR = 48
SIGNS = {"course": ("#", "cyan"), "task": ("=", "green"), "suggested": ("+", "yellow")}


@dataclass(frozen=True, slots=True)
class Load:
    """How many cells of *slots* are held by whom; *inside* are those of tasks embedded in courses, which take no more room."""

    week: int
    day_of_week: int | None
    slots: int
    course: int = 0
    task: int = 0
    suggested: int = 0
    inside: int = 0

    @property
    def used(self) -> int:
        """How many cells are held."""
        return self.course + self.task + self.suggested


@click.command(cls=Command)
@option("--week", text="load_week", type=click.IntRange(1, MAX_WEEKS))
@option("--from", "first", text="load_from", type=WORDS)
@option("--to", "last", text="load_to", type=WORDS)
@pass_frame
def load(frame: Frame, week: int | None, first: str | None, last: str | None) -> None:
    """Show how full each day is, with the draft's places."""
    if week is not None and (first or last):
        raise ToolRefusal("week_or_span")
    desk = Desk(frame)
    if week is not None and week > desk.term.weeks:
        raise ToolRefusal("weeks_outside", weeks=str(week), count=desk.term.weeks)
    draft = desk.look()
    holders = standing.drafted(desk.records, draft)
    days = _days(desk, holders, week, first, last)
    loads = [_load(desk, holders, *day) for day in days]
    shown = loads if len(loads) <= MOST_DAYS else _by_week(loads)
    lines = [_line(desk, one) for one in shown]
    used, slots = sum(one.used for one in loads), sum(one.slots for one in loads)
    total = frame.say("schedule.load.total", used=used, slots=slots, percent=round(100 * used / slots))
    frame.show("\n".join([_title(desk, days), *lines, total, frame.say("schedule.load.legend")]), _json(desk, loads))


def _days(desk: Desk, holders: Standing, week: int | None, first: str | None, last: str | None) -> list[tuple[int, int]]:
    window = whole_term(desk.term)
    if first is None and last is None:
        shown = week or standing.default_week(desk.term, desk.today, holders)
        return [(shown, day_of_week) for day_of_week in range(1, DAYS_IN_WEEK + 1)]
    begin = desk.days(first, window)[0][0] if first is not None else 1
    end = desk.days(last, window)[-1][0] if last is not None else window.total_days
    if begin > end:
        raise ToolRefusal("window_backwards", first=first or "", last=last or "")
    return [window.week_of(day) for day in range(begin, end + 1)]


def _load(desk: Desk, holders: Standing, week: int, day_of_week: int) -> Load:
    counts = {"course": 0, "task": 0, "suggested": 0, "inside": 0}
    kinds = {"C": "course", "T": "task", "S": "suggested"}
    for slot in range(1, len(desk.term.scale) + 1):
        cell = (week, day_of_week, slot)
        plain, guest = holders.get((cell, False)), holders.get((cell, True))
        holder = plain or guest
        if holder is not None:
            counts[kinds[holder.mark.upper()]] += 1
        counts["inside"] += plain is not None and guest is not None
    return Load(week, day_of_week, len(desk.term.scale), **counts)


def _by_week(loads: Sequence[Load]) -> list[Load]:
    weeks: dict[int, Load] = {}
    for one in loads:
        so_far = weeks.get(one.week, Load(one.week, None, 0))
        weeks[one.week] = replace(
            so_far,
            slots=so_far.slots + one.slots,
            course=so_far.course + one.course,
            task=so_far.task + one.task,
            suggested=so_far.suggested + one.suggested,
            inside=so_far.inside + one.inside,
        )
    return list(weeks.values())


def _title(desk: Desk, days: Sequence[tuple[int, int]]) -> str:
    first, last = (desk.term.date_of(*days[index]).isoformat() for index in (0, -1))
    return desk.frame.say("schedule.load.title", name=desk.term.name, first=first, last=last)


def _line(desk: Desk, one: Load) -> str:
    frame = desk.frame
    if one.day_of_week is None:
        label = frame.say("schedule.load.week", week=f"{one.week:>2}")
    else:
        date = desk.term.date_of(one.week, one.day_of_week)
        label = f"{date:%m-%d} " + say(frame.language, f"export.day.{one.day_of_week}")
    inside = frame.say("schedule.load.inside", count=one.inside) if one.inside else ""
    return f"{label} |{_bar(one)}| {one.used:>3}/{one.slots}{inside}"


def _bar(one: Load) -> str:
    """Return the bar of one line: as many signs as the share of its cells, a held cell never without a sign."""
    width = min(BAR, one.slots * 4)
    parts: list[str] = []
    drawn = held = 0
    for kind, (sign, colour) in SIGNS.items():
        count = getattr(one, kind)
        held += count
        end = min(max(round(width * held / one.slots), drawn + (count > 0)), width)
        parts.append(styled(sign * (end - drawn), fg=colour) if end > drawn else "")
        drawn = end
    return "".join(parts) + " " * (width - drawn)


def _json(desk: Desk, loads: Sequence[Load]) -> Json:
    days: list[Json] = [
        {
            "date": desk.term.date_of(one.week, one.day_of_week or 1).isoformat(),
            "week": one.week,
            "day_of_week": one.day_of_week,
            "course": one.course,
            "task": one.task,
            "suggested": one.suggested,
            "inside": one.inside,
            "used": one.used,
            "slots": one.slots,
        }
        for one in loads
    ]
    return {"term": desk.term.name, "days": days}
