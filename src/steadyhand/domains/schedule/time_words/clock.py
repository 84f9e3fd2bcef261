"""Decides which slots of a time scale a part of the day or a clock time means; it must not know a day."""

from collections.abc import Sequence
from dataclasses import dataclass

from steadyhand.domains.schedule.term.records import TimeScale
from steadyhand.domains.schedule.time_words import tokens as t
from steadyhand.domains.schedule.time_words.phrase import Item, words
from steadyhand.domains.schedule.time_words.tokens import NotUnderstood, Token

HOUR = 60
NOON_MINUTE = 12 * HOUR
PART_SLOTS = {
    t.DAWN: (0, 5 * HOUR),
    t.MORNING: (5 * HOUR, 12 * HOUR),
    t.NOON: (11 * HOUR + 30, 14 * HOUR),
    t.AFTERNOON: (12 * HOUR, 18 * HOUR),
    t.EVENING: (18 * HOUR, 24 * HOUR),
}
"""A slot belongs to the part of the day in which it begins."""
PART_HOURS = {
    t.DAWN: (0, 6 * HOUR),
    t.MORNING: (5 * HOUR, 12 * HOUR),
    t.NOON: (11 * HOUR, 15 * HOUR),
    t.AFTERNOON: (12 * HOUR, 20 * HOUR),
    t.EVENING: (17 * HOUR, 24 * HOUR),
}
"""The clock times that people say together with a part of the day; others contradict it and are refused."""
BEFORE_FIRST = 2 * HOUR
"""How long before the first slot a clock time still means that slot."""

Run = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Slots:
    """Which slots a time means: several *readings* when it is not certain; none when no slot lies there; *whole* days."""

    readings: tuple[Run, ...] = ()
    whole: bool = False
    instant: bool = False


class Day:
    """The slots of a day in minutes from midnight."""

    def __init__(self, scale: TimeScale, slots: int) -> None:
        self.slots = slots
        self._times = [(_minutes(start), _minutes(end)) for start, end in scale.slots[:slots]]

    def at(self, minute: int) -> int | None:
        """Return the slot that contains *minute* or begins next; after the last slot, or long before the first, None."""
        if not self._times or minute < self._times[0][0] - BEFORE_FIRST:
            return None
        return next((number for number, (_, end) in enumerate(self._times, 1) if minute < end), None)

    def between(self, first: int, last: int) -> Run | None:
        """Return the slots of which at least half lies between two minutes."""
        inside = [
            number
            for number, (start, end) in enumerate(self._times, 1)
            if 2 * (min(end, last) - max(start, first)) >= end - start
        ]
        return (inside[0], inside[-1]) if inside else None

    def of_part(self, part: int) -> Run | None:
        """Return the slots that begin in a part of the day."""
        first, last = PART_SLOTS[part]
        inside = [number for number, (start, _) in enumerate(self._times, 1) if first <= start < last]
        return (inside[0], inside[-1]) if inside else None


