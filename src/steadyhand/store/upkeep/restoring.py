"""Decides how a backup is brought back; at every moment the place of the data holds the old or the new, whole, or says that it is between.

It must not lose what it replaces: that stays in the folder under a dated name. It must not take a table, trigger or byte that is not
as it was written.
"""

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadyhand.core.clock import Clock
from steadyhand.core.errors import SchemaMismatch, StoreUnavailable, ToolRefusal
from steadyhand.core.faults import reach
from steadyhand.core.ids import new_id
from steadyhand.store.database import copies, sqlite_file
from steadyhand.store.database.engine import Store
from steadyhand.store.database.locks import exclusive
from steadyhand.store.database.presence import alone
from steadyhand.store.upkeep import archive, held, schema, shape
from steadyhand.store.upkeep.backup import Holding, is_there, own_file

__all__ = ["Found", "Restored", "left_behind", "restore"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a file was found to hold: the tables' version, and, unless it is a bare database without digests, the folders and what is left out."""

    file: Path
    bytes: int
    version: str
    contents: archive.Contents | None

    def holds(self, folder: str) -> bool:
        """Tell whether it brings that folder back."""
        return self.contents is not None and folder in self.contents.folders


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: from what, where what was there lies now, and how much came with it that waits to be allowed to ring."""

    source: Found
    kept: Path | None
    folders: Mapping[str, Path]
    waiting: int


@dataclass(frozen=True, slots=True)
class Fresh:
    """What is ready to take the place: the database, and the folders by name."""

    database: Path
    folders: Mapping[str, Path]


def restore(
    store: Store,
    file: Path,
    holdings: Sequence[Holding] = (),
    *,
    bare: bool = False,
    agree: Callable[[Found], None] = lambda _found: None,
) -> Restored:
    """Put what *file* holds in the place of the present data, migrated when it is older; *agree* raises when the person says no.

    With *bare* a database without digests is taken. What came with it and would be told or done at its time waits until `copies.release`.
    """
    place = own_file(store)
    kind = archive.kind_of(file)
    if kind == "other":
        raise ToolRefusal("backup_other", file=str(file))
    if kind == "database" and not bare:
        inspect(file, str(file))
        raise ToolRefusal("backup_bare", file=str(file))
    schema.make_folder(place)
    with exclusive(store, "restore") as got:
        if not got:
            raise StoreUnavailable("restore_busy")
        _finish_earlier(place, store.clock)
        with _work_folders(place, holdings) as fresh, _room(file):
            found = _make_ready(file, fresh, kind, store.clock)
            agree(found)
            with alone(place) as nobody_else:
                if not nobody_else:
                    raise StoreUnavailable("restore_busy")
                moves = _moves(holdings, fresh, found, store.clock)
                kept = _switch_all(place, fresh.database, moves, store.clock)
                inspect(place, str(file))
    reach("restore.done")
    waiting = store.read_now(held.waiting)
    store.close()
    return Restored(found, kept, {move.name: move.kept for move in moves if move.kept is not None}, waiting)


@contextlib.contextmanager
def _room(file: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        code = "store_full" if error.errno == errno.ENOSPC else "store_cannot_open"
        raise StoreUnavailable(code, reason=f"{error.strerror or file}") from error


# ---- what the file is ------------------------------------------------------------------------------------------------


def inspect(file: Path, shown: str) -> str:
    """Look whether *file* is a whole database of ours, with exactly our tables, that this program can use; return its version."""
    try:
        with archive.plain_file(file), sqlite_file.reading(file) as connection:
            version = sqlite_file.version_in(connection)
            if version is None or not shape.known(version):
                raise _unknown(shown, version)
            strange = shape.strange_in(connection, version)
            damage = sqlite_file.damage_in(connection)
    except OSError as error:
        raise ToolRefusal("backup_unreadable", file=shown, reason=error.strerror or "") from None
    except StoreUnavailable as error:
        raise ToolRefusal("backup_unreadable", file=shown, reason=str(error.params["reason"])) from None
    if strange:
        raise ToolRefusal("backup_strange", file=shown, what=", ".join(strange))
    if damage:
        raise ToolRefusal("backup_unreadable", file=shown, reason=damage)
    return version


def _unknown(shown: str, version: str | None) -> ToolRefusal | SchemaMismatch:
    if version is not None and version.isascii() and version.isdigit() and version > schema.HEAD:
        return SchemaMismatch("schema_newer", found=version, known=schema.HEAD)
    return ToolRefusal("backup_other", file=shown)


def _make_ready(file: Path, fresh: Fresh, kind: str, clock: Clock) -> Found:
    """Lay out what *file* holds and make the database whole, synced, of this version and in one file."""
    contents = None
    if kind == "archive":
        contents = archive.unpack(file, fresh.database, fresh.folders)
        version = inspect(fresh.database, str(file))
    else:
        version = inspect(file, str(file))
        fresh.database.touch(mode=0o600)
        with sqlite_file.reading(file) as connection:
            sqlite_file.copy_into(connection, fresh.database)
    reach("restore.copied")
    store = Store(f"sqlite:///{fresh.database}", clock)
    try:
        schema.migrate(store, keep_copy=False)
        store.write_now(copies.hold)
    finally:
        store.close()
    sqlite_file.fold(fresh.database)
    inspect(fresh.database, str(file))
    sqlite_file.sync(fresh.database)
    reach("restore.ready")
    return Found(file, file.stat().st_size, version, contents)


@contextlib.contextmanager
def _work_folders(place: Path, holdings: Sequence[Holding]) -> Generator[Fresh]:
    """Give new places beside those that are to be replaced, so that each takes the place in one step; they are gone afterwards."""
    work = place.with_name(f"{_work_name(place)}{new_id('')}")
    folders = {one.name: one.root.with_name(f"{_work_name(one.root)}{new_id('')}") for one in holdings}
    for one in holdings:
        for old in one.root.parent.glob(f"{_work_name(one.root)}_*"):
            shutil.rmtree(old, ignore_errors=True)
    work.mkdir(mode=0o700)
    try:
        yield Fresh(work / place.name, folders)
    finally:
        for folder in (work, *folders.values()):
            shutil.rmtree(folder, ignore_errors=True)


def _work_name(place: Path) -> str:
    return f"{place.name}.restoring"


# ---- the folders -----------------------------------------------------------------------------------------------------
# They go first and the database last, so that its switch is the moment that counts. Until then a note beside the database
# says which were moved; while it lies there no command opens the data, and the next restore brings the old ones back.


@dataclass(frozen=True, slots=True)
class Move:
    """A folder that takes a place: what is there goes to *kept*, what is *fresh* comes; None where there is nothing."""

    name: str
    place: Path
    fresh: Path | None
    kept: Path | None


def _moves(holdings: Sequence[Holding], fresh: Fresh, found: Found, clock: Clock) -> list[Move]:
    moves: list[Move] = []
    for one in holdings:
        new = fresh.folders[one.name] if fresh.folders[one.name].exists() else None
        old = _dated(one.root, clock) if one.root.exists() else None
        if found.holds(one.name) and (new or old):
            moves.append(Move(one.name, one.root, new, old))
    return moves


def _switch_all(place: Path, database: Path, moves: Sequence[Move], clock: Clock) -> Path | None:
    note = schema.between(place)
    if moves:
        told = [[str(part or "") for part in (move.place, move.fresh, move.kept)] for move in moves]
        note.write_text(json.dumps({"database": database.stat().st_ino, "moves": told}), encoding="utf-8")
        sqlite_file.sync(note)
        sqlite_file.sync(note.parent)
    reach("restoring.noted")
    try:
        for move in moves:
            _move(move)
        reach("restoring.moved")
        kept = _switch(place, database, clock)
    except BaseException:
        _take_back(place)
        raise
    note.unlink(missing_ok=True)
    sqlite_file.sync(place.parent)
    return kept


def _move(move: Move) -> None:
    if move.kept is not None:
        move.place.rename(move.kept)
    if move.fresh is not None:
        move.fresh.rename(move.place)
    sqlite_file.sync(move.place.parent)


def _take_back(place: Path) -> None:
    """Bring the old folders back where the database was not switched; nothing where it was."""
    note = schema.between(place)
    if not note.exists():
        return
    told = json.loads(note.read_text(encoding="utf-8") or '{"database": 0, "moves": []}')
    if not (place.exists() and place.stat().st_ino == told["database"]):
        for own, fresh, kept in reversed(told["moves"]):
            if fresh and not Path(fresh).exists() and Path(own).exists() and (not kept or Path(kept).exists()):
                Path(own).rename(fresh)
            if kept and Path(kept).exists():
                Path(kept).rename(own)
    note.unlink()
    sqlite_file.sync(place.parent)


def _dated(place: Path, clock: Clock) -> Path:
    """Return a dated name beside *place* that nothing has."""
    base = f"{place.name}.before-restore-{clock.now():%Y%m%dT%H%M%SZ}"
    names = (place.with_name(base if count == 1 else f"{base}-{count}") for count in range(1, 1_000))
    return next(name for name in names if not os.path.lexists(name))


# ---- the database ----------------------------------------------------------------------------------------------------
# The switch. A file beside the database (``-wal``) belongs to it: were one of the old database there when the new one
# takes the name, SQLite would play it into the new one. So first the old one becomes one file, or, when it is too damaged
# for that, what lies beside it is moved away with it. Until it is renamed at the end the old one is only linked to, so that
# its place is never empty.


def _switch(place: Path, fresh: Path, clock: Clock) -> Path | None:
    if not is_there(place):
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
    kept, dated = _kept(place), _dated(place, clock)
    for path in sqlite_file.beside(kept):
        path.rename(dated.with_name(dated.name + path.name.removeprefix(kept.name)))
    kept.rename(dated)
    sqlite_file.sync(place.parent)
    return dated


def _finish_earlier(place: Path, clock: Clock) -> None:
    """Clear up after a restore that was killed: before its switch the old database is made whole again, after it, named."""
    _take_back(place)
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
