"""Decides what room an arrangement under way has: free slots that are to come, hosts, loads, who stands where. It must not judge a rule or a cost."""

from collections.abc import Iterable
from dataclasses import dataclass

from steadyhand.domains.schedule.board.model import Block, Task
from steadyhand.domains.schedule.board.occupancy import span_mask
from steadyhand.domains.schedule.board.timetable import Timetable

Moment = tuple[int, int]
"""A slot of a day, ordered as time is."""


@dataclass(slots=True)
class HostRoom:
    """One block of a host with the slots that no guest holds."""

    host: int
    start: int
    end: int
    mask: int


@dataclass(slots=True)
class DayRoom:
    """One day: free slots, hosts, the slots held by anyone (*load*, guests included) and by suggested tasks alone."""

    free: int
    hosts: list[HostRoom]
    load: int
    suggested: int


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a task is put: one block, free or inside a host."""

    state_id: int
    block: Block
    embed_host: int | None = None


@dataclass(frozen=True, slots=True)
class Seated:
    """A placed task of an ordered category: its position and the moments at which it starts and ends."""

    state_id: int
    position: int
    start: Moment
    end: Moment


class Board:
    """The room that is left, and the tasks (*jobs*) that are to be put into it; those that have a place are lifted first."""

    def __init__(self, timetable: Timetable, jobs: Iterable[Task]) -> None:
        self.jobs = {task.state_id: task for task in jobs}
        self.days = timetable.window.total_days
        self.first: Moment = timetable.present
        self.slots = timetable.window.slots
        self.full = span_mask(1, self.slots)
        self.rooms = [DayRoom(0, [], 0, 0), *(self._room(timetable, day) for day in range(1, self.days + 1))]
        self.placements: dict[int, Placement] = {}
        self.seated: dict[int, list[Seated]] = {}
        self.waiting: dict[int, dict[int, int]] = {}
        for task in timetable.tasks.values():
            if task.category_id is None or task.position is None:
                continue
            if task.state_id in self.jobs:
                self.waiting.setdefault(task.category_id, {})[task.state_id] = task.position
            elif task.place.slots:
                self._seat(task, min(task.place.slots), max(task.place.slots))

    def _room(self, timetable: Timetable, day: int) -> DayRoom:
        cells = timetable.cells(day)
        hosts = [
            HostRoom(seat.state_id, seat.start, seat.end, cells.open_slots(seat))
            for seat in cells.open
            if seat.state_id not in self.jobs
        ]
        room = DayRoom(cells.free, hosts, cells.busy.bit_count() + cells.guests.bit_count(), 0)
        for seat in cells.seats:
            length = seat.end - seat.start + 1
            if seat.state_id in self.jobs:
                _give_back(room, seat.start, seat.end, guest=seat.guest)
                room.load -= length
            elif timetable.tasks[seat.state_id].place.status == "suggested":
                room.suggested += length
        ahead = timetable.open_mask(day)
        room.free &= ahead
        for host in room.hosts:
            host.mask &= ahead
        return room

    def put(self, task: Task, placement: Placement) -> None:
        """Take the slots of *placement* for the job *task*; the caller knows that they are open. A host takes guests from then on."""
        block = placement.block
        room, mask = self.rooms[block.day], span_mask(block.start, block.end)
        if placement.embed_host is None:
            room.free &= ~mask
            if task.can_embed and not task.locked:
                room.hosts.append(HostRoom(task.state_id, block.start, block.end, mask))
        else:
            for host in room.hosts:
                if host.host == placement.embed_host and host.start <= block.start and block.end <= host.end:
                    host.mask &= ~mask
        room.load += len(block)
        room.suggested += len(block)
        self.placements[task.state_id] = placement
        if task.category_id is not None and task.position is not None:
            del self.waiting[task.category_id][task.state_id]
            self._seat(task, block, block)

    def _seat(self, task: Task, first: Block, last: Block) -> None:
        if task.category_id is not None and task.position is not None:
            seated = Seated(task.state_id, task.position, (first.day, first.start), (last.day, last.end))
            self.seated.setdefault(task.category_id, []).append(seated)


def _give_back(room: DayRoom, start: int, end: int, *, guest: bool) -> None:
    mask = span_mask(start, end)
    if not guest:
        room.free |= mask
        return
    for host in room.hosts:
        if host.start <= start and end <= host.end:
            host.mask |= mask
