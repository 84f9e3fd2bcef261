"""Decides how it is told why a task stands where it is: what its place costs, against the best other one that is open. It must not move it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.terminal.frame import Frame
from steadyhand.core.language import say
from steadyhand.domains.schedule.arrange.attempts import Jobs, movable, placement_now
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.explain import Why, whys
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.arrange.seating import seated
from steadyhand.domains.schedule.board.model import Place, PlaceChange
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft


@dataclass(frozen=True, slots=True)
class Judged:
    """The comparison of every placed task, where it was *asked* for; not *sound*: the places together break a rule, and no other
    place could be sought.
    """

    whys: tuple[Why, ...] = ()
    sound: bool = True
    asked: bool = False


def judge(jobs: Jobs, placements: Mapping[int, Placement]) -> Judged:
    """Compare every place of *placements* with the best other one."""
    return Judged(whys(jobs, placements), seated(jobs.problem(), placements) is not None, asked=True)


def judge_arrangement(timetable: Timetable, arrangement: Arrangement) -> Judged:
    """Compare what was arranged; *timetable* is what it was made of, as it was before."""
    jobs = Jobs.of(timetable, arrangement.options)
    return judge(jobs, {placement.state_id: placement for placement in arrangement.placements})


def taken_up(stored: Timetable, again: set[int]) -> Timetable:
    """Return what is *stored*, the tasks of *again* being suggested where they stand."""
    table = stored.copy()
    changes = [
        PlaceChange(task.state_id, task.place, Place("suggested", task.place.slots, task.length, task.place.embed_host))
        for task in table.tasks.values()
        if task.state_id in again and task.place.status == "existing"
    ]
    table.apply(tuple(changes))
    return table


def jobs_of_all(stored: Timetable, options: ArrangeOptions) -> Jobs:
    """Return all tasks of *stored* that an arrangement could place or move, as one problem."""
    return Jobs.of(stored, replace(options, engine="greedy", move_suggested=True))


def placements_in(table: Timetable, jobs: Jobs) -> dict[int, Placement]:
    """Return where the tasks of *jobs* stand in *table*."""
    return {state_id: placement_now(table.tasks[state_id]) for state_id in jobs.tasks if movable(table, table.tasks[state_id])}


def explained(desk: Desk, draft: OpenDraft, why: Why, *, sound: bool) -> str:
    """Return the comparison in words; *draft* is what the task stands in."""
    frame, task = desk.frame, draft.timetable.tasks[why.state_id]
    named = {"task": f"[{task.state_id}]{task.name}", "at": desk.place_text(draft, task.place.slots)}
    lines = [frame.say("schedule.why.here", **named, cost=why.cost, parts=parts_text(frame, why.parts))]
    if why.other is None:
        lines.append(frame.say("schedule.why.only" if sound else "schedule.why.unjudged"))
    else:
        there = {"at": desk.when(draft.window, why.other.block), "cost": why.other_cost}
        lines.append(frame.say("schedule.why.other", **there, parts=parts_text(frame, why.other_parts or {})))
    return "\n".join(lines)


def parts_text(frame: Frame, parts: Mapping[str, int]) -> str:
    """Return the parts of a cost that are not zero."""
    told = [say(frame.language, f"schedule.arrange.part.{part}", cost=cost) for part, cost in parts.items() if cost]
    return say(frame.language, "schedule.arrange.joint").join(told) or say(frame.language, "schedule.optimise.no_parts")
