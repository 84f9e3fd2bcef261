"""Decides how an arrangement is searched for and proven: quick answers, prices and their bound, the solver, neighbourhoods; how much of each.

The work is cut into slices whose number is the effort. What they contain depends on nothing but the problem, so that the same effort finds
the same answer; a cap by the clock can only end them early. It must not write to a timetable.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from steadyhand.core.clock import Clock, SystemClock
from steadyhand.domains.schedule.arrange.attempts import Attempt, Jobs, placement_now, quick_attempts
from steadyhand.domains.schedule.arrange.bound import SCALE, Ascent, Pricing
from steadyhand.domains.schedule.arrange.columns import Problem, Spot
from steadyhand.domains.schedule.arrange.lns import Search
from steadyhand.domains.schedule.arrange.model_cp import Wish, available, solve
from steadyhand.domains.schedule.arrange.proving import Examination
from steadyhand.domains.schedule.arrange.reasons import Unplaced
from steadyhand.domains.schedule.arrange.seating import Seating, seated

SLICE_WORK, WORK_PER_PLACE, WORK_PER_TASK = 250_000, 300, 5_000
EXACT_ROUNDS = 2
STEPS = 60
SMALL = 4_000
SOLVABLE = 50_000
PATIENT, MOST_EFFORT = 16, 8
ENOUGH = 2
"""After so many slices without a better answer, an arrangement that keeps what can stay is taken as it is."""


@dataclass(frozen=True, slots=True)
class News:
    """How far a search is: slices done of all, the best answer so far, and the bound."""

    done: int
    total: int
    attempt: Attempt
    bound: int


Tell: TypeAlias = Callable[[News], None]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to. *capped*: the clock cut it short. *solver*: whether the constraint solver could be used."""

    attempt: Attempt
    unplaced: tuple[Unplaced, ...]
    bound: int
    capped: bool
    solver: bool
    seconds: float


def silent(_: News) -> None:
    """Tell nobody."""


def optimise(jobs: Jobs, tell: Tell = silent, clock: Clock | None = None, *, solver: bool | None = None) -> Found:
    """Search for the best arrangement of *jobs*; *solver* False does without the constraint solver even where it is installed."""
    return _Run(jobs, tell, clock or SystemClock(), available() if solver is None else solver).go()


def _unsettled(problem: Problem, homes: Mapping[int, Spot], away: frozenset[int]) -> Iterator[int]:
    """Yield the tasks of categories whose present places break the order, or would if an earlier task found none."""
    for chain in problem.chains:
        standing = [
            (homes[member], problem.lengths[member], rank)
            for member, rank in zip(chain.members, chain.ranks, strict=True)
            if member in homes
        ]
        missing = [rank for member, rank in zip(chain.members, chain.ranks, strict=True) if member not in homes]
        late = any(
            before[2] < after[2] and (before[0].day, before[0].start + before[1]) > (after[0].day, after[0].start)
            for before, after in pairwise(standing)
        )
        gap = bool(missing and standing) and min(missing) < standing[-1][2]
        if late or gap or not away.isdisjoint(chain.members):
            yield from chain.members


