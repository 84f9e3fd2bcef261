"""Decides how the stored timetable is written to a person's file; drafted places are not in it. It must not change the timetable."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.terminal.files import write_whole
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.draft import standing
from steadyhand.domains.schedule.term.records import MAX_WEEKS
from steadyhand.domains.schedule.term.weeks import read_weeks

if TYPE_CHECKING:
    from steadyhand.domains.schedule.exports.week_picture import Paper

FORMATS = {".ics": "ics", ".csv": "csv", ".svg": "svg", ".png": "png"}
PICTURES = ("svg", "png")


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--format", "form", text="format", type=click.Choice(["ics", "csv", "wakeup", "svg", "png"]))
@option("--weeks", text="weeks")
@option("--week", text="export_week", type=click.IntRange(1, MAX_WEEKS))
@option("--size", text="size", type=click.Choice(["screen", "a4"]))
@option("--font", text="font", type=click.Path(path_type=Path))
@option("--courses", text="only_courses", is_flag=True)
@option("--force", text="force", is_flag=True)
@pass_frame
def export(frame: Frame, file: Path, form: str | None, *, force: bool, **asked: Any) -> None:
    """Write the stored timetable to a file."""
    found = form or FORMATS.get(file.suffix.lower())
    if found is None:
        raise ToolRefusal("format_unknown", file=click.format_filename(file.name))
    _need_sense(found, asked)
    desk = Desk(frame)
    week = _week(desk, asked["week"])
    if found in PICTURES:
        week = week or standing.default_week(desk.term, desk.today, standing.stored(desk.records))
        data = _picture(desk, found, week, asked["size"] or "screen", asked["font"])
    else:
        weeks = frozenset({week}) if week is not None else _weeks(desk, asked["weeks"])
        data = _table(desk, found, weeks, courses=asked["courses"])
    write_whole(file, data, force=force)
    shown = click.format_filename(file)
    text = ""
    if found not in PICTURES:
        courses = found == "wakeup" or bool(asked["courses"])
        chosen = frozenset({week}) if week is not None else _weeks(desk, asked["weeks"])
        text = frame.say("schedule.exported", file=shown, bytes=len(data), events=_count(desk, chosen, courses=courses))
        text += "\n" + frame.say("schedule.courses_alone") if courses else ""
    if found in PICTURES:
        text = frame.say("schedule.pictured", file=shown, bytes=len(data), week=week)
    frame.show(text, {"file": shown, "bytes": len(data), "format": found, "week": week})


def _need_sense(form: str, asked: dict[str, Any]) -> None:
    """Refuse options that say nothing for the format."""
    if asked["courses"] and (form != "csv" or asked["weeks"] or asked["week"]):
        raise ToolRefusal("courses_are_csv")
    if asked["weeks"] and asked["week"]:
        raise ToolRefusal("week_or_weeks")
    if form == "wakeup" and (asked["weeks"] or asked["week"]):
        raise ToolRefusal("wakeup_is_whole")
    if form in PICTURES and asked["weeks"]:
        raise ToolRefusal("picture_of_one_week")
    if (asked["size"] and form not in PICTURES) or (asked["font"] and form != "png"):
        raise ToolRefusal("size_is_of_pictures")


def _count(desk: Desk, weeks: frozenset[int] | None, *, courses: bool) -> int:
    """Return how many events a table holds: those that meet in the chosen weeks, or the courses among them."""
    meeting = {row.event_id for row in desk.records.rows if weeks is None or row.week in weeks}
    return sum(event.id in meeting and (not courses or event.kind == "course") for event in desk.records.events)


def _week(desk: Desk, week: int | None) -> int | None:
    if week is not None and week > desk.term.weeks:
        raise ToolRefusal("weeks_outside", weeks=str(week), count=desk.term.weeks)
    return week


def _weeks(desk: Desk, text: str | None) -> frozenset[int] | None:
    if text is None:
        return None
    try:
        weeks = read_weeks(text, desk.term.weeks)
    except ValueError:
        raise ToolRefusal("weeks_unreadable", text=text[:60]) from None
    if max(weeks) > desk.term.weeks:
        raise ToolRefusal("weeks_outside", weeks=text[:60], count=desk.term.weeks)
    return weeks


def _table(desk: Desk, form: str, weeks: frozenset[int] | None, *, courses: bool) -> bytes:
    records, language = desk.records, desk.frame.language
    if form == "ics":
        from steadyhand.domains.schedule.exports.calendar import write_calendar

        return write_calendar(records, desk.app.store.clock.now(), language, weeks)
    from steadyhand.domains.schedule.exports.tables import write_courses, write_placements, write_wakeup

    if form == "wakeup":
        return write_wakeup(records)
    return write_courses(records, language) if courses else write_placements(records, language, weeks)


def _picture(desk: Desk, form: str, week: int, size: "Paper", font: Path | None) -> bytes:
    if form == "svg":
        from steadyhand.domains.schedule.exports.week_picture import draw_week

        return draw_week(desk.records, week, desk.frame.language, size)
    from steadyhand.domains.schedule.exports.picture import write_png

    return write_png(desk.records, week, desk.frame.language, size, font)
