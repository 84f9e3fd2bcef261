"""Decides how the timetable's records stand as rows, and back; it must not read or write a database."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.term.records import (
    CalendarFact,
    Event,
    Particulars,
    Records,
    Row,
    Season,
    Seat,
    TaskClass,
    TaskItem,
    Term,
    TimeScale,
)

PLAIN, GUEST = 0, 1
"""The two layers of a cell: whatever stands there, and one task embedded in it."""


def term_row(term: Term, *, is_current: bool = True) -> dict[str, Json]:
    """Return a term as its row."""
    return {
        "id": term.id,
        "name": term.name,
        "zone": term.zone,
        "first_monday": term.first_monday.isoformat(),
        "weeks": term.weeks,
        "scale_name": term.scale.name,
        "scale": _slots(term.scale),
        "seasons": [[season.begins.isoformat(), season.scale.name, _slots(season.scale)] for season in term.seasons],
        "is_current": is_current,
    }


def _slots(scale: TimeScale) -> list[Json]:
    return [list(slot) for slot in scale.slots]


def term_of(row: Mapping[str, Any]) -> Term:
    """Read a term from its row."""
    first_monday, scale = date.fromisoformat(row["first_monday"]), _scale(row["scale_name"], row["scale"])
    seasons = tuple(Season(date.fromisoformat(begins), _scale(name, slots)) for begins, name, slots in row["seasons"])
    return Term(row["id"], row["name"], row["zone"], first_monday, row["weeks"], scale, seasons)


def _scale(name: str, slots: list[list[str]]) -> TimeScale:
    return TimeScale(name, tuple((start, end) for start, end in slots))


def fact_row(fact: CalendarFact, term: int) -> dict[str, Json]:
    """Return a calendar fact as its row."""
    return {
        "term_id": term,
        "week": fact.week,
        "day_of_week": fact.day_of_week,
        "kind": fact.kind,
        "as_week": fact.as_week,
        "as_day_of_week": fact.as_day_of_week,
        "held": [[seat.uid, seat.section, *_known(seat.particulars)] for seat in fact.held],
    }


def fact_of(row: Mapping[str, Any]) -> CalendarFact:
    """Read a calendar fact from its row."""
    held = tuple(Seat(uid, section, Particulars(*known)) for uid, section, *known in row["held"])
    return CalendarFact(row["week"], row["day_of_week"], row["kind"], row["as_week"], row["as_day_of_week"], held)


def _known(particulars: Particulars) -> tuple[Json, ...]:
    return particulars.begins, particulars.ends, particulars.location, particulars.teacher


def event_row(event: Event, term: int) -> dict[str, Json]:
    """Return an event as its row."""
    return {
        "id": event.id,
        "term_id": term,
        "kind": event.kind,
        "name": event.name,
        "can_embed": event.can_embed,
        "uid": event.uid,
        "rule": event.rule,
        "item_id": event.item_id,
    }


def event_of(row: Mapping[str, Any]) -> Event:
    """Read an event from its row."""
    values: dict[str, Any] = {name: value for name, value in row.items() if name != "term_id"}
    return Event(**values)


def schedule_row(row: Row, term: int) -> dict[str, Json]:
    """Return one section of an event as its row."""
    return {
        "event_id": row.event_id,
        "week": row.week,
        "day_of_week": row.day_of_week,
        "section": row.section,
        "term_id": term,
        "host_event_id": row.host_event_id,
        "layer": PLAIN if row.host_event_id is None else GUEST,
        "begins": row.particulars.begins,
        "ends": row.particulars.ends,
        "location": row.particulars.location,
        "teacher": row.particulars.teacher,
    }


def section_of(row: Mapping[str, Any]) -> Row:
    """Read one section from its row."""
    known = Particulars(row["begins"], row["ends"], row["location"], row["teacher"])
    return Row(row["event_id"], row["week"], row["day_of_week"], row["section"], row["host_event_id"], known)


def class_row(task_class: TaskClass, term: int) -> dict[str, Json]:
    """Return a category as its row."""
    return {
        "id": task_class.id,
        "term_id": term,
        "name": task_class.name,
        "total_slots": task_class.total_slots,
        "ordered": task_class.ordered,
    }


def class_of(row: Mapping[str, Any]) -> TaskClass:
    """Read a category from its row."""
    return TaskClass(row["id"], row["name"], row["total_slots"], row["ordered"])


def item_row(item: TaskItem) -> dict[str, Json]:
    """Return a task as its row."""
    return {
        "id": item.id,
        "class_id": item.class_id,
        "content": item.content,
        "position": item.position,
        "duration": item.duration,
        "earliest": item.earliest.isoformat() if item.earliest else None,
        "deadline": item.deadline.isoformat() if item.deadline else None,
        "priority": item.priority,
    }


def item_of(row: Mapping[str, Any]) -> TaskItem:
    """Read a task from its row."""
    days: dict[str, Any] = {name: date.fromisoformat(row[name]) if row[name] else None for name in ("earliest", "deadline")}
    values: dict[str, Any] = {**row, **days}
    return TaskItem(**values)


def records_of(rows: Mapping[str, list[dict[str, Any]]]) -> Records:
    """Read a whole term from its rows by table."""
    return Records(
        term_of(rows["terms"][0]),
        tuple(event_of(row) for row in rows["schedule_events"]),
        tuple(section_of(row) for row in rows["schedules"]),
        tuple(class_of(row) for row in rows["task_classes"]),
        tuple(item_of(row) for row in rows["task_items"]),
        tuple(fact_of(row) for row in rows["calendar_facts"]),
    )
