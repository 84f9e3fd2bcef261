"""Decides how changes are listed, shown and decided at the command line. It must not decide itself: every word goes to the gate."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steadyhand.cli.change.review import approved, change_json, confirmed, finish, review, sentence
from steadyhand.cli.terminal.files import read_bytes
from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.errors import StoreUnavailable, ToolRefusal
from steadyhand.core.explain import word
from steadyhand.core.ids import LOCAL_SESSION, change_name, parse_change_name
from steadyhand.gate.controller import Decider
from steadyhand.gate.machine import ENDED, State
from steadyhand.store.changes import changes, records

if TYPE_CHECKING:
    from steadyhand.gate.dossier import Report

DOOR = "cli"


@click.group(cls=Group)
def change() -> None:
    """Changes: look and decide."""


class ChangeName(click.ParamType[int]):
    """C-42, c-42 or 42."""

    name = "C-N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = value if isinstance(value, int) else parse_change_name(str(value))
        if found is None:
            self.fail(str(value), param, ctx)
        return found


NAME = ChangeName()


def decider(frame: Frame, words: str) -> Decider:
    """Return the local person at this terminal."""
    return Decider(frame.app.user.id, LOCAL_SESSION, DOOR, words)


@change.command("list", cls=Command)
@option("--state", text="state", type=click.Choice([state.value for state in State]))
@option("--all", "everything", text="all", is_flag=True)
@option("--heads", "heads", text="heads", is_flag=True)
@pass_frame
def list_changes(frame: Frame, state: str | None, *, everything: bool, heads: bool) -> None:
    """List changes, newest first; with --heads, the head of each journal, to be noted elsewhere."""
    if heads:
        _heads(frame)
        return
    wanted = [state] if state else None if everything else [one.value for one in State if one not in ENDED]
    app = frame.app
    rows = app.store.read_now(lambda tx: changes.of_user(tx, app.user.id, states=wanted))
    rows = [frame.run(app.controller.current(app.user.id, row.number)) for row in rows]
    text = "\n".join(sentence(frame, row) for row in rows) or frame.say(
        "change.none" if everything or state else "change.none_open"
    )
    frame.show(text, {"changes": [change_json(frame, row) for row in rows]})


def _heads(frame: Frame) -> None:
    app = frame.app
    rows = app.store.read_now(lambda tx: changes.of_user(tx, app.user.id))
    last = app.store.read_now(lambda tx: {row.number: records.last_entry(tx, app.user.id, row.id) for row in rows})
    found = [(change_name(row.number), row.state, entry.hash) for row in rows if (entry := last[row.number]) is not None]
    text = "\n".join(f"{name} {head} {word(frame.language, 'state', state)}" for name, state, head in found)
    data: list[Json] = [{"name": name, "state": state, "head": head} for name, state, head in found]
    frame.show(text or frame.say("change.none"), {"heads": data})


@change.command(cls=Command)
@click.argument("number", type=NAME)
@pass_frame
def show(frame: Frame, number: int) -> None:
    """Show one change whole."""
    row = frame.run(frame.app.controller.current(frame.app.user.id, number))
    review(frame, row)


@change.command(cls=Command)
@click.argument("number", type=NAME)
@click.argument("digest", required=False)
@pass_frame
def confirm(frame: Frame, number: int, digest: str | None) -> None:
    """Confirm a spec."""
    if digest is None:
        _show_first(frame, number, State.IN_REVIEW)
    else:
        confirmed(frame, decider(frame, "confirm"), number, digest)


@change.command(cls=Command)
@click.argument("number", type=NAME)
@click.argument("digest", required=False)
@pass_frame
def approve(frame: Frame, number: int, digest: str | None) -> None:
    """Approve a seal and run it once."""
    if digest is None:
        _show_first(frame, number, State.SEALED)
    else:
        approved(frame, decider(frame, "approve"), number, digest)


def _show_first(frame: Frame, number: int, state: State) -> None:
    """Without a seal nothing was seen: at a terminal show the change and ask; elsewhere the seal must be named."""
    row = frame.run(frame.app.controller.current(frame.app.user.id, number))
    if not frame.at_terminal or row.state != state:
        raise click.UsageError(frame.say("change.digest_needed", name=change_name(number)), click.get_current_context())
    review(frame, row, ask=True)


@change.command(cls=Command)
@click.argument("number", type=NAME)
@pass_frame
def deny(frame: Frame, number: int) -> None:
    """Deny, or stop, a change."""
    finish(frame, frame.run(frame.app.controller.deny(decider(frame, "deny"), number)), denied=True)


@change.command(cls=Command)
@click.argument("number", type=NAME)
@option("--close", text="close", is_flag=True)
@pass_frame
def recheck(frame: Frame, number: int, *, close: bool) -> None:
    """Look again at an unknown outcome."""
    controller = frame.app.controller
    if close:
        finish(frame, frame.run(controller.close_as_failed(decider(frame, "close"), number)), denied=True)
        return
    finish(frame, frame.run(controller.recheck(frame.app.user.id, number)))


@change.command(cls=Command)
@click.argument("number", type=NAME)
@pass_frame
def repair(frame: Frame, number: int) -> None:
    """Propose a failed change again."""
    from steadyhand.cli.terminal.collecting import taken_on

    row = frame.run(frame.app.controller.repair(decider(frame, "repair"), number, frame.language))
    review(frame, taken_on(frame, row), ask=True)


@change.command(cls=Command)
@click.argument("number", type=NAME)
@pass_frame
def undo(frame: Frame, number: int) -> None:
    """Propose to take a verified change back."""
    work = frame.app.controller.undo(decider(frame, "undo"), number, f"undo C-{number}", frame.language)
    review(frame, frame.run(work), ask=True)


@change.command(cls=Command)
@click.argument("number", type=NAME)
@option("--out", "out", text="out", type=click.Path(path_type=Path, dir_okay=False))
@pass_frame
def export(frame: Frame, number: int, out: Path | None) -> None:
    """Write the dossier of a change to a file."""
    from steadyhand.gate import dossier

    app = frame.app
    row = frame.run(app.controller.current(app.user.id, number))
    data = frame.run(dossier.export(app.store, row))
    report = dossier.verify(data)
    if not report.ok:
        told = "; ".join(frame.say(f"dossier.{one.code}", name=one.name) for one in report.problems[:5])
        raise StoreUnavailable("record_differs", name=change_name(number), told=told)
    file = out or Path(f"C-{number}.zip")
    write_new(file, data)
    text = frame.say("change.exported", file=click.format_filename(file), bytes=len(data), head=report.head)
    frame.show(text, {"file": str(file), "bytes": len(data), "head": report.head})


def write_new(file: Path, data: bytes) -> None:
    """Write a file that must not exist yet, readable by its owner alone."""
    import os

    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise ToolRefusal("file_exists", file=str(file)) from None
    except OSError as error:
        raise ToolRefusal("file_unwritable", file=str(file), reason=error.strerror or "") from None
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


@change.command("verify-export", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--head", "head", text="head")
@pass_frame
def verify_export(frame: Frame, file: Path, head: str | None) -> None:
    """Check a dossier offline; needs no database."""
    from steadyhand.gate import dossier

    report = dossier.verify(read_bytes(file, dossier.MAX_FILE), None if head is None else head.strip().lower())
    shown = click.format_filename(file)
    problems = [frame.say(f"dossier.{one.code}", name=one.name) for one in report.problems]
    found: Mapping[str, Json] = {
        "file": shown,
        "ok": report.ok,
        "change": report.name,
        "state": report.state,
        "head": report.head,
        "ended": report.ended,
        "entries_since": report.since,
        "uncommitted": list(report.loose),
        "problems": [{"code": one.code, "name": one.name} for one in report.problems],
    }
    if report.ok:
        text = "\n".join(_verdict(frame, shown, report))
    else:
        text = "\n".join([frame.say("change.bad_export", file=shown), *(f"  {problem}" for problem in problems)])
    frame.show(text, found)
    if not report.ok:
        raise click.exceptions.Exit(REFUSED)


def _verdict(frame: Frame, file: str, report: "Report") -> Iterator[str]:
    state = word(frame.language, "state", report.state)
    yield frame.say("change.verified_export", file=file, name=report.name, state=state, head=report.head)
    if report.since is None:
        yield frame.say("change.export_head")
    else:
        yield frame.say("change.export_noted" if report.since == 0 else "change.export_noted_since", count=report.since)
    if not report.ended:
        yield frame.say("change.export_open", state=state)
    if report.loose:
        yield frame.say("change.export_loose", files=", ".join(report.loose))
