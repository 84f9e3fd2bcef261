"""Decides how the SQLite database is copied out and brought back; at every moment its place holds the old one or the new one, whole.

It must not lose the database that it replaces: that one stays in the folder under a dated name. Servers have their own tools.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from steadyhand.core.clock import Clock
from steadyhand.core.errors import SchemaMismatch, StoreUnavailable, ToolRefusal
from steadyhand.core.faults import reach
from steadyhand.core.ids import new_id
from steadyhand.store import schema, sqlite_file
from steadyhand.store.engine import Store
from steadyhand.store.locks import exclusive
from steadyhand.store.presence import alone


@dataclass(frozen=True, slots=True)
class Copy:
    """A file that holds a whole database of ours."""

    file: Path
    bytes: int
    version: str


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: from which version, and where the database that was there lies now, if there was one."""

    source: Copy
    kept: Path | None


def back_up(store: Store, file: Path) -> Copy:
    """Write a checked copy of the database to *file*, which must not exist yet."""
    source = _own_file(store)
    if not _is_there(source):
        raise StoreUnavailable("backup_nothing", file=str(source))
    if os.path.lexists(file):
        raise ToolRefusal("backup_exists", file=str(file))
    with _empty_beside(file) as part:
        with store.raw() as connection:
            sqlite_file.copy_into(cast("sqlite3.Connection", connection.connection.driver_connection), part)
        copy = inspect(part, any_version=True)
        _name_it(part, file)
    return Copy(file, copy.bytes, copy.version)


@contextlib.contextmanager
def _empty_beside(file: Path) -> Generator[Path]:
    part = file.with_name(f".{new_id('part')}")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise ToolRefusal("file_unwritable", file=str(file), reason=error.strerror or "") from None
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _name_it(part: Path, file: Path) -> None:
    """Give the finished file its name in one step that never replaces another file."""
    try:
        os.link(part, file)
    except FileExistsError:
        raise ToolRefusal("backup_exists", file=str(file)) from None
    except OSError:  # a file system without links
        part.rename(file)
    sqlite_file.sync(file.parent)


def inspect(file: Path, *, any_version: bool = False) -> Copy:
    """Look whether *file* is a whole database of ours that this program can use; raises what is the matter with it."""
    try:
        size = file.stat().st_size
        with file.open("rb"), sqlite_file.reading(file) as connection:
            version = sqlite_file.version_in(connection)
            damage = sqlite_file.damage_in(connection)
    except OSError as error:
        raise ToolRefusal("backup_unreadable", file=str(file), reason=error.strerror or "") from None
    except StoreUnavailable as error:
        raise ToolRefusal("backup_unreadable", file=str(file), reason=str(error.params["reason"])) from None
    if damage:
        raise ToolRefusal("backup_unreadable", file=str(file), reason=damage)
    if version is None:
        raise ToolRefusal("backup_other", file=str(file))
    if version > schema.HEAD and not any_version:
        raise SchemaMismatch("schema_newer", found=version, known=schema.HEAD)
    return Copy(file, size, version)


def restore(store: Store, file: Path) -> Restored:
    """Put the database in *file* in the place of the present one, migrated when it is older."""
    place = _own_file(store)
    source = inspect(file)
    schema.make_folder(place)
    with exclusive(store, "restore") as got:
        if not got:
            raise StoreUnavailable("restore_busy")
        _finish_earlier(place, store.clock)
        with _work_folder(place) as work:
            fresh = work / place.name
            _make_ready(file, fresh)
            with alone(place) as nobody_else:
                if not nobody_else:
                    raise StoreUnavailable("restore_busy")
                kept = _switch(place, fresh, store.clock)
                inspect(place)
    reach("restore.done")
    return Restored(source, kept)


def _own_file(store: Store) -> Path:
    if store.file is None:
        raise StoreUnavailable("backup_postgres")
    return store.file.absolute()


