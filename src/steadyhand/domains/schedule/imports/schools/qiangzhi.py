"""Decides how the timetable page of 强智 is read: ``div.kbcontent`` in ``#kbtable``; it must not read the short forms beside them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from selectolax.lexbor import LexborHTMLParser, LexborNode

from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools.pages import Cell, grid_of, innermost, joined
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.schools.words import sections_of, weeks_of
from steadyhand.domains.schedule.imports.wording import shown

_RULE = re.compile(r"-{5,}")
_OF_NUMBER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.()（）-")
_BRACKET = re.compile(r"[\[【] ?([\d,、-]+) ?(?:[\]】] ?节|节 ?[\]】])")
_ID = re.compile(r".*-([1-7])-\d")
_PAIR = re.compile(r"第? ?([一二三四五六七]) ?大节.*")
_PAIRS = "一二三四五六七"
_MOST_PIECES = 40
_HEAD = re.compile(r"第? ?\d{1,2}(?: ?[-,，、~] ?\d{1,2}){0,24} ?小?节|\d{4}(?:\d\d)*")
_TITLES = {
    "老师": "teacher",
    "教师": "teacher",
    "周次(节次)": "weeks",
    "周次（节次）": "weeks",
    "周次": "weeks",
    "教室": "room",
    "地点": "room",
}


@dataclass(slots=True)
class _Part:
    """One course of a cell as it is written: what stands bare, and what stands under a title."""

    bare: list[str] = field(default_factory=list[str])
    titled: dict[str, str] = field(default_factory=dict[str, str])


def read(tree: LexborHTMLParser) -> Offer | None:
    """Return the timetable that a page is, or None."""
    table = next((one for one in innermost(tree) if one.css_first("div.kbcontent") is not None), None)
    return Offer(lambda asked: _lessons(table, asked)) if table is not None else None


def _lessons(table: LexborNode, asked: Asked) -> Iterator[Lesson | Entry]:
    grid = grid_of(table)
    days = grid.days()
    heads = {cell.row: joined(cell.node) for cell in grid.cells if cell.column == 0}
    for cell in grid.cells:
        for box in cell.node.css("div.kbcontent"):
            own = _ID.fullmatch(box.attributes.get("id") or "")
            day = int(own[1]) if own else days.get(cell.column, cell.column)
            for part in _parts(box):
                try:
                    yield from _part(part, day, _head(heads, cell), asked)
                except Dropped as dropped:
                    yield Entry(dropped.code, dropped.params)


def _head(heads: dict[int, str], cell: Cell) -> str:
    return heads.get(cell.row, "")


def _parts(box: LexborNode) -> list[_Part]:
    """Cut a box into its courses, at the rules between them."""
    parts = [_Part()]
    for node in box.iter(include_text=True):
        text = (
            " ".join((node.text(deep=True) or "").split()) if node.tag != "-text" else " ".join((node.text_content or "").split())
        )
        if "|" in text:
            parts[-1] = _piped(text, parts[-1])
            continue
        if not text:
            continue
        title = (node.attributes.get("title") or "").strip() if node.tag != "-text" else ""
        if _RULE.fullmatch(text):
            parts.append(_Part())
        elif title in _TITLES:
            parts[-1].titled.setdefault(_TITLES[title], text)
        elif not title:
            parts[-1].bare.append(text)
    return [part for part in parts if part.bare]


def _piped(text: str, part: _Part) -> _Part:
    """Return a course whose name, titles and values stand on one line with strokes between: ``课|老师|甲|周次(节次)|1-16(周)[01-02节]``."""
    name, *rest = (piece.strip() for piece in text.split("|")[:_MOST_PIECES])
    titled = {_TITLES[title]: value for title, value in pairwise(rest) if title in _TITLES and value not in _TITLES}
    return _Part([*part.bare, name], part.titled | titled)


def _part(part: _Part, day: int, head: str, asked: Asked) -> Iterator[Lesson | Entry]:
    name = _name(part.bare)
    written = part.titled.get("weeks", "")
    bracket = _BRACKET.search(written) or next((found for found in map(_BRACKET.search, part.bare) if found), None)
    try:
        weeks = weeks_of(_BRACKET.sub("", written), asked.weeks)
    except ValueError:
        raise Dropped("lesson_weeks", name=shown(name), value=shown(written)) from None
    pair = _PAIR.fullmatch(head)
    if bracket is None and pair is not None:
        last = 2 * (_PAIRS.index(pair[1]) + 1)
        runs = [(last - 1, last)]
        yield entry("sections_assumed", name=shown(name), head=shown(head), sections=f"{last - 1}-{last}")
    else:
        runs = _sections(bracket[1] if bracket else head, name)
    for run in runs:
        yield Lesson(name, day, *run, weeks, part.titled.get("room", ""), part.titled.get("teacher", ""))


def _sections(written: str, name: str) -> list[tuple[int, int]]:
    try:
        found = _HEAD.search(written)
        return sections_of(found[0] if found else written)
    except ValueError:
        raise Dropped("lesson_sections", name=shown(name), value=shown(written)) from None


def _name(bare: list[str]) -> str:
    """Return the first bare line that is no number of a class."""
    return next((line for line in bare if not _is_number(line)), bare[0])


def _is_number(line: str) -> bool:
    """Tell whether *line* is the number of a class: signs of numbers alone, a digit among them, a dash and digits at the end."""
    head, _, end = line.rpartition("-")
    return end.isascii() and end.isdigit() and any(sign.isdigit() for sign in head) and _OF_NUMBER.issuperset(head)
