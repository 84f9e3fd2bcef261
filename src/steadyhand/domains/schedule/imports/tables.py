"""Decides what the rows of a table of courses or of tasks mean, row by row; a bad row must not cost a good one.

A row is one line; its columns are found by the header, in Chinese or English, in any order. Rows that name the same course
are one course, so that a table can give its several times.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from steadyhand.core.errors import ModelCanFix
from steadyhand.core.language import LANGUAGES, say
from steadyhand.domains.schedule.imports.dates import read_date, read_day
from steadyhand.domains.schedule.imports.gathering import Gathering
from steadyhand.domains.schedule.imports.incoming import Cell, Fitted, IncomingTask, TaskList
from steadyhand.domains.schedule.imports.lessons import Courses, Lesson
from steadyhand.domains.schedule.imports.plain_text import decode
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.weeks import read_weeks
from steadyhand.domains.schedule.imports.wording import TEXT_CHARS, clean, shown
from steadyhand.domains.schedule.records import Term

MAX_ROWS = 20_000
_DELIMITERS = (",", ";", "\t", "，", "；")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")

COURSE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("名称", "课程", "课程名", "课程名称", "name", "course"),
    "day": ("星期", "周几", "day", "weekday", "day of week"),
    "slots": ("节次", "节", "slots", "sections", "periods"),
    "first": ("开始节数", "开始节次", "first slot"),
    "last": ("结束节数", "结束节次", "last slot"),
    "weeks": ("周次", "周数", "周", "weeks"),
    "location": ("地点", "教室", "上课地点", "location", "place", "room"),
    "teacher": ("教师", "老师", "任课教师", "teacher", "lecturer"),
    "can_embed": ("可嵌入", "水课", "can_embed", "embeddable"),
    "uid": ("标识", "uid", "id"),
}
TASK_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "category": ("类别", "分类", "category", "class"),
    "task": ("任务", "内容", "名称", "task", "name", "content"),
    "slots": ("时长", "节数", "slots", "duration"),
    "before": ("截止", "截止日期", "before", "deadline", "due"),
    "after": ("最早", "最早日期", "after", "earliest", "start"),
    "priority": ("优先级", "priority"),
}
_PLACEMENT_MARKS = ("week", "date", "begin", "end", "kind", "embedded_in")
"""Columns that only our export of places has: a row is one date there, never a course with its weeks."""
_SLOTS = re.compile(r"第?\s*(\d{1,2})\s*节?\s*(?:[-~～—–至到]\s*第?\s*(\d{1,2}))?\s*节?")
_YES = frozenset({"是", "可", "可以", "yes", "y", "true", "1", "√", "✓"})
_NO = frozenset({"", "否", "不", "不可", "no", "n", "false", "0", "×"})


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of one line by column, and how the file calls each column."""

    line: int
    cells: Mapping[str, str]
    titles: Mapping[str, str]

    def get(self, column: str) -> str:
        return self.cells.get(column, "")

    def refuse(self, column: str) -> Dropped:
        """Return the drop that says that this row's value of *column* is none."""
        return Dropped("row_value", column=self.titles.get(column, column), value=shown(self.get(column)))


def _rows(
    text: str,
    columns: Mapping[str, tuple[str, ...]],
    required: Iterable[str],
    told: list[Entry],
    either: tuple[tuple[str, ...], ...] = ((),),
) -> Iterator[_Row]:
    """Yield each row with anything in it; a line that is no row is told. One group of *either* must be there besides *required*."""
    lines = [(number, line) for number, line in enumerate(text.replace("\0", "").splitlines(), 1) if line.strip()]
    if not lines:
        raise ModelCanFix("import_empty")
    delimiter = max(_DELIMITERS, key=lines[0][1].count)
    header = _header(lines[0][1], delimiter)
    if _is_of_placements(header):
        raise ModelCanFix("import_placements")
    names = _columns(header, columns, told, lines[0][0])
    titles = {name: shown(header[index]) for index, name in names.items()}
    missing = [name for name in required if name not in names.values()]
    if not any(set(group) <= set(names.values()) for group in either):
        missing += either[0]
    if missing:
        raise ModelCanFix("import_columns_missing", columns=", ".join(f"{name} ({columns[name][0]})" for name in missing))
    if len(lines) > MAX_ROWS + 1:
        raise ModelCanFix("import_too_many_rows", count=len(lines) - 1, limit=MAX_ROWS)
    for number, line in lines[1:]:
        try:
            cells = _cells(line, delimiter)
        except csv.Error:
            told.append(entry("row_unreadable", number))
            continue
        row = {name: _plain(cells[index]) if index < len(cells) else "" for index, name in names.items()}
        if any(row.values()):
            yield _Row(number, row, titles)


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter, strict=True, skipinitialspace=True))


def _header(line: str, delimiter: str) -> list[str]:
    try:
        return _cells(line, delimiter)
    except csv.Error:
        return []


