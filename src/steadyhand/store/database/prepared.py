"""Decides how a statement is built once and run many times with other values. It must not run one.

Building an expression and its cache key costs several times what the database needs for a row, and a turn has dozens of statements. A
statement that a turn runs is therefore a constant of its module, with these names for the values that it is run with.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Table, Update, bindparam, update

USER: BindParameter[Any] = bindparam("of_user")
SESSION: BindParameter[Any] = bindparam("of_session")


def own(table: Table) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the condition that a row is of the user, and of the session, that the statement is run for."""
    return table.c.user_id == USER, table.c.session_id == SESSION


def of(user: str, session: str | None = None, **values: object) -> Mapping[str, object]:
    """Return the values to run such a statement with."""
    found: dict[str, object] = {"of_user": user, **values}
    return found if session is None else {**found, "of_session": session}


def new(columns: Mapping[str, object]) -> Mapping[str, object]:
    """Return *columns* under the names that `changing` has for them."""
    return {f"new_{name}": value for name, value in columns.items()}


@cache
def changing(table: Table, key: tuple[str, ...], names: tuple[str, ...]) -> Update:
    """Return the update of the columns *names* of the rows whose columns *key* are as asked for."""
    found = (table.c[name] == bindparam(f"old_{name}") for name in key)
    return update(table).where(*found).values({name: bindparam(f"new_{name}", type_=table.c[name].type) for name in names})


def where(**columns: object) -> Mapping[str, object]:
    """Return the values of the columns by which `changing` finds its rows."""
    return {f"old_{name}": value for name, value in columns.items()}
