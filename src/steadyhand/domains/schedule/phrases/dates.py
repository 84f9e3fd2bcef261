"""Decides how days and slots are told to a person: weekday, date, slots, clock times, from the turn's context. It must not resolve words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, cast

from steadyhand.core.clock import local
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK
from steadyhand.domains.schedule.term.window import Present, Window
from steadyhand.llm.rules.book import Asked

Run = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Days:
    """The days of the window that the tools' indexes count in, as a person knows them."""

    asked: Asked
    window: Window
    first_monday: date
    scale: Sequence[Sequence[str]]
    present: Present

    @staticmethod
    def of(asked: Asked, fields: Mapping[str, Any]) -> "Days | None":
        """Take the window that a tool's *fields* tell of, and the term of the context; None where there is no term."""
        term = asked.part("term")
        monday, window = term.get("first_monday"), fields.get("window")
        if not isinstance(monday, str) or not isinstance(window, Mapping):
            return None
        days = cast("Mapping[str, int]", window)
        shape = Window(days["first_week"], days["first_day_of_week"], days["total_days"], days["slots"])
        present = Present(*cast("Sequence[int]", fields.get("present") or ()))
        return Days(asked, shape, date.fromisoformat(monday), cast("Sequence[Sequence[str]]", term.get("scale") or ()), present)

    def is_over(self, day: int, last_slot: int) -> bool:
        """Tell whether slots of *day* up to *last_slot* are over."""
        return (day, last_slot) < self.present

    def date_of(self, day: int) -> date:
        """Return the date of a day index."""
        week, day_of_week = self.window.week_of(day)
        return self.first_monday + timedelta(days=(week - 1) * DAYS_IN_WEEK + day_of_week - 1)

    def weekday_of(self, day: int) -> int:
        """Return the day of week, Monday being 1."""
        return self.window.week_of(day)[1]

    def week_days(self, day: int) -> range:
        """Return the day indexes of the week that *day* lies in, as far as the window reaches."""
        offset = self.weekday_of(day) - 1
        return range(max(1, day - offset), min(self.window.total_days, day - offset + DAYS_IN_WEEK - 1) + 1)

    @property
    def now(self) -> date | None:
        """Today's date in the person's zone; None when nobody knows the time."""
        now, zone = self.asked.now, self.asked.context.get("zone")
        return local(now, zone).date() if now is not None and isinstance(zone, str) else None

    @property
    def today(self) -> int | None:
        """Today's index; None outside the window."""
        if self.now is None:
            return None
        day = (self.now - self.date_of(1)).days + 1
        return day if 1 <= day <= self.window.total_days else None

    def day(self, day: int) -> str:
        """Say a day of the window."""
        return self.date(self.date_of(day))

    def date(self, at: date) -> str:
        """Say a date."""
        weekday = self.asked.say(f"schedule.say.weekday.{at.isoweekday()}")
        month = self.asked.say(f"schedule.say.month.{at.month}")
        return self.asked.say("schedule.say.day", weekday=weekday, month=month, day=at.day)

    def slots(self, start: int, end: int) -> str:
        """Say a run of slots, with its clock times where they are known."""
        text = self.asked.say("schedule.say.slot" if start == end else "schedule.say.slots", start=start, end=end)
        if not 1 <= start <= end <= len(self.scale):
            return text
        return self.asked.say("schedule.say.clock", slots=text, begin=self.scale[start - 1][0], end=self.scale[end - 1][1])

    def at(self, day: int, start: int, end: int) -> str:
        """Say a place."""
        return self.asked.say("schedule.say.at", day=self.day(day), slots=self.slots(start, end))

    def blocks(self, slots: Iterable[Sequence[int]]) -> str:
        """Say all the places of a task."""
        return self.asked.say("schedule.say.joint").join(self.at(*block) for block in slots)

    def runs(self, runs: Iterable[Run]) -> str:
        """Say several runs of slots of one day."""
        return self.asked.say("schedule.say.joint").join(self.slots(start, end) for start, end in runs)

    def span(self, first: int, last: int) -> str:
        """Say a range of days."""
        return (
            self.day(first) if first == last else self.asked.say("schedule.say.days", first=self.day(first), last=self.day(last))
        )


def block_of(value: Mapping[str, Any]) -> tuple[int, int, int]:
    """Read a place as the tools' data holds it."""
    return value["day"], value["slot_start"], value["slot_end"]
