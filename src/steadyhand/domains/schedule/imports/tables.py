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
from steadyhand.domains.schedule.imports.incoming import IncomingTask, TaskList
from steadyhand.domains.schedule.imports.lesson_file import TABLE, LessonFile, suggested
from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.plain_text import decode
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.wording import TEXT_CHARS, clean, one_line, shown
from steadyhand.domains.schedule.term.records import Term
from steadyhand.domains.schedule.term.terms import DEFAULT_WEEKS
from steadyhand.domains.schedule.term.weeks import read_weeks

MAX_ROWS = 20_000
_DELIMITERS = (",", ";", "\t", "，", "；")
_COMMA = re.compile(r"[,，、]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")

COURSE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("名称", "课程", "课程名", "课程名称", "name", "course"),
    "day": ("星期", "星期几", "周几", "day", "weekday", "day of week"),
    "slots": ("节次", "节", "slots", "sections", "periods"),
    "first": ("开始节数", "开始节次", "first slot"),
    "last": ("结束节数", "结束节次", "last slot"),
    "weeks": ("周次", "周数", "周", "weeks"),
    "first_week": ("开始周", "起始周", "开始周次", "起始周次", "first week", "start week"),
    "last_week": ("结束周", "截止周", "结束周次", "终止周", "last week", "end week"),
    "parity": ("单双周", "单双", "parity", "odd/even"),
    "begin": ("开始时间", "上课时间", "start time", "begin", "from"),
    "end": ("结束时间", "下课时间", "end time", "end", "to"),
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
_SLOTS = re.compile(r"第? ?(\d{1,2}) ?节? ?(?:[-~～—–至到] ?第? ?(\d{1,2}))? ?节?")
_CLOCK = re.compile(r"([01]?\d|2[0-3])[:：]([0-5]\d)(?:[:：]00)?")
_EVERY, _ODD, _EVEN = 0, 1, 2
_PARITY = dict.fromkeys(("", "0", "全", "每", "all", "every"), _EVERY) | {
    **dict.fromkeys(("1", "单", "odd"), _ODD),
    **dict.fromkeys(("2", "双", "even"), _EVEN),
}
"""A mark for odd and even weeks; the figures are those that tables explain in their header: 单双周(0全1单2双)."""
_EXPLAINED = re.compile(r"[(（][^()（）]*[)）]$")
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

    @property
    def says_weeks(self) -> bool:
        return bool(self.get("weeks") or self.get("first_week"))

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
        word = clean(cell).lower()
        name = known.get(word) or known.get(_EXPLAINED.sub("", word).strip())
        if name is not None and name not in found.values():
            found[index] = name
        elif cell.strip():
            told.append(entry("column_unknown", line, column=shown(cell)))
    return found


def read_table(data: bytes, weeks: int | None = None, unsaid: str = "") -> LessonFile:
    """Read a table of courses for a term of *weeks* weeks; *unsaid* are the weeks of rows that say none, which are never guessed."""
    text, told = decode(data)
    rows = list(_rows(text, COURSE_COLUMNS, ("name", "day"), told, either=(("slots",), ("first", "last"), ("begin", "end"))))
    if rows and not unsaid and not any(row.says_weeks for row in rows):
        raise ModelCanFix("import_weeks_unsaid")
    weeks = weeks or suggested(_taken(rows, DEFAULT_WEEKS, unsaid, []))
    lessons = tuple(_taken(rows, weeks, unsaid, told))
    return LessonFile(TABLE, weeks, lessons, tuple(told))


def _taken(rows: Iterable[_Row], weeks: int, unsaid: str, told: list[Entry]) -> Iterator[Lesson]:
    for row in rows:
        try:
            yield _lesson(row, weeks, unsaid)
        except Dropped as dropped:
            told.append(Entry(dropped.code, dropped.params, row.line))


def _short(name: str, line: int, told: list[Entry]) -> str:
    """Return *name* as long as a name may be, and say so when that is shorter than it was."""
    if clean(name) != name:
        told.append(entry("name_cleaned", line, name=shown(name)))
    return clean(name)


def _lesson(row: _Row, weeks: int, unsaid: str) -> Lesson:
    if not row.get("name"):
        raise Dropped("name_missing")
    day = read_day(row.get("day"))
    if day is None:
        raise row.refuse("day")
    clock = _clock(row) if "begin" in row.cells and not row.get("slots") and not row.get("first") else None
    slots = (0, 0) if clock else _slots(row)
    found = _weeks(row, weeks, unsaid)
    where = row.get("location"), row.get("teacher"), row.line
    return Lesson(row.get("name"), day, *slots, found, *where, clock=clock, uid=row.get("uid"), can_embed=_mark(row))


def _slots(row: _Row) -> tuple[int, int]:
    column = "slots" if "slots" in row.cells else "first"
    slots = read_slots(row.get("slots") if column == "slots" else f"{row.get('first')}-{row.get('last') or row.get('first')}")
    if slots is None:
        raise row.refuse(column)
    return slots


def _clock(row: _Row) -> tuple[int, int]:
    begin, end = (_minutes(row, column) for column in ("begin", "end"))
    if begin >= end:
        raise row.refuse("end")
    return begin, end


def _minutes(row: _Row, column: str) -> int:
    match = _CLOCK.fullmatch(row.get(column))
    if match is None:
        raise row.refuse(column)
    return int(match[1]) * 60 + int(match[2])


def _weeks(row: _Row, weeks: int, unsaid: str) -> frozenset[int]:
    """Return the weeks that a row says: a list, or a first and a last week, either with a mark for odd or even ones."""
    if not row.says_weeks and not unsaid:
        raise Dropped("weeks_unsaid", name=shown(row.get("name")))
    column = "weeks" if row.get("weeks") or not row.says_weeks else "first_week"
    last = row.get("last_week") or row.get("first_week")
    written = row.get("weeks") or (f"{row.get('first_week')}-{last}" if row.get("first_week") else unsaid)
    try:
        found = read_weeks(written, weeks, lowest=0)
    except ValueError as error:
        raise row.refuse(column) from error
    parity = _PARITY.get(row.get("parity").lower().removesuffix("周"))
    if parity is None:
        raise row.refuse("parity")
    return found if parity == _EVERY else frozenset(week for week in found if week % 2 == parity % 2)


def read_slots(text: str) -> tuple[int, int] | None:
    """Read ``1-2``, ``第1-2节``, ``3`` or ``1,2``; what is none of them, or not in a row, is None."""
    slots: list[int] = []
    for part in _COMMA.split(one_line(text)):
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
