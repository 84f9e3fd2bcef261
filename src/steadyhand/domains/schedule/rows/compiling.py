"""Decides whether row writes fit together and with what was seen, and what program they make. It is pure and must not read a database."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical, digest
from steadyhand.domains.schedule.rows.forms import GUEST, PLAIN
from steadyhand.domains.schedule.rows.passed import Cell, passed
from steadyhand.domains.schedule.rows.writes import (
    Holder,
    RowWrite,
    cell_region,
    claimed,
    dropped,
    holder_region,
    parse,
    region,
    regions_of,
    scope_of,
)
from steadyhand.gate.contract import Observation, Program, Refusal
from steadyhand.store.timetable.timetable import KEYS, Difference, columns

COMPILER = "schedule-rows/2"
ENGINE = "steadyhand-store/1"


def compile_rows(items: Sequence[Json], term: int, seen: Observation) -> Program | Refusal:
    """Make the program that brings every named row to what it shall be; rows that are so already are left out, of its footprint too."""
    writes = parse(items)
    if isinstance(writes, Refusal):
        return writes
    facts = cast("Mapping[str, Any]", seen.facts)
    before = cast("Mapping[str, Any]", facts["rows"])
    changed = [write for write in writes if before[write.region] != write.row]
    if not changed:
        return Refusal("nothing_to_change")
    refusal = _misfit(writes, term, facts)
    if refusal is not None:
        return refusal
    found = [Difference(write.table, before[write.region], write.row) for write in changed]
    scope, over = scope_of(changed), passed(found, facts)
    text: dict[str, Json] = {"term": term, "differences": [_diff_json(diff) for diff in found], "scope": scope}
    if over:
        text["over"] = [list(cell) for cell in over]
    return Program(
        text=canonical(text).decode(),
        media="application/json",
        footprint={name: seen.footprint[name] for name in regions_of(scope)},
        writes=tuple(sorted({name for write in changed for name in _regions(write)})),
        evidence={"rows": {write.region: digest(None if write.row is None else dict(write.row)) for write in changed}},
        compiler=COMPILER,
        engine=ENGINE,
        steps=len(found),
    )


def _diff_json(diff: Difference) -> Json:
    return {"table": diff.table, "before": diff.before, "after": diff.after}


def _regions(write: RowWrite) -> list[str]:
    return [write.region] if write.cell is None else [write.region, cell_region(write.cell)]


def _misfit(writes: Iterable[RowWrite], term: int, facts: Mapping[str, Any]) -> Refusal | None:
    """Say what would not hold after the writes: a term's bounds, an owner row, a cell that two events want."""
    after = {**cast("dict[str, Any]", facts["rows"]), **{write.region: write.row for write in writes}}
    own = after.get(region("terms", [term]), facts["term"])
    # another term may become the current one again while this one goes: that needs no row of this one
    if own is None and any(write.row is not None and write.table != "terms" for write in writes):
        return Refusal("term_missing")
    events = {**cast("dict[str, Any]", facts["events"])}
    for write in writes:
        if write.table == "schedule_events":
            events[str(write.key[0])] = write.row
    for write in writes:
        refusal = _foreign(write, term, facts, after) or _row_misfit(write, own, events, after)
        if refusal is not None:
            return refusal
    return _left_over(writes, facts) or _cell_misfit(writes, facts, events)


def _foreign(write: RowWrite, term: int, facts: Mapping[str, Any], after: Mapping[str, Any]) -> Refusal | None:
    """Refuse a row that lies in another term, or would."""
    for row in cast("tuple[Mapping[str, Any] | None, ...]", (facts["rows"][write.region], write.row)):
        if row is None:
            continue
        owner = row
        if write.table == "task_items":
            named = after.get(region("task_classes", [row["class_id"]]))
            owner = cast("Mapping[str, Any]", named or facts["classes"].get(str(row["class_id"]), {}))
        if owner.get("term_id", term) != term:
            return Refusal("other_term")
    return None


def _left_over(writes: Iterable[RowWrite], facts: Mapping[str, Any]) -> Refusal | None:
    """Say what would still refer to a row that goes, sit in an event that takes no guests, or have what another row has."""
    written = {write.region: write.row for write in writes}
    having: dict[Holder, int] = {}
    for write in writes:
        for holder in claimed(write):
            having[holder] = having.get(holder, 0) + 1
    for write in writes:
        row = cast("Mapping[str, Any]", write.row or facts["rows"][write.region] or {})
        for holder in dropped(write):
            for left in _still(holder, facts, written):
                if write.row is not None:
                    at = {name: left[name] for name in ("week", "day_of_week", "section")}
                    return Refusal("host_takes_no_guest", {**at, "name": row["name"]})
                return Refusal("still_used", {"name": str(row.get("name") or row.get("content") or write.key[0])})
        for holder in claimed(write):
            others = [left for left in _still(holder, facts, written) if region(holder[0], [left["id"]]) not in written]
            if others or having[holder] > 1:
                return Refusal(f"{holder[1]}_taken", {"name": row["name"]})
    return None


