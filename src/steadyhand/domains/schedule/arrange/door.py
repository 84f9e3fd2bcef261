"""The one door to arranging: decides which tasks are arranged, which engine's answer stands, and makes it one write.

A write is a single delta: the tasks that got a place become suggested, everything else stays as it is, locked and
existing tasks always. Another engine comes in behind the same door. It must not store anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.first_fit import first_fit
from steadyhand.domains.schedule.arrange.greedy import EVEN, greedy
from steadyhand.domains.schedule.arrange.options import ArrangeOptions, Engine
from steadyhand.domains.schedule.arrange.reasons import Unplaced, explain
from steadyhand.domains.schedule.arrange.rules import Rules
from steadyhand.domains.schedule.arrange.weights import Costs, Objective, present
from steadyhand.domains.schedule.checks import need_day, need_slots, need_task
from steadyhand.domains.schedule.model import Delta, Place, PlaceChange, Task
from steadyhand.domains.schedule.reply import Refused
from steadyhand.domains.schedule.timetable import Timetable

SPREADS = (EVEN, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0))
"""How far towards an even spread each greedy attempt aims: nearer to the first day leaves more room for what comes later."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The outcome: what stands where now, what has no place and why, and what it costs by parts.

    *placements* holds every arranged task that has a place, in the order of time, those that kept theirs included;
    *delta* only what changed. *engine* is the one whose answer it is.
    """

    options: ArrangeOptions
    engine: Engine
    placements: tuple[Placement, ...]
    unplaced: tuple[Unplaced, ...]
    objective: Objective
    delta: Delta

    def to_json(self) -> dict[str, Json]:
        """Return the outcome as data, in ids and indexes."""
        return {
            "engine": self.engine,
            "placed": [
                {
                    "task_id": placement.state_id,
                    "day": placement.block.day,
                    "slot_start": placement.block.start,
                    "slot_end": placement.block.end,
                    "host": placement.embed_host,
                }
                for placement in self.placements
            ],
            "unplaced": [entry.to_json() for entry in self.unplaced],
            "objective": self.objective.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Attempt:
    """One engine's answer."""

    engine: Engine
    placements: Mapping[int, Placement]
    objective: Objective

    def rank(self, jobs: Mapping[int, Task]) -> tuple[int, int, int]:
        """Return what decides between answers: priority placed, tasks placed, low cost."""
        return sum(jobs[state_id].priority for state_id in self.placements), len(self.placements), -self.objective.total


def arrange(timetable: Timetable, options: ArrangeOptions) -> Arrangement:
    """Arrange the selected tasks and apply the result to *timetable* as one write; options that cannot be are `Refused`."""
    arrangement = plan(timetable, options)
    if arrangement.delta:
        timetable.apply(arrangement.delta)
    return arrangement


def plan(timetable: Timetable, options: ArrangeOptions) -> Arrangement:
    """Return what `arrange` would make of *timetable*, which stays as it is."""
    _check(timetable, options)
    jobs = selected(timetable, options)
    rules = Rules(options, timetable.window.slots)
    attempts = _attempts(timetable, jobs, rules, options)
    by_id = {task.state_id: task for task in jobs}
    best = max(attempts, key=lambda attempt: attempt.rank(by_id))
    board = Board(timetable, jobs)
    for placement in sorted(best.placements.values(), key=_guests_last):
        board.put(by_id[placement.state_id], placement)
    missing = [task for task in jobs if task.state_id not in best.placements]
    return Arrangement(
        options,
        best.engine,
        tuple(sorted(best.placements.values(), key=lambda placement: (placement.block, placement.state_id))),
        tuple(explain(task, board, rules) for task in missing),
        best.objective,
        _delta(jobs, best.placements),
    )


def _guests_last(placement: Placement) -> tuple[bool, int]:
    return placement.embed_host is not None, placement.state_id


def selected(timetable: Timetable, options: ArrangeOptions) -> list[Task]:
    """Return the tasks to arrange, by id: pending ones, and on demand the suggested ones that can move, as selected."""
    wanted = None if options.task_ids is None else frozenset(options.task_ids)
    return [
        task
        for task in timetable.tasks.values()
        if (task.place.status == "pending" or (options.move_suggested and _movable(timetable, task)))
        and not task.is_course
        and (options.categories is None or task.category in options.categories)
        and (wanted is None or task.state_id in wanted)
    ]


def _movable(timetable: Timetable, task: Task) -> bool:
    alone = len(task.place.slots) == 1 and not timetable.guests_of(task.state_id)
    return task.place.status == "suggested" and alone and not timetable.locked(task)


def _check(timetable: Timetable, options: ArrangeOptions) -> None:
    if options.max_per_day is not None and options.max_per_day < 1:
        raise Refused("bad_argument", "bad_max_per_day", n=options.max_per_day)
    for state_id in options.task_ids or ():
        task = need_task(timetable, state_id)
        if task.place.status != "pending" and not (options.move_suggested and _movable(timetable, task)):
            raise Refused("wrong_status", "status_place", id=task.state_id, name=task.name)
    for day in options.excluded_days:
        need_day(timetable, day)
    for slot in (*options.excluded_slots, *options.preferred_slots):
        need_slots(timetable, slot, slot)


def _attempts(timetable: Timetable, jobs: list[Task], rules: Rules, options: ArrangeOptions) -> list[Attempt]:
    """Run the engine that was asked for. Greedy answers stand beside first-fit's, so that the best of them is never worse."""
    costs = Costs(Board(timetable, jobs), rules, options)

    def attempt(engine: Engine, placements: Mapping[int, Placement]) -> Attempt:
        return Attempt(engine, placements, costs.objective(placements))

    plain = Board(timetable, jobs)
    first_fit(plain, rules)
    baseline = attempt("first_fit", plain.placements)
    if options.engine == "first_fit":
        return [baseline]
    attempts: list[Attempt] = []
    for spread in SPREADS:
        board = Board(timetable, jobs)
        greedy(board, rules, costs, spread=spread)
        attempts.append(attempt("greedy", board.placements))
    staying = {task.state_id: _present_placement(task) for task in jobs if task.place.slots}
    if staying:
        board = Board(timetable, [task for task in jobs if task.state_id not in staying])
        greedy(board, rules, costs)
        attempts.append(attempt("greedy", {**staying, **board.placements}))
    return [*attempts, baseline]


def _present_placement(task: Task) -> Placement:
    return Placement(task.state_id, task.place.slots[0], task.place.embed_host)


def _delta(jobs: list[Task], placements: Mapping[int, Placement]) -> Delta:
    changes: list[PlaceChange] = []
    for task in jobs:
        placement = placements.get(task.state_id)
        if placement is None:
            after = Place("pending", (), task.place.duration or task.length) if present(task) else task.place
        else:
            after = Place("suggested", (placement.block,), task.place.duration or task.length, placement.embed_host)
        if present(task) and placement and present(task) == placement.block and task.place.embed_host == placement.embed_host:
            continue
        if after != task.place:
            changes.append(PlaceChange(task.state_id, task.place, after))
    return tuple(changes)
