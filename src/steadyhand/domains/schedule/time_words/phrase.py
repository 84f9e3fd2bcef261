"""Decides how words for times join to phrases: which day, which part of it, ranges and lists; it must not know what day it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from steadyhand.domains.schedule.time_words.tokens import DAY_KINDS, TIME_KINDS, NotUnderstood, Token

Words = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One member of a list: a day or a range of days, and a time or a range of times on it.

    *each* says that the time holds for every day of the range, not for the end of it.
    """

    day: Words = ()
    last_day: Words = ()
    time: Words = ()
    last_time: Words = ()
    each: bool = False

    @property
    def timed(self) -> bool:
        """Whether a time of day was said."""
        return bool(self.time)

    @property
    def text(self) -> str:
        """The words of the item, as they stood."""
        return words((*self.day, *self.last_day, *self.time, *self.last_time))


def words(tokens: Sequence[Token]) -> str:
    """Return the words of *tokens* as they stood, each once where two tokens came of one word."""
    return " ".join(text for text, _ in groupby(token.text.strip() for token in tokens) if text)


def parse(tokens: Sequence[Token]) -> tuple[Item, ...]:
    """Read the whole of *tokens* as a list of items that each have a day; anything left over is refused by name."""
    items: list[Item] = []
    for group in _split(tokens):
        item = _item(group)
        before = items[-1] if items else None
        if item.day:
            items.append(item)
        elif before is None:
            raise NotUnderstood("no_day", item.text)
        elif before.timed:
            items.append(replace(item, day=before.day, last_day=before.last_day, each=before.each))
        else:
            raise NotUnderstood("words", item.text)
    return tuple(items)


def _split(tokens: Sequence[Token]) -> list[list[Token]]:
    """Part the members of a list. A comma parts days of one kind; between others (``Tuesday, 3pm``) it joins."""
    groups: list[list[Token]] = [[]]
    comma = False
    for link, run in groupby(tokens, key=lambda token: token.kind if token.kind in ("and", "comma") else None):
        members = list(run)
        if link is not None:
            if not groups[-1] or len(members) > 1:
                raise NotUnderstood("empty", words(tokens))
            comma = link == "comma"
            groups.append([])
        elif comma and _joins(groups[-2], members):
            groups.pop()
            groups[-1].extend(members)
        else:
            groups[-1].extend(members)
    if not groups[-1]:
        raise NotUnderstood("empty", words(tokens))
    return groups


def _joins(left: Sequence[Token], right: Sequence[Token]) -> bool:
    days = [{token.kind for token in side} & DAY_KINDS for side in (left, right)]
    timed = [any(token.kind in TIME_KINDS for token in side) for side in (left, right)]
    return days[0] != days[1] and not all(timed)


def _item(group: Sequence[Token]) -> Item:
    each = any(token.kind == "each" for token in group)
    plain = [token for token in group if token.kind != "each"]
    places = [index for index, token in enumerate(plain) if token.kind == "to"]
    if not places:
        day, time = _sides(plain)
        return Item(day, (), time, (), each)
    if len(places) > 1 or places[0] in (0, len(plain) - 1):
        raise NotUnderstood("range", words(plain))
    left, right = plain[: places[0]], plain[places[0] + 1 :]
    return _range(left, right, each=each, whole=plain)


def _range(left: Sequence[Token], right: Sequence[Token], *, each: bool, whole: Sequence[Token]) -> Item:
    day, time = _sides(left)
    last_day, last_time = _sides(right)
    if day and day[-1].kind in ("date", "month_day") and not time and not last_day and _day_number(last_time):
        return Item(day, last_time[:1], last_time[1:], (), each)
    if day and last_day and not (time and last_time):
        leading = bool(time) and left[0].kind in TIME_KINDS
        if time and not leading:
            raise NotUnderstood("range", words(whole))
        return Item(day, last_day, time or last_time, (), each or leading)
    if time and last_time and not (day and last_day):
        return Item(day or last_day, (), time, last_time, each)
    raise NotUnderstood("range", words(whole))


def _day_number(tokens: Words) -> bool:
    """Tell whether a range ends with the number of a day (``Oct 8-10``); with a part of the day it could be a clock time."""
    return bool(tokens) and tokens[0].kind == "number" and all(token.kind == "slots" for token in tokens[1:])


def _sides(tokens: Sequence[Token]) -> tuple[Words, Words]:
    """Part the words for the day from those for the time; each must stand together."""
    runs = [kind for kind, _ in groupby("day" if token.kind in DAY_KINDS else "time" for token in tokens)]
    if len(runs) > 2:
        raise NotUnderstood("words", words(tokens))
    day = tuple(token for token in tokens if token.kind in DAY_KINDS)
    return day, tuple(token for token in tokens if token.kind in TIME_KINDS)