def _minutes(text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * HOUR + int(minute)


def slots_of(item: Item, day: Day) -> Slots:
    """Return the slots that the time of *item* means."""
    if not item.time:
        return Slots(whole=True)
    if item.last_time:
        return _range(item.time, item.last_time, day)
    return _single(item.time, day)


def _single(time: tuple[Token, ...], day: Day) -> Slots:
    part, rest = _part(time)
    if not rest:
        return _found(day.of_part(part) if part is not None else None)
    token = rest[0]
    if token.kind == "all_day" and part is None:
        return Slots(whole=True)
    if token.kind == "slots":
        return Slots((_within(_slots(token, token, day), part, day, time),))
    if token.kind == "clock" or (token.kind == "number" and part is not None):
        found = {slot: None for minute in _readings(token, part) if (slot := day.at(minute))}
        return Slots(tuple((slot, slot) for slot in found), instant=True)
    raise NotUnderstood("words", words(time))


def _range(time: tuple[Token, ...], last_time: tuple[Token, ...], day: Day) -> Slots:
    whole = words((*time, *last_time))
    first_part, first = _part(time)
    last_part, last = _part(last_time)
    if not first and not last and first_part is not None and last_part is not None:
        runs = (day.of_part(first_part), day.of_part(last_part))
        if None in runs or first_part >= last_part:
            raise NotUnderstood("range", whole)
        return _found(_joined(*runs))
    if not first or not last:
        raise NotUnderstood("range", whole)
    if first[0].kind == last[0].kind == "slots":
        return Slots((_within(_slots(first[0], last[0], day), first_part, day, time),))
    spoken = {first[0].kind, last[0].kind}
    if spoken - {"clock", "number"} or (spoken == {"number"} and first_part is None and last_part is None):
        raise NotUnderstood("range", whole)
    pairs = _pairs(_bounds(first[0], last[0], first_part, last_part))
    if not pairs:
        raise NotUnderstood("range", whole)
    runs = tuple(run for start, end in pairs if (run := day.between(start, end)))
    return Slots(tuple(dict.fromkeys(runs)))


def _joined(first: Run | None, last: Run | None) -> Run | None:
    return (first[0], last[1]) if first and last else None


def _found(run: Run | None) -> Slots:
    return Slots((run,) if run else ())


def _part(time: Sequence[Token]) -> tuple[int | None, tuple[Token, ...]]:
    parts = [token for token in time if token.kind == "part"]
    rest = tuple(token for token in time if token.kind != "part")
    if len(parts) > 1 or len(rest) > 1:
        raise NotUnderstood("words", words(time))
    return (parts[0].values[0] if parts else None), rest


def _slots(first: Token, last: Token, day: Day) -> Run:
    start, end = first.values[0], last.values[1]
    if not 1 <= start <= end <= day.slots:
        raise NotUnderstood("slots", words((first, last)))
    return start, end


def _within(run: Run, part: int | None, day: Day, time: Sequence[Token]) -> Run:
    around = day.of_part(part) if part is not None else (1, day.slots)
    if around is None or not around[0] <= run[0] <= run[1] <= around[1]:
        raise NotUnderstood("contradiction", words(time))
    return run


def _bounds(first: Token, last: Token, first_part: int | None, last_part: int | None) -> tuple[list[int], list[int]]:
    """Read both ends; a part of the day that stands beside one end alone holds for the other where that end allows it."""
    starts, ends = _readings(first, first_part), _readings(last, last_part)
    if first_part is None and last_part is not None:
        starts = _where_possible(starts, last_part)
    if last_part is None and first_part is not None:
        ends = _where_possible(ends, first_part)
    return starts, ends


def _where_possible(minutes: list[int], part: int) -> list[int]:
    first, last = PART_HOURS[part]
    return [minute for minute in minutes if first <= minute <= last] or minutes


def _pairs(bounds: tuple[list[int], list[int]]) -> list[Run]:
    """Pair each start with the nearest end after it, and each end with the nearest start before it."""
    starts, ends = bounds
    pairs: dict[int, int] = {}
    for start in sorted(starts):
        end = min((end for end in ends if end > start), default=None)
        if end is not None:
            pairs[end] = start
    return sorted((start, end) for end, start in pairs.items())


def _readings(token: Token, part: int | None) -> list[int]:
    """Return the minutes of the day that a clock time can mean; one that cannot be is refused by name."""
    hour, minute, half = token.values if token.kind == "clock" else (token.values[0], 0, t.UNSAID)
    if hour > 23 or minute > 59 or (half in (t.BEFORE_NOON, t.AFTER_NOON) and not 1 <= hour <= 12):
        raise NotUnderstood("clock", words((token,)))
    if half == t.FULL_DAY or hour > 12:
        readings = [hour * HOUR + minute]
    else:
        early = hour % 12 * HOUR + minute
        readings = {t.BEFORE_NOON: [early], t.AFTER_NOON: [early + NOON_MINUTE]}.get(half, [early, early + NOON_MINUTE])
    if part is not None:
        first, last = PART_HOURS[part]
        readings = [reading for reading in readings if first <= reading < last]
        if not readings:
            raise NotUnderstood("contradiction", words((token,)))
    return readings
