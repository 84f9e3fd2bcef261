"""Decides how a review is put before a person and how their answer is read at a terminal. It must not decide for them."""

import click

from steadyhand.cli.terminal.frame import REFUSED, STOPPED, Frame
from steadyhand.cli.terminal.printing import ask, clean, echo, styled
from steadyhand.cli.terminal.waiting import waited
from steadyhand.core.canonical import Json, short
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import LOCAL_SESSION, change_name
from steadyhand.gate import lines
from steadyhand.gate.controller import Decider
from steadyhand.gate.machine import State
from steadyhand.gate.review import review_text as _review_text
from steadyhand.session.decisions import LOST, Decided, NotADecision, Refused
from steadyhand.session.waiting import decided_first
from steadyhand.store.changes.changes import ChangeRow

SHOWN_AGAIN = ("again", "not_next", "earlier")
"""Why an answer was none here, where this terminal has asked for one: the review was not the last thing shown, or not just now."""

SIGN_COLOURS = {"+": "green", "-": "red", "~": "yellow"}


def sentence(frame: Frame, row: ChangeRow) -> str:
    """Return the state line of a change."""
    return lines.line(row, frame.language)


def change_json(frame: Frame, row: ChangeRow) -> Json:
    """Return a change as JSON, without its bulk."""
    view = frame.app.controller.view(row, frame.language)
    return {
        "name": change_name(row.number),
        "number": row.number,
        "state": row.state,
        "line": sentence(frame, row),
        "domain": row.domain,
        "request": row.request,
        "spec_digest": row.spec_digest,
        "seal_digest": row.seal_digest,
        "reason": row.reason,
        "expires_at": row.expires_at,
        "repair_of": row.repair_of,
        "undo_of": row.undo_of,
        "view": None if view is None else view.payload,
    }


def review_text(frame: Frame, row: ChangeRow) -> str:
    """Return all that a person reads before deciding, painted."""
    app = frame.app
    text = coloured(_review_text(app.controller, row, frame.language, app.user.zone))
    return "\n".join([text, *app.toolbox.domains.record(row.domain).beside(row, frame.language)])


def coloured(text: str) -> str:
    """Paint the lines of a difference by their sign."""

    def paint(line: str) -> str:
        colour = SIGN_COLOURS.get(line[:1]) if line[1:2] == " " else None
        return styled(line, fg=colour) if colour else line

    return "\n".join(paint(line) for line in clean(text).split("\n"))


def shown(frame: Frame, row: ChangeRow) -> None:
    """Store that this terminal has now shown the change's review: it can be approved by its name, and by no bare word elsewhere."""
    frame.run(frame.app.decisions.showed(frame.app.user.id, LOCAL_SESSION, row, last=False))


def review(frame: Frame, row: ChangeRow, *, ask: bool = False) -> None:
    """Show a change; with *ask*, at a terminal, go straight on to the question, else say how to decide later."""
    if frame.as_json:
        frame.show("", change_json(frame, row))
    else:
        echo(review_text(frame, row))
    if row.state in (State.SEALED, State.IN_REVIEW):
        shown(frame, row)
        if ask:
            ask_or_wait(frame, row)
    elif ask and row.state in (State.INVALID, State.STALE):
        raise click.exceptions.Exit(REFUSED)


def ask_or_wait(frame: Frame, row: ChangeRow) -> None:
    """Ask the review question at a terminal; elsewhere say how the change is decided later."""
    if frame.at_terminal:
        _ask(frame, row)
    elif not frame.as_json:
        echo(_waits(frame, row))


def _waits(frame: Frame, row: ChangeRow) -> str:
    message = "change.waits" if row.state == State.SEALED else "change.confirm_waits"
    return frame.say(message, name=change_name(row.number), digest=short(row.seal_digest or row.spec_digest or ""))


