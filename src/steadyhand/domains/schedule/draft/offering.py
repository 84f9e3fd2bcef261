"""Decides which row writes bring the stored timetable to what a draft shows. It must not write them, or touch a row outside the window."""

from collections.abc import Mapping
from dataclasses import replace

from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import new_number
from steadyhand.domains.schedule.board.loading import rows_of
from steadyhand.domains.schedule.board.model import Block, Place, PlaceChange, Task
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.rows.forms import event_row, schedule_row
from steadyhand.domains.schedule.rows.writes import RowWrite, gone, put, scope_of
from steadyhand.domains.schedule.term.records import NOTHING_KNOWN, Event, Particulars, Row
from steadyhand.gate.contract import DraftCopy

Cell = tuple[int, int, int]


def offer(draft: OpenDraft) -> tuple[DraftCopy, Json]:
    """Return a frozen copy of what the draft would write, with its scope; refuses with ``nothing_drafted`` when it is nothing."""
    writes = writes_of(draft)
    if not writes:
        raise ToolRefusal("nothing_drafted")
    content: Json = {"writes": [write.to_json() for write in writes]}
    return DraftCopy(draft.row.id, draft.row.revision, content), scope_of(writes)


def writes_of(draft: OpenDraft) -> list[RowWrite]:
    """Return the row writes of every task whose cells differ from the base."""
    events = dict(draft.base.events)
    for change in draft.changed:
        task = draft.timetable.tasks[change.state_id]
        if task.source == "task_item" and task.source_id not in events and change.after.slots:
            events[task.source_id] = new_number()
    return [write for change in draft.changed for write in _of_task(draft, change, events)]


def _event_of(task: Task, events: Mapping[int, int]) -> int:
    return task.source_id if task.source == "event" else events[task.source_id]


def _of_task(draft: OpenDraft, change: PlaceChange, events: Mapping[int, int]) -> list[RowWrite]:
    task, term = draft.timetable.tasks[change.state_id], draft.term.id
    if task.source == "event" and not change.after.slots:
        raise ToolRefusal("event_without_place", name=task.name)
    event = _event_of(task, events)
    before, after = _rows(draft, change.before, events, event), _moved(draft, change, events, event)
    writes: list[RowWrite] = []
    if task.source == "task_item" and task.source_id not in draft.base.events:
        writes.append(put("schedule_events", event_row(Event(event, "task", task.name, item_id=task.source_id), term)))
    if not after and event not in draft.base.outside:
        writes.append(gone("schedule_events", event))
    writes += [gone("schedules", event, *cell) for cell in before if cell not in after]
    return writes + [put("schedules", schedule_row(row, term)) for cell, row in after.items() if before.get(cell) != row]


def _rows(draft: OpenDraft, place: Place, events: Mapping[int, int], event: int) -> dict[Cell, Row]:
    """Return the rows of a stored place, with what is known of each."""
    host = None if place.embed_host is None else _event_of(draft.timetable.tasks[place.embed_host], events)
    return {
        cell: Row(event, *cell, host, draft.base.known.get((event, *cell), NOTHING_KNOWN))
        for cell in rows_of(place, draft.window)
    }


def _moved(draft: OpenDraft, change: PlaceChange, events: Mapping[int, int], event: int) -> dict[Cell, Row]:
    """Return the rows of the place that a task shall have.

    A block that stays keeps what is known of it. One that is moved keeps the place and teacher that all of the task's meetings share,
    and no clock times: those belonged to the slots that it leaves.
    """
    staying = {cell for block in set(change.before.slots) & set(change.after.slots) for cell in _cells(draft, block)}
    known = {one for cell, one in draft.base.known.items() if cell[0] == event}
    shared = Particulars(location=_only({one.location for one in known}), teacher=_only({one.teacher for one in known}))
    return {
        cell: row if cell in staying else replace(row, particulars=shared)
        for cell, row in _rows(draft, change.after, events, event).items()
    }


def _cells(draft: OpenDraft, block: Block) -> list[Cell]:
    return [(*draft.window.week_of(block.day), section) for section in range(block.start, block.end + 1)]


def _only(values: set[str]) -> str:
    return values.pop() if len(values) == 1 else ""
