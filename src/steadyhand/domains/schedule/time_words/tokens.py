"""Decides what a word for a time can be, and cuts a text into such words; it must not know what day it is."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "offset",  # (n,): n days from today
    "date",  # (year or 0, month, day)
    "month_or_day",  # (a, b): "10/8" where either may be the month
    "month_day",  # (day,): the 8th
    "week_offset",  # (n,): n weeks from this one
    "week_number",  # (n,): week n of the term
    "weekday",  # (1 … 7,)
    "next_weekday",  # (1 … 7,): may mean the coming one or that of next week
    "this_weekday",  # (1 … 7,): may mean the past one of this week or the coming one
    "day_set",  # (6, 7) or (1 … 5)
    "next_day_set",  # the same, the coming one or that of next week
    "day_index",  # (first, last) of the window
    "part",  # (index into PARTS,)
    "clock",  # (hour, minute, Half)
    "slots",  # (first, last)
    "all_day",
    "number",  # (n,): means something beside a clock or a date only
    "each",
    "to",
    "and",
    "comma",
    "filler",
]

DAY_KINDS: frozenset[Kind] = frozenset(
    {
        "offset",
        "date",
        "month_or_day",
        "month_day",
        "week_offset",
        "week_number",
        "weekday",
        "next_weekday",
        "this_weekday",
        "day_set",
        "next_day_set",
        "day_index",
    }
)
TIME_KINDS: frozenset[Kind] = frozenset({"part", "clock", "slots", "all_day", "number"})

PARTS = ("dawn", "morning", "noon", "afternoon", "evening")
DAWN, MORNING, NOON, AFTERNOON, EVENING = range(5)

UNSAID, BEFORE_NOON, AFTER_NOON, FULL_DAY = range(4)
"""What a clock time says of its half of the day: nothing, am, pm, or that it counts to 24."""

WEEKEND = (6, 7)
WORKING_DAYS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Token:
    """One word for a time; *text* is how it stood in the phrase."""

    kind: Kind
    values: tuple[int, ...] = ()
    text: str = ""


Builder: TypeAlias = Callable[["re.Match[str]"], Sequence[Token] | None]
Rule: TypeAlias = tuple["re.Pattern[str]", Builder]


class NotUnderstood(Exception):
    """A phrase is not certain; *reason* names a text of the catalogue, *words* what it is about."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = words


def cut(text: str, rules: Sequence[Rule]) -> list[Token]:
    """Cut *text* into tokens, the first rule that fits each place winning; what no rule knows is refused by name."""
    tokens: list[Token] = []
    at, unknown = 0, ""
    while at < len(text):
        found = _at(text, at, rules)
        if found is None:
            unknown += text[at]
            at += 1
            continue
        if unknown.strip():
            break
        unknown = ""
        made, at = found
        tokens.extend(made)
    if unknown.strip():
        raise NotUnderstood("words", unknown.strip())
    return [token for token in tokens if token.kind != "filler"]


def _at(text: str, at: int, rules: Sequence[Rule]) -> tuple[Sequence[Token], int] | None:
    for pattern, build in rules:
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            continue
        made = build(match)
        if made is not None:
            return made, match.end()
    return None


def clock(hour: int, minute: int, half: int, text: str) -> Token:
    """Make a clock token; an hour beyond 12, or 0, can only count to 24."""
    certain = half == UNSAID and (hour > 12 or hour == 0)
    return Token("clock", (hour, minute, FULL_DAY if certain else half), text)


def one(kind: Kind, *values: int) -> Builder:
    """Build a rule's token that needs nothing from the match."""
    return lambda match: (Token(kind, values, match.group()),)


def digital(match: re.Match[str]) -> Sequence[Token]:
    """Read ``09:30`` (a leading zero counts to 24) or ``9:30`` (either half of the day)."""
    hour, minute = match.group(1), match.group(2)
    half = FULL_DAY if len(hour) == 2 and hour[0] == "0" else UNSAID
    return (clock(int(hour), int(minute), half, match.group()),)


def iso_date(match: re.Match[str]) -> Sequence[Token]:
    """Read the three numbers year, month, day of a date written out."""
    year, month, day = (int(match.group(place)) for place in (1, 2, 3))
    return (Token("date", (year, month, day), match.group()),)
