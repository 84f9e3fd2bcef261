"""Decides what a timetable in memory is and keeps its occupancy index true to its tasks. It must not judge or word a write."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Self, cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.core.errors import Bug
from steadyhand.domains.schedule.board.model import Block, Delta, Place, PlaceChange, Task
from steadyhand.domains.schedule.board.occupancy import DayIndex, Occupancy, inconsistent, runs_of, span_mask
from steadyhand.domains.schedule.term.window import Present, Window


class Entry(NamedTuple):
    """One block of one task on a day, as a reader meets it."""

    start: int
    end: int
    guest: bool
    task: Task


class DayFacts(NamedTuple):
    """What one day held at the moment of asking; later writes do not reach it. *free* are runs that are still to come."""

    day: int
    slots: int
    entries: tuple[Entry, ...]
    used: int
    course_used: int
    free: tuple[tuple[int, int], ...]

    @property
    def open(self) -> int:
        """How many slots are free and still to come."""
        return sum(end - start + 1 for start, end in self.free)


class Timetable:
    """Tasks in a window with one occupancy index. It changes by `apply` and `revert` alone.

    A task that is not consistent with the others raises `Bug` (``timetable_inconsistent``, with the reason, the tasks
    and the cell). State ids are never reused: *next_id* only grows. Of its slots only those from *present* on are open to tools;
    what stands in earlier ones stays, and `apply` knows no time.
    """

    def __init__(self, window: Window, tasks: Iterable[Task], *, next_id: int = 1, present: Present = Present()) -> None:  # noqa: B008  # a tuple
        self.window = window
        self.present = present
        self._tasks: dict[int, Task] = {}
        self._index = Occupancy(window.total_days, window.slots)
        self.pending = 0
        ordered = sorted(tasks, key=lambda task: task.state_id)
        for task in ordered:
            if task.state_id < 1 or task.state_id in self._tasks:
                raise inconsistent("state_id", task.state_id)
            _check_status(task)
            self._tasks[task.state_id] = task
            self.pending += task.place.status == "pending"
        for task in sorted(ordered, key=lambda task: task.place.embed_host is not None):
            self._index.lay(task)
        self.next_id = max(next_id, ordered[-1].state_id + 1 if ordered else 1)

    @property
    def tasks(self) -> Mapping[int, Task]:
        """Every task by state id, ascending; a live view that cannot be written."""
        return MappingProxyType(self._tasks)

    def task(self, state_id: int) -> Task | None:
        """Return the task with this state id, if there is one."""
        return self._tasks.get(state_id)

    def guests_of(self, state_id: int) -> tuple[int, ...]:
        """Return the state ids of a host's guests, ascending; the first is the host's ``embedded_by``."""
        return self._index.guests_of(state_id)

    def locked(self, task: Task) -> bool:
        """Tell whether a task must not be moved: by itself, or because its host must not be."""
        host = task.place.embed_host
        return task.locked or (host is not None and self._tasks[host].locked)

    def cells(self, day: int) -> DayIndex:
        """Return the index of one day, to read; day 1 … total_days."""
        return self._index.days[day]

    def open_mask(self, day: int) -> int:
        """Return the mask of the slots of *day* that are still to come."""
        first = self.present.slot if day == self.present.day else 1
        return 0 if day < self.present.day else span_mask(first, self.window.slots)

    def is_over(self, block: Block) -> bool:
        """Tell whether *block* begins in a slot that is over."""
        return (block.day, block.start) < self.present

    def facts(self, day: int) -> DayFacts:
        """Return what *day* holds now."""
        index = self._index.days[day]
        tasks = self._tasks
        entries = tuple(Entry(seat.start, seat.end, seat.guest, tasks[seat.state_id]) for seat in index.seats)
        return DayFacts(
            day,
            self.window.slots,
            entries,
            index.busy.bit_count(),
            index.course.bit_count(),
            runs_of(index.free & self.open_mask(day)),
        )

    def apply(self, delta: Delta) -> None:
        """Make every change of *delta*, or raise `Bug` and make none."""
        old = [self._expect(change) for change in delta]
        new = [task.at(change.after) for task, change in zip(old, delta, strict=True)]
        for task in old:
            self._index.lift(task)
        laid: list[Task] = []
        try:
            for task in sorted(new, key=_guests_last):
                _check_status(task)
                self._index.lay(task)
                laid.append(task)
            self._check_guests(new)
        except Bug:
            for task in reversed(laid):
                self._index.lift(task)
            for task in sorted(old, key=_guests_last):
                self._index.lay(task)
            raise
        for before, after in zip(old, new, strict=True):
            self._tasks[after.state_id] = after
            self.pending += (after.place.status == "pending") - (before.place.status == "pending")

    def revert(self, delta: Delta) -> None:
        """Take *delta* back; it must be the last that was applied to the tasks it names."""
        self.apply(tuple(PlaceChange(change.state_id, change.after, change.before) for change in delta))

    def trial(self, leaving: Sequence[int]) -> "Trial":
        """Return a context in which the index lacks the tasks *leaving*; at its end everything stands as before."""
        return Trial(self._index, [self._tasks[state_id] for state_id in leaving])

    def copy(self) -> "Timetable":
        """Return an independent timetable with the same content."""
        return Timetable(self.window, self._tasks.values(), next_id=self.next_id, present=self.present)

    def to_json(self) -> Json:
        """Return the whole content; `from_json` makes the same timetable of it."""
        window = self.window
        entry: dict[str, Json] = {
            "window": [window.first_week, window.first_day_of_week, window.total_days, window.slots],
            "next_id": self.next_id,
            "tasks": [task.to_json() for task in self._tasks.values()],
        }
        return entry if self.present == Present() else {**entry, "present": list(self.present)}

    @staticmethod
    def from_json(value: Json) -> "Timetable":
        """Make a timetable of what `to_json` returned."""
        entry = cast("Mapping[str, Json]", value)
        window = Window(*cast("list[int]", entry["window"]))
        tasks = [Task.from_json(task) for task in cast("list[Json]", entry["tasks"])]
        present = Present(*cast("list[int]", entry.get("present", [])))
        return Timetable(window, tasks, next_id=cast("int", entry["next_id"]), present=present)

    def snapshot(self) -> bytes:
        """Return the one byte form of the content."""
        return canonical(self.to_json())

    def _expect(self, change: PlaceChange) -> Task:
        task = self._tasks.get(change.state_id)
        if task is None or task.place != change.before:
            raise inconsistent("changed_meanwhile", change.state_id)
        return task

    def _check_guests(self, changed: list[Task]) -> None:
        # a host that goes must take its guests' links along in the same delta
        after = {task.state_id: task for task in changed}
        for host in changed:
            for guest in self._index.guests_of(host.state_id):
                if not self._index.hosted(after.get(guest, self._tasks[guest])):
                    raise inconsistent("not_in_host", guest, other=host.state_id)


class Trial:
    """A look at what would be: tasks are laid into the index one by one, and all of it is undone at the end."""

    def __init__(self, index: Occupancy, leaving: list[Task]) -> None:
        self._index = index
        self._leaving = leaving
        self._laid: list[Task] = []

    def __enter__(self) -> Self:
        for task in self._leaving:
            self._index.lift(task)
        return self

    def __exit__(self, *_: object) -> None:
        for task in reversed(self._laid):
            self._index.lift(task)
        for task in sorted(self._leaving, key=_guests_last):
            self._index.lay(task)

    def land(self, task: Task, place: Place) -> tuple[Place, int | None]:
        """Lay *task* at the blocks of *place* if it can stand there: return its place with the host it meets, or the blocker."""
        hosts: set[int | None] = set()
        for block in place.slots:
            landing = self._index.days[block.day].landing(block.start, block.end)
            if landing.blocker is not None:
                return place, landing.blocker
            hosts.add(landing.host)
        host = hosts.pop() if hosts else None
        if hosts:
            return place, host if host is not None else hosts.pop()
        landed = Place(place.status, place.slots, place.duration, host)
        there = task.at(landed)
        self._index.lay(there)
        self._laid.append(there)
        return landed, None

    def seat_of(self, state_id: int, block: Block) -> Block | None:
        """Return the first block of *state_id* that overlaps *block*, as the index stands now."""
        for seat in self._index.days[block.day].seats:
            if seat.state_id == state_id and seat.start <= block.end and block.start <= seat.end:
                return Block(block.day, seat.start, seat.end)
        return None


def _guests_last(task: Task) -> bool:
    return task.place.embed_host is not None


def _check_status(task: Task) -> None:
    placed = bool(task.place.slots)
    if (task.place.status == "pending" and placed) or (task.place.status == "suggested" and not placed):
        raise inconsistent("status", task.state_id)
    if task.place.embed_host is not None and not placed:
        raise inconsistent("not_in_host", task.state_id, other=task.place.embed_host)
