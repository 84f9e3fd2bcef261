"""Decides which day and slot indexes a phrase means (``下周三晚上``, ``in 3 days``); it must not guess: what is not certain is refused.

Rules where a phrase could be read in two ways:

* Weeks begin on Monday; ``下周三`` and ``Tuesday next week`` are in the next of them. A weekday alone is the next to come;
  said on that very weekday it has two readings, today and a week later. ``next Tuesday`` and ``下个周二`` have two where the
  coming one and that of next week differ; ``this Tuesday`` where it has passed.
* A date without a year is the one inside the window, else the next to come; the number of a day is the next to come.
* A clock time without a half of the day is read both ways, and a reading that hits no slot falls away. It means the slot
  that contains it or begins next. A span of clock times means the slots of which at least half lies inside.
* A part of the day means the slots that begin in it: morning 5–12 h, noon 11:30–14 h, afternoon 12–18 h, evening 18–24 h.
* ``周一到周三晚上`` is every evening, or up to the last evening: two readings. Slots and spans hold for every day.
* What lies partly outside the window is answered with the part inside, and the answer says so.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Literal, TypeAlias

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.clock import local
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.term.records import Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.time_words import clock, days, en, zh
from steadyhand.domains.schedule.time_words.phrase import Item, parse, words
from steadyhand.domains.schedule.time_words.tokens import NotUnderstood, cut
from steadyhand.tools.base import Arguments

Code: TypeAlias = Literal["ok", "ambiguous", "not_understood", "outside_window", "no_slot"]
MAX_TEXT = 80
MAX_ITEMS = 8
MAX_READINGS = 8


class ResolveTimeArguments(Arguments):
    """The words to read."""

    text: str = Field(min_length=1, max_length=200)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A day index with a run of its slots, or with neither end for the whole day."""

    day: int
    slot_start: int | None = None
    slot_end: int | None = None

    def to_json(self) -> Json:
        return {"day": self.day, "slot_start": self.slot_start, "slot_end": self.slot_end}


Reading: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class TimeAnswer:
    """What a phrase means: with ``ok`` its one reading, with ``ambiguous`` those inside the window, else none.

    *text* is for the model: indexes, and the phrase's own words in quotes where they were not understood.
    *clipped* is set when some of what was meant lies outside the window.
    """

    code: Code
    text: str
    readings: tuple[Reading, ...] = ()
    clipped: bool = False

    @property
    def candidates(self) -> tuple[Span, ...]:
        """Every span of every reading, each once, ascending."""
        return tuple(sorted({span for reading in self.readings for span in reading}, key=_order))

    def to_json(self) -> Json:
        return {
            "code": self.code,
            "readings": [[span.to_json() for span in reading] for reading in self.readings],
            "clipped": self.clipped,
        }


def _order(span: Span) -> tuple[int, int, int]:
    return span.day, span.slot_start or 0, span.slot_end or 0


def resolve_time(text: str, *, window: Window, term: Term, now: datetime, language: Language) -> TimeAnswer:
    """Read *text* as days and slots of *window*; *now* is an aware moment, and today is its date in the term's zone.

    Text with Chinese characters is read by the Chinese words, text with Latin letters by the English ones, and digits
    alone by those of *language*. Never raises for any text.
    """
    try:
        items = _items(text, language)
        calendar = days.Calendar(local(now, term.zone).date(), term, window)
        day = clock.Day(term.scale, window.slots)
        readings = _readings(items, calendar, day)
    except NotUnderstood as refusal:
        reason = say(language, f"schedule.time.not_understood.{refusal.reason}", words=refusal.words, slots=window.slots)
        return TimeAnswer("not_understood", reason)
    return _answer(readings, calendar, language)


def is_time(text: str, language: Language) -> bool:
    """Tell whether *text* reads as words for a time, whatever they would mean today."""
    try:
        return bool(_items(text, language))
    except NotUnderstood:
        return False


def _items(text: str, language: Language) -> tuple[Item, ...]:
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    if not plain or len(plain) > MAX_TEXT:
        raise NotUnderstood("long" if plain else "empty", plain[:MAX_TEXT])
    chinese = any("\u4e00" <= sign <= "\u9fff" for sign in plain)
    latin = any("a" <= sign <= "z" for sign in plain)
    rules = zh.RULES if chinese or (not latin and language == "zh-CN") else en.RULES
    tokens = cut(plain, rules)
    if not tokens:
        raise NotUnderstood("empty", plain)
    items = parse(tokens)
    if len(items) > MAX_ITEMS:
        raise NotUnderstood("long", words(tokens))
    return items


DatedSpan: TypeAlias = "tuple[days.Dates, clock.Run | None]"


