"""Decides which row writes a person's own acts on courses and tasks are, and an import's. It must not write them or ask anybody."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from steadyhand.core.ids import new_number
from steadyhand.core.language import Language
from steadyhand.domains.schedule.acts.calendar_facts import Applied, apply_facts
from steadyhand.domains.schedule.acts.weekly_edits import need_cells
from steadyhand.domains.schedule.arrange.split import split
from steadyhand.domains.schedule.imports.incoming import (
    IncomingCategory,
    IncomingEvent,
    IncomingRow,
    IncomingTask,
    Match,
    uid_of,
)
from steadyhand.domains.schedule.rows.forms import class_row, event_row, fact_row, item_row, schedule_row, term_row
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, put
from steadyhand.domains.schedule.term.records import NOTHING_KNOWN, Event, Particulars, Records, Row, TaskClass, TaskItem, Term

Cell = tuple[int, int, int]
Meets = Mapping[Cell, Particulars]
"""The cells that a course meets in, with what is known of the meeting."""
HostCell = tuple[int | None, int, int, int]


def put_term(term: Term, previous: Term | None) -> list[RowWrite]:
    """Make *term* the current one; the term that was current stays stored and stops being so."""
    writes = [put("terms", term_row(term))]
    if previous is not None and previous.id != term.id:
        writes.append(put("terms", term_row(previous, is_current=False)))
    return writes


def weekly_cells(term: Term, day_of_week: int, slots: tuple[int, int], weeks: Iterable[int]) -> list[Cell]:
    """Return the cells of a weekly meeting; what lies outside the term or its time scale is refused."""
    wanted = sorted(set(weeks))
    need_cells(term, day_of_week, slots, wanted)
    first, last = slots
    return [(week, day_of_week, section) for week in wanted for section in range(first, last + 1)]


def add_course(records: Records, event: Event, cells: Sequence[Cell], known: Particulars = NOTHING_KNOWN) -> list[RowWrite]:
    """Add a course that meets in *cells* by its weekday; holidays and swapped days hold for it too."""
    met, held = _under_facts(records, event, dict.fromkeys(cells, known))
    return [put("schedule_events", event_row(event, records.term.id)), *_rows(event.id, met, records.term.id), *held]


def _under_facts(records: Records, event: Event, cells: Meets) -> tuple[Meets, list[RowWrite]]:
    """Return the cells that a course meets in under the calendar facts, with what is known of each, and what these hold of it."""
    rows = tuple(IncomingRow(*cell, "", cells[cell]) for cell in sorted(cells))
    applied = apply_facts(records, [IncomingEvent(uid_of(event), "course", event.name, rows)])
    return {row.cell: row.particulars for row in applied.events[0].rows}, held_writes(records, applied)


def held_writes(records: Records, applied: Applied) -> list[RowWrite]:
    """Return the writes that let the calendar facts hold what courses have by their weekdays, beside those of the courses."""
    return [put("calendar_facts", fact_row(fact, records.term.id)) for fact in applied.facts]


def edit_course(records: Records, event: Event, cells: Meets | None) -> list[RowWrite]:
    """Change a course's fields, and with *cells*, all that it shall meet in by its weekday, its meetings.

    Tasks embedded where it no longer meets are refused by the gate.
    """
    writes = [put("schedule_events", event_row(event, records.term.id))]
    if cells is None:
        return writes
    now = {_cell(row): row.particulars for row in records.rows if row.event_id == event.id}
    met, held = _under_facts(records, event, cells)
    writes += [gone("schedules", event.id, *cell) for cell in sorted(now.keys() - met.keys())]
    differing = {cell: known for cell, known in met.items() if now.get(cell) != known}
    return writes + _rows(event.id, differing, records.term.id) + held


def remove_events(records: Records, events: Iterable[int]) -> list[RowWrite]:
    """Remove events with their rows. A task of a list that is embedded in one loses its place and is pending again; any other
    guest, which has nowhere to wait, stays where it is, on its own.
    """
    going = set(events)
    return without_events(records, going, {(row.event_id, *_cell(row)) for row in records.rows if row.event_id in going})


def without_events(records: Records, going: set[int], left: set[HostCell]) -> list[RowWrite]:
    """Remove events, and let the guests of *left*, cells that a host gives up, become pending or stand on their own."""
    waiting = {event.id for event in records.events if event.item_id is not None}
    going, alone, left = set(going), set[int](), set(left)
    while True:
        guests = {row.event_id for row in records.rows if (row.host_event_id, *_cell(row)) in left} - going - alone
        if not guests:
            break
        alone |= guests - waiting
        going |= guests & waiting
        left |= {(row.event_id, *_cell(row)) for row in records.rows if row.event_id in going}
    term = records.term.id
    writes = [gone("schedules", row.event_id, *_cell(row)) for row in records.rows if row.event_id in going]
    writes += [
        put("schedules", schedule_row(replace(row, host_event_id=None), term))
        for row in records.rows
        if row.event_id in alone and (row.host_event_id, *_cell(row)) in left
    ]
    return writes + [gone("schedule_events", event) for event in sorted(going)]


def _cell(row: Row) -> Cell:
    return row.week, row.day_of_week, row.section


def _rows(event: int, cells: Meets, term: int) -> list[RowWrite]:
    return [put("schedules", schedule_row(Row(event, *cell, None, known), term)) for cell, known in cells.items()]


def _numbers(count: int) -> list[int]:
    """Draw numbers that ascend, so that what comes in one list is loaded in the order of the list."""
    return sorted(new_number() for _ in range(count))


def class_named(records: Records, name: str) -> TaskClass | None:
    """Return the category of that name."""
    return next((one for one in records.classes if one.name == name), None)


def add_tasks(records: Records, categories: Sequence[IncomingCategory]) -> list[RowWrite]:
    """Add tasks at the end of their categories, in their order; a category that is not there is made.

    A task that the category holds already under the same text is left out, so that the same list twice doubles nothing.
    """
    writes: list[RowWrite] = []
    for incoming, number in zip(_once_each(categories), _numbers(len(categories)), strict=False):
        owner = class_named(records, incoming.name)
        if owner is None:
            owner = TaskClass(number, incoming.name, incoming.total_slots, incoming.ordered)
            writes.append(put("task_classes", class_row(owner, records.term.id)))
        held = [item for item in records.items if item.class_id == owner.id]
        known = {item.content for item in held}
        new = [task for task in incoming.tasks if task.content not in known]
        following = max((item.position for item in held), default=-1) + 1
        writes += [put("task_items", item_row(_item(task, owner.id, following + index))) for index, task in enumerate(new)]
    return writes


def _once_each(categories: Sequence[IncomingCategory]) -> list[IncomingCategory]:
    """Join categories of one name: what the list says of one first counts, the tasks follow one another."""
    joined: dict[str, IncomingCategory] = {}
    for one in categories:
        first = joined.get(one.name)
        joined[one.name] = one if first is None else replace(first, tasks=first.tasks + one.tasks)
    return list(joined.values())


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


def split_task(records: Records, item: TaskItem, parts: tuple[int, int], language: Language) -> list[RowWrite]:
    """Cut a task, whose *item* says its length, into parts of so many slots at least and at most; the order goes on behind them.

    The first part is the task itself, the others are new. Nothing is written when it is one part already.
    """
    mates = [item if one.id == item.id else one for one in records.items if one.class_id == item.class_id]
    first = min(one.position for one in mates)
    stored = {one.id: one for one in records.items}
    cut = split(mates, item.id, *parts, language)
    if len(cut) == len(mates):
        return []
    numbers = iter(_numbers(len(cut) - len(mates)))
    moved = [replace(one, id=one.id or next(numbers), position=one.position - 1 + first) for one in cut]
    return [put("task_items", item_row(one)) for one in moved if stored.get(one.id) != one]


def remove_tasks(records: Records, items: Iterable[int], events: Iterable[int] = ()) -> list[RowWrite]:
    """Remove tasks of a list with the places that they have, and *events* that came with a calendar, all at once."""
    wanted = set(items)
    places = [event.id for event in records.events if event.item_id in wanted]
    return [*remove_events(records, [*places, *events]), *(gone("task_items", item) for item in sorted(wanted))]


def import_events(records: Records, match: Match) -> list[RowWrite]:
    """Write what a calendar file adds and changes, by UID; a stored event that the file lacks stays.

    A task embedded where its course no longer meets, or takes guests no longer, loses its place as by `remove_events`.
    """
    by_uid = {uid_of(event): event.id for event in records.events}
    by_uid |= {offered.uid: number for offered, number in zip(match.added, _numbers(len(match.added)), strict=True)}
    writes: list[RowWrite] = []
    for offered in match.added:
        event = Event(
            by_uid[offered.uid],
            offered.kind,
            offered.name,
            bool(offered.can_embed),
            offered.uid,
            offered.rule,
        )
        writes.append(put("schedule_events", event_row(event, records.term.id)))
        writes += _incoming_rows(event.id, offered, by_uid, records.term.id)
    for change in match.changed:
        writes += _changed(records, change.event, change.incoming, by_uid)
    return writes + _guests_left(records, match, writes)


def _guests_left(records: Records, match: Match, writes: Sequence[RowWrite]) -> list[RowWrite]:
    """Free the guests, other than those that the file itself places, of the cells that their hosts give up."""
    gone_rows = [write for write in writes if write.table == "schedules" and write.row is None]
    left: set[HostCell] = {(write.key[0], write.key[1], write.key[2], write.key[3]) for write in gone_rows}
    closed = {write.key[0] for write in writes if write.table == "schedule_events" and write.row and not write.row["can_embed"]}
    left |= {(row.host_event_id, *_cell(row)) for row in records.rows if row.host_event_id in closed}
    offered = {change.event.id for change in match.changed}
    rest = replace(records, rows=tuple(row for row in records.rows if row.event_id not in offered))
    return without_events(rest, set(), left)


def _changed(records: Records, event: Event, offered: IncomingEvent, by_uid: Mapping[str, int]) -> list[RowWrite]:
    new = replace(
        event,
        kind=offered.kind,
        name=offered.name,
        can_embed=event.can_embed if offered.can_embed is None else offered.can_embed,
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
        put("schedules", schedule_row(Row(event, *row.cell, by_uid.get(row.host_uid), row.particulars), term))
        for row in offered.rows
    ]
