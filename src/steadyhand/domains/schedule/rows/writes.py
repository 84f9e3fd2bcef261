"""Decides what a timetable operation is: one row of one table as it shall be. It must not decide whether the row fits the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.term.records import DAY_MINUTES, DAYS_IN_WEEK, MAX_WEEKS, Term
from steadyhand.domains.schedule.term.scales import MAX_SLOTS, is_scale
from steadyhand.gate.contract import Refusal
from steadyhand.store.timetable.timetable import KEYS, columns

Cell = tuple[int, int, int]
MAX_NAME = 500
MAX_COUNT = 2**31 - 1
"""What a column for counts holds on every database."""

_TEXTS = ("name", "zone", "scale_name", "uid", "location", "teacher", "rule", "content")
_FLAGS = ("can_embed", "ordered", "is_current")
_OPTIONAL = (
    *("total_slots", "host_event_id", "item_id", "duration", "earliest", "deadline", "as_week", "as_day_of_week"),
    *("begins", "ends"),
)
_FROM_ZERO: Mapping[str, int] = {"layer": 1, "position": MAX_COUNT, "begins": DAY_MINUTES, "ends": DAY_MINUTES}
"""The most that a column has in which 0 is a value."""
_KINDS = {"schedule_events": ("course", "task"), "calendar_facts": ("holiday", "works_as")}
_MOST_HELD = 500
_MOST_SEASONS = 12


@dataclass(frozen=True, slots=True)
class RowWrite:
    """One row as it shall be; *row* None means that the row with this *key* shall not exist."""

    table: str
    key: tuple[int, ...]
    row: Mapping[str, Json] | None
    region: str = field(init=False, compare=False, repr=False)
    """The footprint's name for this row, which every step of a change asks for."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "region", region(self.table, self.key))

    @property
    def cell(self) -> Cell | None:
        """The cell (week, day of week, section) that the row lies in, for rows of ``schedules``."""
        return (self.key[1], self.key[2], self.key[3]) if self.table == "schedules" else None

    def to_json(self) -> Json:
        """Return the operation as it is stored and sealed."""
        return {"table": self.table, "key": list(self.key), "row": None if self.row is None else dict(self.row)}


def put(table: str, row: Mapping[str, Json]) -> RowWrite:
    """Return the write that makes *row* exist."""
    return RowWrite(table, tuple(cast("int", row[column]) for column in KEYS[table]), row)


def gone(table: str, *key: int) -> RowWrite:
    """Return the write after which no row has this key."""
    return RowWrite(table, key, None)


def region(table: str, key: Sequence[int]) -> str:
    """Return the footprint's name for a row."""
    return f"{table}:{'/'.join(map(str, key))}"


def cell_region(cell: Cell) -> str:
    """Return the footprint's name for a cell."""
    return f"cell:{cell[0]}/{cell[1]}/{cell[2]}"


def parse(items: Iterable[Json]) -> tuple[RowWrite, ...] | Refusal:
    """Read operations strictly: known tables, whole keys, every column with a value of its kind; one write per row."""
    writes: dict[str, RowWrite] = {}
    for index, item in enumerate(items):
        write = _parse_one(item)
        if write is None or write.region in writes:
            return Refusal("operation_malformed", {"index": index}, index)
        writes[write.region] = write
    return tuple(writes[name] for name in sorted(writes))


def _parse_one(item: Json) -> RowWrite | None:
    if not isinstance(item, dict) or set(item) != {"table", "key", "row"}:
        return None
    entry = cast("dict[str, Any]", item)
    table, key, row = entry["table"], entry["key"], entry["row"]
    if not isinstance(table, str) or table not in KEYS or not isinstance(key, list):
        return None
    parts = cast("list[Any]", key)
    if len(parts) != len(KEYS[table]) or not all(_is_number(part) for part in parts):
        return None
    if row is None:
        return RowWrite(table, tuple(parts), None)
    if not isinstance(row, dict) or set(cast("dict[str, Any]", row)) != set(columns(table)):
        return None
    values = cast("dict[str, Any]", row)
    same_key = all(values[column] == part for column, part in zip(KEYS[table], parts, strict=True))
    sound = same_key and all(_sound(name, value) for name, value in values.items()) and _in_range(table, values)
    return RowWrite(table, tuple(parts), values) if sound else None


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53


