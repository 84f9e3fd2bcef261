"""Decides which row writes a person's own acts on courses and tasks are, and an import's. It must not write them or ask anybody."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import new_number
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingEvent, IncomingTask, Match, uid_of
from steadyhand.domains.schedule.imports.weeks import write_weeks
from steadyhand.domains.schedule.records import DAYS_IN_WEEK, Event, Records, Row, TaskClass, TaskItem, Term
from steadyhand.domains.schedule.row_forms import class_row, event_row, item_row, schedule_row, term_row
from steadyhand.domains.schedule.row_writes import RowWrite, gone, put

Cell = tuple[int, int, int]


def put_term(term: Term, previous: Term | None) -> list[RowWrite]:
    """Make *term* the current one; the term that was current stays stored and stops being so."""
    writes = [put("terms", term_row(term))]
    if previous is not None and previous.id != term.id:
        writes.append(put("terms", term_row(previous, is_current=False)))
    return writes


def weekly_cells(term: Term, day_of_week: int, slots: tuple[int, int], weeks: Iterable[int]) -> list[Cell]:
    """Return the cells of a weekly meeting; what lies outside the term or its time scale is refused."""
    first, last = slots
    if not 1 <= day_of_week <= DAYS_IN_WEEK:
        raise ToolRefusal("day_of_week_outside", day=day_of_week)
    if not 1 <= first <= last <= len(term.scale):
        raise ToolRefusal("slots_outside", first=first, last=last, slots=len(term.scale))
    wanted = sorted(set(weeks))
    if not wanted or wanted[0] < 1 or wanted[-1] > term.weeks:
        raise ToolRefusal("weeks_outside", weeks=write_weeks(wanted) if wanted else "-", count=term.weeks)
    return [(week, day_of_week, section) for week in wanted for section in range(first, last + 1)]


def add_course(records: Records, event: Event, cells: Sequence[Cell]) -> list[RowWrite]:
    """Add a course that meets in *cells*."""
    return [put("schedule_events", event_row(event, records.term.id)), *_rows(event.id, cells, records.term.id)]


def edit_course(records: Records, event: Event, cells: Sequence[Cell] | None) -> list[RowWrite]:
    """Change a course's fields, and with *cells* its times; tasks embedded where it no longer meets are refused by the gate."""
    writes = [put("schedule_events", event_row(event, records.term.id))]
    if cells is None:
        return writes
    now = {(row.week, row.day_of_week, row.section) for row in records.rows if row.event_id == event.id}
    writes += [gone("schedules", event.id, *cell) for cell in sorted(now - set(cells))]
    return writes + _rows(event.id, [cell for cell in cells if cell not in now], records.term.id)


def remove_event(records: Records, event: int) -> list[RowWrite]:
    """Remove an event with its rows; tasks that are embedded in it lose their places and become pending again."""
    own = [row for row in records.rows if row.event_id == event]
    guests = sorted({row.event_id for row in records.rows if row.host_event_id == event})
    writes = [gone("schedules", event, row.week, row.day_of_week, row.section) for row in own]
    writes += [write for guest in guests for write in remove_event(records, guest)]
    return [*writes, gone("schedule_events", event)]


def _rows(event: int, cells: Iterable[Cell], term: int) -> list[RowWrite]:
    return [put("schedules", schedule_row(Row(event, *cell), term)) for cell in cells]


def class_named(records: Records, name: str) -> TaskClass | None:
    """Return the category of that name."""
    return next((one for one in records.classes if one.name == name), None)


def add_tasks(records: Records, categories: Sequence[IncomingCategory]) -> list[RowWrite]:
    """Add tasks at the end of their categories, in their order; a category that is not there is made.

    A task that the category holds already under the same text is left out, so that the same list twice doubles nothing.
    """
    writes: list[RowWrite] = []
    for incoming in categories:
        owner = class_named(records, incoming.name)
        if owner is None:
            owner = TaskClass(new_number(), incoming.name, incoming.total_slots, incoming.ordered)
            writes.append(put("task_classes", class_row(owner, records.term.id)))
        held = [item for item in records.items if item.class_id == owner.id]
        known = {item.content for item in held}
        new = [task for task in incoming.tasks if task.content not in known]
        following = max((item.position for item in held), default=-1) + 1
        writes += [put("task_items", item_row(_item(task, owner.id, following + index))) for index, task in enumerate(new)]
    return writes


