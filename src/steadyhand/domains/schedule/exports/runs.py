"""Decides how the rows of an event become weekly runs, one per weekday and range of sections; it must not know a file format."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from steadyhand.domains.schedule.records import Records, Row, Term


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """The same sections of the same weekday in several weeks (ascending)."""

    day_of_week: int
    first: int
    last: int
    weeks: tuple[int, ...]


def rows_of(records: Records, weeks: frozenset[int] | None) -> dict[int, list[Row]]:
    """Return the rows per event id, of all weeks or of *weeks* only."""
    rows: dict[int, list[Row]] = {}
    for row in records.rows:
        if weeks is None or row.week in weeks:
            rows.setdefault(row.event_id, []).append(row)
    return rows


def blocks_of(rows: Iterable[Row]) -> list[tuple[int, int, int, int]]:
    """Return (week, day of week, first section, last section) of each run of sections that follow each other on a day."""
    blocks: list[tuple[int, int, int, int]] = []
    for week, day, section in sorted({(row.week, row.day_of_week, row.section) for row in rows}):
        if blocks and blocks[-1][:2] == (week, day) and blocks[-1][3] == section - 1:
            blocks[-1] = (week, day, blocks[-1][2], section)
        else:
            blocks.append((week, day, section, section))
    return blocks


def runs_of(rows: Iterable[Row]) -> list[Run]:
    """Return the weekly runs of one event's rows, ascending."""
    weeks: dict[tuple[int, int, int], list[int]] = {}
    for week, day, first, last in blocks_of(rows):
        weeks.setdefault((day, first, last), []).append(week)
    return sorted(Run(*key, tuple(found)) for key, found in weeks.items())


def runs_by_clock(rows: Iterable[Row], term: Term) -> list[tuple[Run, str, str]]:
    """Return the weekly runs with their clock times; one that reaches into another season of the time scale is cut there."""
    found: list[tuple[Run, str, str]] = []
    for run in runs_of(rows):
        weeks: dict[tuple[str, str], list[int]] = {}
        for week in run.weeks:
            slots = term.scale_of(week, run.day_of_week).slots
            weeks.setdefault((slots[run.first - 1][0], slots[run.last - 1][1]), []).append(week)
        found += [(replace(run, weeks=tuple(some)), *times) for times, some in weeks.items()]
    return found
