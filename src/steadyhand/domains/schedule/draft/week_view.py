"""Decides what a person is shown of one week beside its grid: title, legend, days that differ, what the draft would change. It must not write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.draft import standing
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.week_grid import WIDTH, Column, Painter, Seat, draw
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, CalendarFact, Records, Term

Day = tuple[int, int]
"""(week, day of week)"""


def _bare(text: str, mark: str) -> str:
    del mark
    return text


@dataclass(frozen=True, slots=True)
class WeekView:
    """A week as it stood when it was looked at: drawn whenever it is shown, in the width and the colours of the place."""

    week: int
    title: str
    columns: tuple[Column, ...]
    scale: tuple[tuple[str, str], ...]
    foot: tuple[str, ...]

    def text(self, width: int = WIDTH, paint: Painter = _bare) -> str:
        """Return the week for a person, in a font of equal widths."""
        return "\n".join([self.title, draw(self.columns, self.scale, width, paint), *self.foot])

    def to_json(self) -> Mapping[str, Json]:
        return {
            "view": "week",
            "week": self.week,
            "title": self.title,
            "columns": [
                {
                    "heading": list(column.heading),
                    "date": column.day.isoformat(),
                    "seats": [seat.to_json() for seat in column.seats],
                }
                for column in self.columns
            ],
            "scale": [list(times) for times in self.scale],
            "foot": list(self.foot),
        }

    @staticmethod
    def from_json(value: Json) -> "WeekView":
        entry = cast("Mapping[str, Any]", value)
        columns = tuple(
            Column(
                (column["heading"][0], column["heading"][1]),
                date.fromisoformat(column["date"]),
                tuple(Seat.from_json(seat) for seat in column["seats"]),
            )
            for column in entry["columns"]
        )
        scale = tuple((begin, end) for begin, end in entry["scale"])
        return WeekView(entry["week"], entry["title"], columns, scale, tuple(entry["foot"]))


def week_view(records: Records, draft: OpenDraft, week: int | None, *, today: date, language: Language) -> WeekView:
    """Look at a week of the term with the draft laid over it; without a *week*, at today's, or the first that holds anything."""
    term = records.term
    holders = standing.drafted(records, draft)
    shown = week or standing.default_week(term, today, holders)
    days = days_of(shown)
    columns = tuple(standing.column(term, holders, day, today=today, language=language) for day in days)
    foot = [*time_lines(term, columns, days, language), *foot_lines(records, draft, days, language)]
    return WeekView(shown, title(term, shown, language), columns, term.scale_of(*days[0]).slots, tuple(foot))


def days_of(week: int) -> list[Day]:
    """Return the days of a week."""
    return [(week, day_of_week) for day_of_week in range(1, DAYS_IN_WEEK + 1)]


def title(term: Term, week: int, language: Language) -> str:
    """Say which week of which term it is."""
    first, last = term.date_of(week, 1).isoformat(), term.date_of(week, DAYS_IN_WEEK).isoformat()
    return say(language, "schedule.week.title", name=term.name, week=week, weeks=term.weeks, first=first, last=last)


def foot_lines(records: Records, draft: OpenDraft, days: Sequence[Day], language: Language) -> list[str]:
    """Return what stands below a grid of *days*: the legend, the days that do not go by their weekday, the draft, what is pending."""
    lines = [say(language, "schedule.week.legend"), *fact_lines(records, days, language)]
    if draft.changed:
        lines.append(say(language, "schedule.week.draft", count=len(draft.changed)))
    return [*lines, say(language, "schedule.week.pending", count=draft.timetable.pending)]


def time_lines(term: Term, columns: Sequence[Column], days: Sequence[Day], language: Language) -> list[str]:
    """Return a line for each meeting whose clock times are other than those that stand beside its slots."""
    lines: list[str] = []
    for column, (week, day_of_week) in zip(columns, days, strict=True):
        scale = term.scale_of(week, day_of_week).slots
        for seat in column.seats:
            if not seat.exact or seat.times == (scale[seat.first - 1][0], scale[seat.last - 1][1]):
                continue
            slots = f"{seat.first}-{seat.last}" if seat.first != seat.last else str(seat.first)
            weekday = say(language, f"export.day.{day_of_week}")
            about = " · ".join(text for text in ("–".join(seat.times), seat.where) if text)
            lines.append(say(language, "schedule.week.exact", day=weekday, slots=slots, name=seat.name, about=about))
    return lines


def fact_lines(records: Records, days: Sequence[Day], language: Language) -> list[str]:
    """Return a line for each of *days* that does not go by its weekday."""
    return [fact_line(records.term, fact, language) for fact in records.facts if fact.day in days]


def fact_line(term: Term, fact: CalendarFact, language: Language) -> str:
    """Return what holds on the day of *fact*."""
    here = _day_text(term, fact.day, language)
    if fact.as_day is None:
        return say(language, "schedule.week.holiday", day=here)
    return say(language, "schedule.week.works_as", day=here, other=_day_text(term, fact.as_day, language))


def _day_text(term: Term, day: Day, language: Language) -> str:
    weekday = say(language, f"export.day.{day[1]}")
    return say(language, "schedule.week.day", date=term.date_of(*day).isoformat(), week=day[0], weekday=weekday)
