"""Decides which tasks are arranged and what the quick engines make of them; their answers are what every other engine must not lose to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.columns import Problem
from steadyhand.domains.schedule.arrange.first_fit import first_fit
from steadyhand.domains.schedule.arrange.greedy import EVEN, greedy
from steadyhand.domains.schedule.arrange.options import ArrangeOptions, Engine
from steadyhand.domains.schedule.arrange.rules import Rules
from steadyhand.domains.schedule.arrange.weights import WEIGHTS, Costs, Objective, keeping
from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.board.timetable import Timetable

SPREADS = (EVEN, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0))
"""How far towards an even spread each greedy attempt aims: nearer to the first day leaves more room for what comes later."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One engine's answer."""

    engine: Engine
    placements: Mapping[int, Placement]
    objective: Objective

    def rank(self, jobs: Mapping[int, Task]) -> tuple[int, int, int]:
        """Return what decides between answers: priority placed, tasks placed, low cost."""
        return sum(jobs[state_id].priority for state_id in self.placements), len(self.placements), -self.objective.total


@dataclass(frozen=True, slots=True)
class Jobs:
    """What is to be arranged, of which timetable, by which rules and at which costs."""

    timetable: Timetable
    options: ArrangeOptions
    tasks: Mapping[int, Task]
    rules: Rules
    costs: Costs

    @staticmethod
    def of(timetable: Timetable, options: ArrangeOptions) -> "Jobs":
        """Select the tasks of *timetable* that *options* ask for."""
        tasks = selected(timetable, options)
        rules = Rules(options, timetable.window.slots)
        weights = keeping(WEIGHTS) if options.keep else WEIGHTS
        costs = Costs(Board(timetable, tasks), rules, options, weights)
        return Jobs(timetable, options, {task.state_id: task for task in tasks}, rules, costs)

    def board(self, without: Sequence[int] = ()) -> Board:
        """Return the room with every job lifted but those of *without*."""
        return Board(self.timetable, [task for state_id, task in self.tasks.items() if state_id not in without])

    def problem(self) -> Problem:
        """Return the problem of all jobs together."""
        return Problem(self.board(), self.rules, self.costs, self.options)

    def attempt(self, engine: Engine, placements: Mapping[int, Placement]) -> Attempt:
        """Return *placements* as an engine's answer, with their cost."""
        return Attempt(engine, placements, self.costs.objective(placements))

    def best(self, attempts: Sequence[Attempt]) -> Attempt:
        """Return the best answer; of equal ones the first."""
        return max(attempts, key=lambda attempt: attempt.rank(self.tasks))


def selected(timetable: Timetable, options: ArrangeOptions) -> list[Task]:
    """Return the tasks to arrange, by id: pending ones, and on demand the suggested ones that can move, as selected."""
    wanted = None if options.task_ids is None else frozenset(options.task_ids)
    return [
        task
        for task in timetable.tasks.values()
        if (task.place.status == "pending" or (options.moving and movable(timetable, task)))
        and not task.is_course
        and (options.categories is None or task.category in options.categories)
        and (wanted is None or task.state_id in wanted)
    ]


def movable(timetable: Timetable, task: Task) -> bool:
    """Tell whether a task is suggested, in one piece, locked by nobody and without guests."""
    alone = len(task.place.slots) == 1 and not timetable.guests_of(task.state_id)
    return task.place.status == "suggested" and alone and not timetable.locked(task)


def quick_attempts(jobs: Jobs) -> list[Attempt]:
    """Run the quick engines. Greedy answers stand beside first-fit's, so that the best of them is never worse.

    When only what must move is to move, an answer that places all others where they are makes every other one needless.
    """
    if jobs.options.engine == "first_fit":
        return [_first_fit(jobs)]
    stays = _staying(jobs)
    if jobs.options.keep and stays and len(stays[0].placements) == len(jobs.tasks):
        return stays
    attempts: list[Attempt] = []
    for spread in SPREADS:
        board = jobs.board()
        greedy(board, jobs.rules, jobs.costs, spread=spread)
        attempts.append(jobs.attempt("greedy", board.placements))
    return [*attempts, *stays, _first_fit(jobs)]


def _first_fit(jobs: Jobs) -> Attempt:
    board = jobs.board()
    first_fit(board, jobs.rules)
    return jobs.attempt("first_fit", board.placements)


def _staying(jobs: Jobs) -> list[Attempt]:
    """Return the answer in which every task stays that has a place and need not leave it."""
    staying = {state_id: placement_now(task) for state_id, task in jobs.tasks.items() if task.place.slots}
    if jobs.options.keep:
        problem = jobs.problem()
        staying = {state_id: placement for state_id, placement in staying.items() if problem.spot_of(placement) is not None}
    if not staying:
        return []
    board = jobs.board(tuple(staying))
    greedy(board, jobs.rules, jobs.costs)
    return [jobs.attempt("greedy", {**staying, **board.placements})]


def placement_now(task: Task) -> Placement:
    """Return where a task with a place of one block stands."""
    return Placement(task.state_id, task.place.slots[0], task.place.embed_host)
