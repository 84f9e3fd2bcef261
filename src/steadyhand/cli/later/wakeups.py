"""Decides how what comes later is booked, listed and cancelled at the command line. It must not run any of it.

A person types these themselves: the times are their own, so that neither quiet hours nor the day's most hold for them.
"""

import click

from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION, SessionId
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import outbox
from steadyhand.wakeups import telling
from steadyhand.wakeups.booking import LISTED, Book, By, Timed
from steadyhand.wakeups.cron_tool import added, job, line, run_json, run_line
from steadyhand.wakeups.tools import label, task

MISSED = click.Choice(["run", "skip"])


@click.group(cls=Group)
def cron() -> None:
    """Timed tasks: what comes at a time, or again and again."""


@click.group(cls=Group)
def followup() -> None:
    """Reminders of a session: list them, cancel them, book an exact text."""


def _by(frame: Frame, session: str | None) -> By:
    """Return who books: the local person, in the session that is named; in listing and cancelling none is all of them."""
    app = frame.app
    return By(app.user.id, SessionId(session or ""), exact=True, zone=app.user.zone)


def _into(frame: Frame, session: str) -> By:
    """Return who books into a session, which is made when it is not there."""
    app = frame.app
    app.store.write_now(lambda tx: people.ensure_session(tx, app.user.id, SessionId(session), "terminal"))
    return _by(frame, session)


def _missed(late: float | None, missed: str | None) -> Json:
    """Return the missed rule that the options name; None for the default."""
    return {"within": late * 3600} if late is not None else missed


# --- timed tasks ---------------------------------------------------------------------------------------------------------


@cron.command(cls=Command)
@click.argument("text")
@option("--at", "at", text="wake_at")
@option("--every", "every", text="wake_every")
@option("--cron", "expression", text="wake_cron")
@option("--zone", "zone", text="wake_zone", default="")
@option("--name", "name", text="wake_name", default="")
@option("--say", "exactly", text="wake_say", is_flag=True)
@option("--silent", "silent", text="wake_silent", is_flag=True)
@option("--if-late", "late", text="wake_late", type=click.FloatRange(min=0, max=24 * 366))
@option("--missed", "missed", text="wake_missed", type=MISSED)
@option("--session", "session", text="wake_session", default=LOCAL_SESSION)
@pass_frame
def add(
    frame: Frame,
    text: str,
    at: str | None,
    every: str | None,
    expression: str | None,
    zone: str,
    name: str,
    late: float | None,
    missed: str | None,
    session: str,
    *,
    exactly: bool,
    silent: bool,
) -> None:
    """Add a timed task."""
    given = {"at": at, "every": every, "cron": expression}
    named = [kind for kind, when in given.items() if when is not None]
    if len(named) != 1:
        raise ToolRefusal("one_when")
    wanted = Timed(
        "at" if at is not None else "every" if every is not None else "cron",
        given[named[0]] or "",
        text,
        name,
        "text" if exactly else "wake",
        zone,
        "none" if silent else "user",
        _missed(late, missed),
    )
    row, more = _book(frame, session, wanted)
    frame.show(added(row, frame.app.user.zone, frame.language) + more, job(row))


def _book(frame: Frame, session: str, wanted: Timed) -> tuple[Wakeup, str]:
    """Book it; return the row, and what is to be said beside it."""
    booked = frame.run(Book(frame.app.store).timed(_into(frame, session), wanted))
    return booked.row, "\n" + frame.say("wakeups.earlier") if booked.earlier else ""


@cron.command("list", cls=Command)
@option("--session", "session", text="wake_only_session")
@pass_frame
def list_tasks(frame: Frame, session: str | None) -> None:
    """List the timed tasks."""
    app = frame.app
    rows = frame.run(Book(app.store).booked(app.user.id, None if session is None else SessionId(session), "cron", LISTED))
    text = "\n".join(line(row, app.user.zone, frame.language) for row in rows) or frame.say("cron.none")
    frame.show(text, {"jobs": [job(row) for row in rows]})


