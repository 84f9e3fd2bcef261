"""Decides how the database is copied out, brought back and migrated at the command line. It must not touch it before it was asked."""

import contextlib
from collections.abc import Generator
from pathlib import Path

import click

from steadyhand.cli.frame import REFUSED, Command, Frame, option, pass_frame
from steadyhand.cli.printing import ask, echo
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.logs import configure
from steadyhand.store import Store, schema
from steadyhand.store import backup as store_backup

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
@pass_frame
def backup(frame: Frame, file: Path) -> None:
    """Write a checked copy of the database to a new file."""
    with _database(frame) as store:
        copy = store_backup.back_up(store, file)
    shown = click.format_filename(file)
    text = frame.say("backup.written", file=shown, size=f"{copy.bytes / MIB:.1f}", version=copy.version)
    frame.show(text, {"file": shown, "bytes": copy.bytes, "version": copy.version})


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@option("--yes", text="yes", is_flag=True)
@pass_frame
def restore(frame: Frame, file: Path, *, yes: bool) -> None:
    """Put a backup in the place of the present database."""
    with _database(frame) as store:
        if store.file is not None and not yes:
            _ask(frame, file, store.file)
        done = store_backup.restore(store, file)
    shown = click.format_filename(file)
    parts = [frame.say("restore.done", file=shown, version=done.source.version)]
    if done.source.version != schema.HEAD:
        parts.append(frame.say("restore.migrated", version=schema.HEAD))
    if done.kept is not None:
        parts.append(frame.say("restore.kept", file=done.kept))
    kept = None if done.kept is None else str(done.kept)
    frame.show("\n".join(parts), {"file": shown, "version": done.source.version, "kept": kept})


def _ask(frame: Frame, file: Path, present: Path) -> None:
    copy = store_backup.inspect(file)
    if not frame.at_terminal:
        raise ToolRefusal("restore_needs_yes", file=str(file))
    echo(
        frame.say(
            "restore.about",
            file=click.format_filename(file),
            version=copy.version,
            size=f"{copy.bytes / MIB:.1f}",
            present=present,
        )
    )
    answer = ask(frame.say("restore.asked")).strip().lower()
    if answer not in ("y", "yes", "是", "好"):
        echo(frame.say("restore.untouched"))
        raise click.exceptions.Exit(REFUSED)


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
