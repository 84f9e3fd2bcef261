"""Decides how a person adds, edits, marks, lists and removes courses; each is a direct act unless more than it says would go. It must not write itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from steadyhand.cli.change.acts import direct, proposal_of, shown_first
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.inputs import DAY_OF_WEEK, SLOTS, WORDS
from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import new_number
from steadyhand.core.language import say
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.acts.weekly_edits import Edit, edited, weekly_times
from steadyhand.domains.schedule.imports.fit import rule_of
from steadyhand.domains.schedule.imports.incoming import IncomingRow
from steadyhand.domains.schedule.term.records import Event, Particulars, Term
from steadyhand.domains.schedule.term.sittings import Weekly, clock_at
from steadyhand.domains.schedule.term.weeks import read_weeks, write_weeks


@click.group(cls=Group)
def course() -> None:
    """Courses: add, list, edit, mark, remove."""


def _weeks(desk: Desk, text: str, *, odd: bool, even: bool) -> frozenset[int]:
    if odd and even:
        raise ToolRefusal("odd_and_even")
    try:
        weeks = read_weeks(text, desk.term.weeks)
    except ValueError:
        raise ToolRefusal("weeks_unreadable", text=text[:60]) from None
    if odd or even:
        weeks = frozenset(week for week in weeks if week % 2 == int(odd))
    return weeks


@course.command(cls=Command)
@click.argument("name", type=WORDS)
@option("--day", text="day_of_week", type=DAY_OF_WEEK, required=True)
@option("--slots", text="slots", type=SLOTS, required=True)
@option("--weeks", text="weeks", default=None)
@option("--odd", text="odd", is_flag=True)
@option("--even", text="even", is_flag=True)
@option("--place", "--location", "location", text="location", type=WORDS, default=None)
@option("--teacher", text="teacher", type=WORDS, default=None)
@option("--embeddable", text="embeddable", is_flag=True)
@pass_frame
def add(frame: Frame, name: str, day: int, slots: tuple[int, int], weeks: str | None, **asked: Any) -> None:
    """Add a course."""
    desk = Desk(frame)
    wanted = _weeks(desk, weeks or f"1-{desk.term.weeks}", odd=asked["odd"], even=asked["even"])
    cells = acts.weekly_cells(desk.term, day, slots, wanted)
    event = Event(new_number(), "course", name, asked["embeddable"], rule=write_weeks(wanted))
    known = Particulars(location=asked["location"] or "", teacher=asked["teacher"] or "")
    direct(frame, desk.term.id, acts.add_course(desk.records, event, cells, known))


@course.command(cls=Command)
@click.argument("wanted", type=WORDS, metavar="COURSE")
@option("--name", text="new_name", type=WORDS)
@option("--day", text="day_of_week", type=DAY_OF_WEEK)
@option("--slots", text="slots", type=SLOTS)
@option("--weeks", text="weeks")
@option("--odd", text="odd", is_flag=True)
@option("--even", text="even", is_flag=True)
@option("--place", "--location", "location", text="location", type=WORDS)
@option("--teacher", text="teacher", type=WORDS)
@option("--which", text="which", type=click.IntRange(min=1))
@pass_frame
def edit(frame: Frame, wanted: str, **asked: Any) -> None:
    """Change a course, or one of its weekly times; the others stay as they are."""
    if all(asked[name] in (None, False) for name in asked if name != "which"):
        raise ToolRefusal("nothing_said")
    desk = Desk(frame)
    event = desk.course(desk.look(), wanted)
    times = weekly_times(desk.records, event)
    change = Edit(
        asked["which"], asked["day"], asked["slots"], _edited_weeks(desk, times, asked), asked["location"], asked["teacher"]
    )
    if change.of_time and change.which is None and len(times) > 1:
        raise _choice_of(frame, event, times)
    cells = edited(desk.records, event, change) if change.of_meetings else None
    rule = rule_of([IncomingRow(*cell) for cell in cells]) if cells and change.of_time else event.rule
    changed = replace(event, name=asked["name"] or event.name, rule=rule)
    direct(frame, desk.term.id, acts.edit_course(desk.records, changed, cells))


def _edited_weeks(desk: Desk, times: Sequence[Weekly], asked: dict[str, Any]) -> frozenset[int] | None:
    """Return the weeks that the options ask for: those that are said, or of the weekly time's own the odd or even ones."""
    if not (asked["weeks"] or asked["odd"] or asked["even"]):
        return None
    number = asked["which"] or 1
    own = write_weeks(times[number - 1].weeks) if number <= len(times) else f"1-{desk.term.weeks}"
    return _weeks(desk, asked["weeks"] or own, odd=asked["odd"], even=asked["even"])