@cron.command(cls=Command)
@click.argument("number", type=click.IntRange(min=1))
@pass_frame
def remove(frame: Frame, number: int) -> None:
    """Remove a timed task."""
    row = frame.run(Book(frame.app.store).remove(_by(frame, None), number))
    frame.show(frame.say("cron.removed", number=row.number, name=row.name), job(row))


@cron.command(cls=Command)
@click.argument("number", type=click.IntRange(min=1))
@pass_frame
def enable(frame: Frame, number: int) -> None:
    """Let a timed task come again."""
    row = frame.run(Book(frame.app.store).enable(_by(frame, None), number, enabled=True))
    at = telling.moment(row.due_at, frame.app.user.zone, frame.language)
    frame.show(frame.say("cron.enabled", number=row.number, name=row.name, at=at), job(row))


@cron.command(cls=Command)
@click.argument("number", type=click.IntRange(min=1))
@pass_frame
def disable(frame: Frame, number: int) -> None:
    """Let a timed task rest."""
    row = frame.run(Book(frame.app.store).enable(_by(frame, None), number, enabled=False))
    frame.show(frame.say("cron.disabled", number=row.number, name=row.name), job(row))


@cron.command(cls=Command)
@click.argument("number", type=click.IntRange(min=1))
@pass_frame
def runs(frame: Frame, number: int) -> None:
    """Show what came of a timed task."""
    row, found = frame.run(Book(frame.app.store).runs(_by(frame, None), number))
    lines = [run_line(run, frame.app.user.zone, frame.language) for run in found]
    text = "\n".join(lines) or frame.say("cron.no_runs", name=row.name)
    frame.show(text, {"job": job(row), "runs": [run_json(run) for run in found]})


# --- follow-ups ------------------------------------------------------------------------------------------------------------


@followup.command("list", cls=Command)
@option("--session", "session", text="wake_only_session")
@pass_frame
def list_followups(frame: Frame, session: str | None) -> None:
    """List the reminders that wait."""
    app = frame.app
    rows = frame.run(Book(app.store).booked(app.user.id, None if session is None else SessionId(session), "followup"))
    unseen = app.store.read_now(lambda tx: outbox.unseen(tx, app.user.id, None if session is None else SessionId(session)))
    lines = [label(row, app.user.zone, frame.language) for row in rows]
    lines += [_unseen(frame, owed) for owed in unseen]
    text = "\n".join(lines) or frame.say("followup.none")
    waiting = [{"id": owed.id, "session_id": owed.session_id, "text": owed.content, "since": owed.created_at} for owed in unseen]
    frame.show(text, {"followups": [task(row) for row in rows], "unseen": waiting})


def _unseen(frame: Frame, owed: outbox.Owed) -> str:
    """Say of a message that it is there and nobody has seen it."""
    at = telling.moment(owed.created_at, frame.app.user.zone, frame.language)
    return frame.say("followup.unseen", at=at, session=owed.session_id, text=" ".join(owed.content.split()))


@followup.command(cls=Command)
@click.argument("number", type=click.IntRange(min=1))
@pass_frame
def cancel(frame: Frame, number: int) -> None:
    """Cancel a reminder."""
    [row] = frame.run(Book(frame.app.store).cancel(_by(frame, None), number))
    frame.show(frame.say("followup.cancelled", number=row.number), task(row))


@followup.command("add-text", cls=Command)
@click.argument("when")
@click.argument("text")
@option("--zone", "zone", text="wake_zone", default="")
@option("--if-late", "late", text="wake_late", type=click.FloatRange(min=0, max=24 * 366))
@option("--missed", "missed", text="wake_missed", type=MISSED)
@option("--session", "session", text="wake_session", default=LOCAL_SESSION)
@pass_frame
def add_text(frame: Frame, when: str, text: str, zone: str, late: float | None, missed: str | None, session: str) -> None:
    """Book a text that is said word for word at a time."""
    wanted = Timed("at", when, text, "", "text", zone, "user", _missed(late, missed), "followup")
    row, more = _book(frame, session, wanted)
    at = telling.moment(row.meant_at, frame.app.user.zone, frame.language)
    frame.show(frame.say("followup.booked", number=row.number, at=at) + more, task(row))