def _sound(name: str, value: Any) -> bool:
    if value is None:
        return name in _OPTIONAL
    if name in _TEXTS:
        return isinstance(value, str) and len(value) <= MAX_NAME and value.isprintable()
    if name in _FLAGS:
        return isinstance(value, bool)
    if name in ("first_monday", "earliest", "deadline"):
        return _is_date(value)
    if name == "kind":
        return isinstance(value, str)
    if name == "scale":
        return is_scale(value)
    if name == "seasons":
        return _are_seasons(value)
    if name == "held":
        return _are_held(value)
    if name in _FROM_ZERO:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _FROM_ZERO[name]
    return _is_number(value) and (name != "total_slots" or value <= MAX_COUNT)


def _in_range(table: str, row: Mapping[str, Any]) -> bool:
    match table:
        case "terms":
            named = bool(row["name"].strip() and row["zone"].strip())
            return named and row["weeks"] <= MAX_WEEKS and _is_span(row) and _fit_scale(row)
        case "calendar_facts":
            return row["kind"] in _KINDS[table] and _is_fact(row)
        case "schedules":
            guest = row["host_event_id"] is not None
            lies = row["week"] <= MAX_WEEKS and row["day_of_week"] <= DAYS_IN_WEEK and row["section"] <= MAX_SLOTS
            return lies and row["layer"] == int(guest) and _are_times(row["begins"], row["ends"])
        case "task_items":
            return bool(row["content"].strip()) and row["priority"] <= 5 and (row["duration"] or 1) <= MAX_SLOTS
        case "schedule_events":
            return row["kind"] in _KINDS[table] and bool(row["name"].strip())
        case _:
            return bool(row["name"].strip())


def _is_fact(row: Mapping[str, Any]) -> bool:
    """Tell whether a fact lies on a day, and goes by another one exactly when it works as one."""
    as_day = row["as_week"], row["as_day_of_week"]
    lies = row["week"] <= MAX_WEEKS and row["day_of_week"] <= DAYS_IN_WEEK
    if row["kind"] == "holiday":
        return lies and as_day == (None, None)
    whole = None not in as_day and row["as_week"] <= MAX_WEEKS and row["as_day_of_week"] <= DAYS_IN_WEEK
    return lies and whole and as_day != (row["week"], row["day_of_week"])


def _are_times(begins: Any, ends: Any) -> bool:
    """Tell whether a beginning and an end are both not known, or minutes of a day in that order."""
    if begins is None or ends is None:
        return begins is ends
    return _sound("begins", begins) and _sound("ends", ends) and begins < ends


def _are_held(value: object) -> bool:
    """Tell whether *value* is a list of (event in files, section, particulars), ascending and without doubles."""
    if not isinstance(value, list) or len(cast("list[object]", value)) > _MOST_HELD:
        return False
    found: list[tuple[str, int]] = []
    for one in cast("list[object]", value):
        if not isinstance(one, list) or len(cast("list[object]", one)) != 6:  # an event, a section, four particulars
            return False
        uid, section, begins, ends, *places = cast("list[object]", one)
        if not (_sound("uid", uid) and isinstance(uid, str) and _is_number(section) and _are_times(begins, ends)):
            return False
        if not all(isinstance(place, str) and _sound("location", place) for place in places):
            return False
        found.append((uid, cast("int", section)))
    return found == sorted(set(found)) and all(section <= MAX_SLOTS for _, section in found)


def _are_seasons(value: object) -> bool:
    """Tell whether *value* is a list of (first day, name, time scale), ascending by day."""
    if not isinstance(value, list) or len(cast("list[object]", value)) > _MOST_SEASONS:
        return False
    last = ""
    for one in cast("list[object]", value):
        if not isinstance(one, list) or len(cast("list[object]", one)) != 3:  # a day, a name, a scale
            return False
        begins, name, slots = cast("list[object]", one)
        if not (_is_date(begins) and last < cast("str", begins) and _sound("name", name) and is_scale(slots)):
            return False
        last = cast("str", begins)
    return True


