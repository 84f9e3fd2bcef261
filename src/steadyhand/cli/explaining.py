"""Decides how it is told why a task stands where it is: what its place costs, against the best other one that is open. It must not move it."""

from collections.abc import Mapping

from steadyhand.cli.desk import Desk
from steadyhand.cli.frame import Frame
from steadyhand.core.language import say
from steadyhand.domains.schedule.arrange.attempts import Jobs
from steadyhand.domains.schedule.arrange.explain import Why, whys
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.drafting import OpenDraft
from steadyhand.domains.schedule.timetable import Timetable


def whys_of(timetable: Timetable, arrangement: Arrangement) -> tuple[Why, ...]:
    """Return the comparison of every placed task; *timetable* is what was arranged, as it was before."""
    if arrangement.whys:
        return arrangement.whys
    jobs = Jobs.of(timetable, arrangement.options)
    return whys(jobs, {placement.state_id: placement for placement in arrangement.placements})


def explained(desk: Desk, draft: OpenDraft, why: Why) -> str:
    """Return the comparison in words; *draft* is what the task stands in."""
    frame, task = desk.frame, draft.timetable.tasks[why.state_id]
    named = {"task": f"[{task.state_id}]{task.name}", "at": desk.place_text(draft, task.place.slots)}
    lines = [frame.say("schedule.why.here", **named, cost=why.cost, parts=parts_text(frame, why.parts))]
    if why.other is None:
        lines.append(frame.say("schedule.why.only"))
    else:
        there = {"at": desk.when(draft.window, why.other.block), "cost": why.other_cost}
        lines.append(frame.say("schedule.why.other", **there, parts=parts_text(frame, why.other_parts or {})))
    return "\n".join(lines)


def parts_text(frame: Frame, parts: Mapping[str, int]) -> str:
    """Return the parts of a cost that are not zero."""
    told = [say(frame.language, f"schedule.arrange.part.{part}", cost=cost) for part, cost in parts.items() if cost]
    return say(frame.language, "schedule.arrange.joint").join(told) or say(frame.language, "schedule.optimise.no_parts")
