"""Decides whether the database fits the program, and brings it there; it must not touch a database that is newer.

A start costs one read of the version. Alembic is imported only when the database is behind: then lock, copy, migrate, verify.
On PostgreSQL only an explicit `migrate` does that; otherwise a person is told.
"""

import contextlib
import tempfile
from pathlib import Path

from sqlalchemy import text

from steadyhand.core.errors import SchemaMismatch, StoreUnavailable
from steadyhand.store.database import sqlite_file
from steadyhand.store.database.engine import Store, Tx
from steadyhand.store.database.locks import exclusive

MIGRATIONS = Path(__file__).parent.parent / "migrations"
HEAD = max(step.name[:4] for step in (MIGRATIONS / "versions").glob("[0-9]*_*.py"))
"""The newest step that there is."""
LOCK_WAIT = 60.0


def version(store: Store) -> str | None:
    """Return the version of the database's tables, or None when it has none yet."""
    there = (
        "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        if store.on_sqlite
        else "SELECT to_regclass('alembic_version')"
    )

    def work(tx: Tx) -> object:
        exists = tx.execute(text(there)).scalar()
        return tx.execute(text("SELECT version_num FROM alembic_version")).scalar() if exists else None

    found = store.read_now(work)
    return None if found is None else str(found)


def ensure(store: Store) -> None:
    """Make sure that the tables are there and of this program's version; raises `SchemaMismatch` otherwise."""
    if store.file is not None and between(store.file.absolute()).exists():
        raise StoreUnavailable("restore_between", folder=str(store.file.absolute().parent))
    make_place(store)
    found = version(store)
    if found == HEAD:
        return
    if found is not None and found > HEAD:
        raise SchemaMismatch("schema_newer", found=found, known=HEAD)
    if not store.on_sqlite:
        raise SchemaMismatch("schema_behind", found=found or "-", known=HEAD)
    migrate(store)


def migrate(store: Store, *, keep_copy: bool = True) -> Path | None:
    """Bring the tables to this program's version under a lock; return the copy that was made before, when there was data."""
    with exclusive(store, "migrate", wait_seconds=LOCK_WAIT) as got:
        if not got:
            raise StoreUnavailable("store_busy", reason="migrate.lock")
        found = version(store)
        if found == HEAD:
            return None
        if found is not None and found > HEAD:
            raise SchemaMismatch("schema_newer", found=found, known=HEAD)
        copy = _copy_before(store, found) if found is not None and keep_copy else None
        _upgrade(store)
        _verify(store)
        return copy


def between(file: Path) -> Path:
    """Return the note that lies beside a database while a restore is between the old data and the new."""
    return file.with_name(f"{file.name}.between")


def lay(store: Store, revision: str) -> None:
    """Make the tables of *revision* in an empty database."""
    _upgrade(store, revision)


def make_folder(file: Path) -> None:
    """Make the folder of the database, for its owner alone."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreUnavailable("store_cannot_open", reason=f"{file.parent}: {error.strerror}") from error


def make_place(store: Store) -> None:
    """Make the folder and the SQLite file, for their owner alone, where there is none; one that is there and empty has lost what it held.

    A new file comes to its name with its first page, so that no break-off leaves an empty one.
    """
    file = store.file
    if file is None:
        return
    if file.exists():
        if file.is_file() and file.stat().st_size == 0:
            raise StoreUnavailable("store_empty", file=str(file))
        return
    make_folder(file)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder:
            new = Path(folder) / file.name
            new.touch(mode=0o600)
            sqlite_file.first_page(new)
            with contextlib.suppress(FileExistsError):  # somebody was first
                _name(new, file)
    except OSError as error:
        raise StoreUnavailable("store_cannot_open", reason=f"{file}: {error.strerror}") from error


def _name(new: Path, file: Path) -> None:
    try:
        file.hardlink_to(new)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        new.rename(file)


def _copy_before(store: Store, found: str) -> Path | None:
    file = store.file
    if file is None:
        return None
    copy = file.with_name(f"{file.name}.before-{HEAD}-from-{found}")
    copy.unlink(missing_ok=True)
    with store.raw() as connection:
        connection.connection.cursor().execute("VACUUM INTO ?", (str(copy),))
    copy.chmod(0o600)
    return copy


def _upgrade(store: Store, revision: str | None = None) -> None:
    from alembic import command  # noqa: PLC0415  # a quarter of a second that a start does not pay
    from alembic.config import Config  # noqa: PLC0415  # as above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with store.raw() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision or HEAD)
        connection.commit()


def _verify(store: Store) -> None:
    found = version(store)
    problem = "" if found == HEAD else f"version {found}"
    if store.on_sqlite:
        with store.raw() as connection:
            check = str(connection.execute(text("PRAGMA quick_check")).scalar())
            orphan = connection.execute(text("PRAGMA foreign_key_check")).first()
            connection.rollback()
        problem = problem or ("" if check == "ok" else check) or (f"foreign key {orphan}" if orphan else "")
    if problem:
        raise SchemaMismatch("schema_migration_failed", reason=problem)
