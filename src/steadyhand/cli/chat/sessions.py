"""Decides how a person's sessions are listed, shown, named, deleted and written out at the command line. It must not decide which is meant."""

from pathlib import Path

import click

from steadyhand.cli.change.change import decider, write_new
from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, Group, option, pass_frame
from steadyhand.cli.terminal.printing import ask, echo
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import change_name
from steadyhand.session.administration import Administration, Deletion
from steadyhand.session.export import export_json, export_markdown, history_json, session_json
from steadyhand.session.lane import Lanes
from steadyhand.session.listing import label
from steadyhand.store.sessions.conversations import Said, SessionRow

LAST = 20
"""So many entries are shown unless all are asked for."""


@click.group(cls=Group)
def session() -> None:
    """Conversations: find them again, name them, write them out, delete them."""


def administration(frame: Frame) -> Administration:
    """Return what a person does with their sessions."""
    app = frame.app
    return Administration(app.store, app.controller, Lanes(app.store, app.settings.lease_seconds))


@session.command("list", cls=Command)
@pass_frame
def list_sessions(frame: Frame) -> None:
    """List sessions, the last used first."""
    rows = frame.run(administration(frame).list(frame.app.user.id))
    told = [f"{number}. {_label(frame, row)}" for number, row in enumerate(rows, 1)]
    text = "\n".join(told) or frame.say("session.none")
    frame.show(text, {"sessions": [{"number": number, **session_json(row)} for number, row in enumerate(rows, 1)]})


@session.command(cls=Command)
@click.argument("wanted", metavar="SESSION")
@option("--all", "everything", text="all_entries", is_flag=True)
@pass_frame
def show(frame: Frame, wanted: str, *, everything: bool) -> None:
    """Show what was said in a session."""
    row, entries = _whole(frame, wanted)
    shown = entries if everything else entries[-LAST:]
    text = export_markdown(row, shown, frame.language, frame.app.user.zone).decode().rstrip()
    if len(shown) < len(entries):
        text += "\n\n" + frame.say("session.more", n=len(entries) - len(shown))
    frame.show(text, {"session": session_json(row), "entries": history_json(shown)})


@session.command(cls=Command)
@click.argument("wanted", metavar="SESSION")
@click.argument("name")
@pass_frame
def rename(frame: Frame, wanted: str, name: str) -> None:
    """Name a session."""
    row = frame.run(administration(frame).rename(frame.app.user.id, wanted, name))
    frame.show(frame.say("session.renamed", id=row.id, name=row.name), {"session": session_json(row)})


@session.command(cls=Command)
@click.argument("wanted", metavar="SESSION")
@option("--yes", text="delete_yes", is_flag=True)
@pass_frame
def delete(frame: Frame, wanted: str, *, yes: bool) -> None:
    """Delete a session with all that was said in it."""
    sessions = administration(frame)
    about = frame.run(sessions.deletion(frame.app.user.id, wanted))
    if not yes:
        _ask(frame, about)
    done = frame.run(sessions.delete(decider(frame, frame.typed), about.row.id))
    gone = {"said": done.row.said, "waiting": done.waits, "owed": done.owed}
    withdrawn: Json = [change_name(row.number) for row in done.withdrawn]
    data: dict[str, Json] = {
        "session": session_json(done.row),
        "removed": gone,
        "withdrawn": withdrawn,
        "changes_kept": done.kept,
    }
    data["wakeups_cancelled"] = [row.number for row in done.wakeups]
    frame.show(frame.say("session.deleted", id=done.row.id), data)


def _ask(frame: Frame, about: Deletion) -> None:
    """Say what goes and what stays, and have the id or the name typed again."""
    if not frame.at_terminal:
        raise ToolRefusal("session_delete_needs_yes", session=about.row.id)
    echo(_label(frame, about.row))
    echo(frame.say("session.goes", n=about.row.said, waits=about.waits, owed=about.owed))
    if about.withdrawn:
        names = ", ".join(change_name(row.number) for row in about.withdrawn)
        echo(frame.say("session.withdraws", names=names))
    if about.wakeups:
        numbers = ", ".join(str(row.number) for row in about.wakeups)
        echo(frame.say("session.cancels", numbers=numbers))
    if about.kept:
        echo(frame.say("session.stays", n=about.kept))
    answer = ask(frame.say("session.ask_again"))
    if " ".join(answer.split()) not in (about.row.id, about.row.name or about.row.id):
        echo(frame.say("session.untouched"))
        raise click.exceptions.Exit(REFUSED)


@session.command(cls=Command)
@click.argument("wanted", metavar="SESSION")
@option("--format", "kind", text="session_format", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@option("--out", "out", text="session_out", type=click.Path(path_type=Path, dir_okay=False))
@pass_frame
def export(frame: Frame, wanted: str, kind: str, out: Path | None) -> None:
    """Write out a session whole."""
    row, entries = _whole(frame, wanted)
    as_json = kind == "json" or (frame.as_json and out is None)
    data = export_json(row, entries) if as_json else export_markdown(row, entries, frame.language, frame.app.user.zone)
    if out is None:
        echo(data.decode(), nl=False)
        return
    write_new(out, data)
    shown = click.format_filename(out)
    text = frame.say("session.exported", file=shown, n=len(entries))
    frame.show(text, {"file": shown, "entries": len(entries), "bytes": len(data)})


def _whole(frame: Frame, wanted: str) -> tuple[SessionRow, list[Said]]:
    sessions = administration(frame)
    user = frame.app.user.id
    row = frame.run(sessions.resume(user, wanted))
    return row, list(frame.run(sessions.history(user, row.id)))


def _label(frame: Frame, row: SessionRow) -> str:
    return label(row, frame.language, frame.app.user.zone)