def _readings(items: Sequence[Item], calendar: days.Calendar, day: clock.Day) -> list[list[DatedSpan]]:
    """Return every reading of the whole list, each a list of (dates, slots); an item without any slot empties it."""
    per_item = [_item_readings(item, calendar, day) for item in items]
    timed = [item for item in items if item.timed]
    shared: list[list[list[DatedSpan]]] = []
    if len(items) > 1 and len(timed) == 1 and len(timed) < len(items):
        source = timed[0]
        shared = [_item_readings(_with_time(item, source), calendar, day) for item in items]
        if source is items[-1] and _holds_for_all(source, day):
            per_item, shared = shared, []
    elif 0 < len(timed) < len(items):
        raise NotUnderstood("list", " ".join(item.text for item in items))
    found = [*_joined(per_item), *_joined(shared)] if shared else _joined(per_item)
    return list({str(reading): reading for reading in found}.values())


def _joined(per_item: Sequence[Sequence[list[DatedSpan]]]) -> list[list[DatedSpan]]:
    count = 1
    for readings in per_item:
        count *= len(readings)
    if count > MAX_READINGS:
        raise NotUnderstood("list", "")
    return [[span for part in parts for span in part] for parts in product(*per_item)]


def _with_time(item: Item, source: Item) -> Item:
    return item if item.timed else Item(item.day, item.last_day, source.time, source.last_time, source.each)


def _holds_for_all(item: Item, day: clock.Day) -> bool:
    """Tell whether a time said once at the end of several days is meant for each: slots, spans and clock times are."""
    return bool(item.last_time) or clock.slots_of(item, day).instant or any(token.kind == "slots" for token in item.time)


def _item_readings(item: Item, calendar: days.Calendar, day: clock.Day) -> list[list[DatedSpan]]:
    slots = clock.slots_of(item, day)
    dates = days.dates_of(item, calendar)
    if calendar.term.seasons:
        slots = clock.slots_of(item, clock.Day(calendar.term.scale_on(dates[0][0]), day.slots))
    if slots.whole:
        return [[(reading, None)] for reading in dates]
    if not item.last_day or item.each or bool(item.last_time) or any(token.kind == "slots" for token in item.time):
        return [[(reading, run)] for reading in dates for run in slots.readings]
    if slots.instant:
        raise NotUnderstood("range", item.text)
    found: list[list[DatedSpan]] = []
    for reading, run in product(dates, slots.readings):
        found.append([(reading, run)])
        found.append([(reading[:-1], None), (reading[-1:], (1, run[1]))])
    return found


def _answer(found: Sequence[Sequence[DatedSpan]], calendar: days.Calendar, language: Language) -> TimeAnswer:
    window = calendar.window
    if not found:
        return TimeAnswer("no_slot", say(language, "schedule.time.no_slot", slots=window.slots))
    pairs = [_inside(reading, calendar) for reading in found]
    readings = tuple(dict.fromkeys(reading for reading, _ in pairs if reading))
    if not readings:
        return TimeAnswer("outside_window", say(language, "schedule.time.outside_window", days=window.total_days))
    clipped = any(cut_off for _, cut_off in pairs)
    code: Code = "ok" if len(found) == 1 else "ambiguous"
    lines = [_reading_text(reading, language) for reading in readings]
    if code == "ambiguous":
        choices = [say(language, "schedule.time.choice", number=number, reading=line) for number, line in enumerate(lines, 1)]
        lines = [say(language, "schedule.time.ambiguous", count=len(found)), *choices]
    if clipped:
        lines.append(say(language, "schedule.time.clipped", days=window.total_days))
    return TimeAnswer(code, "\n".join(lines), readings, clipped)


def _inside(reading: Iterable[DatedSpan], calendar: days.Calendar) -> tuple[Reading, bool]:
    """Return the spans of one reading that lie in the window, and whether others do not."""
    spans: dict[Span, None] = {}
    cut_off = False
    for dates, run in reading:
        for date in dates:
            index = calendar.index(date)
            if index is None:
                cut_off = True
            else:
                spans[Span(index, *(run or (None, None)))] = None
    return tuple(sorted(spans, key=_order)), cut_off


def _reading_text(reading: Reading, language: Language) -> str:
    """Name the spans of a reading, days in a row with the same slots as one."""
    runs: list[tuple[int, Span]] = []
    for span in reading:
        for place, (first, last) in enumerate(runs):
            if last.day + 1 == span.day and (last.slot_start, last.slot_end) == (span.slot_start, span.slot_end):
                runs[place] = (first, span)
                break
        else:
            runs.append((span.day, span))
    named: list[str] = []
    for first, last in runs:
        day = say(language, "schedule.time.day" if first == last.day else "schedule.time.days", first=first, last=last.day)
        named.append(_slots_text(day, last, language))
    return say(language, "schedule.time.and").join(named)


def _slots_text(day: str, span: Span, language: Language) -> str:
    if span.slot_start is None:
        return say(language, "schedule.time.whole_day", day=day)
    key = "slot" if span.slot_start == span.slot_end else "slots"
    return say(language, f"schedule.time.{key}", day=day, start=span.slot_start, end=span.slot_end)
