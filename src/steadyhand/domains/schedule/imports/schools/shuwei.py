"""Decides how a timetable of 树维 is read: its JSON, or the script of its page. The script is read as text and must never be run.

The page's strings of marks begin with a mark that stands for no week; ``marshalTable(from, …)`` says which mark is week 1.
"""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.schools.pieces import Piece, lists_within, number_of, parsed, text_of
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.schools.words import weeks_of, weeks_of_bits
from steadyhand.domains.schedule.imports.wording import shown

_UNITS = re.compile(r"\bunitCount\s*=\s*(\d{1,2})\s*;")
_FROM = re.compile(r"\.marshalTable\(\s*(\d{1,2})\s*,")
_STEP = re.compile(
    r"new\s+TaskActivity\((?P<activity>)"
    r"|\bindex\s*=\s*(?:(?P<day>\d{1,2})\s*\*\s*unitCount\s*\+\s*(?P<unit>\d{1,2})|(?P<index>\d{1,4}))\s*;"
    r"|\bactTeachers\s*=\s*\[(?P<teachers>[^\[\]]{0,1500})\]"
    r"|\bcourseNameLessonNo\s*=\s*(?P<name>\"(?:[^\"\\\n]|\\.){0,400}\")"
)
_NAME = re.compile(r"\bname\s*:\s*(\"(?:[^\"\\\n]|\\.){0,200}\")")
_CODE = re.compile(r"\([^()]{1,60}\)$")
_STOPPED = "停课"
_MOST_ARGUMENTS = 20
_MOST_SIGNS = 4_000
"""More than the arguments of one activity take."""
_MOST_ESCAPES = 8
_Unit = tuple[int, int]


def read(value: object) -> Offer | None:
    """Return the timetable that a JSON *value* is, or None."""
    rows = next((found for found in lists_within(value) if {"weekIndexes", "startUnit", "endUnit"} <= set(found[0])), None)
    return Offer(lambda asked: _from_rows(rows, asked)) if rows else None


def _from_rows(rows: list[Piece], asked: Asked) -> Iterator[Lesson | Entry]:
    for row in rows:
        name, written = text_of(row, "courseName"), text_of(row, "weekIndexes")
        weeks = frozenset(one for one in _values(row, "weekIndexes") if isinstance(one, int) and 0 < one < 100)
        try:
            weeks = weeks or (weeks_of(written, asked.weeks) if written else weeks)
        except ValueError:
            yield entry("lesson_weeks", name=shown(name), value=shown(written))
            continue
        units = number_of(row, "startUnit"), number_of(row, "endUnit")
        teachers = "、".join(one for key in ("teachers", "teacherNames") for one in _values(row, key) if isinstance(one, str))
        yield Lesson(name, number_of(row, "weekday"), *units, weeks, text_of(row, "room"), teachers or text_of(row, "teachers"))


def _values(row: Piece, name: str) -> list[object]:
    value: object = row.get(name)
    return cast("list[object]", value) if isinstance(value, list) else []


def read_page(text: str) -> Offer | None:
    """Return the timetable that the script of a page builds, or None."""
    units = _UNITS.search(text)
    if units is None or "TaskActivity(" not in text or not 1 <= int(units[1]) <= 48:
        return None
    start = _FROM.search(text)
    return Offer(lambda _asked: _from_script(text, int(units[1]), int(start[1]) if start else 2))


def _from_script(text: str, units: int, start: int) -> Iterator[Lesson | Entry]:
    """Walk over the script's steps: an activity is made, then laid on one cell after another."""
    teacher, activity, cells = "", None, set[_Unit]()
    steps = list(_STEP.finditer(text))
    named = [found["name"] for found in steps if found["name"]]
    lesson_name = _unquoted(named[-1]) if named else ""
    ends = [*(step.start() for step in steps[1:]), len(text)]
    for step, end in zip(steps, ends, strict=True):
        if step["activity"] is not None:
            yield from _laid(activity, cells)
            activity, cells = _activity(_arguments(text[step.end() : end]), teacher, lesson_name, start), set[_Unit]()
        elif step["teachers"] is not None:
            teacher = "、".join(_unquoted(name) for name in _NAME.findall(step["teachers"]))
        elif step["name"] is not None:
            lesson_name = _unquoted(step["name"])
        else:
            at = int(step["index"]) if step["index"] else int(step["day"]) * units + int(step["unit"])
            cells.add((at // units + 1, at % units + 1))
    yield from _laid(activity, cells)


def _arguments(text: str) -> list[str]:
    """Return the arguments that *text* begins with as they are written, as far as they can be told apart; each sign is looked at once."""
    found: list[str] = []
    begin, quote, depth = 0, "", 0
    for index, sign in enumerate(text[:_MOST_SIGNS]):
        if quote:
            quote = "" if sign == quote and not _is_escaped(text, index) else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif sign in ",)" and not depth:
            found.append(text[begin:index].strip())
            begin = index + 1
            if sign == ")" or len(found) == _MOST_ARGUMENTS:
                break
        if sign == "\n" and quote:
            break
    return found


def _is_escaped(text: str, index: int) -> bool:
    """Tell whether the sign at *index* stands behind an odd number of backslashes; more than a few are none that a page writes."""
    run = text[max(0, index - _MOST_ESCAPES) : index]
    return (len(run) - len(run.rstrip("\\"))) % 2 == 1


def _unquoted(written: str) -> str:
    """Return the text of a quoted argument; empty for an expression."""
    if written[:1] == "'":
        return written[1:-1]
    value = parsed(written) if written[:1] == '"' else ""
    return value if isinstance(value, str) else ""


_Activity = Mapping[str, str]


def _activity(arguments: list[str], teacher: str, lesson_name: str, start: int) -> _Activity:
    """Name the arguments: teacher ids, teachers, course number, name, room id, room, marks of the weeks."""
    texts = [_unquoted(argument) for argument in arguments] + [""] * 7
    name, code = texts[3] or lesson_name, _CODE.search(texts[2])
    if code is not None and name.endswith(code[0]):
        name = name[: -len(code[0])]
    return {"name": name, "teacher": texts[1] or teacher, "room": texts[5], "bits": texts[6], "first": str(2 - start)}


def _laid(activity: _Activity | None, cells: set[_Unit]) -> Iterator[Lesson | Entry]:
    if activity is None:
        return
    name = activity["name"]
    if activity["room"] == _STOPPED:
        yield entry("cancelled", name=shown(name))
        return
    try:
        weeks = weeks_of_bits(activity["bits"], int(activity["first"]))
    except ValueError:
        yield entry("lesson_weeks", name=shown(name), value=shown(activity["bits"]))
        return
    if not cells:
        yield entry("lesson_untimed", name=shown(name))
    for day, first, last in _runs(cells):
        yield Lesson(name, day, first, last, weeks, activity["room"], activity["teacher"])


def _runs(cells: set[_Unit]) -> list[tuple[int, int, int]]:
    runs: list[tuple[int, int, int]] = []
    for day, unit in sorted(cells):
        if runs and runs[-1][0] == day and runs[-1][2] == unit - 1:
            runs[-1] = (day, runs[-1][1], unit)
        else:
            runs.append((day, unit, unit))
    return runs
