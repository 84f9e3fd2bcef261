"""Decides what of a restored copy waits: what was to be told or done at its time and came with the backup. It must not tell or do it.

Where two copies of the data live, both would ring. So a restore marks the file with its moment, and what was stored until then waits until
a person says that it rings here; what is stored afterwards is not concerned. The mark is SQLite's own ``user_version``, seconds
since 2020, and so goes with the file in one step. A server has none: its copies are made by its own tools.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, text, true

from steadyhand.core.clock import to_text
from steadyhand.store.database.engine import Tx

SINCE = datetime(2020, 1, 1, tzinfo=UTC)


def hold(tx: Tx) -> None:
    """Let all that is stored until now wait."""
    seconds = int((tx.clock.now() - SINCE).total_seconds()) + 1
    tx.execute(text(f"PRAGMA user_version = {seconds:d}"))


def release(tx: Tx) -> None:
    """Let it ring here."""
    if tx.on_sqlite:
        tx.execute(text("PRAGMA user_version = 0"))


def until(tx: Tx) -> str | None:
    """Return the moment up to which what is stored waits; None when nothing is held."""
    seconds = int(tx.execute(text("PRAGMA user_version")).scalar() or 0) if tx.on_sqlite else 0
    return to_text(SINCE + timedelta(seconds=seconds)) if seconds > 0 else None


def free(tx: Tx, created_at: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a row, by when it was stored, is not held."""
    moment = until(tx)
    return true() if moment is None else created_at > moment


def holds(tx: Tx, created_at: str) -> bool:
    """Tell whether a row that was stored then is held."""
    moment = until(tx)
    return moment is not None and created_at <= moment
