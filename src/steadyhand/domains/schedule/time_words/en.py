"""Decides which English words name a day, a time of day or slots; it must not know what day it is."""

import re
from collections.abc import Sequence

from steadyhand.domains.schedule.time_words import tokens as t
from steadyhand.domains.schedule.time_words.tokens import Rule, Token

_COUNT = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WEEKDAYS = {"mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6, "sun": 7}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PARTS = {
    "morning": t.MORNING,
    "noon": t.NOON,
    "midday": t.NOON,
    "afternoon": t.AFTERNOON,
    "evening": t.EVENING,
    "night": t.EVENING,
}

COUNT_WORDS = frozenset(_COUNT)
"""The numbers that are read as words."""

_NUMBER = rf"(?:[0-9]{{1,3}}|{'|'.join(_COUNT)})"
_DAY = (
    r"(mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\.?"  # tues, thurs …
)
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_ORDINAL = r"([0-9]{1,2})(?:st|nd|rd|th)"
_ORDINAL_MAYBE = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(20[0-9]{2}))?"
_TO = r"\s*(?:-|–|—|~|\s(?:to|through)\s)\s*"
_HALF = r"\s*([ap])\.?m\b\.?"


def number(text: str) -> int:
    """Read digits or a word from zero to twelve; ``a`` and ``an`` are one."""
    if text in ("a", "an"):
        return 1
    return _COUNT.index(text) if text in _COUNT else int(text)


def _month(text: str) -> int:
    return _MONTHS.index(text[:3]) + 1


def _counted(kind: t.Kind, times: int = 1) -> t.Builder:
    return lambda match: (Token(kind, (number(match.group(1)) * times,), match.group()),)


def _span(kind: t.Kind) -> t.Builder:
    def build(match: re.Match[str]) -> Sequence[Token]:
        first = number(match.group(1))
        return (Token(kind, (first, number(match.group(2)) if match.group(2) else first), match.group()),)

    return build


def _neighbours(match: re.Match[str]) -> Sequence[Token] | None:
    first, second = number(match.group(1)), number(match.group(2))
    return (Token("slots", (first, second), match.group()),) if second == first + 1 else None


def _month_first(match: re.Match[str]) -> Sequence[Token]:
    year = int(match.group(3)) if match.group(3) else 0
    return (Token("date", (year, _month(match.group(1)), int(match.group(2))), match.group()),)


def _day_first(match: re.Match[str]) -> Sequence[Token]:
    year = int(match.group(3)) if match.group(3) else 0
    return (Token("date", (year, _month(match.group(2)), int(match.group(1))), match.group()),)


def _weekday(kind: t.Kind) -> t.Builder:
    return lambda match: (Token(kind, (_WEEKDAYS[match.group(1)[:3]],), match.group()),)


def _part(match: re.Match[str]) -> Sequence[Token]:
    own = Token("part", (_PARTS[match.group(1)],), match.group())
    return (Token("each"), own) if match.group(2) else (own,)


def _this_part(match: re.Match[str]) -> Sequence[Token]:
    return (Token("offset", (0,), match.group()), Token("part", (_PARTS[match.group(1)],), match.group()))


def _clock_half(match: re.Match[str]) -> Sequence[Token]:
    half = t.BEFORE_NOON if match.group(3) == "a" else t.AFTER_NOON
    return (t.clock(number(match.group(1)), int(match.group(2) or 0), half, match.group()),)


def _clock(minute: int, hours_back: int = 0) -> t.Builder:
    return lambda match: (t.clock(number(match.group(1)) - hours_back, minute, t.UNSAID, match.group()),)


def _slash(match: re.Match[str]) -> Sequence[Token]:
    return (Token("month_or_day", (int(match.group(1)), int(match.group(2))), match.group()),)


