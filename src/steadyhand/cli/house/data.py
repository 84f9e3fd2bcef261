"""Decides how the database is copied out, brought back and migrated at the command line. It must not touch it before it was asked."""

import contextlib
from collections.abc import Generator
from functools import partial
from pathlib import Path

import click

from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, option, pass_frame
from steadyhand.cli.terminal.printing import ask, echo
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.logs import configure
from steadyhand.domains.cae.engineering import NAME as CAE
from steadyhand.store import Store
from steadyhand.store.database import copies
from steadyhand.store.upkeep import held, restoring, schema
from steadyhand.store.upkeep.backup import back_up
from steadyhand.store.upkeep.restoring import Found, Restored

MIB = 1024 * 1024


@contextlib.contextmanager
def _database(frame: Frame) -> Generator[Store]:
    """Give the database as it lies: whatever its version, nothing is migrated or recovered."""
    configure(frame.settings.log_level)
    store = Store(frame.settings.url)
    try:
        yield store
    finally:
        store.close()


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--without-workspace", "without_workspace", text="without_workspace", is_flag=True)
@pass_frame
def backup(frame: Frame, file: Path, *, without_workspace: bool) -> None:
    """Write a checked copy of the data to a new file."""
    from steadyhand.wiring.data import WORKSPACE, holdings, left_out

    own, workspace = frame.settings, not without_workspace
    with _database(frame) as store:
        copy = back_up(store, file, holdings(own, workspace=workspace), left_out(own, workspace=workspace))
    found, shown = copy.contents, click.format_filename(file)
    told = {"file": shown, "size": f"{copy.bytes / MIB:.1f}", "version": found.version, "digest": found.digest}
    parts = found.count(CAE)
    lines = [frame.say("backup.written", **told), frame.say("backup.holds", parts=parts, files=found.count(WORKSPACE))]
    if without_workspace:
        lines = [lines[0], frame.say("backup.holds_less", parts=parts)]
    if found.left_out:
        lines.append(frame.say("backup.left_out", names=", ".join(found.left_out)))
    data: dict[str, Json] = {"file": shown, "bytes": copy.bytes, "version": found.version, "digest": found.digest}
    data |= {"parts": parts, "workspace": None if without_workspace else found.count(WORKSPACE)}
    frame.show("\n".join(lines), {**data, "left_out": list(found.left_out)})


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@option("--yes", text="yes", is_flag=True)
@option("--ring/--hold", "ring", text="ring", default=None)
@option("--without-digests", "bare", text="without_digests", is_flag=True)
@pass_frame
def restore(frame: Frame, file: Path | None, *, yes: bool, ring: bool | None, bare: bool) -> None:
    """Put a backup in the place of the present data; without a file, say whether what came with one rings here."""
    from steadyhand.wiring.data import holdings

    if file is None:
        _let_ring(frame, ring=ring)
        return
    with _database(frame) as store:
        there = store.file is not None
        agree = partial(_agree, frame, present=store.file, yes=yes or not there)
        done = restoring.restore(store, file, holdings(frame.settings), bare=bare, agree=agree)
        waiting = done.waiting
        if waiting and (ring or (ring is None and not yes and frame.at_terminal and _rings_here(frame, waiting))):
            store.write_now(copies.release)
            waiting = 0
    _told(frame, done, waiting)


def _told(frame: Frame, done: Restored, waiting: int) -> None:
    from steadyhand.wiring.data import WORKSPACE

    shown, source = click.format_filename(done.source.file), done.source
    lines = [frame.say("restore.done", file=shown, version=source.version)]
    if source.version != schema.HEAD:
        lines.append(frame.say("restore.migrated", version=schema.HEAD))
    kept = {**({} if done.kept is None else {"database": done.kept}), **done.folders}
    lines += [frame.say("restore.kept", what=frame.say(f"restore.what.{name}"), file=place) for name, place in kept.items()]
    lines += [
        frame.say("restore.not_in_it", what=frame.say(f"restore.what.{name}"))
        for name in (CAE, WORKSPACE)
        if not source.holds(name)
    ]
    if source.contents is not None and source.contents.left_out:
        lines.append(frame.say("backup.left_out", names=", ".join(source.contents.left_out)))
    if waiting:
        lines.append(frame.say("restore.waiting", count=waiting))
    data: dict[str, Json] = {"file": shown, "version": source.version, "kept": None if done.kept is None else str(done.kept)}
    data |= {"folders_kept": {name: str(place) for name, place in done.folders.items()}, "waiting": waiting}
    frame.show("\n".join(lines), {**data, "holds": [name for name in (CAE, WORKSPACE) if source.holds(name)]})


def _agree(frame: Frame, found: Found, *, present: Path | None, yes: bool) -> None:
    if yes:
        return
    if not frame.at_terminal:
        raise ToolRefusal("restore_needs_yes", file=click.format_filename(found.file))
    about = {"file": click.format_filename(found.file), "version": found.version, "size": f"{found.bytes / MIB:.1f}"}
    echo(frame.say("restore.about", **about, present=present))
    if not _said_yes(frame.say("restore.asked")):
        echo(frame.say("restore.untouched"))
        raise click.exceptions.Exit(REFUSED)


def _rings_here(frame: Frame, count: int) -> bool:
    echo(frame.say("restore.rings_where", count=count))
    return _said_yes(frame.say("restore.rings_asked"))


def _said_yes(question: str) -> bool:
    answer = ask(question).strip().lower()
    return answer in ("y", "yes", "是", "好")


def _let_ring(frame: Frame, *, ring: bool | None) -> None:
    if ring is None:
        raise click.UsageError(frame.say("restore.needs_file"), click.get_current_context())
    store = frame.app.store
    count = store.read_now(held.waiting)
    if ring:
        store.write_now(copies.release)
    message = "restore.ring" if ring and count else "restore.waiting" if count else "restore.none_waits"
    frame.show(frame.say(message, count=count), {"waiting": 0 if ring else count})


@click.command(cls=Command)
@pass_frame
def migrate(frame: Frame) -> None:
    """Bring the tables of the database to this version."""
    with _database(frame) as store:
        schema.make_place(store)
        before = schema.version(store)
        copy = schema.migrate(store)
    if before == schema.HEAD:
        text = frame.say("migrate.nothing", version=schema.HEAD)
    elif before is None:
        text = frame.say("migrate.made", version=schema.HEAD)
    else:
        text = frame.say("migrate.done", before=before, version=schema.HEAD)
    if copy is not None:
        text += "\n" + frame.say("migrate.copy", file=copy)
    frame.show(text, {"before": before, "version": schema.HEAD, "copy": None if copy is None else str(copy)})
