"""Decides how a person's words, a file of calls or a command about a part become a change that is shown first. It must not decide one."""

import json
from collections.abc import Mapping

import click

from steadyhand.cli.cae.calls import is_file_of_calls, read_calls, words_of
from steadyhand.cli.cae.desk import PART, PartDesk
from steadyhand.cli.change.acts import DOOR
from steadyhand.cli.change.review import ask_or_wait, change_json, review_text, shown
from steadyhand.cli.terminal.collecting import opened, seen_through, taken_on
from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.domains.cae.calls.table import MODULES, ModuleName
from steadyhand.domains.cae.phrases import explain
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.gate import lines
from steadyhand.gate.contract import Given
from steadyhand.gate.controller import Decider
from steadyhand.gate.machine import State
from steadyhand.store.changes.changes import ChangeRow

USUAL_MODULE = "analysis"
"""The module where none is said: it goes from the shape to the result."""


@click.command(cls=Command)
@click.argument("part", type=PART)
@click.argument("what", metavar="WORDS|FILE")
@option("--module", text="cae_module", type=click.Choice(tuple(MODULES)))
@pass_frame
def propose(frame: Frame, part: PartName, what: str, module: ModuleName | None) -> None:
    """Put up a change of a part, from words or from a file of calls."""
    desk = PartDesk(frame)
    if is_file_of_calls(what):
        given = read_calls(what)
        if module and given.module and module != given.module:
            raise ToolRefusal("cae_module_differs", module=module, other=given.module)
        source = Given(given.operations)
        put_up(frame, opened(frame, desk.proposal(part, module or given.module or USUAL_MODULE, source)))
        return
    wanted = desk.proposal(part, module or USUAL_MODULE, None, words_of(what))
    row = taken_on(frame, opened(frame, wanted))
    if row.state == State.DRAFTING:
        raise _unwritten(desk, row, module or USUAL_MODULE)
    put_up(frame, row)


def _unwritten(desk: PartDesk, row: ChangeRow, module: ModuleName) -> ToolRefusal:
    """Return why no spec was written; what nobody has seen does not stay open."""
    frame, app = desk.frame, desk.app
    reason, need = lines.reason(row, frame.language), app.controller.need(row)
    assert need is not None  # noqa: S101  # a change in drafting needs its spec
    frame.run(app.controller.withdraw(Decider(app.user.id, LOCAL_SESSION, DOOR, "unwritten"), row.number))
    if app.thinks:
        return ToolRefusal("cae_spec_failed", reason=reason)
    why = explain(row.request, frame.language, module, json.loads(need.brief.content))
    return ToolRefusal("cae_not_read", why=why or reason)


@click.command(cls=Command)
@click.argument("part", type=PART)
@pass_frame
def undo(frame: Frame, part: PartName) -> None:
    """Propose to take the last change of a part back."""
    desk = PartDesk(frame)
    from steadyhand.domains.cae.observing.results import last_change

    number = last_change(desk.shelf.versions_of(desk.user, part))
    if number is None:
        raise ToolRefusal("cae_nothing_to_undo", name=str(part))
    decider = Decider(desk.user, LOCAL_SESSION, DOOR, "undo")
    work = desk.app.controller.undo(decider, number, f"undo C-{number}", frame.language)
    put_up(frame, seen_through(frame, frame.say("waiting.preparing"), work, desk.target_key(part)))


@click.command(cls=Command)
@click.argument("part", type=PART)
@option("--accurate", text="cae_accurate", is_flag=True)
@pass_frame
def solve(frame: Frame, part: PartName, *, accurate: bool) -> None:
    """Put up the linear static solution of a part."""
    desk = PartDesk(frame)
    desk.shown(part)
    job: Json = {"tool": "run_job", "arguments": {"elements": "S8R" if accurate else "auto"}}
    put_up(frame, opened(frame, desk.proposal(part, "load", Given((job,)))))


def put_up(frame: Frame, row: ChangeRow, before: str = "", data: Mapping[str, Json] | None = None) -> None:
    """Show a change whole and go on to the question; not at a terminal, say how it is decided later."""
    told = {**(data or {}), "change": change_json(frame, row)}
    frame.show("\n\n".join(text for text in (before, review_text(frame, row)) if text), told)
    if row.state in (State.SEALED, State.IN_REVIEW):
        shown(frame, row)
        ask_or_wait(frame, row)
    else:
        raise click.exceptions.Exit(REFUSED)
