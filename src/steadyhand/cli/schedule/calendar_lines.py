"""Decides how days that do not go by their weekday are given as data, and time scales as they are typed. It must not change one."""

from collections.abc import Iterable

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.term.records import CalendarFact, Term, TimeScale


def facts_json(term: Term, facts: Iterable[CalendarFact]) -> Json:
    """Return facts as data."""
    return [
        {
            "date": term.date_of(*fact.day).isoformat(),
            "week": fact.week,
            "day_of_week": fact.day_of_week,
            "kind": fact.kind,
            "as": None if fact.as_day is None else term.date_of(*fact.as_day).isoformat(),
        }
        for fact in facts
    ]


def scale_text(scale: TimeScale) -> str:
    """Return the clock times of a time scale in the form in which they are typed."""
    return ",".join(f"{begin}-{end}" for begin, end in scale.slots)
