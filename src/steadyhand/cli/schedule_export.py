"""Decides how the stored timetable is written to a person's file; drafted places are not in it. It must not change the timetable."""

from pathlib import Path

import click

from steadyhand.cli.desk import Desk
from steadyhand.cli.files import write_whole
from steadyhand.cli.frame import Command, Frame, option, pass_frame
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.imports.weeks import read_weeks

FORMATS = {".ics": "ics", ".csv": "csv"}


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--format", "form", text="format", type=click.Choice(["ics", "csv"]))
@option("--weeks", text="weeks")
@option("--courses", text="only_courses", is_flag=True)
@option("--force", text="force", is_flag=True)
@pass_frame
def export(frame: Frame, file: Path, form: str | None, weeks: str | None, *, courses: bool, force: bool) -> None:
    """Write the stored timetable to a file."""
    found = form or FORMATS.get(file.suffix.lower())
    if found is None:
        raise ToolRefusal("format_unknown", file=click.format_filename(file.name))
    if courses and (found != "csv" or weeks):
        raise ToolRefusal("courses_are_csv")
    desk = Desk(frame)
    data = _written(frame, desk, found, _weeks(desk, weeks), courses=courses)
    write_whole(file, data, force=force)
    shown = click.format_filename(file)
    text = frame.say("schedule.exported", file=shown, bytes=len(data), events=len(desk.records.events))
    frame.show(text, {"file": shown, "bytes": len(data), "format": found})


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


def _written(frame: Frame, desk: Desk, form: str, weeks: frozenset[int] | None, *, courses: bool) -> bytes:
    if form == "ics":
        from steadyhand.domains.schedule.exports.calendar import write_calendar

        return write_calendar(desk.records, desk.app.store.clock.now(), frame.language, weeks)
    from steadyhand.domains.schedule.exports.tables import write_courses, write_placements

    return write_courses(desk.records, frame.language) if courses else write_placements(desk.records, frame.language, weeks)