def _item(task: IncomingTask, owner: int, position: int) -> TaskItem:
    return TaskItem(new_number(), owner, task.content, position, task.duration, task.earliest, task.deadline, task.priority)


def edit_task(records: Records, item: TaskItem, category: str | None) -> list[RowWrite]:
    """Change a task's fields; with *category* it moves to the end of that one. A task that has a place takes its new name along."""
    writes: list[RowWrite] = []
    if category is not None:
        owner = class_named(records, category) or TaskClass(new_number(), category)
        if class_named(records, category) is None:
            writes.append(put("task_classes", class_row(owner, records.term.id)))
        last = max((one.position for one in records.items if one.class_id == owner.id), default=-1)
        item = item if item.class_id == owner.id else replace(item, class_id=owner.id, position=last + 1)
    writes.append(put("task_items", item_row(item)))
    event = next((one for one in records.events if one.item_id == item.id), None)
    if event is not None and event.name != item.content:
        writes.append(put("schedule_events", event_row(replace(event, name=item.content), records.term.id)))
    return writes


def remove_tasks(records: Records, items: Iterable[int]) -> list[RowWrite]:
    """Remove tasks with the places that they have."""
    wanted = set(items)
    writes = [write for event in records.events if event.item_id in wanted for write in remove_event(records, event.id)]
    return writes + [gone("task_items", item) for item in sorted(wanted)]


def import_events(records: Records, match: Match) -> list[RowWrite]:
    """Write what a calendar file adds and changes, by UID; a stored event that the file lacks stays.

    A task embedded where its course no longer meets loses its place and becomes pending again.
    """
    by_uid = {uid_of(event): event.id for event in records.events}
    by_uid |= {offered.uid: new_number() for offered in match.added}
    writes: list[RowWrite] = []
    for offered in match.added:
        event = Event(
            by_uid[offered.uid],
            offered.kind,
            offered.name,
            bool(offered.can_embed),
            offered.uid,
            offered.location,
            offered.teacher,
            offered.rule,
        )
        writes.append(put("schedule_events", event_row(event, records.term.id)))
        writes += _incoming_rows(event.id, offered, by_uid, records.term.id)
    for change in match.changed:
        writes += _changed(records, change.event, change.incoming, by_uid)
    return writes + _guests_left(records, match, writes)


def _guests_left(records: Records, match: Match, writes: Iterable[RowWrite]) -> list[RowWrite]:
    left = {write.key for write in writes if write.table == "schedules" and write.row is None}
    offered = {change.event.id for change in match.changed}
    own = {event.id for event in records.events if event.item_id is not None} - offered
    guests = {
        row.event_id
        for row in records.rows
        if row.event_id in own and (row.host_event_id, row.week, row.day_of_week, row.section) in left
    }
    return [write for guest in sorted(guests) for write in remove_event(records, guest)]


def _changed(records: Records, event: Event, offered: IncomingEvent, by_uid: Mapping[str, int]) -> list[RowWrite]:
    new = replace(
        event,
        kind=offered.kind,
        name=offered.name,
        can_embed=event.can_embed if offered.can_embed is None else offered.can_embed,
        location=offered.location or event.location,
        teacher=offered.teacher or event.teacher,
        rule=offered.rule or event.rule,
    )
    kept = {row.cell for row in offered.rows}
    own = [row for row in records.rows if row.event_id == event.id]
    writes = [put("schedule_events", event_row(new, records.term.id))]
    writes += [
        gone("schedules", event.id, row.week, row.day_of_week, row.section)
        for row in own
        if (row.week, row.day_of_week, row.section) not in kept
    ]
    return writes + _incoming_rows(event.id, offered, by_uid, records.term.id)


def _incoming_rows(event: int, offered: IncomingEvent, by_uid: Mapping[str, int], term: int) -> list[RowWrite]:
    return [
        put("schedules", schedule_row(Row(event, *row.cell, by_uid.get(row.host_uid) if row.host_uid else None), term))
        for row in offered.rows
    ]


def day_in(term: Term, day: date) -> tuple[int, int]:
    """Return (week, day of week) of a date, or refuse with the term's bounds."""
    found = term.week_of(day)
    if found is None:
        last = term.date_of(term.weeks, DAYS_IN_WEEK)
        raise ToolRefusal("date_outside_term", date=day.isoformat(), first=term.first_monday.isoformat(), last=last.isoformat())
    return found
