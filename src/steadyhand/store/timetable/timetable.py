"""Decides how the timetable's tables are read and how row differences are written; it must not know which differences make sense.

A row is a plain mapping of column to JSON value without ``user_id``, which every query adds. A difference names a table, the
row before and the row after; None stands for no row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from sqlalchemy import ColumnElement, CursorResult, Table, bindparam, delete, insert, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import UserId
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import USER, of
from steadyhand.store.timetable.tables import (
    calendar_facts,
    schedule_events,
    schedules,
    task_classes,
    task_items,
    terms,
    timetable_revisions,
)

Row: TypeAlias = dict[str, Any]

TABLES: dict[str, Table] = {
    "terms": terms,
    "calendar_facts": calendar_facts,
    "task_classes": task_classes,
    "task_items": task_items,
    "schedule_events": schedule_events,
    "schedules": schedules,
}
"""Parents first; deletions go the other way."""

KEYS: dict[str, tuple[str, ...]] = {
    "terms": ("id",),
    "calendar_facts": ("term_id", "week", "day_of_week"),
    "task_classes": ("id",),
    "task_items": ("id",),
    "schedule_events": ("id",),
    "schedules": ("event_id", "week", "day_of_week", "section"),
}

BATCH = 300


@dataclass(frozen=True, slots=True)
class Difference:
    """One row of *table* before and after; equal keys, one of the two may be None."""

    table: str
    before: Mapping[str, Json] | None
    after: Mapping[str, Json] | None

    @property
    def key(self) -> tuple[Any, ...]:
        """The primary key of the row, without the person."""
        row = cast("Mapping[str, Any]", self.after if self.after is not None else self.before)
        return tuple(row[column] for column in KEYS[self.table])


def columns(table: str) -> tuple[str, ...]:
    """Return the columns of a row of *table*, in the table's order."""
    return tuple(column.name for column in TABLES[table].columns if column.name != "user_id")


def current_term(tx: Tx, user: UserId, *, lock: bool = False) -> Row | None:
    """Return the person's current term; with *lock* nobody else writes to that person's timetable until the end."""
    return _one(tx, _CURRENT_HELD if lock and not tx.on_sqlite else _CURRENT, of(user))


_CURRENT = select(terms).where(terms.c.user_id == USER, terms.c.is_current)
_CURRENT_HELD = _CURRENT.with_for_update()
_REVISION = select(timetable_revisions.c.revision).where(timetable_revisions.c.user_id == USER)


def _one(tx: Tx, statement: Any, values: Mapping[str, object] | None = None) -> Row | None:
    return next(iter(_rows(tx.execute(statement, values))), None)


def _rows(result: CursorResult[Any]) -> list[Row]:
    """Return the rows of a statement, without the person."""
    names = [str(name) for name in result.keys()]  # noqa: SIM118  # no mapping: these are the names of its columns
    found = [dict(zip(names, row, strict=True)) for row in result]
    for row in found:
        del row["user_id"]
    return found


def lock_person(tx: Tx, user: UserId) -> None:
    """Hold all terms of the person until the end, so that two writers of one timetable come one after the other."""
    if not tx.on_sqlite:
        tx.execute(select(terms.c.id).where(terms.c.user_id == user).order_by(terms.c.id).with_for_update())


def rows_of_term(tx: Tx, user: UserId, term: int) -> dict[str, list[Row]]:
    """Return every row of a term by table, each ascending by its key."""
    in_term = {
        "terms": terms.c.id == term,
        "calendar_facts": calendar_facts.c.term_id == term,
        "task_classes": task_classes.c.term_id == term,
        "schedule_events": schedule_events.c.term_id == term,
        "schedules": schedules.c.term_id == term,
        "task_items": task_items.c.class_id.in_(
            select(task_classes.c.id).where(task_classes.c.user_id == user, task_classes.c.term_id == term)
        ),
    }
    found: dict[str, list[Row]] = {}
    for name, table in TABLES.items():
        order = [table.c[column] for column in KEYS[name]]
        statement = select(table).where(table.c.user_id == user, in_term[name]).order_by(*order)
        found[name] = _rows(tx.execute(statement))
    return found


def find(tx: Tx, user: UserId, table: str, keys: Iterable[tuple[Any, ...]]) -> list[Row]:
    """Return the rows of *table* that have these primary keys, ascending."""
    names = KEYS[table]
    return _select(tx, user, table, names, sorted(set(keys)))


