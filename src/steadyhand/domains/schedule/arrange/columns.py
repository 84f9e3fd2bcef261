"""Decides which places each task could take at all, and in which order a category binds. It must not choose among them.

A *spot* is one place with the costs that do not depend on anybody else; what the load of its day adds is counted apart.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.rules import NONE, Bounds, Rule, Rules, days_of, starts_on
from steadyhand.domains.schedule.arrange.weights import Costs, present
from steadyhand.domains.schedule.board.model import Block, Task

Cell = tuple[int, int, int]
"""Day, slot, and the host inside which it lies (0: a free one): what at most one task of an arrangement holds."""


class Spot(NamedTuple):
    """A place of one task: day, first slot, host (0: none), and its cost without the load of the day."""

    day: int
    start: int
    host: int
    cost: int


@dataclass(frozen=True, slots=True)
class Chain:
    """The tasks of one category whose order binds, by position; *ranks* are its positions, one for each task."""

    members: tuple[int, ...]
    ranks: tuple[int, ...]

    @property
    def strict(self) -> bool:
        """Whether no two of its tasks share a position."""
        return len(set(self.ranks)) == len(self.ranks)


class Problem:
    """One arrangement to be found: the room with every job lifted, the jobs, their places and their order.

    *lifted* names a rule that does not hold for one task: that is how a reason is put to the test.
    """

    def __init__(
        self,
        board: Board,
        rules: Rules,
        costs: Costs,
        options: ArrangeOptions,
        lifted: tuple[int, Rule] | None = None,
    ) -> None:
        self.board = board
        self.rules = rules
        self.costs = costs
        self.options = options
        self.tasks = board.jobs
        self.unplaced = {state_id: costs.weights.unplaced * task.priority for state_id, task in board.jobs.items()}
        self.unplaced_in_all = sum(self.unplaced.values())
        self.lengths = {state_id: task.length for state_id, task in board.jobs.items()}
        self.work = 0  # days looked at in search of a place: the same on any machine, as seconds are not
        self._bounds = {
            state_id: self._open_bounds(task, frozenset({lifted[1]}) if lifted and lifted[0] == state_id else NONE)
            for state_id, task in board.jobs.items()
        }
        self._spots: dict[tuple[int, int], tuple[Spot, ...]] = {}
        self._unordered = lifted[0] if lifted and lifted[1] == "after" else None
        self.uncapped = lifted[0] if lifted and lifted[1] == "max_per_day" else None

    def _open_bounds(self, task: Task, lifted: frozenset[Rule]) -> Bounds:
        # what waits on this board may be placed by the same answer, so that only placed others bound it here
        return replace(self.rules.bounds(task, self.board, lifted), blocked=False)

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """The categories whose order binds; a task that is in none of them stands alone."""
        groups: dict[int, list[Task]] = {}
        for task in self.tasks.values():
            if task.category_id is not None and task.state_id != self._unordered and self.rules.in_order(task):
                groups.setdefault(task.category_id, []).append(task)
        chains: list[Chain] = []
        for group in groups.values():
            group.sort(key=lambda task: (task.position or 0, task.state_id))
            chains.append(Chain(tuple(task.state_id for task in group), tuple(task.position or 0 for task in group)))
        return tuple(chains)

    @cached_property
    def place_in_chain(self) -> dict[int, tuple[Chain, int]]:
        """For each task of a chain: the chain and its place there."""
        return {member: (chain, place) for chain in self.chains for place, member in enumerate(chain.members)}

    @cached_property
    def days(self) -> dict[int, tuple[int, ...]]:
        """For each task the days on which it has a place."""
        return {
            state_id: tuple(day for day in days_of(self._bounds[state_id], self.board) if self.spots(state_id, day))
            for state_id in self.tasks
        }

    @cached_property
    def size(self) -> int:
        """How many places there are for all tasks together."""
        return sum(len(self.spots(state_id, day)) for state_id, days in self.days.items() for day in days)

    @cached_property
    def capped(self) -> bool:
        """Whether a limit per day holds."""
        return self.options.max_per_day is not None

    @cached_property
    def outwards(self) -> dict[int, tuple[tuple[int, int, tuple[Spot, ...]], ...]]:
        """For each task its days with their places, each after the cost of the cheapest of them, cheapest day first."""
        return {
            state_id: tuple(sorted((self.spots(state_id, day)[0].cost, day, self.spots(state_id, day)) for day in days))
            for state_id, days in self.days.items()
        }

    def keep_days(self, promising: Mapping[int, Collection[int]]) -> None:
        """Look at no other days than *promising* ones from now on."""
        self.days = {state_id: tuple(day for day in days if day in promising[state_id]) for state_id, days in self.days.items()}
        self.__dict__.pop("size", None)
        self.__dict__.pop("outwards", None)

    def room_for_suggested(self, day: int) -> int:
        """Return how many slots of these jobs *day* may hold by the limit per day."""
        limit = self.options.max_per_day
        return self.board.slots * self.board.slots if limit is None else limit - self.board.rooms[day].suggested

    def spots(self, state_id: int, day: int) -> tuple[Spot, ...]:
        """Return the places of a task on *day*, cheapest first."""
        key = (state_id, day)
        if key not in self._spots:
            self._spots[key] = tuple(self._on_day(self.tasks[state_id], day))
        return self._spots[key]

    def _on_day(self, task: Task, day: int) -> Iterator[Spot]:
        bounds = self._bounds[task.state_id]
        if day not in days_of(bounds, self.board):
            return
        starts = starts_on(self.board, day, task.length, bounds)
        if starts is None:
            return
        away = self.costs.weights.spread * abs(day - self.costs.ideal[task.state_id])
        stood, moving = present(task), self.costs.weights.moves
        inside = self.costs.weights.embedding * task.length
        for slot_cost, start in self.costs.starts(task.length):
            leaving = moving if stood is not None and (stood.day, stood.start) != (day, start) else 0
            if starts.free >> (start - 1) & 1:
                yield Spot(day, start, 0, away + slot_cost + leaving)
            for host, mask in starts.hosts:
                if mask >> (start - 1) & 1:
                    yield Spot(day, start, host, away + slot_cost + leaving + inside)

    def spot_of(self, placement: Placement) -> Spot | None:
        """Return the place of the list at which *placement* stands, if it is one."""
        block = placement.block
        for spot in self.spots(placement.state_id, block.day):
            if spot.start == block.start and spot.host == (placement.embed_host or 0):
                return spot
        return None

    def placement(self, state_id: int, spot: Spot) -> Placement:
        """Return the placement of a task at *spot*."""
        block = Block(spot.day, spot.start, spot.start + self.tasks[state_id].length - 1)
        return Placement(state_id, block, spot.host or None)

    def cells(self, state_id: int, spot: Spot) -> Iterator[Cell]:
        """Yield the cells that a task holds at *spot*."""
        return ((spot.day, slot, spot.host) for slot in range(spot.start, spot.start + self.tasks[state_id].length))

    def hosting(self) -> Sequence[Task]:
        """Return the jobs that would take guests in where they stand."""
        return [task for task in self.tasks.values() if task.can_embed and not task.locked]
