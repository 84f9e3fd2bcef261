"""Decides where a task may stand: the hard rules, each of which can be lifted to see whether it is what keeps a task out.

A place must be free or inside one block of one host, in one piece, on one day of the window; these cannot be lifted.
It must not weigh one legal place against another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from steadyhand.domains.schedule.arrange.board import Board, Moment, Seated
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.board.occupancy import span_mask, starts_of

Rule: TypeAlias = Literal[
    "earliest", "deadline", "after", "before", "max_per_day", "excluded_days", "excluded_slots", "embedding"
]
RULES: tuple[Rule, ...] = (
    "earliest",  # not before its earliest day
    "deadline",  # not after the day of its deadline
    "after",  # starts after the earlier tasks of its category have ended, and only when they have a place
    "before",  # ends before the later tasks of its category start
    "max_per_day",
    "excluded_days",
    "excluded_slots",
    "embedding",  # not inside a host, when that is switched off
)
NONE: frozenset[Rule] = frozenset()
UNLIMITED = 1 << 30  # guests share cells, so that a day can hold more slots of tasks than it has


class Starts(NamedTuple):
    """The slots of a day at which a task may start: on free slots, and inside each host that takes it."""

    free: int
    hosts: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the rules leave to one task at one moment: from *first* to *last* (slots included), on the slots of *mask*."""

    first: Moment
    last: Moment
    mask: int
    per_day: int
    closed_days: frozenset[int]
    embed: bool
    blocked: bool


class Rules:
    """The hard rules of one arrangement."""

    def __init__(self, options: ArrangeOptions, slots: int) -> None:
        self.options = options
        self._closed_days = frozenset(options.excluded_days)
        self.open_mask = span_mask(1, slots)
        for slot in options.excluded_slots:
            self.open_mask &= ~span_mask(slot, slot)

    def binding(self, task: Task) -> tuple[Rule, ...]:
        """Return the rules that say anything at all about *task*."""
        options = self.options
        says = {
            "earliest": task.earliest is not None,
            "deadline": task.deadline is not None,
            "after": self.in_order(task),
            "before": self.in_order(task),
            "max_per_day": options.max_per_day is not None,
            "excluded_days": bool(options.excluded_days),
            "excluded_slots": bool(options.excluded_slots),
            "embedding": not options.embed,
        }
        return tuple(rule for rule in RULES if says[rule])

    def in_order(self, task: Task) -> bool:
        """Tell whether the order of its category binds *task*."""
        return self.options.ordered and task.ordered and task.category_id is not None and task.position is not None

    def bounds(self, task: Task, board: Board, lifted: frozenset[Rule] = NONE) -> Bounds:
        """Return what the rules, less those *lifted*, leave to *task* on *board* as it stands."""
        first: Moment = board.first
        last: Moment = (board.days, board.slots)
        if task.earliest is not None and "earliest" not in lifted:
            first = max(first, (task.earliest, 1))
        if task.deadline is not None and "deadline" not in lifted:
            last = min(last, (task.deadline, board.slots))
        blocked = False
        if "after" not in lifted:
            blocked = bool(self.waiting_before(task, board))
            for other in self.seated_before(task, board):
                first = max(first, (other.end[0], other.end[1] + 1))
        if "before" not in lifted:
            for other in self.seated_after(task, board):
                last = min(last, (other.start[0], other.start[1] - 1))
        limit = self.options.max_per_day
        return Bounds(
            first,
            last,
            board.full if "excluded_slots" in lifted else self.open_mask & board.full,
            UNLIMITED if limit is None or "max_per_day" in lifted else limit,
            frozenset() if "excluded_days" in lifted else self._closed_days,
            self.options.embed or "embedding" in lifted,
            blocked,
        )

    def waiting_before(self, task: Task, board: Board) -> tuple[int, ...]:
        """Return the earlier tasks of its category that are to be arranged too and have no place."""
        if task.category_id is None or task.position is None or not self.in_order(task):
            return ()
        waiting = board.waiting.get(task.category_id, {})
        return tuple(state_id for state_id, position in waiting.items() if position < task.position)

    def seated_before(self, task: Task, board: Board) -> Iterator[Seated]:
        """Return the placed tasks of its category that come earlier."""
        return (other for other in self._seated(task, board) if other.position < (task.position or 0))

    def seated_after(self, task: Task, board: Board) -> Iterator[Seated]:
        """Return the placed tasks of its category that come later."""
        return (other for other in self._seated(task, board) if other.position > (task.position or 0))

    def _seated(self, task: Task, board: Board) -> list[Seated]:
        if task.category_id is None or not self.in_order(task):
            return []
        return board.seated.get(task.category_id, [])


def starts_on(board: Board, day: int, length: int, bounds: Bounds) -> Starts | None:
    """Return where on *day* a task of *length* slots may start, or None when nowhere; *day* lies within the bounds' days."""
    room = board.rooms[day]
    if day in bounds.closed_days or room.suggested + length > bounds.per_day:
        return None
    mask = bounds.mask
    if day == bounds.first[0]:
        mask &= -1 << (bounds.first[1] - 1)
    if day == bounds.last[0]:
        mask &= (1 << bounds.last[1]) - 1
    free = starts_of(room.free & mask, length)
    hosts: tuple[tuple[int, int], ...] = ()
    if bounds.embed and room.hosts:
        hosts = tuple((host.host, starts) for host in room.hosts if (starts := starts_of(host.mask & mask, length)))
    return Starts(free, hosts) if free or hosts else None


def days_of(bounds: Bounds, board: Board) -> range:
    """Return the days of the window that the bounds leave; none when they leave none."""
    if bounds.blocked or bounds.first > bounds.last:
        return range(0)
    return range(max(bounds.first[0], 1), min(bounds.last[0], board.days) + 1)


def fits(task: Task, board: Board, rules: Rules, lifted: frozenset[Rule] = NONE) -> bool:
    """Tell whether *task* has any legal place on *board* when the rules of *lifted* do not hold for it."""
    bounds = rules.bounds(task, board, lifted)
    return any(starts_on(board, day, task.length, bounds) for day in days_of(bounds, board))
