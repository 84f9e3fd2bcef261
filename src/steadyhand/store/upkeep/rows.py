"""Decides whether what is stored can be read at all, and names the rows that cannot; it must not mend them or say what they mean."""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import LargeBinary, String, Table, Text, literal_column, select

from steadyhand.core.clock import from_text
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.types import JsonText
from steadyhand.store.upkeep.every_table import metadata

MOST_NAMED = 5


def damaged(tx: Tx) -> list[str]:
    """Return the first rows, of every person, with a value that cannot be read, each as ``table key: column``."""
    found: list[str] = []
    for table in metadata.sorted_tables:
        for named in _in_table(tx, table):
            found.append(named)
            if len(found) == MOST_NAMED:
                return found
    return found


def _in_table(tx: Tx, table: Table) -> Iterator[str]:
    keys = [column.name for column in table.primary_key]
    read = [column for column in table.columns if isinstance(column.type, String | Text | JsonText)]
    looked = [_raw(tx, column.name) for column in read]
    for row in tx.execute(select(*(_raw(tx, key) for key in keys), *looked).select_from(table)):
        values = tuple(row)
        for column, value in zip(read, values[len(keys) :], strict=True):
            if not _is_readable(column, value):
                yield f"{table.name} {'/'.join(_shown(key) for key in values[: len(keys)])}: {column.name}"
                break


def _raw(tx: Tx, name: str) -> Any:
    """Return a column as its bytes, which every stored value has, readable or not."""
    return literal_column(f'CAST("{name}" AS BLOB)', LargeBinary) if tx.on_sqlite else literal_column(f'"{name}"', Text)


def _shown(key: object) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)


def _is_readable(column: Any, value: object) -> bool:
    if value is None:
        return True
    try:
        text = value.decode() if isinstance(value, bytes) else str(value)
        if isinstance(column.type, JsonText):
            json.loads(text)
        elif column.name.endswith("_at") and text:
            from_text(text)
    except ValueError:
        return False
    return True
