"""Decides which days and slots a person's words mean, by the tool that reads them; where they could mean several it asks, and never picks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from steadyhand.domains.schedule.phrases.dates import Days
from steadyhand.domains.schedule.phrases.refusing import refused
from steadyhand.domains.schedule.phrases.tasks import choose, printable
from steadyhand.domains.schedule.time_words.resolve import is_time
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Outcome


@dataclass(frozen=True, slots=True)
class Span:
    """A day with a run of its slots; the whole day has no ends."""

    day: int
    start: int | None = None
    end: int | None = None

    def run(self, slots: int) -> tuple[int, int]:
        """Return the slots that it covers."""
        return self.start or 1, self.end or slots

    @property
    def whole(self) -> bool:
        """Whether it is a whole day."""
        return self.start is None


@dataclass(frozen=True, slots=True)
class When:
    """What words for a time mean: spans in the order of time, and whether a part of it lies outside the window."""

    spans: tuple[Span, ...]
    clipped: bool

    @property
    def days(self) -> tuple[int, ...]:
        """The days, each once."""
        return tuple(dict.fromkeys(span.day for span in self.spans))


def resolve(asked: Asked, days: Days, words: str) -> Looks[When | Answer]:
    """Have *words* read; what is not certain is asked, what is not understood is said."""
    (outcome,) = yield [Call("resolve_time", {"text": words})]
    return (yield from understood(asked, days, words, outcome))


def understood(asked: Asked, days: Days, words: str, outcome: Outcome) -> Looks[When | Answer]:
    """Take the answer of the tool that reads words for times."""
    yield from ()
    readings = _readings(outcome.fields)
    code = outcome.fields.get("code", outcome.code)
    if code == "ok" and readings:
        return When(readings[0], bool(outcome.fields.get("clipped")))
    if code == "ambiguous":
        return (yield from _which(asked, days, words, readings))
    bounds = {
        "words": printable(words),
        "first": days.day(1),
        "last": days.day(days.window.total_days),
        "slots": days.window.slots,
    }
    if code in ("not_understood", "outside_window", "no_slot"):
        return Answer(asked.say(f"schedule.say.time.{code}", **bounds), well=False)
    return refused(asked, outcome)


def _readings(fields: Mapping[str, Any]) -> list[tuple[Span, ...]]:
    readings = cast("Sequence[Sequence[Mapping[str, Any]]]", fields.get("readings") or ())
    return [tuple(Span(span["day"], span["slot_start"], span["slot_end"]) for span in reading) for reading in readings]


def _which(asked: Asked, days: Days, words: str, readings: Sequence[tuple[Span, ...]]) -> Looks[Answer]:
    spelled = [_spelled(asked, days, reading) for reading in readings]
    certain = [text for text in spelled if text and is_time(text, asked.language)]
    question = asked.say("schedule.say.time.ambiguous", words=printable(words))
    if len(certain) == len(readings) > 1:
        return (yield from choose(asked, question, words, certain))
    told = [asked.say("schedule.say.row", text=told_of(days, reading)) for reading in readings]
    return Answer("\n".join([question, *told, asked.say("schedule.say.say_which")]), well=False)


def _spelled(asked: Asked, days: Days, reading: Sequence[Span]) -> str:
    """Write a reading so that it can be read in one way only; nothing where that takes more than one range."""
    runs = {(span.start, span.end) for span in reading}
    indexes = [span.day for span in reading]
    if len(runs) != 1 or any(later != earlier + 1 for earlier, later in pairwise(indexes)):
        return ""
    start, end = runs.pop()
    text = _date(asked, days, indexes[0])
    if len(indexes) > 1:
        text = asked.say("schedule.say.spelled.days", first=text, last=_date(asked, days, indexes[-1]))
    if start is None or end is None:
        return text
    return asked.say("schedule.say.spelled.slots", days=text, start=start, end=end)


def _date(asked: Asked, days: Days, day: int) -> str:
    at = days.date_of(day)
    return asked.say("schedule.say.spelled.date", month=asked.say(f"schedule.say.month.{at.month}"), day=at.day)


def told_of(days: Days, spans: Sequence[Span]) -> str:
    """Say spans to a person: days in a row with the same slots as one."""
    groups: list[list[Span]] = []
    for span in spans:
        last = groups[-1][-1] if groups else None
        if last is not None and last.day + 1 == span.day and (last.start, last.end) == (span.start, span.end):
            groups[-1].append(span)
        else:
            groups.append([span])
    return days.asked.say("schedule.say.joint").join(_group(days, group) for group in groups)


def _group(days: Days, group: Sequence[Span]) -> str:
    first = group[0]
    text = days.span(first.day, group[-1].day)
    if first.start is None or first.end is None:
        return text
    return days.asked.say("schedule.say.at", day=text, slots=days.slots(first.start, first.end))