def _is_of_placements(header: list[str]) -> bool:
    found = {clean(cell).lower() for cell in header}
    return any({say(language, f"export.column.{mark}") for mark in _PLACEMENT_MARKS} <= found for language in LANGUAGES)


def _plain(cell: str) -> str:
    """Undo the guard that our export puts before a cell that a spreadsheet would compute."""
    return clean(cell[1:] if _GUARDED.match(cell) else cell, TEXT_CHARS)


def _columns(header: list[str], columns: Mapping[str, tuple[str, ...]], told: list[Entry], line: int) -> dict[int, str]:
    known = {alias: name for name, aliases in columns.items() for alias in aliases}
    found: dict[int, str] = {}
    for index, cell in enumerate(header):
        name = known.get(clean(cell).lower())
        if name is not None and name not in found.values():
            found[index] = name
        elif cell.strip():
            told.append(entry("column_unknown", line, column=shown(cell)))
    return found


def read_courses(data: bytes, term: Term, taken: Mapping[Cell, str] | None = None) -> Fitted:
    """Read a table of courses; *taken* as in `fit.fit`."""
    text, told = decode(data)
    courses = Courses(term, told)
    for row in _rows(text, COURSE_COLUMNS, ("name", "day"), told, either=(("slots",), ("first", "last"))):
        try:
            courses.add(_lesson(row, term), row.get("uid"), can_embed=_mark(row))
        except Dropped as dropped:
            told.append(Entry(dropped.code, dropped.params, row.line))
    return courses.fitted(taken)


def _short(name: str, line: int, told: list[Entry]) -> str:
    """Return *name* as long as a name may be, and say so when that is shorter than it was."""
    if clean(name) != name:
        told.append(entry("name_cleaned", line, name=shown(name)))
    return clean(name)


def _lesson(row: _Row, term: Term) -> Lesson:
    if not row.get("name"):
        raise Dropped("name_missing")
    day = read_day(row.get("day"))
    if day is None:
        raise row.refuse("day")
    column = "slots" if "slots" in row.cells else "first"
    slots = read_slots(row.get("slots") if column == "slots" else f"{row.get('first')}-{row.get('last')}")
    if slots is None:
        raise row.refuse(column)
    try:
        weeks = read_weeks(row.get("weeks") or f"1-{term.weeks}", term.weeks)
    except ValueError as error:
        raise row.refuse("weeks") from error
    return Lesson(row.get("name"), day, *slots, weeks, row.get("location"), row.get("teacher"), row.line)


def read_slots(text: str) -> tuple[int, int] | None:
    """Read ``1-2``, ``第1-2节``, ``3`` or ``1,2``; what is none of them, or not in a row, is None."""
    slots: list[int] = []
    for part in re.split(r"[,，、]", text):
        match = _SLOTS.fullmatch(part.strip())
        if match is None:
            return None
        slots += range(int(match[1]), int(match[2] or match[1]) + 1)
    in_a_row = bool(slots) and slots[0] > 0 and slots == list(range(slots[0], slots[0] + len(slots)))
    return (slots[0], slots[-1]) if in_a_row else None


def _mark(row: _Row) -> bool | None:
    if "can_embed" not in row.cells:
        return None
    word = row.get("can_embed").lower()
    if word not in _YES | _NO:
        raise row.refuse("can_embed")
    return word in _YES


def read_tasks(data: bytes, term: Term, default_category: str) -> TaskList:
    """Read a table of tasks; a row without category belongs to *default_category*."""
    text, told = decode(data)
    gathering = Gathering(len(term.scale), told)
    for row in _rows(text, TASK_COLUMNS, ("task",), told):
        try:
            task = replace(_task(row, term), content=_short(row.get("task"), row.line, told))
        except Dropped as dropped:
            told.append(Entry(dropped.code, dropped.params, row.line))
            continue
        gathering.add(clean(row.get("category")) or default_category, task)
    return gathering.task_list()


def _task(row: _Row, term: Term) -> IncomingTask:
    if not row.get("task"):
        raise Dropped("name_missing")
    dates = {"after": None, "before": None} | {
        column: read_date(row.get(column), term, end_of_week=column == "before")
        for column in ("after", "before")
        if row.get(column)
    }
    for column, found in dates.items():
        if row.get(column) and found is None:
            raise row.refuse(column)
    duration, priority = _number(row, "slots"), _number(row, "priority")
    if priority is not None and not 1 <= priority <= 5:
        raise row.refuse("priority")
    return IncomingTask(row.get("task"), duration, dates["after"], dates["before"], priority or 3, row.line)


def _number(row: _Row, column: str) -> int | None:
    word = row.get(column).removesuffix("节").strip()
    if not word:
        return None
    if not (word.isascii() and word.isdigit() and len(word) <= 3 and int(word) > 0):
        raise row.refuse(column)
    return int(word)