def _choice_of(frame: Frame, event: Event, times: Sequence[Weekly]) -> ToolRefusal:
    """Return the refusal that lists the weekly times of a course, one of which must be named."""
    listed = "\n".join(f"  {number}  {_time_text(frame, one)}" for number, one in enumerate(times, 1))
    return ToolRefusal("several_times", name=event.name, count=len(times), times=listed, command=frame.typed)


@course.command(cls=Command)
@click.argument("wanted", type=WORDS, metavar="COURSE")
@option("--off", text="off", is_flag=True)
@pass_frame
def embeddable(frame: Frame, wanted: str, *, off: bool) -> None:
    """Mark a course as one that takes tasks in, or with --off as one that does not."""
    desk = Desk(frame)
    event = desk.course(desk.look(), wanted)
    direct(frame, desk.term.id, acts.edit_course(desk.records, replace(event, can_embed=not off), None))


@course.command(cls=Command)
@click.argument("wanted", nargs=-1, required=True, type=WORDS, metavar="COURSE...")
@pass_frame
def remove(frame: Frame, wanted: tuple[str, ...]) -> None:
    """Remove courses; several, or one with tasks embedded in it, are shown first."""
    desk = Desk(frame)
    draft = desk.look()
    found = list(dict.fromkeys(desk.course(draft, one) for one in wanted))
    writes = acts.remove_events(desk.records, [event.id for event in found])
    hosts = {row.host_event_id for row in desk.records.rows}
    if len(found) == 1 and found[0].id not in hosts:
        direct(frame, desk.term.id, writes)
    else:
        shown_first(frame, proposal_of(frame, desk.term.id, writes))


@course.command("list", cls=Command)
@pass_frame
def list_courses(frame: Frame) -> None:
    """List the courses with their times, numbered as `edit --which` takes them."""
    desk = Desk(frame)
    ids = desk.course_ids(desk.open())
    courses = {event: weekly_times(desk.records, event) for event in desk.records.events if event.kind == "course"}
    lines = [line for event, times in courses.items() for line in _lines(frame, event, ids.get(event.id), times)]
    data = [
        {
            "id": ids.get(event.id),
            "name": event.name,
            "uid": event.uid,
            "embeddable": event.can_embed,
            "times": [_time_json(desk.term, one) for one in times],
        }
        for event, times in courses.items()
    ]
    frame.show("\n".join(lines) or frame.say("schedule.course.none"), {"courses": data})


def _time_json(term: Term, one: Weekly) -> dict[str, Json]:
    clocks = dict.fromkeys(clock_at(term, week, one.day_of_week, (one.first, one.last), one.particulars) for week in one.weeks)
    return {
        "day_of_week": one.day_of_week,
        "slots": [one.first, one.last],
        "weeks": list(one.weeks),
        "times": [list(clock) for clock in clocks],
        "exact": one.particulars.clock is not None,
        "place": one.particulars.location,
        "teacher": one.particulars.teacher,
    }


def _lines(frame: Frame, event: Event, state_id: int | None, times: Sequence[Weekly]) -> list[str]:
    """Return a course's line; several weekly times stand below it, each with its number."""
    mark = [frame.say("schedule.course.embeddable_mark")] if event.can_embed else []
    head = f"[{state_id or '-'}]{event.name}"
    if len(times) <= 1:
        return [f"{head}  " + " · ".join([*(_time_text(frame, one) for one in times), *mark])]
    return [
        f"{head}  {mark[0]}" if mark else head,
        *(f"    {number}  {_time_text(frame, one)}" for number, one in enumerate(times, 1)),
    ]


def _time_text(frame: Frame, one: Weekly) -> str:
    odd, even = say(frame.language, "export.odd"), say(frame.language, "export.even")
    known = one.particulars
    said = frame.say(
        "schedule.course.time",
        weekday=say(frame.language, f"export.day.{one.day_of_week}"),
        slots=f"{one.first}-{one.last}" if one.first != one.last else str(one.first),
        weeks=write_weeks(one.weeks, odd, even),
    )
    return " · ".join([said, *(text for text in ("–".join(known.clock or ()), known.location, known.teacher) if text)])
