"""Decides how a person adds, edits, marks, lists and removes courses; each is a direct act unless more than it says would go. It must not write itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from steadyhand.cli.acts import direct, proposal_of, shown_first
from steadyhand.cli.desk import Desk
from steadyhand.cli.frame import Command, Frame, Group, option, pass_frame
from steadyhand.cli.inputs import DAY_OF_WEEK, SLOTS, WORDS
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import new_number
from steadyhand.core.language import say
from steadyhand.domains.schedule import acts
from steadyhand.domains.schedule.calendar_facts import rows_by_weekday
from steadyhand.domains.schedule.exports.runs import rows_of, runs_of
from steadyhand.domains.schedule.imports.weeks import read_weeks, write_weeks
from steadyhand.domains.schedule.records import Event


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
@option("--place", "location", text="location", type=WORDS, default=None)
@option("--teacher", text="teacher", type=WORDS, default=None)
@option("--embeddable", text="embeddable", is_flag=True)
@pass_frame
def add(frame: Frame, name: str, day: int, slots: tuple[int, int], weeks: str | None, **asked: Any) -> None:
    """Add a course."""
    desk = Desk(frame)
    wanted = _weeks(desk, weeks or f"1-{desk.term.weeks}", odd=asked["odd"], even=asked["even"])
    cells = acts.weekly_cells(desk.term, day, slots, wanted)
    event = Event(
        new_number(),
        "course",
        name,
        asked["embeddable"],
        location=asked["location"] or "",
        teacher=asked["teacher"] or "",
        rule=write_weeks(wanted),
    )
    direct(frame, desk.term.id, acts.add_course(desk.records, event, cells))


@course.command(cls=Command)
@click.argument("wanted", type=WORDS, metavar="COURSE")
@option("--name", text="new_name", type=WORDS)
@option("--day", text="day_of_week", type=DAY_OF_WEEK)
@option("--slots", text="slots", type=SLOTS)
@option("--weeks", text="weeks")
@option("--odd", text="odd", is_flag=True)
@option("--even", text="even", is_flag=True)
@option("--place", "location", text="location", type=WORDS)
@option("--teacher", text="teacher", type=WORDS)
@pass_frame
def edit(frame: Frame, wanted: str, **asked: Any) -> None:
    """Change a course; with a day, slots or weeks it meets at that one time."""
    if not any(asked.values()):
        raise ToolRefusal("nothing_said")
    desk = Desk(frame)
    event = desk.course(desk.look(), wanted)
    cells, rule = _new_times(desk, event, asked)
    changed = replace(
        event,
        name=asked["name"] or event.name,
        location=asked["location"] or event.location,
        teacher=asked["teacher"] or event.teacher,
        rule=rule,
    )
    direct(frame, desk.term.id, acts.edit_course(desk.records, changed, cells))


def _new_times(desk: Desk, event: Event, asked: dict[str, Any]) -> tuple[list[acts.Cell] | None, str]:
    """Return the cells that the options ask for, what they do not say being as it is; None when they say nothing of time."""
    if not any(asked[name] for name in ("day", "slots", "weeks", "odd", "even")):
        return None, event.rule
    rows = rows_by_weekday(desk.records, event)
    runs = runs_of(rows)
    if len(runs) != 1 and not (asked["day"] and asked["slots"]):
        raise ToolRefusal("several_times", name=event.name, count=len(runs))
    day = asked["day"] or runs[0].day_of_week
    slots = asked["slots"] or (runs[0].first, runs[0].last)
    now = write_weeks({row.week for row in rows}) or f"1-{desk.term.weeks}"
    weeks = _weeks(desk, asked["weeks"] or now, odd=asked["odd"], even=asked["even"])
    return acts.weekly_cells(desk.term, day, slots, weeks), write_weeks(weeks)


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
    """List the courses with their times."""
    desk = Desk(frame)
    ids = desk.course_ids(desk.open())
    rows = rows_of(desk.records, None)
    courses = [event for event in desk.records.events if event.kind == "course"]
    lines = [_line(frame, event, ids.get(event.id), runs_of(rows.get(event.id, ()))) for event in courses]
    data = [
        {
            "id": ids.get(event.id),
            "name": event.name,
            "uid": event.uid,
            "embeddable": event.can_embed,
            "place": event.location,
            "teacher": event.teacher,
            "times": [
                {"day_of_week": run.day_of_week, "slots": [run.first, run.last], "weeks": list(run.weeks)}
                for run in runs_of(rows.get(event.id, ()))
            ],
        }
        for event in courses
    ]
    frame.show("\n".join(lines) or frame.say("schedule.course.none"), {"courses": data})


def _line(frame: Frame, event: Event, state_id: int | None, runs: Sequence[Any]) -> str:
    odd, even = say(frame.language, "export.odd"), say(frame.language, "export.even")
    times = [
        frame.say(
            "schedule.course.time",
            weekday=say(frame.language, f"export.day.{run.day_of_week}"),
            slots=f"{run.first}-{run.last}" if run.first != run.last else str(run.first),
            weeks=write_weeks(run.weeks, odd, even),
        )
        for run in runs
    ]
    more = [part for part in (event.location, event.teacher) if part]
    more += [frame.say("schedule.course.embeddable_mark")] if event.can_embed else []
    return f"[{state_id or '-'}]{event.name}  " + " · ".join([*times, *more])
