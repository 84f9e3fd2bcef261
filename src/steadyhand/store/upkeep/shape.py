"""Decides whether the tables of a SQLite file are exactly those of a version of ours, with nothing beside them. It must not mend them.

A trigger, a view or a table more is code or data that nobody approved: it could approve a change by itself.
"""

import functools
import sqlite3
import tempfile
from pathlib import Path

from steadyhand.store.database import sqlite_file
from steadyhand.store.database.engine import Store
from steadyhand.store.upkeep import schema

SQLITES_OWN = ("sqlite_autoindex_", "sqlite_stat", "sqlite_sequence")
MOST_NAMED = 5
Shape = dict[tuple[str, str], str]


def strange_in(connection: sqlite3.Connection, version: str) -> list[str]:
    """Return what in the file is not as the migrations to *version* make it, as ``kind name``, at most a few."""
    found, meant = _shape(connection), _meant(version, str(schema.MIGRATIONS))
    strange = sorted(key for key in found.keys() | meant.keys() if found.get(key) != meant.get(key))
    named = [f"{kind} {name[:60]}" for kind, name in strange[:MOST_NAMED]]
    return named if len(strange) <= MOST_NAMED else [*named, "…"]


def _shape(connection: sqlite3.Connection) -> Shape:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return {
        (str(kind), str(name)): _same(sql)
        for kind, name, sql in rows
        if not (str(name).startswith(SQLITES_OWN) and kind != "trigger")
    }


def _same(sql: object) -> str:
    """Return a definition without what another version of SQLite writes otherwise: blanks, and quotes around names."""
    return "".join(str(sql).replace('"', "").split())


@functools.cache
def _meant(version: str, _migrations: str) -> Shape:
    with tempfile.TemporaryDirectory(prefix="steady-") as folder:
        file = Path(folder) / "meant.db"
        store = Store(f"sqlite:///{file}")
        try:
            schema.lay(store, version)
        finally:
            store.close()
        with sqlite_file.looking(file) as connection:
            return _shape(connection)


def known(version: str) -> bool:
    """Tell whether *version* is one that the migrations come through."""
    return any(file.name.startswith(f"{version}_") for file in (schema.MIGRATIONS / "versions").glob("*.py"))
