"""Decides how courses and placements are written as CSV: safe in a spreadsheet, readable by our import. It must not choose them."""

import csv
import io
from collections.abc import Iterable, Sequence

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.exports.runs import rows_of
from steadyhand.domains.schedule.imports.incoming import uid_of
from steadyhand.domains.schedule.term.records import Event, Records
from steadyhand.domains.schedule.term.sittings import Sitting, sittings_of, weekly_of
from steadyhand.domains.schedule.term.weeks import write_weeks

COURSE_COLUMNS = ("name", "day", "slots", "weeks", "location", "teacher", "can_embed", "uid")
PLACEMENT_COLUMNS = (
    "week",
    "date",
    "day",
    "slots",
    "begin",
    "end",
    "name",
    "kind",
    "category",
    "location",
    "teacher",
    "embedded_in",
)
WAKEUP_COLUMNS = ("课程名称", "星期", "开始节数", "结束节数", "老师", "地点", "周数")
"""The heading that the WakeUp app asks for, whatever the language."""
_COMPUTED = ("=", "+", "-", "@", "\t", "\r")


def write_courses(records: Records, language: Language) -> bytes:
    """Return the courses, a row per weekday, range of sections and list of weeks."""
    rows = rows_of(records, None)
    odd, even = say(language, "export.odd"), say(language, "export.even")
    return _table(
        [say(language, f"export.column.{column}") for column in COURSE_COLUMNS],
        (
            (
                event.name,
                say(language, f"export.day.{run.day_of_week}"),
                _range(run.first, run.last),
                write_weeks(run.weeks, odd, even),
                run.particulars.location,
                run.particulars.teacher,
                say(language, "export.yes" if event.can_embed else "export.no"),
                uid_of(event),
            )
            for event in records.events
            if event.kind == "course"
            for run in weekly_of(rows.get(event.id, ()))
        ),
    )


def write_wakeup(records: Records) -> bytes:
    """Return the courses as the WakeUp app takes them in, a row per weekday, range of sections and list of weeks."""
    rows = rows_of(records, None)
    return _table(
        WAKEUP_COLUMNS,
        (
            (
                event.name,
                str(run.day_of_week),
                str(run.first),
                str(run.last),
                run.particulars.teacher,
                run.particulars.location,
                write_weeks(run.weeks, "单", "双").replace(",", "、"),
            )
            for event in records.events
            if event.kind == "course"
            for run in weekly_of(rows.get(event.id, ()))
        ),
    )


def write_placements(records: Records, language: Language, weeks: frozenset[int] | None = None) -> bytes:
    """Return what stands in the timetable (in *weeks* only, when given), a row per event, day and range of sections, in time order."""
    events = {event.id: event for event in records.events}
    categories = {one.id: one.name for one in records.classes}
    category_of = {item.id: categories.get(item.class_id, "") for item in records.items}
    rows = rows_of(records, weeks)
    hosts = {
        (row.event_id, row.week, row.day_of_week): events[row.host_event_id].name
        for row in records.rows
        if row.host_event_id is not None
    }
    placed = sorted(
        ((one, event_id) for event_id, found in rows.items() for one in sittings_of(found)),
        key=lambda placed: (placed[0].rank(), placed[1]),
    )
    return _table(
        [say(language, f"export.column.{column}") for column in PLACEMENT_COLUMNS],
        (
            (
                *_when(records, one, language),
                events[event_id].name,
                say(language, f"export.kind.{events[event_id].kind}"),
                _category(events[event_id], category_of),
                one.particulars.location,
                one.particulars.teacher,
                hosts.get((event_id, one.week, one.day_of_week), ""),
            )
            for one, event_id in placed
        ),
    )


def _when(records: Records, one: Sitting, language: Language) -> tuple[str, ...]:
    date = records.term.date_of(one.week, one.day_of_week).isoformat()
    weekday = say(language, f"export.day.{one.day_of_week}")
    return str(one.week), date, weekday, _range(one.first, one.last), *one.clock_in(records.term)


def _category(event: Event, category_of: dict[int, str]) -> str:
    return category_of.get(event.item_id, "") if event.item_id is not None else ""


def _range(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return CSV with a mark that lets spreadsheets read it as UTF-8; cells that they would compute are guarded."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_guarded(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.lstrip("'").startswith(_COMPUTED) else cell
