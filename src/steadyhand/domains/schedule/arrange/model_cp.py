"""Decides, with a constraint solver, the best places of some tasks while all others stay; it must not decide which ones.

One worker and a limit in deterministic time: the same question always has the same answer. Nothing of an answer whose status is
unknown is read. The load of a day is a square; it is told to the solver by its tangents, which are exact at whole numbers.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from steadyhand.domains.schedule.arrange.columns import Cell, Problem, Spot
from steadyhand.domains.schedule.arrange.seating import END, START, Seating

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, IntVar, LinearExpr

Status: TypeAlias = Literal["optimal", "feasible", "infeasible", "unknown"]
Candidates: TypeAlias = Mapping[int, Sequence[Spot]]
SEED = 7
PAIRS = 4
"""Up to how many tasks on a day the cuts on pairs of tasks go."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How to solve: *effort* is deterministic time, *seconds* a wall-clock limit (None: none), *must* the tasks that need a place."""

    effort: float
    seconds: float | None = None
    must: frozenset[int] = frozenset()
    only_feasible: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver found: the places of the free tasks that have one, its bound of the whole cost, the effort it took."""

    status: Status
    spots: Mapping[int, Spot]
    bound: int
    effort: float


def available() -> bool:
    """Tell whether the solver can be imported."""
    try:
        import_module("ortools.sat.python.cp_model")
    except ImportError:
        return False
    return True


def solve(problem: Problem, seating: Seating, free: Candidates, wish: Wish) -> Answer:
    """Return the best places of the tasks of *free*, beside all other tasks of *seating* where they are.

    No answer places less priority than *seating* does. The present places are the hint where they are candidates.
    """
    from ortools.sat.python import cp_model  # noqa: PLC0415  # takes long to import, and may be absent

    rest = seating.copy()
    for state_id in free:
        if state_id in rest.spots:
            rest.take(state_id)
    model = cp_model.CpModel()
    under = _Model(problem, rest, model, frozenset(free), wish)
    for state_id, spots in free.items():
        under.choose(state_id, spots, seating.spots.get(state_id))
    under.keep_order()
    under.keep_cells()
    under.weigh_loads()
    if not wish.only_feasible:
        lost = sum(problem.tasks[state_id].priority for state_id in free if state_id not in seating.spots)
        priorities = [problem.tasks[state_id].priority for state_id in under.out]
        model.add(_total(zip(priorities, under.out.values(), strict=True)) <= lost)
        model.minimize(_total(zip(under.weights, under.terms, strict=True)) + under.fixed_cost())
    solver = _solver(wish)
    status = solver.solve(model)
    names: dict[object, Status] = {
        cp_model.OPTIMAL: "optimal",
        cp_model.FEASIBLE: "feasible",
        cp_model.INFEASIBLE: "infeasible",
    }
    named = names.get(status, "unknown")
    found: dict[int, Spot] = {}
    if named in {"optimal", "feasible"}:
        found = {
            state_id: spot
            for state_id, options in under.chosen.items()
            for spot, variable in options
            if solver.boolean_value(variable)
        }
    bound = 0 if wish.only_feasible or named == "infeasible" else math.ceil(solver.best_objective_bound - 1e-6)
    return Answer(named, found, bound, solver.deterministic_time)


def _solver(wish: Wish) -> "CpSolver":
    from ortools.sat.python import cp_model  # noqa: PLC0415  # as above

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = SEED
    solver.parameters.max_deterministic_time = wish.effort
    if wish.seconds is not None:
        solver.parameters.max_time_in_seconds = max(wish.seconds, 0.01)
    return solver


@dataclass(slots=True)
class _Model:
    """The model under construction; *rest* holds the tasks that stand fast, *free* are the others."""

    problem: Problem
    rest: Seating
    model: "CpModel"
    free: frozenset[int]
    wish: Wish
    chosen: "dict[int, list[tuple[Spot, IntVar]]]" = field(default_factory=dict[int, "list[tuple[Spot, IntVar]]"])
    out: "dict[int, IntVar]" = field(default_factory=dict[int, "IntVar"])
    terms: "list[IntVar]" = field(default_factory=list["IntVar"])
    weights: list[int] = field(default_factory=list[int])

    def fixed_cost(self) -> int:
        """Return what does not depend on the free tasks."""
        return self.rest.cost - sum(self.problem.unplaced[state_id] for state_id in self.free)

    def choose(self, state_id: int, spots: Sequence[Spot], present: Spot | None) -> None:
        """Let a task take one of *spots* that is open beside the fixed ones, or be left out."""
        problem, rest, model = self.problem, self.rest, self.model
        length = problem.lengths[state_id]
        out = model.new_bool_var("")
        self.out[state_id] = out
        self.terms.append(out)
        self.weights.append(problem.unplaced[state_id])
        self.chosen[state_id] = []
        limits = rest.limits(state_id, self.free)
        first, last = limits or (END, START)
        for spot in spots:
            inside = first < (spot.day, spot.start) and (spot.day, spot.start + length - 1) < last
            if not inside or not rest.is_open(state_id, spot):
                continue
            variable = model.new_bool_var("")
            self.chosen[state_id].append((spot, variable))
            self.terms.append(variable)
            self.weights.append(spot.cost + problem.costs.growth(rest.loads[spot.day], length))
            if present is not None:
                model.add_hint(variable, spot == present)
        model.add_exactly_one([out, *(variable for _, variable in self.chosen[state_id])])
        model.add_hint(out, present is None)
        if state_id in self.wish.must or self._awaited(state_id):
            model.add(out == 0)

    def _awaited(self, state_id: int) -> bool:
        """Tell whether a fixed task with a place comes later in the order."""
        found = self.problem.place_in_chain.get(state_id)
        if found is None:
            return False
        chain, place = found
        later = zip(chain.members[place + 1 :], chain.ranks[place + 1 :], strict=True)
        return any(member in self.rest.spots for member, rank in later if rank > chain.ranks[place])

    def keep_order(self) -> None:
        """Keep the order of free tasks that follow one another in a category; what stands fast has narrowed their places already."""
        for chain in self.problem.chains:
            if self.free.isdisjoint(chain.members):
                continue
            ranked = zip(chain.ranks, chain.members, strict=True)
            groups = [[member for _, member in group] for _, group in groupby(ranked, key=lambda entry: entry[0])]
            for earlier, later in pairwise(groups):
                for first in earlier:
                    for second in later:
                        if first in self.free and second in self.free:
                            self._precede(first, second)

    def _precede(self, first: int, second: int) -> None:
        day = self.problem.board.slots + 1
        length = self.problem.lengths[first]
        horizon = (self.problem.board.days + 1) * day
        ends = sum(variable * (spot.day * day + spot.start + length) for spot, variable in self.chosen[first])
        starts = sum(variable * (spot.day * day + spot.start) for spot, variable in self.chosen[second])
        self.model.add_implication(self.out[first], self.out[second])
        self.model.add(ends <= starts + horizon * self.out[second])

    def keep_cells(self) -> None:
        """Let at most one task hold a cell."""
        holders: dict[Cell, list[IntVar]] = {}
        for state_id, options in self.chosen.items():
            for spot, variable in options:
                for cell in self.problem.cells(state_id, spot):
                    holders.setdefault(cell, []).append(variable)
        for variables in holders.values():
            if len(variables) > 1:
                self.model.add_at_most_one(variables)

    def weigh_loads(self) -> None:
        """Add what tasks on one day cost each other, and keep the limit per day."""
        by_day: dict[int, list[tuple[int, IntVar]]] = {}
        limited: dict[int, list[tuple[int, IntVar]]] = {}
        for state_id, options in self.chosen.items():
            for spot, variable in options:
                by_day.setdefault(spot.day, []).append((self.problem.lengths[state_id], variable))
                if self.problem.capped and state_id != self.problem.uncapped:
                    limited.setdefault(spot.day, []).append((self.problem.lengths[state_id], variable))
        for day, entries in limited.items():
            self.model.add(_total(entries) <= self.problem.room_for_suggested(day) - self.rest.own[day])
        for day, entries in by_day.items() if not self.wish.only_feasible else ():
            self._pairs(entries, self._room(day))

    def _room(self, day: int) -> int:
        cells = {
            cell
            for state_id, options in self.chosen.items()
            for spot, _ in options
            if spot.day == day
            for cell in self.problem.cells(state_id, spot)
        }
        return len(cells)

    def _pairs(self, entries: "Sequence[tuple[int, IntVar]]", room: int) -> None:
        # two tasks of lengths a and b on one day cost 2ab more than each alone: (sum of lengths)^2 - sum of squares
        pairs = self.model.new_int_var(0, room * room, "")
        load, squares = _total(entries), _total((length * length, variable) for length, variable in entries)
        for held in range(1, room):
            self.model.add(pairs >= (2 * held + 1) * load - held * (held + 1) - squares)
        for least in sorted({length for length, _ in entries}):
            long = [(1, variable) for length, variable in entries if length >= least]
            for count in range(1, min(PAIRS, room // least)):
                self.model.add(pairs >= 2 * least * least * count * _total(long) - least * least * count * (count + 1))
        self.terms.append(pairs)
        self.weights.append(self.problem.costs.weights.load)


def _total(entries: "Iterable[tuple[int, IntVar]]") -> "LinearExpr":
    from ortools.sat.python import cp_model  # noqa: PLC0415  # as above

    pairs = list(entries)
    weighted_sum = cast("Callable[[list[IntVar], list[int]], LinearExpr]", getattr(cp_model.LinearExpr, "weighted_sum"))  # noqa: B009  # its stub has no types
    return weighted_sum([variable for _, variable in pairs], [weight for weight, _ in pairs])
