"""The one door to arranging: decides which engine answers, here or in a child, and makes its answer one write.

A write is a single delta: the tasks that got a place become suggested, everything else stays as it is, locked and
existing tasks always. It must not store anything.
"""

from collections.abc import Mapping

from steadyhand.core.clock import Clock
from steadyhand.domains.schedule.arrange.attempts import Jobs, movable, quick_attempts
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.explain import whys
from steadyhand.domains.schedule.arrange.optimise import Tell, optimise, silent
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import SOLVER_MISSING, Answer, Arrangement, Quality, assembled
from steadyhand.domains.schedule.arrange.proving import finished_board
from steadyhand.domains.schedule.arrange.reasons import Unplaced, explain
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.checks import need_day, need_slots, need_task
from steadyhand.domains.schedule.replies.reply import Refused


def arrange(timetable: Timetable, options: ArrangeOptions) -> Arrangement:
    """Arrange the selected tasks and apply the result to *timetable* as one write; options that cannot be are `Refused`."""
    arrangement = plan(timetable, options)
    if arrangement.delta:
        timetable.apply(arrangement.delta)
    return arrangement


def plan(timetable: Timetable, options: ArrangeOptions) -> Arrangement:
    """Return what `arrange` would make of *timetable*, which stays as it is."""
    jobs = demanded(timetable, options)
    if options.engine == "optimise":
        return assembled(jobs, searched(jobs))
    best = jobs.best(quick_attempts(jobs))
    return assembled(jobs, Answer(best.engine, best.placements, reasons(jobs, best.placements)))


def demanded(timetable: Timetable, options: ArrangeOptions) -> Jobs:
    """Return what *options* ask to arrange; options that cannot be are `Refused`."""
    _check(timetable, options)
    return Jobs.of(timetable, options)


def searched(jobs: Jobs, tell: Tell = silent, clock: Clock | None = None, *, solver: bool | None = None) -> Answer:
    """Search in this process; it can take as long as the options say."""
    found = optimise(jobs, tell, clock, solver=solver)
    notes = () if found.solver else (SOLVER_MISSING,)
    quality = Quality(found.bound, found.capped, notes, found.seconds)
    placements = found.attempt.placements
    return Answer(found.attempt.engine, placements, found.unplaced, quality, whys(jobs, placements))


def reasons(jobs: Jobs, placements: Mapping[int, Placement]) -> tuple[Unplaced, ...]:
    """Return why the tasks that are not among *placements* do not fit beside them."""
    board = finished_board(jobs, placements)
    missing = (task for state_id, task in jobs.tasks.items() if state_id not in placements)
    return tuple(explain(task, board, jobs.rules) for task in missing)


def _check(timetable: Timetable, options: ArrangeOptions) -> None:
    if options.max_per_day is not None and options.max_per_day < 1:
        raise Refused("bad_argument", "bad_max_per_day", n=options.max_per_day)
    if options.effort < 1:
        raise Refused("bad_argument", "bad_effort", n=options.effort)
    if options.cap_seconds is not None and not 0 < options.cap_seconds < float("inf"):
        raise Refused("bad_argument", "bad_cap", n=str(options.cap_seconds))
    for state_id in options.task_ids or ():
        task = need_task(timetable, state_id)
        if task.place.status != "pending" and not (options.moving and movable(timetable, task)):
            raise Refused("wrong_status", "status_place", id=task.state_id, name=task.name)
    for day in options.excluded_days:
        need_day(timetable, day)
    for slot in (*options.excluded_slots, *options.preferred_slots):
        need_slots(timetable, slot, slot)