class _Run:
    """One search under way."""

    def __init__(self, jobs: Jobs, tell: Tell, clock: Clock, solver: bool) -> None:
        self.jobs, self.tell, self.clock, self.solver = jobs, tell, clock, solver
        self.began = clock.monotonic()
        self.quick = quick_attempts(jobs)
        self.best = jobs.best(self.quick)
        self.problem = jobs.problem()
        self.finished = False
        self.bound = 0
        self.capped = False
        present = {state_id: placement_now(task) for state_id, task in jobs.tasks.items() if task.place.slots}
        spots = {state_id: self.problem.spot_of(placement) for state_id, placement in present.items()}
        self.homes = {state_id: spot for state_id, spot in spots.items() if spot is not None}
        away = frozenset(spots) - frozenset(self.homes)
        self.loose = frozenset[int]() if jobs.options.keep else away
        self.broken = frozenset(_unsettled(self.problem, self.homes, away))

    # ---- the flow ----------------------------------------------------------------------------------------------------

    def go(self) -> Found:
        """Run the slices."""
        self._news(0)
        search = self._search()
        if search is None:
            return self._found(None)
        search.settle()
        self._start_no_lower(search)
        if self.jobs.options.keep and len(search.best.spots) < len(self.jobs.tasks):
            self._place_around(search)
        self._take(search.best)
        ascent = Ascent.of(Pricing(self.problem, self.broken, self.loose), search.best.loads)
        self._raise(ascent.value)
        stale = 0
        for number in range(self.jobs.options.effort):
            if stale == ENOUGH and self.jobs.options.keep:
                break
            if self._over() or self.finished or self.bound >= self.best.objective.total:
                break
            before = self.best
            self._slice(number, search, ascent)
            stale = stale + 1 if self.best is before else 0
            self._news(number + 1)
        search.settle()
        self._take(search.best)
        return self._found(search)

    def _slice(self, number: int, search: Search, ascent: Ascent) -> None:
        search.quick_rounds(self._work(search), self._over)
        self._take(search.best)
        if not ascent.settled and not self._over():
            ascent.climb(STEPS, self.best.objective.total, self._over)
            self._raise(ascent.value)
            self._narrow(search, ascent)
        if self.solver and not self._over():
            if (number + 1) & number == 0:  # after 1, 2, 4, 8 … slices
                self._whole(search, number + 1)
            for _ in range(EXACT_ROUNDS):
                if not self._over() and search.exact_round(self._left()):
                    self._take(search.best)
            if search.strayed and not self._over():
                search.bring_home(self._left())
                self._take(search.best)

    # ---- parts -------------------------------------------------------------------------------------------------------

    def _search(self) -> Search | None:
        """Begin at the best quick answer that keeps all rules; there may be none, where tasks stay at places that the rules forbid.

        Where only what must move is to move, the search begins with the others where they are, and leaves them there.
        """
        if self.jobs.options.keep and self.homes:
            search = Search(self.problem, Seating(self.problem, self.homes), {}, self.homes)
            search.movable = tuple(state_id for state_id in self.jobs.tasks if state_id not in self.homes)
            return search
        for attempt in sorted(self.quick, key=lambda attempt: attempt.rank(self.jobs.tasks), reverse=True):
            found = seated(self.problem, attempt.placements)
            if found is not None:
                return Search(self.problem, found, {}, self.homes)
        return None

    def _start_no_lower(self, search: Search) -> None:
        """Begin at a quick answer that leaves the same tasks alone, where there is a better one."""
        still = {state_id: self.problem.placement(state_id, spot) for state_id, spot in self.homes.items()}
        for attempt in self.quick:
            if len(search.movable) == len(self.jobs.tasks) or still.items() <= attempt.placements.items():
                found = seated(self.problem, attempt.placements)
                if found is not None and found.rank() > search.best.rank():
                    search.best = found

    def _place_around(self, search: Search) -> None:
        """Place the others around those that stay, by all means; where that cannot be, every task may move."""
        search.quick_rounds(self._work(search), self._over)
        if self.solver and len(search.best.spots) < len(self.jobs.tasks) and not self._over():
            self._whole(search, 1)
        if len(search.best.spots) < len(self.jobs.tasks):
            self._take(search.best)
            self._move_others(search)

    def _move_others(self, search: Search) -> None:
        """Let every task move from now on, since not all can be placed otherwise, and go on from the best answer so far."""
        if len(search.movable) < len(self.jobs.tasks):
            search.movable = tuple(self.jobs.tasks)
            found = seated(self.problem, self.best.placements)
            search.best = search.best if found is None else found

    def _narrow(self, search: Search, ascent: Ascent) -> None:
        """Leave out the days on which, by the bound, no task stands in any better arrangement."""
        search.reduced = ascent.reduced()
        if len(self.best.placements) == len(self.jobs.tasks):
            slack = self.best.objective.total * SCALE - ascent.best
            promising = {
                state_id: [day for day in days if search.reduced[state_id][day] <= slack]
                for state_id, days in self.problem.days.items()
            }
            self.problem.keep_days(promising)

    def _whole(self, search: Search, effort: int) -> None:
        """Put all places that are left to the solver at once, where they are few enough."""
        free = {
            state_id: [spot for day in self.problem.days[state_id] for spot in self.problem.spots(state_id, day)]
            for state_id in search.movable
        }
        size = sum(map(len, free.values()))
        if size > SOLVABLE or (size > SMALL and effort < PATIENT):
            return
        share = effort if size <= SMALL else effort / PATIENT
        answer = solve(self.problem, search.best, free, Wish(min(share, MOST_EFFORT), self._left()))
        if answer.status in {"optimal", "feasible"}:
            search.replace(free, answer.spots)
            self._take(search.best)
            self.finished = answer.status == "optimal" and len(search.best.spots) == len(self.jobs.tasks)
        exact = not self.broken and not self.problem.hosting() and len(search.movable) == len(self.jobs.tasks)
        if exact and answer.status != "unknown":
            self._raise(min(answer.bound, self.best.objective.total))

    def _work(self, search: Search) -> int:
        most = SLICE_WORK // 2 if self.jobs.options.keep else SLICE_WORK  # planning again is waited for
        return min(most, WORK_PER_PLACE * self.problem.size, WORK_PER_TASK * len(search.movable))

    def _take(self, seating: Seating) -> None:
        attempt = self.jobs.attempt("optimise", seating.placements())
        if attempt.rank(self.jobs.tasks) > self.best.rank(self.jobs.tasks):
            self.best = attempt

    def _raise(self, bound: int) -> None:
        self.bound = max(self.bound, min(bound, self.best.objective.total))

    def _news(self, done: int) -> None:
        self.tell(News(done, self.jobs.options.effort, self.best, self.bound))

    def _left(self) -> float | None:
        cap = self.jobs.options.cap_seconds
        return None if cap is None else cap - (self.clock.monotonic() - self.began)

    def _over(self) -> bool:
        left = self._left()
        self.capped |= left is not None and left <= 0
        return self.capped

    def _found(self, search: Search | None) -> Found:
        """Look for the reasons; when that finds room for one more task, the rest is put in order around it."""
        attempt, unplaced = Examination(self.jobs, self.best, self.solver, self._over).run()
        if attempt is not self.best and search is not None:
            self.best = attempt
            found = seated(self.problem, attempt.placements)
            if found is not None:
                search.best = found
                search.quick_rounds(self._work(search), self._over)
                search.settle()
                self._take(search.best)
            unplaced = self._still_out(unplaced)
        return Found(self.best, unplaced, self.bound, self.capped, self.solver, self.clock.monotonic() - self.began)

    def _still_out(self, unplaced: tuple[Unplaced, ...]) -> tuple[Unplaced, ...]:
        """Return the entries of those that have no place now; others than before are told from the finished arrangement."""
        if {entry.state_id for entry in unplaced} == set(self.jobs.tasks) - set(self.best.placements):
            return unplaced
        return Examination(self.jobs, self.best, solver=False, over=self._over).run()[1]
