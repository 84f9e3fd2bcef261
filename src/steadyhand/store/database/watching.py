"""Decides whether anybody has committed something since it was asked last; it must not say what, or read a row.

On SQLite that is ``PRAGMA data_version`` of a connection that writes nothing itself, on PostgreSQL the snapshot of what is visible.
"""

import threading

from sqlalchemy import Connection, Engine

SQLITE = "PRAGMA data_version"
SERVER = "SELECT CAST(pg_current_snapshot() AS text)"


class Watch:
    """One look after another, over a connection of its own that is opened with the first."""

    def __init__(self, engine: Engine, *, on_sqlite: bool) -> None:
        self._engine = engine
        self._query = SQLITE if on_sqlite else SERVER
        self._connection: Connection | None = None
        self._seen: object = None
        self._one = threading.Lock()

    def changed(self) -> bool:
        """Tell whether something was committed since the last look; the first one always says so."""
        with self._one:
            mark = self._mark()
            moved, self._seen = mark != self._seen, mark
            return moved

    def _mark(self) -> object:
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            found: object = self._connection.exec_driver_sql(self._query).scalar()
            self._connection.rollback()
        except BaseException:
            self._drop()
            raise
        return found

    def _drop(self) -> None:
        """Let go of a connection that failed; the next look opens another, and says that something changed."""
        self._seen = None
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.invalidate()
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        with self._one:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