_TABLE: tuple[tuple[str, t.Builder], ...] = (
    (r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})", t.iso_date),
    (rf"{_MONTH}\s+(?:the\s+)?{_ORDINAL_MAYBE}{_YEAR}(?!:)", _month_first),
    (rf"(?:the\s+)?{_ORDINAL_MAYBE}\s+(?:of\s+)?{_MONTH}{_YEAR}", _day_first),
    (rf"the\s+{_ORDINAL}", _counted("month_day")),
    (r"([0-9]{1,2})/([0-9]{1,2})(?!/)", _slash),
    (rf"in\s+({_NUMBER}|an?)\s+days?(?:\s+time)?", _counted("offset")),
    (rf"in\s+({_NUMBER}|an?)\s+weeks?(?:\s+time)?", _counted("offset", 7)),
    (rf"({_NUMBER}|an?)\s+days?\s+(?:from\s+(?:now|today)|later)", _counted("offset")),
    (rf"({_NUMBER}|an?)\s+weeks?\s+(?:from\s+(?:now|today)|later)", _counted("offset", 7)),
    (r"(?:the\s+)?week\s+after\s+next", t.one("week_offset", 2)),
    (r"(?:the\s+)?day\s+after\s+tomorrow", t.one("offset", 2)),
    (rf"week\s+({_NUMBER})", _counted("week_number")),
    (rf"days?\s+({_NUMBER})(?:{_TO}({_NUMBER}))?", _span("day_index")),
    (rf"(?:slot|period)s?\s+({_NUMBER})\s*(?:and|&|,)\s*({_NUMBER})", _neighbours),
    (rf"(?:slot|period)s?\s+({_NUMBER})(?:{_TO}({_NUMBER}))?", _span("slots")),
    (r"next\s+weekend", t.one("next_day_set", *t.WEEKEND)),
    (r"(?:this\s+|the\s+)?weekend", t.one("day_set", *t.WEEKEND)),
    (r"weekdays|working\s+days", t.one("day_set", *t.WORKING_DAYS)),
    (r"next\s+week", t.one("week_offset", 1)),
    (r"this\s+week", t.one("week_offset", 0)),
    (r"last\s+week", t.one("week_offset", -1)),
    (rf"next\s+{_DAY}", _weekday("next_weekday")),
    (rf"this\s+{_DAY}", _weekday("this_weekday")),
    (_DAY, _weekday("weekday")),
    (r"today", t.one("offset", 0)),
    (r"tomorrow", t.one("offset", 1)),
    (r"yesterday", t.one("offset", -1)),
    (
        r"tonight",
        lambda match: (Token("offset", (0,), match.group()), Token("part", (t.EVENING,), match.group())),
    ),
    (r"this\s+(morning|afternoon|evening)", _this_part),
    (r"(?:in\s+the\s+)?(morning|afternoon|evening|night|noon|midday)(s?)", _part),
    (r"all\s+day|(?:the\s+)?whole\s+day", t.one("all_day")),
    (rf"({_NUMBER})(?::([0-9]{{2}}))?{_HALF}", _clock_half),
    (r"([0-9]{1,2}):([0-9]{2})(?!:)", t.digital),
    (rf"half\s+past\s+({_NUMBER})", _clock(30)),
    (rf"(?:a\s+)?quarter\s+past\s+({_NUMBER})", _clock(15)),
    (r"(?:a\s+)?quarter\s+to\s+(1[0-2]|[2-9]|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)", _clock(45, 1)),
    (rf"({_NUMBER})\s*o'?\s?clock", _clock(0)),
    (r"at\s+([0-9]{1,2})(?!:|\s*[ap]\.?m|\s*o'?\s?clock)", _clock(0)),
    (r"(?:each|every)\s+day", t.one("each")),
    (r"to|through", t.one("to")),
    (r"and", t.one("and")),
    (rf"({_ORDINAL_MAYBE})", lambda match: (Token("number", (int(match.group(2)),), match.group()),)),
    (r"at|on|of|the|from|during", t.one("filler")),
)
_MARKS: tuple[tuple[str, t.Builder], ...] = (
    (r"[-–—~]", t.one("to")),
    (r"&", t.one("and")),
    (r",", t.one("comma")),
    (r"\s+|[.!()]", t.one("filler")),
)
RULES: tuple[Rule, ...] = (
    *((re.compile(rf"(?<![a-z0-9:/])(?:{pattern})(?![a-z0-9/])"), build) for pattern, build in _TABLE),
    *((re.compile(pattern), build) for pattern, build in _MARKS),
)
