"""Decides which words at the command line are a day of the week, a range of slots, a date, a name; it must not know a timetable."""

from datetime import date
from typing import Any

import click

from steadyhand.cli.terminal.frame import frame_of

MAX_NAME = 120
Converted = click.Context | None


class _Read(click.ParamType[Any]):
    """A type whose refusal is a message id."""

    def refuse(self, message: str, value: object, param: click.Parameter | None, ctx: Converted) -> None:
        frame = frame_of(ctx or click.get_current_context())
        self.fail(frame.say(f"schedule.bad.{message}", value=quoted(value)), param, ctx)


def quoted(value: object) -> str:
    """Return what was typed so that it can be shown: no control characters, bounded."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"


class Words(_Read):
    """A text on one line that can be shown, not blank."""

    name = "TEXT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Converted) -> str:
        text = str(value).strip()
        if not text or len(text) > MAX_NAME or not text.isprintable():
            self.refuse("text", value, param, ctx)
        return text


class DayOfWeek(_Read):
    """1 … 7, mon, Monday, 周一."""

    name = "DAY"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Converted) -> int:
        from steadyhand.domains.schedule.imports.dates import read_day

        found = value if isinstance(value, int) else read_day(str(value))
        if found is None:
            self.refuse("day_of_week", value, param, ctx)
        return found or 0


class SlotRange(_Read):
    """1-2, 3, 第1-2节."""

    name = "SLOTS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Converted) -> tuple[int, int]:
        from steadyhand.domains.schedule.imports.tables import read_slots

        found = read_slots(str(value))
        if found is None or found[0] > found[1]:
            self.refuse("slots", value, param, ctx)
        return found or (0, 0)


class IsoDate(_Read):
    """2026-09-07."""

    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Converted) -> date | None:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.refuse("date", value, param, ctx)


class Zone(_Read):
    """An IANA zone."""

    name = "ZONE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Converted) -> str:
        from steadyhand.core.clock import zone_exists

        if not zone_exists(str(value)):
            self.refuse("zone", value, param, ctx)
        return str(value)


class Scale(_Read):
    """Clock times of the slots of a day: 08:00-08:45,08:55-09:40."""

    name = "HH:MM-HH:MM,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Converted) -> tuple[tuple[str, str], ...]:
        from steadyhand.domains.schedule.term.scales import is_scale

        slots = [[end.strip() for end in slot.split("-")] for slot in str(value).replace("，", ",").split(",")]
        if not is_scale(slots):
            self.refuse("scale", value, param, ctx)
        return tuple((start, end) for start, end in slots)


WORDS, DAY_OF_WEEK, SLOTS, DATE, ZONE, SCALE = Words(), DayOfWeek(), SlotRange(), IsoDate(), Zone(), Scale()
