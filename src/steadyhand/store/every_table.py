"""Decides which tables make up the database, all of them in one place for migrations; it must not define one."""

from steadyhand.store import later_tables, session_tables
from steadyhand.store.tables import metadata

__all__ = ["later_tables", "metadata", "session_tables"]