def _is_there(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


@contextlib.contextmanager
def _work_folder(place: Path) -> Generator[Path]:
    work = place.with_name(f"{_work_name(place)}{new_id('')}")
    work.mkdir(mode=0o700)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _work_name(place: Path) -> str:
    return f"{place.name}.restoring"


def _make_ready(file: Path, fresh: Path) -> None:
    """Make *fresh* a whole, synced database of this version in one file."""
    fresh.touch(mode=0o600)
    with sqlite_file.reading(file) as connection:
        sqlite_file.copy_into(connection, fresh)
    reach("restore.copied")
    store = Store(f"sqlite:///{fresh}")
    try:
        schema.migrate(store, keep_copy=False)
    finally:
        store.close()
    sqlite_file.fold(fresh)
    inspect(fresh)
    sqlite_file.sync(fresh)
    reach("restore.ready")


# The switch. A file beside the database (``-wal``) belongs to it: were one of the old database there when the new one
# takes the name, SQLite would play it into the new one. So first the old one becomes one file, or, when it is too damaged
# for that, what lies beside it is moved away with it. Until it is renamed at the end the old one is only linked to, so that
# its place is never empty.


def _switch(place: Path, fresh: Path, clock: Clock) -> Path | None:
    if not _is_there(place):
        for path in sqlite_file.beside(place):
            path.unlink()
        fresh.replace(place)
        sqlite_file.sync(place.parent)
        return None
    _make_one_file(place)
    reach("restore.alone")
    kept = _kept(place)
    _keep(place, kept)
    for path in sqlite_file.beside(place):
        _keep(path, _beside_kept(place, path))
    sqlite_file.sync(place.parent)
    reach("restore.kept")
    for path in sqlite_file.beside(place):
        path.unlink()
    sqlite_file.sync(place.parent)
    reach("restore.cleared")
    fresh.replace(place)
    sqlite_file.sync(place.parent)
    reach("restore.switched")
    return _name_kept(place, clock)


def _make_one_file(place: Path) -> None:
    try:
        sqlite_file.fold(place)
    except StoreUnavailable as error:
        if error.code == "store_busy":  # by something that is not ours and knows no lock of ours
            raise StoreUnavailable("restore_busy") from None
        if error.code != "store_damaged":
            raise


def _kept(place: Path) -> Path:
    return place.with_name(f"{place.name}.kept")


def _beside_kept(place: Path, path: Path) -> Path:
    return _kept(place).with_name(_kept(place).name + path.name.removeprefix(place.name))


def _keep(path: Path, name: Path) -> None:
    try:
        name.hardlink_to(path)
    except OSError:  # a file system without links
        shutil.copy2(path, name)
        sqlite_file.sync(name)


def _name_kept(place: Path, clock: Clock) -> Path:
    """Give the database that was replaced its dated name, in which nothing that is there is ever replaced."""
    kept = _kept(place)
    base = f"{place.name}.before-restore-{clock.now():%Y%m%dT%H%M%SZ}"
    names = (place.with_name(base if count == 1 else f"{base}-{count}") for count in range(1, 1_000))
    dated = next(name for name in names if not name.exists())
    for path in sqlite_file.beside(kept):
        path.rename(dated.with_name(dated.name + path.name.removeprefix(kept.name)))
    kept.rename(dated)
    sqlite_file.sync(place.parent)
    return dated


def _finish_earlier(place: Path, clock: Clock) -> None:
    """Clear up after a restore that was killed: before its switch the old database is made whole again, after it, named."""
    for work in place.parent.glob(f"{_work_name(place)}_*"):
        shutil.rmtree(work, ignore_errors=True)
    kept = _kept(place)
    if not kept.exists():
        return
    if not (place.exists() and kept.samefile(place)):
        _name_kept(place, clock)
        return
    for path in sqlite_file.beside(kept):
        own = place.with_name(place.name + path.name.removeprefix(kept.name))
        if own.exists():
            path.unlink()
        else:
            path.rename(own)
    kept.unlink()
    sqlite_file.sync(place.parent)


def left_behind(place: Path) -> Path | None:
    """Return the old database that a killed restore has not named yet, if there is one."""
    return _kept(place) if _kept(place).exists() else None
