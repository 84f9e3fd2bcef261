"""Decides how stored records become the tasks of a window, and which rows a place becomes. It must not read or write a store.

What is dirty (a row outside the term, a cell that two hold) is reported and left out, alone: the rest loads as if it were not there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.model import DEFAULT_DURATION, Block, Place, Source, Task
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Event, Records, Row, TaskClass, TaskItem
from steadyhand.domains.schedule.term.window import Window

Key: TypeAlias = tuple[Source, int]
Cell: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Skipped:
    """One thing that was not loaded as it is stored; the catalogue's ``schedule.skipped.<code>`` says it to a person."""

    code: str
    params: Mapping[str, str | int]

    def text(self, language: Language) -> str:
        """Return what a person reads; it may name weeks and days of the week."""
        return say(language, f"schedule.skipped.{self.code}", **self.params)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The tasks of a window, what was left out, and the state id of every (source, source id) that ever had one."""

    tasks: tuple[Task, ...]
    skipped: tuple[Skipped, ...]
    ids: Mapping[Key, int]

    @property
    def next_id(self) -> int:
        """The state id that the next new task gets; none is used twice."""
        return max(self.ids.values(), default=0) + 1


def load(records: Records, window: Window, ids: Mapping[Key, int] | None = None) -> Loaded:
    """Turn records into tasks: events with rows in the window, and items that have no rows anywhere.

    *ids* holds the state ids given before; they stay. New ones follow the highest: courses, other events, then items.
    """
    skipped: list[Skipped] = []
    rows = _Rows(records, window, skipped)
    cells = _Cells(records.events, rows.inside, skipped)
    items = _items(records, skipped)
    event_of_item = _events_of_items(records.events, items)
    keys = _keys(records.events, items, event_of_item, cells, rows)
    known = dict(ids or {})
    following = max(known.values(), default=0) + 1
    for key in keys:
        if key not in known:
            known[key] = following
            following += 1
    state_ids = {event: known[key] for key, event in keys.items() if event is not None}
    maker = _Tasks(records, window, {item.id: length for item, length in _durations(items)}, cells, state_ids)
    by_event = {event.id: event for event in records.events}
    by_item = {item.id: (item, task_class) for item, task_class in items}
    tasks = (
        maker.of_event(known[key], by_event[key[1]])
        if key[0] == "event"
        else maker.of_item(known[key], *by_item[key[1]], None if event is None else by_event[event])
        for key, event in keys.items()
    )
    return Loaded(tuple(sorted(tasks, key=lambda task: task.state_id)), tuple(skipped), known)


def rows_of(place: Place, window: Window) -> tuple[tuple[int, int, int], ...]:
    """Return the (week, day of week, section) of every cell that a place holds, ascending."""
    return tuple(
        (*window.week_of(block.day), section) for block in sorted(place.slots) for section in range(block.start, block.end + 1)
    )


def blocks_of(cells: Iterable[Cell]) -> tuple[Block, ...]:
    """Compress (day, slot) cells into runs: sorted, doubles dropped, days never joined."""
    blocks: list[Block] = []
    for day, slot in sorted(set(cells)):
        if blocks and blocks[-1].day == day and blocks[-1].end == slot - 1:
            blocks[-1] = Block(day, blocks[-1].start, slot)
        else:
            blocks.append(Block(day, slot, slot))
    return tuple(blocks)


def shares(total: int | None, count: int) -> list[int]:
    """Share *total* slots among *count* tasks: the remainder goes to the first, each gets one at least; no total gives two each."""
    if total is None:
        return [DEFAULT_DURATION] * count
    each, rest = divmod(max(total, 0), max(count, 1))
    return [max(1, each + (index < rest)) for index in range(count)]


class _Rows:
    """Which rows of an event lie in the window, and which events have a usable row at all."""

    def __init__(self, records: Records, window: Window, skipped: list[Skipped]) -> None:
        self.inside: dict[int, list[tuple[Cell, int | None]]] = {}
        self.placed: set[int] = set()
        names = {event.id: event.name for event in records.events}
        for row in records.rows:
            trouble = _trouble(row, names, records.term.weeks, window.slots)
            if trouble is not None:
                skipped.append(trouble)
                continue
            self.placed.add(row.event_id)
            day = window.day_of(row.week, row.day_of_week)
            if day is not None:
                self.inside.setdefault(row.event_id, []).append(((day, row.section), row.host_event_id))


def _trouble(row: Row, names: Mapping[int, str], weeks: int, slots: int) -> Skipped | None:
    at = {"week": row.week, "day_of_week": row.day_of_week, "section": row.section}
    if row.event_id not in names:
        return Skipped("unknown_event", {**at, "event": row.event_id})
    named = {**at, "name": names[row.event_id]}
    if not (1 <= row.week <= weeks and 1 <= row.day_of_week <= DAYS_IN_WEEK):
        return Skipped("row_outside_term", named)
    if not 1 <= row.section <= slots:
        return Skipped("row_outside_day", named)
    return None


class _Cells:
    """Which event holds which cell: plain events first (courses before others), then those that rows call guests."""

    def __init__(
        self, events: tuple[Event, ...], inside: Mapping[int, list[tuple[Cell, int | None]]], skipped: list[Skipped]
    ) -> None:
        self.blocks: dict[int, tuple[Block, ...]] = {}
        self.hosts: dict[int, int] = {}
        self._plain: dict[Cell, Event] = {}
        self._guest: dict[Cell, Event] = {}
        self._skipped = skipped
        ordered = sorted(events, key=lambda event: (event.kind != "course", event.id))
        hosted = {event.id for event in events if any(host is not None for _, host in inside.get(event.id, ()))}
        for event in [event for event in ordered if event.id not in hosted]:
            self._hold(event, {cell for cell, _ in inside.get(event.id, ())}, self._plain)
        for event in [event for event in ordered if event.id in hosted]:
            cells = {cell for cell, _ in inside[event.id]}
            host = self._host(cells, {host for _, host in inside[event.id]})
            if host is None:
                skipped.append(Skipped("host_missing", {"name": event.name}))
                self._hold(event, cells, self._plain)
            elif self._hold(event, cells, self._guest):
                self.hosts[event.id] = host

    def _host(self, cells: set[Cell], hosts: set[int | None]) -> int | None:
        # a link is restored when one host holds each block whole, as a guest stands inside one block of its host
        host = hosts.pop()
        if hosts or host is None or host in self.hosts:
            return None
        whole = self.blocks.get(host, ())
        inside = all(
            any(block.day == own.day and block.start <= own.start and own.end <= block.end for block in whole)
            for own in blocks_of(cells)
        )
        return host if inside else None

    def _hold(self, event: Event, cells: set[Cell], layer: dict[Cell, Event]) -> bool:
        kept: list[Cell] = []
        for cell in sorted(cells):
            other = layer.setdefault(cell, event)
            if other is event:
                kept.append(cell)
            else:
                at = {"day": cell[0], "section": cell[1]}
                self._skipped.append(Skipped("double_booked", {**at, "name": event.name, "other": other.name}))
        if kept:
            self.blocks[event.id] = blocks_of(kept)
        return bool(kept)


def _items(records: Records, skipped: list[Skipped]) -> list[tuple[TaskItem, TaskClass]]:
    classes = {task_class.id: task_class for task_class in records.classes}
    found: list[tuple[TaskItem, TaskClass]] = []
    for item in sorted(records.items, key=lambda item: (item.class_id, item.position, item.id)):
        task_class = classes.get(item.class_id)
        if task_class is None:
            skipped.append(Skipped("item_without_class", {"name": item.content}))
        else:
            found.append((item, task_class))
    return found


def _events_of_items(events: tuple[Event, ...], items: list[tuple[TaskItem, TaskClass]]) -> dict[int, int]:
    # the first event that stands for an item is its place; a course stands for none
    known = {item.id for item, _ in items}
    found: dict[int, int] = {}
    for event in events:
        if event.kind == "task" and event.item_id in known:
            found.setdefault(event.item_id, event.id)
    return found


def _keys(
    events: tuple[Event, ...],
    items: list[tuple[TaskItem, TaskClass]],
    event_of_item: Mapping[int, int],
    cells: _Cells,
    rows: _Rows,
) -> dict[Key, int | None]:
    # what stands in the window or waits, with the event that holds its rows; an item placed outside the window is neither
    of_items = set(event_of_item.values())
    alone = [event for event in events if event.id in cells.blocks and event.id not in of_items]
    keys: dict[Key, int | None] = {}
    for event in sorted(alone, key=lambda event: (event.kind != "course", event.id)):
        keys["event", event.id] = event.id
    for item, _ in items:
        event_id = event_of_item.get(item.id)
        if event_id in cells.blocks:
            keys["task_item", item.id] = event_id
        elif event_id not in rows.placed:
            keys["task_item", item.id] = None
    return keys


def _durations(items: list[tuple[TaskItem, TaskClass]]) -> list[tuple[TaskItem, int]]:
    by_class: dict[int, list[TaskItem]] = {}
    totals: dict[int, int | None] = {}
    for item, task_class in items:
        by_class.setdefault(task_class.id, []).append(item)
        totals[task_class.id] = task_class.total_slots
    lengths: list[tuple[TaskItem, int]] = []
    for class_id, members in by_class.items():
        own = [(item, item.duration) for item in members if item.duration is not None and item.duration >= 1]
        sharing = [item for item in members if item.duration is None or item.duration < 1]
        total = totals[class_id]
        rest = None if total is None else total - sum(length for _, length in own)
        lengths += own
        lengths += zip(sharing, shares(rest, len(sharing)), strict=True)
    return lengths


class _Tasks:
    """Makes tasks of events and items, as the reference derives their fields."""

    def __init__(
        self, records: Records, window: Window, lengths: Mapping[int, int], cells: _Cells, state_ids: Mapping[int, int]
    ) -> None:
        self._first_day = records.term.date_of(window.first_week, window.first_day_of_week)
        self._lengths = lengths
        self._cells = cells
        self._state_ids = state_ids
        self._course = say("zh-CN", "schedule.added.course_category")

    def of_event(self, state_id: int, event: Event) -> Task:
        is_course = event.kind == "course"
        return Task(
            state_id,
            "event",
            event.id,
            event.name,
            self._course if is_course else "",
            self._existing(event, None),
            is_course=is_course,
            locked=is_course and not event.can_embed,
            can_embed=event.can_embed,
        )

    def of_item(self, state_id: int, item: TaskItem, task_class: TaskClass, event: Event | None) -> Task:
        length = self._lengths[item.id]
        return Task(
            state_id,
            "task_item",
            item.id,
            item.content,
            task_class.name,
            Place("pending", (), length) if event is None else self._existing(event, length),
            can_embed=event is not None and event.can_embed,
            category_id=task_class.id,
            position=item.position,
            ordered=task_class.ordered,
            earliest=None if item.earliest is None else (item.earliest - self._first_day).days + 1,
            deadline=None if item.deadline is None else (item.deadline - self._first_day).days + 1,
            priority=item.priority,
        )

    def _existing(self, event: Event, length: int | None) -> Place:
        blocks = self._cells.blocks[event.id]
        # what was placed keeps the length it was placed with, whatever its category has become
        duration = None if length is None else sum(len(block) for block in blocks)
        host = self._cells.hosts.get(event.id)
        return Place("existing", blocks, duration, None if host is None else self._state_ids[host])