def find_by(tx: Tx, user: UserId, table: str, column: str, values: Iterable[Any]) -> list[Row]:
    """Return the rows of *table* whose *column* has one of *values*, ascending by key."""
    return _select(tx, user, table, (column,), sorted({(value,) for value in values}))


def cells(tx: Tx, user: UserId, term: int, wanted: Iterable[tuple[int, int, int]]) -> list[Row]:
    """Return the ``schedules`` rows that lie in the cells (week, day of week, section) of a term."""
    keys = sorted({(term, *cell) for cell in wanted})
    return _select(tx, user, "schedules", ("term_id", "week", "day_of_week", "section"), keys)


def _select(tx: Tx, user: UserId, name: str, on: tuple[str, ...], keys: Sequence[tuple[Any, ...]]) -> list[Row]:
    """Return the rows whose columns *on* are as one of *keys* says: found by the first columns, which have few values, then picked."""
    table, wanted = TABLES[name], set(keys)
    found: list[Row] = []
    if not keys:
        return []
    *same, (column, values) = _leading(on, keys)
    agreed = [table.c[one] == value for one, (value,) in same]
    for start in range(0, len(values), BATCH):
        where = (table.c.user_id == user, *agreed, table.c[column].in_(values[start : start + BATCH]))
        found += _rows(tx.execute(select(table).where(*where)))
    picked = {tuple(row[column] for column in KEYS[name]): row for row in found if tuple(row[one] for one in on) in wanted}
    return [picked[key] for key in sorted(picked)]


def _leading(on: tuple[str, ...], keys: Sequence[tuple[Any, ...]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the first columns that all keys agree on, and the next one, each with its values."""
    for place, column in enumerate(on):
        values = sorted({key[place] for key in keys})
        yield column, values
        if len(values) > 1:
            return


def apply(tx: Tx, user: UserId, differences: Sequence[Difference]) -> None:
    """Write every difference: deletions children first, then changes and additions parents first.

    A changed section is deleted and added, so that two events can trade a cell, and so is a task that changes its category,
    so that the category it leaves can go; of terms the one that stops being current goes first.
    """
    grow_revision(tx, user)
    for name in reversed(TABLES):
        _delete(tx, user, name, [diff.key for diff in differences if diff.table == name and (diff.after is None or _anew(diff))])
    for name, table in TABLES.items():
        mine = [diff for diff in differences if diff.table == name and diff.after is not None]
        _update(tx, user, name, [diff for diff in mine if diff.before is not None and not _anew(diff)])
        new = [diff.after for diff in mine if diff.after is not None and (diff.before is None or _anew(diff))]
        if new:
            tx.execute(insert(table), [{**row, "user_id": user} for row in new])


def _anew(diff: Difference) -> bool:
    """Tell whether a changed row is deleted and added."""
    if diff.before is None or diff.after is None:
        return False
    return diff.table == "schedules" or diff.before.get("class_id") != diff.after.get("class_id")


def _update(tx: Tx, user: UserId, name: str, changed: Sequence[Difference]) -> None:
    if not changed:
        return
    table = TABLES[name]
    values: dict[str, Any] = {column: bindparam(column) for column in columns(name) if column not in KEYS[name]}
    ordered = sorted(changed, key=lambda diff: bool((diff.after or {}).get("is_current")))
    tx.execute(
        update(table).where(table.c.user_id == user, *_at(name)).values(**values),
        [{**_key(name, diff.key), **{column: (diff.after or {})[column] for column in values}} for diff in ordered],
    )


def _delete(tx: Tx, user: UserId, name: str, keys: Sequence[tuple[Any, ...]]) -> None:
    if not keys:
        return
    table = TABLES[name]
    tx.execute(delete(table).where(table.c.user_id == user, *_at(name)), [_key(name, key) for key in keys])


def _at(name: str) -> list[ColumnElement[bool]]:
    return [TABLES[name].c[column] == bindparam(f"at_{column}") for column in KEYS[name]]


def _key(name: str, key: Sequence[Any]) -> dict[str, Any]:
    return {f"at_{column}": value for column, value in zip(KEYS[name], key, strict=True)}


def revision(tx: Tx, user: UserId) -> int:
    """Return a number that grows with every write to the person's timetable; 0 before the first."""
    found = tx.execute(_REVISION, of(user)).scalar()
    return int(found or 0)


def grow_revision(tx: Tx, user: UserId) -> None:
    """Count one more write."""
    key = timetable_revisions.c.user_id == user
    if tx.execute(update(timetable_revisions).where(key).values(revision=timetable_revisions.c.revision + 1)).rowcount == 0:
        tx.execute(insert(timetable_revisions).values(user_id=user, revision=1))
