"""Decides how holidays, swapped days and time scales are told on a line each. It must not change one."""

from collections.abc import Iterable, Sequence

from steadyhand.cli.desk import Desk
from steadyhand.cli.frame import Frame
from steadyhand.core.canonical import Json
from steadyhand.core.language import say
from steadyhand.domains.schedule.records import CalendarFact, Term, TimeScale

Day = tuple[int, int]


def day_text(frame: Frame, term: Term, day: Day) -> str:
    """Return a day of the term as date, week and weekday."""
    weekday = say(frame.language, f"export.day.{day[1]}")
    return frame.say("schedule.facts.day", date=term.date_of(*day).isoformat(), week=day[0], weekday=weekday)


def fact_line(frame: Frame, term: Term, fact: CalendarFact) -> str:
    """Return what holds on the day of *fact*."""
    here = day_text(frame, term, fact.day)
    if fact.as_day is None:
        return frame.say("schedule.facts.holiday", day=here)
    return frame.say("schedule.facts.works_as", day=here, other=day_text(frame, term, fact.as_day))


def fact_lines(desk: Desk, days: Sequence[Day]) -> list[str]:
    """Return a line for each of *days* that does not go by its weekday."""
    return [fact_line(desk.frame, desk.term, fact) for fact in desk.records.facts if fact.day in days]


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
