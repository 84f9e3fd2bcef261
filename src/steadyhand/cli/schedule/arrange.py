"""Decides how an arrangement becomes the draft and is told, and how the draft is put up for review. It must not choose a place or approve."""

from typing import Any

import click

from steadyhand.cli.change.acts import shown_first
from steadyhand.cli.schedule.arranging import engine_option, options_of, planned, rule_options, search_options
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.explaining import Judged, explained, judge_arrangement
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.arrange.report import Told
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.offering import offer
from steadyhand.domains.schedule.module import target
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.gate.controller import Proposal


@click.command(cls=Command)
@rule_options
@engine_option
@search_options
@option("--replan", text="replan", is_flag=True)
@option("--explain", text="explain", is_flag=True)
@pass_frame
def arrange(frame: Frame, *, replan: bool, explain: bool, **asked: Any) -> None:
    """Arrange the pending tasks in the draft; with --replan the suggested ones too, of which only those move that must."""
    desk = Desk(frame)
    draft = desk.look()
    options = options_of(desk, draft, asked, keep=replan)
    arrangement = planned(frame, draft.timetable, options)
    judged = judge_arrangement(draft.timetable, arrangement) if explain else Judged()
    after = _applied(desk, draft, arrangement) if arrangement.delta else draft
    told = Told(arrangement, dict(after.timetable.tasks), after.window, after.timetable.pending)
    _tell(desk, after, told, judged, replan=replan)


def _applied(desk: Desk, draft: OpenDraft, arrangement: Arrangement) -> OpenDraft:
    """Make the arrangement one step of the draft, which must still be as it was when the search began."""
    planned_on = draft.timetable.snapshot()

    def work(table: Timetable) -> Reply:
        if table.snapshot() != planned_on:
            raise ToolRefusal("draft_moved_on", revision=draft.row.revision)
        table.apply(arrangement.delta)
        return Reply("ok", lambda _: "", arrangement.delta)

    return desk.edit(work)[1]


def _tell(desk: Desk, draft: OpenDraft, told: Told, judged: Judged, *, replan: bool) -> None:
    frame, arrangement = desk.frame, told.arrangement
    lines = [told.for_person(frame.language)]
    if replan:
        lines.append(frame.say("schedule.arrange.moved", moved=len(arrangement.moved), kept=_kept(arrangement)))
        if stored := len(desk.stored_tasks(draft)):
            lines.append(frame.say("schedule.arrange.stored_stay", count=stored))
    if judged.whys:
        lines.append(frame.say("schedule.arrange.why"))
        lines += [explained(desk, draft, why, sound=judged.sound) for why in judged.whys]
    if judged.asked and arrangement.quality is None and arrangement.unplaced:
        lines.append(frame.say("schedule.arrange.unproven"))
    if arrangement.quality is not None and not arrangement.quality.capped:
        lines.append(frame.say(f"schedule.arrange.{'again' if arrangement.quality.deterministic else 'not_again'}"))
    if draft.changed:
        lines.append(frame.say("schedule.arrange.propose", count=len(draft.changed)))
    elif not arrangement.placements and not arrangement.unplaced:
        lines.append(frame.say("schedule.arrange.nothing"))
    data: dict[str, Json] = {**arrangement.to_json(), "moved": list(arrangement.moved)}
    if judged.whys:
        data["why"] = [why.to_json() for why in judged.whys]
    frame.show("\n".join(lines), {**data, "pending": told.pending, "window": desk.window_json(draft.window)})


def _kept(arrangement: Arrangement) -> int:
    changed = {change.state_id for change in arrangement.delta}
    return sum(placement.state_id not in changed for placement in arrangement.placements)


@click.command(cls=Command)
@pass_frame
def propose(frame: Frame) -> None:
    """Put the draft up for review."""
    desk = Desk(frame)
    draft = desk.look()
    copy, scope = offer(draft)
    if not draft.stored:
        draft = desk.open()
        copy, scope = offer(draft)
    where = target(desk.user, draft.term.id)
    shown_first(frame, Proposal(desk.user, LOCAL_SESSION, where, frame.typed, copy, scope, frame.language))
