"""Decides which meetings one event of a calendar file has near a span of days: its rules, added and left out dates, overrides.

What the file says and cannot be followed to the letter is told, event by event. It must not drop an override in silence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from steadyhand.domains.schedule.imports.properties import Draft
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.rules import Budget, Rule, days_of
from steadyhand.domains.schedule.imports.wording import shown

Span = tuple[date, date]
_MARGIN = timedelta(days=2)
_NOTHING = timedelta(0)


class Held(NamedTuple):
    """One meeting as it is held; *start* and *end* are UTC."""

    start: datetime
    end: datetime
    location: str
    teacher: str
    timed: bool


@dataclass(slots=True)
class Meetings:
    """The meetings of one event by the start (UTC) that its series gives them; *cut* when the series has others outside the span."""

    held: dict[datetime, Held] = field(default_factory=dict[datetime, Held])
    cut: bool = False


def meetings_of(draft: Draft, overrides: Iterable[Draft], span: Span, budget: Budget, told: list[Entry]) -> Meetings:
    """Return the meetings of *draft* near *span*, its *overrides* applied, and add what is to be said to *told*."""
    return _Series(draft, span, budget, told).meetings(sorted(overrides, key=lambda one: (not one.onward, one.line)))


class _Series:
    """One event with its overrides under reading."""

    def __init__(self, draft: Draft, span: Span, budget: Budget, told: list[Entry]) -> None:
        self._draft, self._span, self._budget, self._told = draft, span, budget, told
        self._wide = (span[0] - _MARGIN, span[1] + _MARGIN)
        self._found = Meetings()

    def meetings(self, overrides: Sequence[Draft]) -> Meetings:
        draft = self._draft
        for day in self._days():
            self._add(self._on(day), draft.duration)
        for at, length in draft.extra:
            self._add(at.astimezone(UTC), draft.duration if length is None else length)
        self._leave_out()
        for override in overrides:
            self._override(override)
        return self._found

    def _tell(self, code: str, line: int = 0, **params: str | int) -> None:
        self._told.append(entry(code, line or self._draft.line, name=shown(self._draft.name), **params))

    def _days(self) -> list[date]:
        """Return the days of the rules, or the first day alone; a first day that no rule names is no meeting, which is told."""
        draft = self._draft
        first = draft.start.date()
        days = {day for rule in draft.rules for day in self._follow(rule)} if draft.rules else {first}
        if first not in days and self._inside(first):
            self._tell("start_off_rule", date=first.isoformat())
        return sorted(days - {day for rule in draft.excluded for day in self._follow(rule)})

    def _follow(self, rule: Rule) -> tuple[date, ...]:
        found = days_of(rule, self._draft.start.date(), _last_day(rule, self._draft.start), self._wide, self._budget)
        self._found.cut = self._found.cut or found.before or found.after
        return found.found

    def _on(self, day: date) -> datetime:
        meant = datetime.combine(day, self._draft.start.timetz())
        start = meant.astimezone(UTC)
        if start.astimezone(self._draft.start.tzinfo).time() != meant.time():
            self._tell("clock_moved", date=day.isoformat())
        return start

    def _add(self, start: datetime, length: timedelta | None) -> None:
        self._found.held[start] = Held(
            start, start + (length or _NOTHING), self._draft.location, self._draft.teacher, self._draft.timed
        )

    def _day_of(self, start: datetime) -> date:
        return start.astimezone(self._draft.start.tzinfo).date()

    def _inside(self, day: date) -> bool:
        return self._span[0] <= day <= self._span[1]

    def _leave_out(self) -> None:
        """Take out the exceptions; those that meet no meeting are told, since somebody meant one."""
        draft, held = self._draft, self._found.held
        if not (draft.left_out or draft.left_out_days):
            return
        days = {self._day_of(start) for start in held}
        missed = [*map(self._day_of, draft.left_out - held.keys()), *(draft.left_out_days - days)]
        missed = sorted(filter(self._inside, missed))
        if missed:
            self._tell("exception_unmatched", date=missed[0].isoformat(), count=len(missed))
        for start in [start for start in held if start in draft.left_out or self._day_of(start) in draft.left_out_days]:
            del held[start]

    def _override(self, override: Draft) -> None:
        """Let *override* take the place of the meeting that it names, and of all after it when it says so."""
        at = override.replaces
        named = {at.astimezone(UTC)} if isinstance(at, datetime) else {one for one in self._found.held if self._day_of(one) == at}
        day = self._day_of(at) if isinstance(at, datetime) else at or date.min
        known = named & self._found.held.keys()
        if not known and not override.onward and self._inside(day):
            self._tell("override_unmatched", override.line, date=day.isoformat())
        if override.void:
            self._tell("override_void", override.line, date=day.isoformat())
        self._say_words(override)
        onward = [start for start in self._found.held if override.onward and start >= min(named, default=start)]
        for start in {*known, *onward}:
            moved = self._moved(override, start)
            if moved is None or override.cancelled:
                del self._found.held[start]
            else:
                self._found.held[start] = moved
        if not known and not onward and not override.cancelled:
            start = override.start.astimezone(UTC)
            self._found.held[start] = self._placed(override, start)

    def _moved(self, override: Draft, start: datetime) -> Held | None:
        """Return where *override* puts the meeting that began at *start*: as far from it, on the clock, as the one that it names."""
        zone, at = self._draft.start.tzinfo, override.replaces
        if not override.onward or not isinstance(at, datetime):
            return self._placed(override, override.start.astimezone(UTC))
        shift = override.start.astimezone(zone).replace(tzinfo=None) - at.astimezone(zone).replace(tzinfo=None)
        moved = (start.astimezone(zone).replace(tzinfo=None) + shift).replace(tzinfo=zone)
        return self._placed(override, moved.astimezone(UTC))

    def _placed(self, override: Draft, start: datetime) -> Held:
        draft = self._draft
        length = draft.duration if override.duration is None else override.duration
        place = (override.location or draft.location, override.teacher or draft.teacher)
        return Held(start, start + (length or _NOTHING), *place, override.timed)

    def _say_words(self, override: Draft) -> None:
        if not override.cancelled and override.name and override.name != self._draft.name:
            self._tell("override_words", override.line, other=shown(override.name))


def _last_day(rule: Rule, start: datetime) -> date | None:
    """Return the last day on which *rule* may still begin a meeting, in the event's own zone."""
    until = rule.until
    if not isinstance(until, datetime):
        return until
    if until.tzinfo is not None:
        try:
            until = until.astimezone(start.tzinfo)
        except OverflowError:
            return until.date()
    day = until.date()
    return day if until.time() >= start.time() or day <= date(1, 1, 1) else day - timedelta(days=1)


def as_one(draft: Draft, uid: str) -> Draft:
    """Return an override whose series the file does not hold, as an event that stands for itself."""
    return replace(draft, uid=uid, replaces=None, rules=(), excluded=())
