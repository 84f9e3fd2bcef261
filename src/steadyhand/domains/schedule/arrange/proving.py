"""Decides, for each task that found no place, whether that is proven and which rule it is; it must not spend more than a fixed effort.

A task is *proven* out when no arrangement that places all the others places it too. Then each rule that concerns it is lifted for it
alone and the whole is solved again. Where a search finds room after all, that arrangement is the new answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from steadyhand.domains.schedule.arrange.attempts import Attempt, Jobs
from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.columns import Problem
from steadyhand.domains.schedule.arrange.model_cp import Answer, Wish, solve
from steadyhand.domains.schedule.arrange.reasons import Unplaced, explain, reason_of
from steadyhand.domains.schedule.arrange.rules import Rule
from steadyhand.domains.schedule.arrange.seating import seated
from steadyhand.domains.schedule.board.model import Task

ALL_EFFORT, ONE_EFFORT = 6.0, 1.0
PROVABLE = 20_000
FOUND = frozenset({"optimal", "feasible"})


def finished_board(jobs: Jobs, placements: Mapping[int, Placement]) -> Board:
    """Return the room that is left when *placements* are taken."""
    board = jobs.board()
    for placement in sorted(placements.values(), key=lambda entry: (entry.embed_host is not None, entry.state_id)):
        board.put(jobs.tasks[placement.state_id], placement)
    return board


def _by_id(task: Task) -> int:
    return task.state_id


@dataclass(slots=True)
class Examination:
    """The search for reasons: *left* is the effort that may still be spent."""

    jobs: Jobs
    attempt: Attempt
    solver: bool
    over: Callable[[], bool]
    left: float = ALL_EFFORT

    def run(self) -> tuple[Attempt, tuple[Unplaced, ...]]:
        """Return the answer, better where room was found, and the reason of each task that has no place in it."""
        problem = self.jobs.problem()
        while True:
            before, verdicts = self.attempt, dict[int, Unplaced]()
            board = finished_board(self.jobs, before.placements)
            for task in self._missing():
                verdicts[task.state_id] = self._examine(problem, board, task, verdicts)
                if self.attempt is not before:
                    break
            else:
                break
        return self.attempt, tuple(
            self._told(task, board, verdicts[task.state_id]) for task in sorted(self._missing(), key=_by_id)
        )

    def _missing(self) -> list[Task]:
        missing = [task for task in self.jobs.tasks.values() if task.state_id not in self.attempt.placements]
        return sorted(missing, key=lambda task: (task.position or 0, task.state_id))

    def _told(self, task: Task, board: Board, verdict: Unplaced) -> Unplaced:
        """Return the reasons on the finished board, unless a search with a rule lifted has named better ones."""
        if verdict.reasons:
            return verdict
        return replace(explain(task, board, self.jobs.rules), proven=verdict.proven)

    def _examine(self, problem: Problem, board: Board, task: Task, verdicts: dict[int, Unplaced]) -> Unplaced:
        """Return what is proven of *task*; without reasons where those of the finished board will do."""
        silent = Unplaced(task.state_id, task.length, ())
        if not problem.days[task.state_id]:
            return replace(silent, proven=True)
        waiting = self.jobs.rules.waiting_before(task, board)
        if waiting:
            return replace(silent, proven=any(verdicts[other].proven or False for other in waiting if other in verdicts))
        answer = self._with(problem, task)
        if answer is None or answer.status == "unknown":
            return replace(silent, proven=False)
        if answer.status in FOUND:
            placements = {state_id: problem.placement(state_id, spot) for state_id, spot in sorted(answer.spots.items())}
            self.attempt = self.jobs.attempt("optimise", placements)
            return silent
        return self._by_lifting(task, board)

    def _by_lifting(self, task: Task, board: Board) -> Unplaced:
        plain = replace(explain(task, board, self.jobs.rules), proven=True)
        if not plain.together and plain.reasons[0].cause != "no_free_run":
            return plain  # lifting the rule lets it into the finished arrangement as it is
        causes: list[Rule] = []
        for rule in self.jobs.rules.binding(task):
            lifted = Problem(self.jobs.board(), self.jobs.rules, self.jobs.costs, self.jobs.options, (task.state_id, rule))
            answer = self._with(lifted, task)
            if answer is not None and answer.status in FOUND:
                causes.append(rule)
        if not causes:
            return plain
        reasons = tuple(reason_of(rule, task, board, self.jobs.rules) for rule in causes)
        return Unplaced(task.state_id, task.length, reasons, proven=True)

    def _with(self, problem: Problem, task: Task) -> Answer | None:
        """Look for an arrangement of all that are placed and *task*; None when that was not tried."""
        seating = seated(problem, self.attempt.placements)
        if not self.solver or seating is None or self.left <= 0 or problem.size > PROVABLE or self.over():
            return None
        must = frozenset({*seating.spots, task.state_id})
        free = {
            state_id: [spot for day in problem.days[state_id] for spot in problem.spots(state_id, day)]
            for state_id in sorted(must)
        }
        answer = solve(problem, seating, free, Wish(min(ONE_EFFORT, self.left), must=must, only_feasible=True))
        self.left -= max(answer.effort, ONE_EFFORT / 10)
        return answer
