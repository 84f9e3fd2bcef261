"""Decides which task holds which cell: one index of (day, slot) → plain occupant and guest. It must not know a task's status.

A plain occupant owns its cell; a guest shares the cell of the plain occupant that hosts it. Days carry bit masks (bit
*n* - 1 is slot *n*) and the longest runs, so that a search skips a day without looking at its cells.
"""

from bisect import insort
from typing import NamedTuple

from steadyhand.core.errors import Bug
from steadyhand.domains.schedule.board.model import Block, Task


def span_mask(start: int, end: int) -> int:
    """Return the mask of the slots *start* … *end*."""
    return ((1 << (end - start + 1)) - 1) << (start - 1)


def starts_of(mask: int, length: int) -> int:
    """Return the mask of the slots at which a run of *length* set slots of *mask* can start."""
    for _ in range(length - 1):
        mask &= mask >> 1
    return mask


def first_slot(mask: int) -> int:
    """Return the lowest slot of *mask*, or 0 when it is empty."""
    return (mask & -mask).bit_length()


def longest_run(mask: int) -> int:
    """Return the length of the longest run of set slots."""
    length = 0
    while mask:
        mask &= mask >> 1
        length += 1
    return length


def runs_of(mask: int) -> tuple[tuple[int, int], ...]:
    """Return the runs of set slots as (start, end), ascending."""
    runs: list[tuple[int, int]] = []
    while mask:
        start = first_slot(mask)
        end = start + first_slot(~(mask >> (start - 1))) - 2
        runs.append((start, end))
        mask &= ~span_mask(start, end)
    return tuple(runs)


class Seat(NamedTuple):
    """One block of one task on a day, ordered as a day is read: by start, a host before its guests."""

    start: int
    guest: bool
    state_id: int
    end: int


class Landing(NamedTuple):
    """What a task would meet at a block: nothing, a *host* that takes it in, or a *blocker* (the first by slot)."""

    host: int | None = None
    blocker: int | None = None


class DayIndex:
    """The cells of one day."""

    __slots__ = ("busy", "course", "full", "guest", "guests", "longest_free", "longest_open", "open", "plain", "seats")

    def __init__(self, slots: int) -> None:
        self.full = span_mask(1, slots)
        self.plain = [0] * (slots + 1)
        self.guest = [0] * (slots + 1)
        self.busy = 0
        self.guests = 0
        self.course = 0
        self.seats: list[Seat] = []
        self.open: list[Seat] = []
        self.longest_free = slots
        self.longest_open = 0

    @property
    def free(self) -> int:
        """The mask of the slots that nobody holds."""
        return self.full & ~self.busy

    def seat_around(self, state_id: int, start: int, end: int) -> Seat | None:
        """Return the plain seat of *state_id* that holds all of *start* … *end*."""
        for seat in self.seats:
            if seat.state_id == state_id and not seat.guest and seat.start <= start and end <= seat.end:
                return seat
        return None

    def landing(self, start: int, end: int) -> Landing:
        """Say what a task would meet at *start* … *end*."""
        mask = span_mask(start, end)
        if not self.busy & mask:
            return Landing()
        for seat in self.open:
            if seat.start <= start and end <= seat.end:
                taken = self.guests & mask
                return Landing(blocker=self.guest[first_slot(taken)]) if taken else Landing(host=seat.state_id)
        return Landing(blocker=self.plain[first_slot(self.busy & mask)])

    def open_slots(self, seat: Seat) -> int:
        """Return the mask of the slots of an open host's seat that no guest holds."""
        return span_mask(seat.start, seat.end) & ~self.guests

    def take(self, task: Task, block: Block) -> None:
        """Enter *task* at *block*; the caller has checked that it can stand there."""
        guest = task.place.embed_host is not None
        seat = Seat(block.start, guest, task.state_id, block.end)
        mask = span_mask(block.start, block.end)
        self._fill(seat, task.state_id)
        insort(self.seats, seat)
        if guest:
            self.guests |= mask
        else:
            self.busy |= mask
            self.course |= mask if task.is_course else 0
            if task.can_embed and not task.locked:
                insort(self.open, seat)
        self._measure()

    def leave(self, task: Task, block: Block) -> None:
        """Take *task* out of *block*, where it was entered."""
        guest = task.place.embed_host is not None
        seat = Seat(block.start, guest, task.state_id, block.end)
        mask = span_mask(block.start, block.end)
        self._fill(seat, 0)
        self.seats.remove(seat)
        if guest:
            self.guests &= ~mask
        else:
            self.busy &= ~mask
            self.course &= ~mask
            if seat in self.open:
                self.open.remove(seat)
        self._measure()

    def _fill(self, seat: Seat, state_id: int) -> None:
        cells = self.guest if seat.guest else self.plain
        cells[seat.start : seat.end + 1] = [state_id] * (seat.end - seat.start + 1)

    def _measure(self) -> None:
        self.longest_free = longest_run(self.free)
        self.longest_open = max((longest_run(self.open_slots(seat)) for seat in self.open), default=0)


