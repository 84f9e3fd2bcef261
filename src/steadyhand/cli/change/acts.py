"""Decides how a person's act on the timetable goes through the gate: in one step, or shown first. It must not decide which writes it is."""

from collections.abc import Mapping, Sequence

import click

from steadyhand.cli.change.review import ask_or_wait, change_json, coloured, finish, review_text, shown
from steadyhand.cli.terminal.frame import REFUSED, Frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.domains.schedule.module import given, target
from steadyhand.domains.schedule.rows.writes import RowWrite
from steadyhand.gate import lines
from steadyhand.gate.contract import Refusal
from steadyhand.gate.controller import Decider, Proposal
from steadyhand.gate.machine import State

DOOR = "cli"


def proposal_of(frame: Frame, term: int, writes: Sequence[RowWrite]) -> Proposal:
    """Return the writes as what a change begins with; the request is the command as it was typed."""
    source, scope = given(writes)
    user = frame.app.user.id
    return Proposal(user, LOCAL_SESSION, target(user, term), frame.typed, source, scope, frame.language)


def direct(frame: Frame, term: int, writes: Sequence[RowWrite]) -> None:
    """Do a person's own act in one step: open, approved by the act itself, run, read back; one that cannot be is an error."""
    proposal = proposal_of(frame, term, writes)
    decider = Decider(proposal.user, LOCAL_SESSION, DOOR, proposal.request)
    done = frame.run(frame.app.controller.act(decider, proposal))
    if isinstance(done, Refusal):
        if done.code == "nothing_to_change":
            nothing_to_change(frame)
            return
        raise ToolRefusal("act_refused", reason=lines.reason_text(done.code, done.params, frame.language))
    view = frame.app.controller.view(done, frame.language)
    if frame.as_json:
        frame.show("", {"change": change_json(frame, done)})
        if done.state != State.VERIFIED:
            raise click.exceptions.Exit(REFUSED)
        return
    if view is not None:
        echo(coloured(view.text))
    finish(frame, done)


def nothing_to_change(frame: Frame, before: str = "", data: Mapping[str, Json] | None = None) -> None:
    """Say that everything is so already; that is no failure."""
    text = frame.say("schedule.nothing_to_change")
    frame.show(f"{before}\n{text}" if before else text, {**(data or {}), "change": None})


def shown_first(frame: Frame, proposal: Proposal, before: str = "", data: Mapping[str, Json] | None = None) -> None:
    """Open a change, show it whole, and go straight on to the question; not at a terminal, say how to approve it."""
    row = frame.run(frame.app.controller.open(proposal))
    told = {**(data or {}), "change": change_json(frame, row)}
    frame.show("\n\n".join(part for part in (before, review_text(frame, row)) if part), told)
    if row.state == State.SEALED:
        shown(frame, row)
        ask_or_wait(frame, row)
    else:
        raise click.exceptions.Exit(REFUSED)
