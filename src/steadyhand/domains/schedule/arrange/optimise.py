"""Decides how an arrangement is searched for and proven: quick answers, prices and their bound, the solver, neighbourhoods; how much of each.

The work is cut into slices whose number is the effort. What they contain depends on nothing but the problem, so that the same effort finds
the same answer; a cap by the clock can only end them early. It must not write to a timetable.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from steadyhand.core.clock import Clock, SystemClock
from steadyhand.domains.schedule.arrange.attempts import Attempt, Jobs, placement_now, quick_attempts
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.bound import SCALE, Ascent, Pricing
from steadyhand.domains.schedule.arrange.lns import Search
from steadyhand.domains.schedule.arrange.model_cp import Wish, available, solve
from steadyhand.domains.schedule.arrange.proving import Examination
from steadyhand.domains.schedule.arrange.reasons import Unplaced
from steadyhand.domains.schedule.arrange.seating import Seating, seated

SLICE_WORK, WORK_PER_PLACE = 250_000, 300
EXACT_ROUNDS = 2
STEPS = 60
SMALL = 4_000
SOLVABLE = 50_000
PATIENT, MOST_EFFORT = 16, 8


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


class _Run:
    """One search under way."""

    def __init__(self, jobs: Jobs, tell: Tell, clock: Clock, solver: bool) -> None:
        self.jobs, self.tell, self.clock, self.solver = jobs, tell, clock, solver
        self.began = clock.monotonic()
        self.quick = quick_attempts(jobs)
        self.best = jobs.best(self.quick)
        self.problem = jobs.problem()
        self.work = min(SLICE_WORK, WORK_PER_PLACE * self.problem.size)
        self.bound = 0
        self.capped = False
        self.loose = frozenset(
            state_id
            for state_id, task in jobs.tasks.items()
            if task.place.slots and not jobs.options.keep and self.problem.spot_of(placement_now(task)) is None
        )

    # ---- the flow ----------------------------------------------------------------------------------------------------

    def go(self) -> Found:
        """Run the slices."""
        self._news(0)
        search = self._search()
        if search is None:
            return self._found(None)
        search.settle()
        self._take(search.best)
        ascent = Ascent.of(self._pricing(), search.best.loads)
        self._raise(ascent.value)
        for number in range(self.jobs.options.effort):
            if self._over() or self.bound >= self.best.objective.total:
                break
            self._slice(number, search, ascent)
            self._news(number + 1)
        search.settle()
        self._take(search.best)
        return self._found(search)

    def _slice(self, number: int, search: Search, ascent: Ascent) -> None:
        search.quick_rounds(self.work, self._over)
        self._take(search.best)
        if not ascent.settled and not self._over():
            ascent.climb(STEPS, self._target(), self._over)
            self._raise(ascent.value)
            self._narrow(search, ascent)
        if self.solver and not self._over():
            if (number + 1) & number == 0:  # after 1, 2, 4, 8 … slices
                self._whole(search, number + 1)
            for _ in range(EXACT_ROUNDS):
                if not self._over() and search.exact_round(self._left()):
                    self._take(search.best)
        if self.jobs.options.keep and len(search.best.spots) < len(self.jobs.tasks):
            self._move_others(search)

    # ---- parts -------------------------------------------------------------------------------------------------------

    def _search(self) -> Search | None:
        """Begin at the best quick answer that keeps all rules; there may be none, where tasks stay at places that the rules forbid.

        Where only what must move is to move, the search begins with the others where they are, and leaves them there.
        """
        order = sorted(self.quick, key=lambda attempt: attempt.rank(self.jobs.tasks), reverse=True)
        movable = tuple(self.jobs.tasks)
        if self.jobs.options.keep:
            kept = self._kept()
            order.sort(key=lambda attempt: not kept.items() <= attempt.placements.items())
            if order and kept.items() <= order[0].placements.items():
                movable = tuple(state_id for state_id in movable if state_id not in kept)
        for attempt in order:
            found = seated(self.problem, attempt.placements)
            if found is not None:
                return Search(self.problem, found, {}, movable)
        return None

    def _kept(self) -> dict[int, Placement]:
        """Return the tasks that can stay where they are."""
        present = {state_id: placement_now(task) for state_id, task in self.jobs.tasks.items() if task.place.slots}
        return {state_id: placement for state_id, placement in present.items() if self.problem.spot_of(placement) is not None}

    def _move_others(self, search: Search) -> None:
        """Let every task move from now on, since not all can be placed otherwise, and go on from the best answer so far."""
        if len(search.movable) < len(self.jobs.tasks):
            search.movable = tuple(self.jobs.tasks)
            found = seated(self.problem, self.best.placements)
            search.best = search.best if found is None else found

    def _pricing(self) -> Pricing:
        """Return the relaxation; orders that the present arrangement breaks, and stays that the rules forbid, are not held against it."""
        stays = {state_id: placement_now(task) for state_id, task in self.jobs.tasks.items() if task.place.slots}
        if not self.loose and (not stays or seated(self.problem, self._kept()) is not None):
            return Pricing(self.problem)
        return Pricing(self.problem, frozenset(self.jobs.tasks), self.loose)

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
        exact = not self.loose and not self.problem.hosting() and len(search.movable) == len(self.jobs.tasks)
        if exact and answer.status != "unknown":
            self._raise(min(answer.bound, self.best.objective.total))

    def _take(self, seating: Seating) -> None:
        attempt = self.jobs.attempt("optimise", seating.placements())
        if attempt.rank(self.jobs.tasks) > self.best.rank(self.jobs.tasks):
            self.best = attempt

    def _raise(self, bound: int) -> None:
        self.bound = max(self.bound, min(bound, self.best.objective.total))

    def _target(self) -> int:
        """Return a cost to aim the prices at: the best one, less what a part of the tasks without a place may yet save."""
        return max(self.best.objective.total, self.bound)

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
                search.quick_rounds(self.work, self._over)
                search.settle()
                self._take(search.best)
            unplaced = self._still_out(unplaced)
        return Found(self.best, unplaced, self.bound, self.capped, self.solver, self.clock.monotonic() - self.began)

    def _still_out(self, unplaced: tuple[Unplaced, ...]) -> tuple[Unplaced, ...]:
        """Return the entries of those that have no place now; others than before are told from the finished arrangement."""
        if {entry.state_id for entry in unplaced} == set(self.jobs.tasks) - set(self.best.placements):
            return unplaced
        return Examination(self.jobs, self.best, solver=False, over=self._over).run()[1]
