"""Decides what a place costs: every weight stands in the one table below. It must not know which places are legal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.rules import Rules
from steadyhand.domains.schedule.board.model import Block, Task

SEGMENT = 2


@dataclass(frozen=True, slots=True)
class Weights:
    """What one unit of each part costs; whole numbers, so that sums are exact on any machine."""

    unplaced: int = 10_000  # per point of priority of a task without a place
    spread: int = 6  # per day away from where the task would stand if its category were spread evenly
    load: int = 1  # by how much the square of a day's held slots grows
    preferred: int = 8  # per slot outside the preferred ones
    segment: int = 12  # per task of two slots or more that begins inside a standard segment (1-2, 3-4 …)
    embedding: int = 25  # per slot inside a host
    moves: int = 60  # per task that leaves the place it had
    kept_moves: int = 5_000  # the same where only what must move is to move: below the least priority, above all other parts


WEIGHTS = Weights()


def keeping(weights: Weights) -> Weights:
    """Return the table for arrangements in which only what must move is to move."""
    return replace(weights, moves=weights.kept_moves)


PARTS: tuple[str, ...] = ("unplaced", "spread", "load", "preferred", "segment", "embedding", "moves")


@dataclass(frozen=True, slots=True)
class Objective:
    """The cost of an arrangement by parts, weighted."""

    parts: Mapping[str, int]

    @property
    def total(self) -> int:
        """The sum of the parts."""
        return sum(self.parts.values())

    def to_json(self) -> Json:
        """Return the parts and the total."""
        return {**self.parts, "total": self.total}


class Costs:
    """The costs of one arrangement. *ideal* is the day at which each job would stand if its category were spread evenly."""

    def __init__(self, board: Board, rules: Rules, options: ArrangeOptions, weights: Weights = WEIGHTS) -> None:
        self.weights = weights
        self.ideal = ideal_days(board, rules)
        self.base = [room.load for room in board.rooms]
        self.jobs = board.jobs
        self._unwanted = [
            bool(options.preferred_slots) and slot not in options.preferred_slots for slot in range(board.slots + 1)
        ]
        self._by_length: dict[int, tuple[tuple[int, int], ...]] = {}

    def starts(self, length: int) -> tuple[tuple[int, int], ...]:
        """Return (cost, start) of every start slot for a task of *length* slots, cheapest first."""
        if length not in self._by_length:
            last = len(self._unwanted) - length
            self._by_length[length] = tuple(sorted((self.of_slots(start, length), start) for start in range(1, last + 1)))
        return self._by_length[length]

    def of_slots(self, start: int, length: int) -> int:
        """Return what standing at *start* costs on any day."""
        return self._preferred(start, length) + self._segment(start, length)

    def _preferred(self, start: int, length: int) -> int:
        return self.weights.preferred * sum(self._unwanted[start : start + length])

    def _segment(self, start: int, length: int) -> int:
        return self.weights.segment if length >= SEGMENT and start % SEGMENT == 0 else 0

    def growth(self, load: int, length: int) -> int:
        """Return what *length* more slots cost on a day that holds *load*."""
        return self.weights.load * ((load + length) ** 2 - load**2)

    def of_place(self, task: Task, placement: Placement, load: int) -> dict[str, int]:
        """Return, by parts, what *placement* costs on a day that holds *load* without it."""
        block, weights = placement.block, self.weights
        return {
            "spread": weights.spread * abs(block.day - self.ideal[task.state_id]),
            "load": self.growth(load, len(block)),
            "preferred": self._preferred(block.start, len(block)),
            "segment": self._segment(block.start, len(block)),
            "embedding": weights.embedding * len(block) * (placement.embed_host is not None),
            "moves": weights.moves * (present(task) not in (None, block)),
        }

    def objective(self, placements: Mapping[int, Placement]) -> Objective:
        """Return the cost of *placements*, which are of these jobs; a job that has none is unplaced."""
        weights = self.weights
        parts = dict.fromkeys(PARTS, 0)
        load = list(self.base)
        for state_id, task in self.jobs.items():
            placement = placements.get(state_id)
            if placement is None:
                parts["unplaced"] += weights.unplaced * task.priority
                continue
            day = placement.block.day
            for part, cost in self.of_place(task, placement, load[day]).items():
                parts[part] += cost
            load[day] += len(placement.block)
        return Objective(parts)


def present(task: Task) -> Block | None:
    """Return where a job stands before the arrangement; None while it is pending."""
    return task.place.slots[0] if task.place.slots else None


def ideal_days(board: Board, rules: Rules) -> dict[int, int]:
    """Return for each job the day at which it would stand if its category were spread evenly over the days that it has.

    The days of a category run from its last placed earlier task to the first placed later one, else over the window.
    """
    groups: dict[int | str, list[Task]] = {}
    for task in board.jobs.values():
        groups.setdefault(task.category if task.category_id is None else task.category_id, []).append(task)
    ideal: dict[int, int] = {}
    for group in groups.values():
        group.sort(key=lambda task: (task.position or 0, task.state_id))
        first = max((other.end[0] for other in rules.seated_before(group[0], board)), default=1)
        last = min((other.start[0] for other in rules.seated_after(group[-1], board)), default=board.days)
        days = [_within(task, day, board.days) for task, day in zip(group, _evenly(group, first, last), strict=True)]
        if any(rules.in_order(task) for task in group):
            days = list(accumulate(reversed(days), min))[::-1]  # never later than the next
        ideal.update(zip((task.state_id for task in group), days, strict=True))
    return ideal


def _evenly(group: Sequence[Task], first: int, last: int) -> list[int]:
    """Return days from *first* on, so that of any deadline all tasks up to it are spread evenly over the days before it."""
    days: list[int] = []
    room = Fraction(max(last - first, 0) + 1, len(group))
    for place in range(len(group) - 1, -1, -1):
        deadline = group[place].deadline
        if deadline is not None:
            room = min(room, Fraction(max(deadline - first, 0) + 1, place + 1))
        days.append(first + int(place * room))
    return days[::-1]


def _within(task: Task, day: int, days: int) -> int:
    if task.deadline is not None:
        day = min(day, task.deadline)
    if task.earliest is not None:
        day = max(day, task.earliest)
    return min(max(day, 1), days)
