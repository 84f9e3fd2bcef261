"""Decides how a review is put before a person and how their answer is read at a terminal. It must not decide for them."""

import click

from steadyhand.cli.frame import REFUSED, STOPPED, Frame
from steadyhand.cli.printing import ask, clean, echo, styled
from steadyhand.cli.waiting import waited
from steadyhand.core.canonical import Json, short
from steadyhand.core.ids import LOCAL_SESSION, change_name
from steadyhand.gate import lines
from steadyhand.gate.controller import Decider
from steadyhand.gate.machine import State
from steadyhand.gate.review import review_text as _review_text
from steadyhand.store.changes import ChangeRow
from steadyhand.wiring.cae import CAE

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
    drawn = row.domain == CAE and row.state == State.SEALED
    return f"{text}\n{frame.say('cae.picture_waits', name=change_name(row.number))}" if drawn else text


def coloured(text: str) -> str:
    """Paint the lines of a difference by their sign."""

    def paint(line: str) -> str:
        colour = SIGN_COLOURS.get(line[:1]) if line[1:2] == " " else None
        return styled(line, fg=colour) if colour else line

    return "\n".join(paint(line) for line in clean(text).split("\n"))


def shown(frame: Frame, row: ChangeRow) -> None:
    """Store that this terminal has now shown the change's review."""
    frame.run(frame.app.decisions.showed(frame.app.user.id, LOCAL_SESSION, row))


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
    sealed = row.state == State.SEALED
    question = frame.say("change.asked" if sealed else "change.confirm_asked")
    try:
        answer = ask(question)
    except click.Abort:
        echo("\n" + _waits(frame, row))
        raise click.exceptions.Exit(STOPPED) from None
    word = str(answer).strip().lower()
    controller = frame.app.controller
    decider = Decider(frame.app.user.id, LOCAL_SESSION, "terminal", str(answer))
    if word in ("y", "yes", "是", "好", "批准"):
        if sealed:
            approved(frame, decider, row.number, row.seal_digest or "")
        else:
            confirmed(frame, decider, row.number, row.spec_digest or "")
    elif word in ("n", "no", "否", "不", "拒绝"):
        finish(frame, frame.run(controller.deny(decider, row.number)), denied=True)
    else:
        echo(_waits(frame, row))


def approved(frame: Frame, decider: Decider, number: int, digest: str) -> None:
    """Approve a change, see it through, and print where it stands then."""
    finish(frame, waited(frame, frame.say("waiting.running"), frame.app.controller.approve(decider, number, digest)))


def confirmed(frame: Frame, decider: Decider, number: int, digest: str) -> None:
    """Confirm a spec, have its calls collected, and put what they come to before the person."""
    from steadyhand.cli.collecting import taken_on

    row = taken_on(frame, frame.run(frame.app.controller.confirm(decider, number, digest)))
    if row.state == State.SEALED:
        review(frame, row, ask=True)
    else:
        finish(frame, row)


def finish(frame: Frame, row: ChangeRow, *, denied: bool = False) -> None:
    """Print where a change stands after a decision; the exit code says whether that is what was asked for."""
    text = sentence(frame, row)
    if row.state == State.FAILED and not denied:
        text += "\n" + frame.say("change.repair_offer", name=change_name(row.number))
    if row.state == State.VERIFIED and row.domain == CAE and not frame.as_json:
        from steadyhand.cli.cae_results import after

        text = "\n".join([text, *after(frame, row)])
    frame.show(text, change_json(frame, row))
    if not denied and row.state not in (State.VERIFIED, State.COLLECTING, State.SEALED):
        raise click.exceptions.Exit(REFUSED)