def _fit_scale(row: Mapping[str, Any]) -> bool:
    """Tell whether every season of a term has the slots that the term has."""
    return all(len(slots) == len(row["scale"]) for _, _, slots in row["seasons"])


def _is_date(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_span(row: Mapping[str, Any]) -> bool:
    """Tell whether the weeks of a term begin on a Monday and end before the calendar does."""
    first = date.fromisoformat(row["first_monday"])
    try:
        Term(0, "", "", first, row["weeks"]).date_of(row["weeks"], DAYS_IN_WEEK)
    except OverflowError:
        return False
    return first.isoweekday() == 1


def scope_of(writes: Iterable[RowWrite]) -> Json:
    """Return what must be looked at for these writes: their rows, the rows that they refer to, the cells they lie in, and who
    refers to what goes or can be referred to once alone.
    """
    writes = tuple(writes)
    keys: dict[str, set[tuple[int, ...]]] = {table: set() for table in KEYS}
    cells: set[Cell] = set()
    for write in writes:
        keys[write.table].add(write.key)
        row = cast("Mapping[str, Any]", write.row or {})
        if write.cell is not None:
            cells.add(write.cell)
            keys["schedule_events"].add((write.key[0],))
        for column, table in (
            ("term_id", "terms"),
            ("class_id", "task_classes"),
            ("host_event_id", "schedule_events"),
            ("item_id", "task_items"),
        ):
            if row.get(column) is not None:
                keys[table].add((row[column],))
    return {
        "keys": {table: [list(key) for key in sorted(found)] for table, found in keys.items()},
        "cells": [list(cell) for cell in sorted(cells)],
        "holders": [
            list(one) for one in sorted({one for write in writes for one in (*dropped(write), *claimed(write))}, key=str)
        ],
    }


Holder = tuple[str, str, int | str]
"""The rows of a table whose column has a value."""

_REFERRING: Mapping[str, tuple[tuple[str, str], ...]] = {
    "terms": (("calendar_facts", "term_id"), ("task_classes", "term_id"), ("schedule_events", "term_id")),
    "calendar_facts": (),
    "task_classes": (("task_items", "class_id"),),
    "task_items": (("schedule_events", "item_id"),),
    "schedule_events": (("schedules", "event_id"), ("schedules", "host_event_id")),
    "schedules": (),
}
_ONLY_ONCE: Mapping[str, tuple[str, ...]] = {"schedule_events": ("uid", "item_id"), "task_classes": ("name",)}


def dropped(write: RowWrite) -> tuple[Holder, ...]:
    """Return what must not be there any more after a write: what refers to a row that goes, the guests of what takes none."""
    if write.row is None:
        return tuple((table, column, write.key[0]) for table, column in _REFERRING[write.table])
    takes_none = write.table == "schedule_events" and not write.row["can_embed"]
    return (("schedules", "host_event_id", write.key[0]),) if takes_none else ()


def claimed(write: RowWrite) -> tuple[Holder, ...]:
    """Return what a written row has that no other row of its term may have."""
    row = cast("Mapping[str, Any]", write.row or {})
    return tuple((write.table, column, row[column]) for column in _ONLY_ONCE.get(write.table, ()) if row.get(column))


def holder_region(holder: Holder) -> str:
    """Return the footprint's name for the rows that hold a value."""
    return f"{holder[0]}.{holder[1]}={holder[2]}"


def regions_of(scope: Json) -> list[str]:
    """Return the footprint's name for everything that a scope names."""
    wanted = cast("Mapping[str, Any]", scope)
    rows = [region(table, key) for table, keys in wanted["keys"].items() for key in keys]
    cells = [cell_region((week, day_of_week, section)) for week, day_of_week, section in wanted["cells"]]
    return [*rows, *cells, *(holder_region((table, column, value)) for table, column, value in wanted["holders"])]
