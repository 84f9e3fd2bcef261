"""Decides which term a person's wishes, a file's suggestion and what is stored come to. It must not store it or read a clock."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, MAX_WEEKS, Records, Season, Term, TimeScale

DEFAULT_WEEKS = 20
OWN_SCALE = "own"
MAX_SEASONS = 12


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person says of a term; None where they say nothing. Any day of week 1 will do for *start*."""

    start: date | None = None
    weeks: int | None = None
    zone: str | None = None
    slots: tuple[tuple[str, str], ...] | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What is taken where a person says nothing and no term is stored; *first_monday* None: there is nothing to suggest.

    Empty *slots* suggest no time scale.
    """

    first_monday: date | None
    weeks: int
    zone: str
    name: str = ""
    slots: tuple[tuple[str, str], ...] = ()


def monday_of(day: date) -> date:
    """Return the Monday of the week of *day*."""
    return day - timedelta(days=day.weekday())


def number_of(first_monday: date) -> int:
    """Return the number of the term that begins on this Monday: the same start is the same term, however often it is proposed."""
    return first_monday.year * 10_000 + first_monday.month * 100 + first_monday.day


def is_another(current: Term | None, wish: Wish) -> bool:
    """Tell whether the wish is for another term than the current one."""
    return current is None or (wish.start is not None and monday_of(wish.start) != current.first_monday)


def new_term(wish: Wish, suggestion: Suggestion) -> Term:
    """Return the term that begins where the person says, else where it is suggested; refuses with ``term_start_needed``."""
    start = monday_of(wish.start) if wish.start is not None else suggestion.first_monday
    if start is None:
        raise ToolRefusal("term_start_needed")
    later = (start - suggestion.first_monday).days // DAYS_IN_WEEK if suggestion.first_monday is not None else 0
    weeks = wish.weeks or min(max(suggestion.weeks - later, 1), MAX_WEEKS)
    plain = Term(number_of(start), wish.name or suggestion.name, wish.zone or suggestion.zone, start, weeks)
    slots = wish.slots or suggestion.slots
    return replace(plain, scale=TimeScale(OWN_SCALE, slots)) if slots else plain


def changed_term(term: Term, wish: Wish) -> Term:
    """Return a stored term with what the person says otherwise; seasons that have another number of slots end."""
    scale = term.scale if wish.slots in (None, term.scale.slots) else TimeScale(OWN_SCALE, wish.slots or ())
    seasons = tuple(season for season in term.seasons if len(season.scale) == len(scale))
    named = replace(term, name=wish.name or term.name, zone=wish.zone or term.zone)
    return replace(named, weeks=wish.weeks or term.weeks, scale=scale, seasons=seasons)


def put_season(term: Term, begins: date, scale: TimeScale) -> Term:
    """Return *term* with a time scale that holds from *begins* on, until the next season; one that begins that day is replaced."""
    first, last = term.first_monday, term.date_of(term.weeks, DAYS_IN_WEEK)
    if not first <= begins <= last:
        raise ToolRefusal("season_outside", date=begins.isoformat(), first=first.isoformat(), last=last.isoformat())
    if len(scale) != len(term.scale):
        raise ToolRefusal("season_of_other_length", count=len(scale), slots=len(term.scale))
    others = [season for season in term.seasons if season.begins != begins]
    if len(others) >= MAX_SEASONS:
        raise ToolRefusal("seasons_too_many", limit=MAX_SEASONS)
    return replace(term, seasons=tuple(sorted([*others, Season(begins, scale)], key=lambda season: season.begins)))


def drop_season(term: Term, begins: date) -> Term:
    """Return *term* without the season that begins on that day."""
    kept = tuple(season for season in term.seasons if season.begins != begins)
    if kept == term.seasons:
        raise ToolRefusal("season_missing", date=begins.isoformat())
    return replace(term, seasons=kept)


def need_room(records: Records, term: Term) -> None:
    """Refuse a term that has no week or slot for something that stands in it."""
    names = {event.id: event.name for event in records.events}
    for row in records.rows:
        if row.week > term.weeks or row.section > len(term.scale):
            raise ToolRefusal("term_too_small", name=names.get(row.event_id, ""), week=row.week, slot=row.section)
