"""Decides how days of a timetable are drawn in columns of fixed width: marks, wrapping. It must not know where its seats come from.

Only ASCII draws lines, so that a terminal with wide ambiguous characters keeps the columns. A seat is marked by a letter, which
a painter may colour: C course, T task, S suggested; a small letter stands inside the course above it. Where two timetables are
compared, - goes and + comes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias, cast

from rich.cells import cell_len

from steadyhand.core.canonical import Json

Mark: TypeAlias = Literal["C", "T", "S", "t", "s", "-", "+"]
Painter: TypeAlias = Callable[[str, Mark], str]
"""Colours what a seat shows, by its mark, without changing how wide it is."""

WIDTH = 80
LABEL = 8
BREAK_MINUTES = 45


@dataclass(frozen=True, slots=True)
class Seat:
    """One run of slots of one event on one day: with its clock times, which are *exact* where its source gave them."""

    first: int
    last: int
    name: str
    mark: Mark
    where: str = ""
    host: str = ""
    teacher: str = ""
    times: tuple[str, str] = ("", "")
    exact: bool = False

    @property
    def guest(self) -> bool:
        """Whether it stands inside another seat."""
        return self.mark.islower() or (self.mark in "+-" and bool(self.host))

    def to_json(self) -> Json:
        return {
            "slots": [self.first, self.last],
            "name": self.name,
            "mark": self.mark,
            "place": self.where,
            "embedded_in": self.host or None,
            "teacher": self.teacher,
            "times": list(self.times),
            "exact": self.exact,
        }

    @staticmethod
    def from_json(value: Json) -> "Seat":
        entry = cast("Mapping[str, Any]", value)
        first, last = entry["slots"]
        begin, end = entry.get("times", ("", ""))  # a week that an earlier version told has neither these nor a teacher
        words = (entry["name"], entry["mark"], entry["place"], entry["embedded_in"] or "", entry.get("teacher", ""))
        return Seat(first, last, *words, (begin, end), exact=entry.get("exact", False))


@dataclass(frozen=True, slots=True)
class Column:
    """One day: its two lines of heading, its date and its seats."""

    heading: tuple[str, str]
    day: date
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """What one column shows in one slot."""

    text: str = ""
    mark: Mark | None = None


def draw(
    columns: Sequence[Column], scale: Sequence[tuple[str, str]], width: int = WIDTH, paint: Painter = lambda text, _: text
) -> str:
    """Return the columns side by side, slots down, in at most *width* cells a line."""
    inner = (width - LABEL - 1) // len(columns) - 1
    rule = "-" * LABEL + ("+" + "-" * inner) * len(columns) + "+"
    lines = [_row(" " * LABEL, [Line(column.heading[part]) for column in columns], inner, paint) for part in (0, 1)]
    drawn = [_lines(column.seats, len(scale), inner) for column in columns]
    for slot, (begin, end) in enumerate(scale, 1):
        if slot == 1 or _minutes(begin) - _minutes(scale[slot - 2][1]) >= BREAK_MINUTES:
            lines.append(rule)
        del end
        lines.append(_row(f"{slot:>2} {begin}", [column[slot] for column in drawn], inner, paint))
    return "\n".join([*lines, rule])


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def _row(label: str, cells: Sequence[Line], inner: int, paint: Painter) -> str:
    return label + "".join("|" + _painted(cell, inner, paint) for cell in cells) + "|"


def _painted(cell: Line, inner: int, paint: Painter) -> str:
    text = cell.text + " " * (inner - cell_len(cell.text))
    return paint(text, cell.mark) if cell.mark else text


def _lines(seats: Sequence[Seat], slots: int, inner: int) -> dict[int, Line]:
    """Return what each slot shows: the seats' names wrapped over their slots, a guest's below its host's."""
    plain = {slot: seat for seat in seats if not seat.guest for slot in range(seat.first, seat.last + 1)}
    guests = {slot: seat for seat in seats if seat.guest for slot in range(seat.first, seat.last + 1)}
    shown = {slot: Line() for slot in range(1, slots + 1)}
    start = 1
    while start <= slots:
        end = start
        holders = plain.get(start), guests.get(start)
        while end < slots and (plain.get(end + 1), guests.get(end + 1)) == holders:
            end += 1
        shown |= _stretch(holders[0], holders[1], start, end, inner)
        start = end + 1
    return shown


def _stretch(plain: Seat | None, guest: Seat | None, start: int, end: int, inner: int) -> dict[int, Line]:
    """Return the lines of slots that are held alike; of a host with a guest the upper half is the host's."""
    count = end - start + 1
    if guest is None:
        return {} if plain is None else _named(plain, start, count, inner)
    upper = count // 2 if plain is not None else 0
    lines = _named(plain, start, upper, inner) if plain is not None and upper else {}
    return lines | _named(guest, start + upper, count - upper, inner)


def _named(seat: Seat, start: int, count: int, inner: int) -> dict[int, Line]:
    gap = "" if cell_len(seat.name[:1]) == 2 else " "
    texts = wrap(f"{seat.mark}{gap}{seat.name}", count, inner)
    return {start + index: Line(text, seat.mark) for index, text in enumerate(texts)}


def wrap(text: str, count: int, inner: int) -> list[str]:
    """Return *count* lines of at most *inner* cells: words stay whole where they can, what is left over is cut with two dots."""
    lines: list[str] = []
    rest = text
    while len(lines) < count:
        if not rest:
            lines.append(" :")
            continue
        room = inner if cell_len(rest) <= inner or len(lines) < count - 1 else inner - 2
        head = _head(rest, room, whole_words=room == inner)
        rest = rest[len(head) :].lstrip()
        lines.append(head.rstrip() + (".." if room < inner else ""))
        if room < inner:
            rest = ""
    return lines


def _head(text: str, room: int, *, whole_words: bool) -> str:
    """Return as much of *text* as fits; when a word would be cut and a space stands before it, the text up to there."""
    used = 0
    for index, sign in enumerate(text):
        used += cell_len(sign)
        if used > room:
            space = text.rfind(" ", 2, index + 1)
            return text[:space] if whole_words and space > 0 and cell_len(sign) == 1 else text[:index]
    return text
