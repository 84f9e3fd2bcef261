"""Decides what a backup is made of and that it is one moment: the database, and the folders that its record speaks of.

It must not replace a file, and must not keep others from writing. Servers have their own tools.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from steadyhand.core.clock import to_text
from steadyhand.core.errors import StoreUnavailable, ToolRefusal
from steadyhand.core.ids import new_id
from steadyhand.store.database import sqlite_file
from steadyhand.store.database.engine import Store
from steadyhand.store.upkeep import archive
from steadyhand.store.upkeep.archive import Contents

TRIES = 20


@dataclass(frozen=True, slots=True)
class Holding:
    """A folder that belongs to the data: its name in a backup, where it lies, whether a file in it, by its place there, lasts.

    With *together* the database speaks of what is in it, so both must be of one moment; its files are replaced whole, never written to.
    """

    name: str
    root: Path
    lasts: Callable[[Path], bool] = lambda _place: True
    together: bool = False

    def files(self) -> Iterator[tuple[str, Path]]:
        """Return what lasts, by its name in a backup, what lies higher first; links are among them, to be told of."""
        for folder, inner, names in os.walk(self.root):
            inner.sort()
            linked = [name for name in inner if (Path(folder) / name).is_symlink()]
            for name in sorted([*names, *linked]):
                place = (Path(folder) / name).relative_to(self.root)
                if self.lasts(place):
                    yield f"{self.name}/{place.as_posix()}", self.root / place


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup that was written."""

    file: Path
    bytes: int
    contents: Contents


def back_up(store: Store, file: Path, holdings: Sequence[Holding] = (), left_out: Sequence[str] = ()) -> Copy:
    """Write a checked backup to *file*, which must not exist yet; *left_out* is what the manifest says is not in it."""
    source = own_file(store)
    if not is_there(source):
        raise StoreUnavailable("backup_nothing", file=str(source))
    if os.path.lexists(file):
        raise ToolRefusal("backup_exists", file=str(file))
    with _empty_beside(file) as part, _empty_beside(file) as database, contextlib.ExitStack() as stack:
        staged = [stack.enter_context(_staged(holding)) for holding in holdings]
        _one_moment(store, database, staged)
        version = _checked(database)
        wanted = Contents(version, to_text(store.clock.now()), {}, tuple(one.name for one in holdings), tuple(left_out))
        held = [found for one in staged for found in one.files() if found[1] not in (part, database)]
        sources = [(archive.DATABASE, database), *held]
        with part.open("wb") as stream:
            contents = archive.write(stream, wanted, sources)
            stream.flush()
            os.fsync(stream.fileno())
        _name_it(part, file)
    return Copy(file, file.stat().st_size, contents)


def _one_moment(store: Store, database: Path, staged: Sequence["Staged"]) -> None:
    """Copy the database, and take the folders together with it, so that no change was moved on in between.

    An effect is begun only after its change was moved on in the database; so where none was moved, the folders are as the copy knows
    them, or as an effect that the copy knows to be under way leaves them, which is asked about when the copy is first opened.
    """
    for _ in range(TRIES):
        database.write_bytes(b"")
        with store.raw() as connection:
            driver = cast("sqlite3.Connection", connection.connection.driver_connection)
            sqlite_file.copy_into(driver, database)
            for one in staged:
                one.take()
            now = _moves(driver)
        with sqlite_file.reading(database) as copied:
            if _moves(copied) == now:
                return
    raise StoreUnavailable("store_busy", reason="backup")


def _moves(connection: sqlite3.Connection) -> tuple[int, int]:
    found = connection.execute("SELECT count(*), coalesce(sum(version), 0) FROM changes").fetchone()
    return int(found[0]), int(found[1])


def _checked(database: Path) -> str:
    with sqlite_file.reading(database) as connection:
        version, damage = sqlite_file.version_in(connection), sqlite_file.damage_in(connection)
    if version is None or damage:
        raise StoreUnavailable("store_damaged", reason=damage or archive.DATABASE)
    return version


class Staged:
    """A folder as it is taken into a backup."""

    def __init__(self, holding: Holding, place: Path) -> None:
        self._holding = holding
        self._place = place

    def take(self) -> None:
        """Take what lasts as it lies now, in no time: by links to files that are never written to again."""
        if not self._holding.together:
            return
        shutil.rmtree(self._place, ignore_errors=True)
        self._place.mkdir(mode=0o700)
        for name, source in self._holding.files():
            copy = self._place / Path(name).relative_to(self._holding.name)
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # what is just being removed belongs to no version
                _link(source, copy)

    def files(self) -> Iterator[tuple[str, Path]]:
        """Return what is taken."""
        taken = Holding(self._holding.name, self._place) if self._holding.together else self._holding
        return taken.files()


def _link(source: Path, copy: Path) -> None:
    try:
        os.link(source, copy, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without links
        shutil.copy2(source, copy, follow_symlinks=False)


@contextlib.contextmanager
def _staged(holding: Holding) -> Generator[Staged]:
    prefix = f".{holding.root.name}.backing-up"
    for old in holding.root.parent.glob(f"{prefix}_*"):  # of a backup that was killed
        shutil.rmtree(old, ignore_errors=True)
    place = holding.root.with_name(f"{prefix}{new_id('')}")
    try:
        yield Staged(holding, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def _empty_beside(file: Path) -> Generator[Path]:
    part = file.absolute().with_name(f".{new_id('part')}")
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


def own_file(store: Store) -> Path:
    """Return the file of the database; a server has none."""
    if store.file is None:
        raise StoreUnavailable("backup_postgres")
    return store.file.absolute()


def is_there(file: Path) -> bool:
    """Tell whether there is a database at all."""
    return file.exists() and file.stat().st_size > 0
