"""Decides which rows of a timetable an export takes, by event and weeks; it must not know a file format."""

from steadyhand.domains.schedule.term.records import Records, Row


def rows_of(records: Records, weeks: frozenset[int] | None) -> dict[int, list[Row]]:
    """Return the rows per event id, of all weeks or of *weeks* only."""
    rows: dict[int, list[Row]] = {}
    for row in records.rows:
        if weeks is None or row.week in weeks:
            rows.setdefault(row.event_id, []).append(row)
    return rows
