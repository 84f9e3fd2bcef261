"""Decides how the timetable page of the old 正方 is read: courses as lines in the cells of ``Table1``. It must not read the student.

A course is its name, a line that says when (``周一第1,2节{第1-16周|单周}``, ``{第1-16周}`` or ``1-16(3,4)``), a teacher, a room.
What the line leaves out, the cell says: its column the day, its row and how many rows it spans the sections.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from steadyhand.domains.schedule.imports.dates import read_day
from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools.pages import Cell, Grid, grid_of, innermost, joined, lines_of
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.schools.words import sections_of, weeks_of
from steadyhand.domains.schedule.imports.wording import shown

_BRACED = re.compile(r"(?:周([一二三四五六日天]))? ?(?:第([\d,，-]{1,40})节)? ?\{([^{}]{1,60})\}")
_SHORT = re.compile(r"(\d[\d,-]{0,40})\(([\d,]{1,40})\)")
_KIND = re.compile(r".{0,6}(?:必修?|选修|限选|任选|公选|必选)课?")
_NOTE = re.compile(r"[(（](?:调|停|补|换).{0,12}[)）]")
_ROW = re.compile(r"第?\s*(\d{1,2})\s*节")


@dataclass(frozen=True, slots=True)
class _When:
    """What a line says of the time, the rest empty."""

    weeks: str
    day: str = ""
    sections: str = ""


def read(tree: LexborHTMLParser) -> Offer | None:
    """Return the timetable that a page is, or None."""
    for table in innermost(tree):
        grid = grid_of(table)
        named = (table.attributes.get("id") or "").lower() == "table1"
        braced = any(_BRACED.search(joined(cell.node)) for cell in grid.cells)
        if braced or (named and any(_SHORT.search(joined(cell.node)) for cell in grid.cells)):
            return _offer(grid)
    return None


def _offer(grid: Grid) -> Offer:
    return Offer(lambda asked: _lessons(grid, asked))


def _lessons(grid: Grid, asked: Asked) -> Iterator[Lesson | Entry]:
    days, sections = grid.days(), _sections_of_rows(grid)
    for cell in grid.cells:
        for lines in _parts(cell.node):
            try:
                yield from _course(lines, cell, days, sections, asked)
            except Dropped as dropped:
                yield Entry(dropped.code, dropped.params)


def _sections_of_rows(grid: Grid) -> dict[int, int]:
    found: dict[int, int] = {}
    for cell in grid.cells:
        match = _ROW.fullmatch(joined(cell.node))
        if match is not None:
            found.setdefault(cell.row, int(match[1]))
    return found


def _parts(node: LexborNode) -> list[list[str]]:
    """Cut a cell into its courses, at the empty lines; what says no time is no course."""
    parts: list[list[str]] = [[]]
    for line in lines_of(node):
        if line:
            parts[-1].append(line)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if any(_when(line) for line in part)]


def _when(line: str) -> _When | None:
    braced = _BRACED.fullmatch(line)
    if braced is not None:
        return _When(braced[3], braced[1] or "", braced[2] or "")
    short = _SHORT.fullmatch(line)
    return _When(short[1], "", short[2]) if short is not None else None


def _course(
    lines: list[str], cell: Cell, days: dict[int, int], sections: dict[int, int], asked: Asked
) -> Iterator[Lesson | Entry]:
    at = next(index for index, line in enumerate(lines) if _when(line))
    name = next((line for line in lines[:at] if line.strip() and not _KIND.fullmatch(line)), lines[0] if at else "")
    when = _when(lines[at]) or _When("")
    behind = [line for line in lines[at + 1 :] if not _NOTE.fullmatch(line)]
    for note in lines[at + 1 :]:
        if _NOTE.fullmatch(note):
            yield entry("lesson_note", name=shown(name), note=shown(note))
    day = read_day(when.day) if when.day else days.get(cell.column)
    if day is None:
        raise Dropped("lesson_day", name=shown(name), value=shown(lines[at]))
    try:
        weeks = weeks_of(when.weeks, asked.weeks)
    except ValueError:
        raise Dropped("lesson_weeks", name=shown(name), value=shown(when.weeks)) from None
    teacher, room = (*behind[:2], "", "")[:2]
    for run in _sections(when, cell, sections, name):
        yield Lesson(name, day, *run, weeks, room, teacher)


def _sections(when: _When, cell: Cell, sections: dict[int, int], name: str) -> list[tuple[int, int]]:
    try:
        if when.sections:
            return sections_of(when.sections)
        first = sections[cell.row]
    except (ValueError, KeyError):
        raise Dropped("lesson_sections", name=shown(name), value=shown(when.sections)) from None
    return [(first, first + cell.rows - 1)]
