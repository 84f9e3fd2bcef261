"""Decides how it is told why one task is where it is, or why it has no place. It must not change the draft."""

from typing import Any

import click

from steadyhand.cli.schedule.arranging import engine_option, options_of, planned, rule_options, search_options
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.explaining import explained, jobs_of_all, judge, placements_in, taken_up
from steadyhand.cli.schedule.inputs import WORDS
from steadyhand.cli.terminal.frame import Command, Frame, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.arrange.attempts import movable
from steadyhand.domains.schedule.arrange.explain import place_to_json
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.arrange.reasons import Unplaced
from steadyhand.domains.schedule.arrange.report import Told
from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.draft.drafting import OpenDraft


@click.command(cls=Command)
@click.argument("task", type=WORDS)
@rule_options
@engine_option
@search_options
@pass_frame
def why(frame: Frame, task: str, **asked: Any) -> None:
    """Say why a task is where it is, or why it has no place."""
    desk = Desk(frame)
    draft = desk.look()
    found = desk.task(draft, task)
    options = options_of(desk, draft, asked)
    if options.categories is not None and found.category not in options.categories:
        raise ToolRefusal("task_of_other_category", name=found.name, names=", ".join(options.categories))
    if found.place.status == "pending":
        _why_not(desk, draft, found, options)
    else:
        _why_here(desk, draft, found, options)


def _why_here(desk: Desk, draft: OpenDraft, task: Task, options: ArrangeOptions) -> None:
    """Tell what its place costs and what the best other one would; of a stored task as if it were taken up again."""
    frame = desk.frame
    stored = task.place.status == "existing"
    tasks = draft.timetable.tasks.values()
    again = {one.state_id for one in tasks if one.place.status == "suggested" or (stored and one.source == "task_item")}
    again.add(task.state_id)
    table = draft.timetable if task.is_course else taken_up(draft.timetable, again)
    named = {"task": f"[{task.state_id}]{task.name}"}
    data: dict[str, Json] = {"id": task.state_id, "name": task.name, "status": task.place.status, "why": None}
    if task.is_course or not movable(table, table.tasks[task.state_id]):
        frame.show(frame.say(f"schedule.why.{'course' if task.is_course else 'held'}", **named), data)
        return
    jobs = jobs_of_all(taken_up(draft.base.timetable, again), options)
    judged = judge(jobs, placements_in(table, jobs))
    reason = next(one for one in judged.whys if one.state_id == task.state_id)
    lines = [frame.say(f"schedule.why.{task.place.status}"), explained(desk, draft, reason, sound=judged.sound)]
    frame.show("\n".join(lines), {**data, "why": reason.to_json()})


def _why_not(desk: Desk, draft: OpenDraft, task: Task, options: ArrangeOptions) -> None:
    """Arrange all that is pending, without keeping it, and tell what that comes to for this task."""
    frame = desk.frame
    arrangement = planned(frame, draft.timetable, options)
    data: dict[str, Json] = {"id": task.state_id, "name": task.name, "status": "pending", "engine": arrangement.engine}
    out = next((one for one in arrangement.unplaced if one.state_id == task.state_id), None)
    if out is not None:
        frame.show(_refused(desk, draft, arrangement, out), {**data, "unplaced": out.to_json(), "place": None})
        return
    placement = next(one for one in arrangement.placements if one.state_id == task.state_id)
    named = {"task": f"[{task.state_id}]{task.name}", "at": desk.when(draft.window, placement.block)}
    text = frame.say("schedule.why.would_fit", **named, engine=arrangement.engine)
    frame.show(text, {**data, "unplaced": None, "place": place_to_json(placement)})


def _refused(desk: Desk, draft: OpenDraft, arrangement: Arrangement, out: Unplaced) -> str:
    frame = desk.frame
    told = Told(arrangement, dict(draft.timetable.tasks), draft.window, draft.timetable.pending)
    lines = [told.why_not(frame.language, out)]
    if out.proven is None:
        lines.append(frame.say("schedule.arrange.unproven"))
    return "\n".join(lines)
