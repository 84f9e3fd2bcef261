"""Decides how the command line reads and writes a person's files; it must not know what is in them."""

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from steadyhand.core.errors import ToolRefusal

MAX_READ = 16 * 1024 * 1024
MODE = 0o644
"""What a person exports is for others too, as any file that they save; dossiers and backups are for the owner alone."""


def read_bytes(file: Path, most: int = MAX_READ) -> bytes:
    """Return what a file holds, bounded; a device or a pipe is no file, and is not waited for; a reader that knows its own limit refuses what is longer."""
    try:
        if not file.is_file():
            raise _unreadable(file, os.strerror(21) if file.is_dir() else os.strerror(2))
        with file.open("rb") as stream:
            return stream.read(most)
    except (OSError, ValueError) as error:
        raise _unreadable(file, getattr(error, "strerror", None) or str(error)) from None


def _unreadable(file: Path, reason: str) -> ToolRefusal:
    return ToolRefusal("file_unreadable", file=click.format_filename(file), reason=reason)


def write_whole(file: Path, data: bytes, *, force: bool) -> None:
    """Write a file whole or not at all: beside it first, on disk, then under its name; one that is there stays without *force*."""
    shown = click.format_filename(file)
    if not force and os.path.lexists(file):
        raise ToolRefusal("file_exists", file=shown)
    beside = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=".steady-", dir=file.parent)
        beside = Path(name)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), MODE)
            os.fsync(stream.fileno())
        _name(beside, file, force=force)
    except FileExistsError:
        raise ToolRefusal("file_exists", file=shown) from None
    except (OSError, ValueError) as error:
        raise ToolRefusal("file_unwritable", file=shown, reason=getattr(error, "strerror", None) or str(error)) from None
    finally:
        if beside is not None:
            with contextlib.suppress(OSError):
                beside.unlink()


def _name(beside: Path, file: Path, *, force: bool) -> None:
    """Give what was written its name; a link fails when somebody was first, a rename replaces."""
    if force:
        beside.replace(file)
    else:
        file.hardlink_to(beside)


def made_whole(file: Path, make: Callable[[Path], object], *, force: bool) -> None:
    """Let *make* write a file in a folder of its own beside *file*, and name it when it is whole; one that is there stays without *force*."""
    shown = click.format_filename(file)
    if not force and os.path.lexists(file):
        raise ToolRefusal("file_exists", file=shown)
    try:
        with tempfile.TemporaryDirectory(prefix=".steady-", dir=file.parent) as folder:
            place = Path(folder) / f"new{file.suffix}"
            make(place)
            place.chmod(MODE)
            _name(place, file, force=force)
    except FileExistsError:
        raise ToolRefusal("file_exists", file=shown) from None
    except OSError as error:
        raise ToolRefusal("file_unwritable", file=shown, reason=error.strerror or str(error)) from None
