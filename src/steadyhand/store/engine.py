"""Decides how the database is opened, read and written; ``Store.write`` is the only way to write. It must not know a table.

A unit of work is a plain function of a `Tx`: it cannot await, so nothing but the database happens inside a transaction.
On SQLite every writing unit is ``BEGIN IMMEDIATE`` with ``synchronous=FULL``; readers use an engine that cannot write.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Engine, Executable, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, NoSuchModuleError

from steadyhand.core.clock import Clock, SystemClock, to_text
from steadyhand.core.errors import StoreUnavailable

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


class Duplicate(Exception):
    """A unique constraint refused the write; the transaction is rolled back."""


def _prepare_sqlite(engine: Engine, *, writing: bool) -> None:
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
        self.url = make_url(url)
        self.clock: Clock = clock or SystemClock()
        self.on_sqlite = self.url.get_backend_name() == "sqlite"
        self._one_writer: contextlib.AbstractContextManager[object] = (
            threading.RLock() if self.on_sqlite else contextlib.nullcontext()
        )
        try:
            self._writer = create_engine(self.url, **self._options())
            self._reader = create_engine(self.url, **self._options()) if self.on_sqlite else self._writer
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise StoreUnavailable("database_driver_missing", reason=str(error)) from error
        if self.on_sqlite:
            _prepare_sqlite(self._writer, writing=True)
            _prepare_sqlite(self._reader, writing=False)

    def _options(self) -> dict[str, Any]:
        if self.on_sqlite:
            return {"connect_args": {"check_same_thread": False}}
        return {"pool_size": 8, "max_overflow": 8, "pool_pre_ping": True, "connect_args": {"connect_timeout": 10}}

    @property
    def file(self) -> Path | None:
        """The SQLite file, or None on a server."""
        return Path(self.url.database) if self.on_sqlite and self.url.database else None

    async def write(self, work: Callable[[Tx], T]) -> T:
        """Run *work* in one writing transaction, in a thread: committed when it returns, rolled back when it raises."""
        return await asyncio.to_thread(self.write_now, work)

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run *work* in one reading transaction, in a thread."""
        return await asyncio.to_thread(self.read_now, work)

    def write_now(self, work: Callable[[Tx], T]) -> T:
        """Like `write`, in this thread."""
        with _told(), self._one_writer, self._writer.begin() as connection:
            return work(Tx(connection, self.clock, self.on_sqlite))

    def read_now(self, work: Callable[[Tx], T]) -> T:
        """Like `read`, in this thread."""
        with _told(), self._reader.begin() as connection:
            return work(Tx(connection, self.clock, self.on_sqlite))

    @contextlib.contextmanager
    def raw(self) -> Generator[Connection]:
        """Give a connection outside any transaction of ours: for migrations, backups, locks and diagnosis."""
        with _told(), self._writer.connect() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self._writer.dispose()
        self._reader.dispose()


@contextlib.contextmanager
def _told() -> Generator[None]:
    """Turn a driver's errors into ours, with what a person can do about them."""
    try:
        yield
    except IntegrityError as error:
        raise Duplicate(str(error.orig)) from error
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__
        lowered = reason.lower()
        for sign, code in (
            ("locked", "store_busy"),
            ("full", "store_full"),
            ("readonly", "store_readonly"),
            ("unable to open", "store_cannot_open"),
            ("not a database", "store_damaged"),
            ("malformed", "store_damaged"),
        ):
            if sign in lowered:
                raise StoreUnavailable(code, reason=reason) from error
        raise StoreUnavailable("store_failed", reason=reason) from error