def _still(holder: Holder, facts: Mapping[str, Any], written: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows that have a value now and after the writes."""
    table, column, value = holder
    found: list[Mapping[str, Any]] = []
    for row in facts["holders"][holder_region(holder)]:
        after = written.get(region(table, [row[name] for name in KEYS[table]]), row)
        if after is not None and after[column] == value:
            found.append(after)
    return found


def _row_misfit(
    write: RowWrite, own: Mapping[str, Any] | None, events: Mapping[str, Any], after: Mapping[str, Any]
) -> Refusal | None:
    row = cast("Mapping[str, Any] | None", write.row)
    if row is None or own is None:
        return None
    if write.table == "calendar_facts" and max(row["week"], row["as_week"] or 0) > own["weeks"]:
        return Refusal("fact_outside_term", {"weeks": own["weeks"]})
    if write.table == "schedules":
        event = events.get(str(row["event_id"]))
        if event is None:
            return Refusal("event_missing", {"event": row["event_id"]})
        if row["week"] > own["weeks"] or row["section"] > len(own["scale"]):
            return Refusal("outside_term", {"name": event["name"], "week": row["week"], "section": row["section"]})
    if write.table == "task_items" and after.get(region("task_classes", [row["class_id"]])) is None:
        return Refusal("class_missing", {"name": row["content"]})
    if (
        write.table == "schedule_events"
        and row["item_id"] is not None
        and after.get(region("task_items", [row["item_id"]])) is None
    ):
        return Refusal("item_missing", {"name": row["name"]})
    return None


def _cell_misfit(writes: Iterable[RowWrite], facts: Mapping[str, Any], events: Mapping[str, Any]) -> Refusal | None:
    """Hold every cell that is touched to one plain event and at most one guest, embedded in it."""
    cells: dict[str, dict[int, Mapping[str, Any]]] = {
        name: {row["event_id"]: row for row in found}
        for name, found in cast("dict[str, list[dict[str, Any]]]", facts["cells"]).items()
    }
    for write in writes:
        if write.cell is None:
            continue
        standing = cells[cell_region(write.cell)]
        if write.row is None:
            standing.pop(write.key[0], None)
        else:
            standing[write.key[0]] = cast("Mapping[str, Any]", write.row)
    for name in sorted(cells):
        refusal = _one_cell(name, list(cells[name].values()), events)
        if refusal is not None:
            return refusal
    return None


def _one_cell(name: str, standing: list[Mapping[str, Any]], events: Mapping[str, Any]) -> Refusal | None:
    plain = [row for row in standing if row["layer"] == PLAIN]
    guests = [row for row in standing if row["layer"] == GUEST]
    week, day_of_week, section = (int(part) for part in name.removeprefix("cell:").split("/"))
    at: dict[str, str | int | float | bool] = {"week": week, "day_of_week": day_of_week, "section": section}
    crowd = plain if len(plain) > 1 else guests if len(guests) > 1 else []
    if crowd:
        names = [events[str(row["event_id"])]["name"] for row in sorted(crowd, key=lambda row: row["event_id"])]
        return Refusal("cell_taken", {**at, "name": names[0], "other": names[1]})
    if guests and (not plain or guests[0]["host_event_id"] != plain[0]["event_id"]):
        return Refusal("guest_without_host", {**at, "name": events[str(guests[0]["event_id"])]["name"]})
    if guests and not events[str(plain[0]["event_id"])]["can_embed"]:
        return Refusal("host_takes_no_guest", {**at, "name": events[str(plain[0]["event_id"])]["name"]})
    return None


def differences_of(program: Program) -> list[Difference]:
    """Read the differences back from the program's text."""
    stored = _parsed(program)
    return [Difference(entry["table"], entry["before"], entry["after"]) for entry in stored["differences"]]


def scope_of_program(program: Program) -> Json:
    """Read back what the program looked at."""
    return _parsed(program)["scope"]


def of_earlier_rows(program: Program) -> bool:
    """Tell whether a program was made when rows had other columns, so that what it would write or take back is no row any more."""
    rows = ((diff.table, row) for diff in differences_of(program) for row in (diff.before, diff.after) if row is not None)
    return any(set(row) != set(columns(table)) for table, row in rows)


def term_of_program(program: Program) -> int:
    """Read back which term the program is about."""
    return cast("int", _parsed(program)["term"])


def over_of_program(program: Program) -> set[Cell]:
    """Read back which of the cells that come to tasks were over when the program was made."""
    return {cast("Cell", tuple(cell)) for cell in _parsed(program).get("over", [])}


def _parsed(program: Program) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(program.text))
