"""Decides how two arrangements are put side by side: stored, drafted, or what an engine makes of what is stored. It must not change the draft.

All are judged as arrangements of the same tasks, those that are not stored or were taken up again, by the same costs; an engine
may move those that were taken up again, at the cost of a move.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import click

from steadyhand.cli.schedule.arranging import options_of, planned, rule_options, search_options
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.explaining import jobs_of_all, placements_in, taken_up
from steadyhand.cli.terminal.frame import Command, Frame, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.schedule.arrange.attempts import Jobs
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.explain import place_to_json
from steadyhand.domains.schedule.arrange.options import EFFORT, ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import Quality
from steadyhand.domains.schedule.arrange.weights import PARTS, Objective
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft

Side: TypeAlias = Literal["stored", "draft", "greedy", "first_fit", "optimise"]
SIDES: tuple[Side, ...] = ("stored", "draft", "greedy", "first_fit", "optimise")
MOST_LINES = 40
NAME, NUMBER = 26, 14


@dataclass(frozen=True, slots=True)
class _Result:
    """One arrangement: where its tasks are, what that costs, and how good it is where that is known."""

    side: Side
    placements: Mapping[int, Placement]
    objective: Objective
    quality: Quality | None = None
    gap: float = 0.0


@click.command(cls=Command)
@click.argument("first", type=click.Choice(SIDES), default="stored")
@click.argument("second", type=click.Choice(SIDES), default="draft")
@rule_options
@search_options
@pass_frame
def compare(frame: Frame, first: Side, second: Side, **asked: Any) -> None:
    """Compare two arrangements: tasks that stand elsewhere, and the costs by parts."""
    if first == second:
        raise ToolRefusal("compared_with_itself", name=first)
    searched = asked["effort"] is not None or asked["cap_seconds"] is not None
    if searched and "optimise" not in (first, second):
        raise ToolRefusal("effort_is_of_a_search", engine=second)
    desk = Desk(frame)
    draft = desk.look()
    options = options_of(desk, draft, {**asked, "engine": None, "effort": asked["effort"] or EFFORT})
    shared = _shared(draft)
    jobs = jobs_of_all(shared, options)
    one, two = (_result(frame, draft, shared, jobs, options, side) for side in (first, second))
    frame.show(_text(desk, draft, jobs, one, two), _json(jobs, one, two))


def _shared(draft: OpenDraft) -> Timetable:
    """Return what is stored, the tasks that the draft has taken up again being suggested where they stand."""
    again = {state_id for state_id, task in draft.timetable.tasks.items() if task.place.status != "existing"}
    return taken_up(draft.base.timetable, again)


def _result(frame: Frame, draft: OpenDraft, shared: Timetable, jobs: Jobs, options: ArrangeOptions, side: Side) -> _Result:
    table, quality, gap = shared, None, 0.0
    if side == "draft":
        table = draft.timetable
    elif side != "stored":
        arrangement = planned(frame, shared, replace(options, engine=side, move_suggested=True))
        table, quality, gap = shared.copy(), arrangement.quality, arrangement.gap or 0.0
        table.apply(arrangement.delta)
    placements = placements_in(table, jobs)
    return _Result(side, placements, jobs.costs.objective(placements), quality, gap)


def _text(desk: Desk, draft: OpenDraft, jobs: Jobs, one: _Result, two: _Result) -> str:
    frame = desk.frame
    names = [frame.say(f"schedule.compare.side.{result.side}") for result in (one, two)]
    moved = _moved(jobs, one, two)
    counts = {"tasks": len(jobs.tasks), "moved": len(moved["moved"])}
    counts |= {"only_first": len(moved["only_first"]), "only_second": len(moved["only_second"])}
    lines = [
        frame.say("schedule.compare.head", first=names[0], second=names[1], **counts),
        "",
        *_table(frame, names, one, two),
        "",
    ]
    for result, name in zip((one, two), names, strict=True):
        if result.quality is not None:
            named = {"bound": result.quality.bound, "gap": f"{100 * result.gap:.1f}", "seconds": f"{result.quality.seconds:.1f}"}
            lines.append(frame.say("schedule.compare.bound", name=name, **named))
    differing = sorted({state_id for ids in moved.values() for state_id in ids})
    lines += [_line(desk, draft, state_id, one, two) for state_id in differing[:MOST_LINES]]
    if len(differing) > MOST_LINES:
        lines.append("  " + frame.say("schedule.report.more", count=len(differing) - MOST_LINES))
    return "\n".join(lines).rstrip()


def _moved(jobs: Jobs, one: _Result, two: _Result) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {"moved": [], "only_first": [], "only_second": []}
    for state_id in jobs.tasks:
        here, there = one.placements.get(state_id), two.placements.get(state_id)
        if here == there:
            continue
        found["only_second" if here is None else "only_first" if there is None else "moved"].append(state_id)
    return found


def _table(frame: Frame, names: list[str], one: _Result, two: _Result) -> list[str]:
    rows = [("", *names), (frame.say("schedule.compare.placed"), str(len(one.placements)), str(len(two.placements)))]
    for part in PARTS:
        costs = one.objective.parts[part], two.objective.parts[part]
        if any(costs):
            rows.append((say(frame.language, f"schedule.arrange.part.{part}", cost="").strip(), *map(str, costs)))
    rows.append((frame.say("schedule.compare.total"), str(one.objective.total), str(two.objective.total)))
    return [_padded(row[0], NAME) + _padded(row[1], NUMBER, right=True) + _padded(row[2], NUMBER, right=True) for row in rows]


def _padded(text: str, width: int, *, right: bool = False) -> str:
    from rich.cells import cell_len

    room = " " * max(width - cell_len(text), 1 if right else 0)
    return room + text if right else text + room


def _line(desk: Desk, draft: OpenDraft, state_id: int, one: _Result, two: _Result) -> str:
    def place(result: _Result) -> str:
        found = result.placements.get(state_id)
        return desk.place_text(draft, (found.block,) if found is not None else ())

    task = draft.timetable.tasks[state_id]
    return desk.frame.say("schedule.moved", task=f"[{state_id}]{task.name}", before=place(one), after=place(two))


def _json(jobs: Jobs, one: _Result, two: _Result) -> Json:
    def result(found: _Result) -> Json:
        placed: list[Json] = [place_to_json(placement) for placement in found.placements.values()]
        quality: Json = None if found.quality is None else {**found.quality.to_json(), "gap": found.gap}
        return {"name": found.side, "objective": found.objective.to_json(), "placed": placed, "quality": quality}

    return {
        "tasks": len(jobs.tasks),
        "first": result(one),
        "second": result(two),
        **cast("dict[str, Json]", _moved(jobs, one, two)),
    }