class Occupancy:
    """The cells of every day of a window, and who is whose guest."""

    def __init__(self, days: int, slots: int) -> None:
        self.slots = slots
        self.days = [DayIndex(slots) for _ in range(days + 1)]
        self._guests: dict[int, set[int]] = {}

    def guests_of(self, host: int) -> tuple[int, ...]:
        """Return the state ids of the guests of *host*, ascending."""
        return tuple(sorted(self._guests.get(host, ())))

    def lay(self, task: Task) -> None:
        """Enter a task at its place; raises `Bug` (``timetable_inconsistent``) and enters nothing when a cell is taken."""
        taken: dict[int, int] = {}
        for block in task.place.slots:
            mask = self._checked(task, block)
            if taken.get(block.day, 0) & mask:
                raise inconsistent("double_booked", task.state_id, block)
            taken[block.day] = taken.get(block.day, 0) | mask
        for block in task.place.slots:
            self.days[block.day].take(task, block)
        if task.place.embed_host is not None:
            self._guests.setdefault(task.place.embed_host, set()).add(task.state_id)

    def lift(self, task: Task) -> None:
        """Take a task out of its place."""
        for block in task.place.slots:
            self.days[block.day].leave(task, block)
        host = task.place.embed_host
        if host is not None:
            self._guests[host].discard(task.state_id)
            if not self._guests[host]:
                del self._guests[host]

    def hosted(self, task: Task) -> bool:
        """Tell whether every block of a guest lies inside one block of its host."""
        host = task.place.embed_host
        return host is not None and all(
            self.days[block.day].seat_around(host, block.start, block.end) is not None for block in task.place.slots
        )

    def _checked(self, task: Task, block: Block) -> int:
        if not (1 <= block.day < len(self.days) and 1 <= block.start <= block.end <= self.slots):
            raise inconsistent("out_of_range", task.state_id, block)
        day, mask = self.days[block.day], span_mask(block.start, block.end)
        if task.place.embed_host is None:
            if day.busy & mask:
                raise inconsistent("double_booked", task.state_id, block, day.plain[first_slot(day.busy & mask)])
        elif day.guests & mask:
            raise inconsistent("double_booked", task.state_id, block, day.guest[first_slot(day.guests & mask)])
        elif day.seat_around(task.place.embed_host, block.start, block.end) is None:
            raise inconsistent("not_in_host", task.state_id, block, task.place.embed_host)
        return mask


def inconsistent(reason: str, state_id: int, block: Block | None = None, other: int = 0) -> Bug:
    """Build the error that says which task contradicts which other one, and where."""
    day, start, end = (block.day, block.start, block.end) if block else (0, 0, 0)
    return Bug("timetable_inconsistent", reason=reason, task=state_id, other=other, day=day, start=start, end=end)