def _ask(frame: Frame, row: ChangeRow) -> None:
    """Put the question and follow the answer, as `session.decisions` reads it; where the review has to be seen again, show it."""
    said = _answer(frame, row)
    while isinstance(said, NotADecision) and said.why in SHOWN_AGAIN and said.row is not None:
        echo(review_text(frame, said.row))
        said = _answer(frame, said.row)
    match said:
        case Decided(row=decided, kind="confirm"):
            _go_on(frame, decided)
        case Decided(row=decided, kind=kind):
            finish(frame, decided, denied=kind in ("deny", "stop"))
        case Refused(text=text):
            echo(text, err=True)
            raise click.exceptions.Exit(REFUSED)
        case NotADecision():
            _left_open(frame, row)


def _answer(frame: Frame, row: ChangeRow) -> Decided | NotADecision | Refused:
    decisions, user = frame.app.decisions, frame.app.user.id
    frame.run(decisions.showed(user, LOCAL_SESSION, row, alone=True))
    try:
        answer = ask(frame.say("change.asked" if row.state == State.SEALED else "change.confirm_asked"))
    except click.Abort:
        frame.run(decisions.something_else(user))
        echo("\n" + _waits(frame, row))
        raise click.exceptions.Exit(STOPPED) from None
    said = decisions.message(user, LOCAL_SESSION, answer, "terminal", about=row.number, language=frame.language)
    return waited(frame, frame.say("waiting.running"), said)


def _left_open(frame: Frame, row: ChangeRow) -> None:
    """Say how a change is decided later; one that was decided meanwhile, by whom."""
    app = frame.app
    now = frame.run(app.controller.current(app.user.id, row.number))
    if now.state in (State.SEALED, State.IN_REVIEW):
        echo(_waits(frame, now))
        return
    echo(frame.run(app.store.read(lambda tx: decided_first(tx, now, frame.language))), err=True)
    raise click.exceptions.Exit(REFUSED)


def approved(frame: Frame, decider: Decider, number: int, digest: str) -> None:
    """Approve a change, see it through, and print where it stands then; whoever comes second is told who was first."""
    try:
        row = waited(frame, frame.say("waiting.running"), frame.app.controller.approve(decider, number, digest))
    except DecisionRefused as error:
        _tell_the_first(frame, number, error)
        raise
    finish(frame, row)


def confirmed(frame: Frame, decider: Decider, number: int, digest: str) -> None:
    """Confirm a spec, have its calls collected, and put what they come to before the person."""
    try:
        row = frame.run(frame.app.controller.confirm(decider, number, digest))
    except DecisionRefused as error:
        _tell_the_first(frame, number, error)
        raise
    _go_on(frame, row)


def _tell_the_first(frame: Frame, number: int, error: DecisionRefused) -> None:
    if error.code in LOST and not frame.as_json:
        row = frame.run(frame.app.controller.current(frame.app.user.id, number))
        echo(frame.run(frame.app.store.read(lambda tx: decided_first(tx, row, frame.language))), err=True)


def _go_on(frame: Frame, row: ChangeRow) -> None:
    """Have the calls of a confirmed spec collected, and put what they come to before the person."""
    from steadyhand.cli.terminal.collecting import taken_on

    row = taken_on(frame, row)
    if row.state == State.SEALED:
        review(frame, row, ask=True)
    else:
        finish(frame, row)


def finish(frame: Frame, row: ChangeRow, *, denied: bool = False) -> None:
    """Print where a change stands after a decision; the exit code says whether that is what was asked for."""
    text = sentence(frame, row)
    if row.state == State.FAILED and not denied:
        text += "\n" + frame.say("change.repair_offer", name=change_name(row.number))
    if not frame.as_json:
        text = "\n".join([text, *frame.app.toolbox.domains.record(row.domain).after(row, frame.language)])
    frame.show(text, change_json(frame, row))
    if not denied and row.state not in (State.VERIFIED, State.COLLECTING, State.SEALED):
        raise click.exceptions.Exit(REFUSED)
