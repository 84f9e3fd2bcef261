"""Decides how the database is opened, read and written; ``Store.write`` is the only way to write. It must not know a table.

A unit of work is a plain function of a `Tx`: it cannot await, so nothing but the database happens inside a transaction.
On SQLite every writing unit is ``BEGIN IMMEDIATE`` with ``synchronous=FULL``; readers use an engine that cannot write.
"""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Engine, Executable, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from steadyhand.core.clock import Clock, SystemClock, to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.store.database import address
from steadyhand.store.database.presence import Presence
from steadyhand.store.database.watching import Watch

T = TypeVar("T")
BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Tx:
    """An open transaction. *on_sqlite* tells where row locks are needed: on SQLite the writer already has the file."""

    connection: Connection
    clock: Clock
    on_sqlite: bool

    def execute(
        self, statement: Executable, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Run one statement; with a list of *rows* it runs once for each."""
        return self.connection.execute(statement, rows)

    def now(self) -> str:
        """Return the present as it is stored."""
        return to_text(self.clock.now())


def put(tx: Tx, table: Table, row: Mapping[str, Any], *, unless_there: bool = False, by: tuple[str, ...] | None = None) -> bool:
    """Write *row* under its primary key, in the place of what is there, or only *unless_there* is something; tell whether it was written.

    Another unique key may be named, *by* its columns. Two who do so at once come one after the other; neither is refused.
    """
    key = by or tuple(column.name for column in table.primary_key)
    return tx.execute(_putting(table, tuple(row), tx.on_sqlite, unless_there, key), dict(row)).rowcount == 1


@cache
def _putting(table: Table, names: tuple[str, ...], on_sqlite: bool, unless_there: bool, key: tuple[str, ...]) -> Executable:
    statement = (sqlite if on_sqlite else postgresql).insert(table)
    if unless_there:
        statement = statement.on_conflict_do_nothing(index_elements=key)
    else:
        rest = {name: statement.excluded[name] for name in names if name not in key}
        statement = statement.on_conflict_do_update(index_elements=key, set_=rest)
    return statement.execution_options(preserve_rowcount=True)


class Duplicate(Exception):
    """A unique constraint refused the write; the transaction is rolled back."""


def _prepare_sqlite(engine: Engine, presence: Presence | None, *, writing: bool) -> None:
    @event.listens_for(engine, "do_connect")
    def on_open(*_what: object) -> None:  # pyright: ignore[reportUnusedFunction]  # registered by the decorator
        if presence is not None:
            presence.take()

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # pyright: ignore[reportUnusedFunction]  # registered by the decorator
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        cursor.execute("PRAGMA foreign_keys = ON")
        if writing:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
        else:
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]  # registered by the decorator
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


class Store:
    """The one database, opened."""

    def __init__(self, url: str, clock: Clock | None = None) -> None:
        try:
            self.url = make_url(url)
        except (ArgumentError, ValueError):  # what they say quotes a part of the URL
            raise StoreUnavailable("database_url_unusable", reason=address.shown(url)) from None
        self._address = url
        self.clock: Clock = clock or SystemClock()
        self.on_sqlite = self.url.get_backend_name() == "sqlite"
        self._one_writer: contextlib.AbstractContextManager[object] = (
            threading.RLock() if self.on_sqlite else contextlib.nullcontext()
        )
        self._presence = Presence(self.file, BUSY_SECONDS) if self.file is not None else None
        try:
            self._writer = create_engine(self.url, **self._options())
            self._reader = create_engine(self.url, **self._options()) if self.on_sqlite else self._writer
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise StoreUnavailable("database_driver_missing", reason=str(error)) from error
        except (ArgumentError, ValueError):
            raise StoreUnavailable("database_url_unusable", reason=address.shown(url)) from None
        if self.on_sqlite:
            _prepare_sqlite(self._writer, self._presence, writing=True)
            _prepare_sqlite(self._reader, self._presence, writing=False)
        self._watch = Watch(self._reader, on_sqlite=self.on_sqlite)

    def _options(self) -> dict[str, Any]:
        if self.on_sqlite:
            return {"connect_args": {"check_same_thread": False}}
        return {"pool_size": 8, "max_overflow": 8, "pool_pre_ping": True, "connect_args": {"connect_timeout": 10}}

    @property
    def file(self) -> Path | None:
        """The SQLite file, or None on a server."""
        return Path(self.url.database) if self.on_sqlite and self.url.database not in (None, "", ":memory:") else None

    async def write(self, work: Callable[[Tx], T]) -> T:
        """Run *work* in one writing transaction, in a thread: committed when it returns, rolled back when it raises."""
        return await asyncio.to_thread(self.write_now, work)

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run *work* in one reading transaction, in a thread."""
        return await asyncio.to_thread(self.read_now, work)

    def write_now(self, work: Callable[[Tx], T]) -> T:
        """Like `write`, in this thread."""
        with _told(self._address), self._one_writer, self._writer.begin() as connection:
            return work(Tx(connection, self.clock, self.on_sqlite))

    def read_now(self, work: Callable[[Tx], T]) -> T:
        """Like `read`, in this thread."""
        with _told(self._address), self._reader.begin() as connection:
            return work(Tx(connection, self.clock, self.on_sqlite))

    def changed(self) -> bool:
        """Tell whether anybody has committed something since this was asked last; the first time it says so too."""
        with _told(self._address):
            return self._watch.changed()

    @contextlib.contextmanager
    def raw(self) -> Generator[Connection]:
        """Give a connection outside any transaction of ours: for migrations, backups, locks and diagnosis."""
        with _told(self._address), self._writer.connect() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self._watch.close()
        self._writer.dispose()
        self._reader.dispose()
        if self._presence is not None:
            self._presence.leave()


@contextlib.contextmanager
def _told(url: str) -> Generator[None]:
    """Turn a driver's errors into ours, with what a person can do about them and without what signs in to *url*."""
    try:
        yield
    except IntegrityError as error:
        raise Duplicate(str(error.orig)) from error
    except DBAPIError as error:
        raise unavailable(error.orig or error, url) from error


def unavailable(error: BaseException, url: str = "") -> StoreUnavailable:
    """Return a driver's error as ours; what signs in to *url* is blanked in it."""
    said = address.blanked(str(error).strip(), url)
    return StoreUnavailable(_code(error), reason=said.splitlines()[0] if said else type(error).__name__)


_SQLITE_SIGNS = (
    ("SQLITE_BUSY", "store_busy"),
    ("SQLITE_LOCKED", "store_busy"),
    ("SQLITE_FULL", "store_full"),
    ("SQLITE_READONLY", "store_readonly"),
    ("SQLITE_CANTOPEN", "store_cannot_open"),
    ("SQLITE_NOTADB", "store_damaged"),
    ("SQLITE_CORRUPT", "store_damaged"),
)
_SERVER_SIGNS = (
    ("55P03", "store_busy"),  # a lock was not to be had
    ("40", "store_busy"),  # deadlock, serialisation
    ("53100", "store_full"),
    ("25006", "store_readonly"),
    ("08", "store_unreachable"),
    ("57P", "store_unreachable"),  # shutting down, starting up
    ("28", "store_unreachable"),  # who we say we are is not accepted
    ("3D000", "store_unreachable"),  # no such database
)


def _code(error: BaseException) -> str:
    name = getattr(error, "sqlite_errorname", None)
    if name is not None:
        return next((code for sign, code in _SQLITE_SIGNS if name.startswith(sign)), "store_failed")
    if isinstance(error, sqlite3.OperationalError | sqlite3.DataError):  # no code of SQLite's: Python cannot read what is stored
        return "store_damaged"
    state = getattr(error, "sqlstate", None)
    if state is None and type(error).__name__ == "OperationalError":  # psycopg: no connection came about, or it broke
        return "store_unreachable"
    return next((code for sign, code in _SERVER_SIGNS if str(state).startswith(sign)), "store_failed")
