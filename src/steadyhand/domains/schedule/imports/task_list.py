"""Decides what a text or Markdown task list means: headings are categories, items tasks, brackets details. It must not guess a detail.

What stands in brackets and is understood is taken out of the name; what is not understood stays in the name and is told.
"""

import re
from dataclasses import dataclass, replace

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.dates import is_date, read_date
from steadyhand.domains.schedule.imports.gathering import Gathering
from steadyhand.domains.schedule.imports.incoming import IncomingTask, TaskList
from steadyhand.domains.schedule.imports.plain_text import decode
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.wording import clean, one_line, shown
from steadyhand.domains.schedule.term.records import Term

MAX_LINES = 20_000
MAX_LINE_CHARS = 1_000

_HEADING = re.compile(r"#{1,6} (?P<hashed>.+)|(?P<colon>[^#\s].*)[:：]|【(?P<boxed>[^】]+)】|\*\*(?P<bold>[^*]+)\*\*[:：]?")
_ITEM = re.compile(
    r"\s*(?:[-+•·]|\*(?=\s)|\d{1,3}[.)、．](?!\d)|[（(]\d{1,3}[)）]|[一二三四五六七八九十]{1,3}、)\s*(?:\[(?P<box>[ xX✓√])\]\s*)?(?P<text>\S.*)"
)
_BRACKET = re.compile(r" ?[（(]([^（）()]*)[)）] ?")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"\*\*|__|`|~~")
_NOT_TEXT = re.compile(r"\s*(?:>|\||```|~~~|<!--|[-*_=]{3,}\s*$)")
_SPLIT = re.compile(r"[,，、;；]")
_FENCE = re.compile(r"\s*(?:```|~~~)")

_NUMERALS = {character: number for number, character in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
_DURATION = re.compile(
    r"(?:共|约)?\s*(\d{1,3}|[一二两三四五六七八九十])\s*(?:节课|节|个?时段|课时|slots?|periods?|sections?)", re.IGNORECASE
)
_BEFORE = (
    re.compile(r"(?:before|by|due|until|deadline|截止到?|不晚于|最晚) ?[:：]? ?(.+)", re.IGNORECASE),
    re.compile(r"(.+?)(?:之前|以前|前|截止)(?:完成)?"),
)
_AFTER = (
    re.compile(r"(?:after|from|since|not before|earliest|最早|不早于) ?[:：]? ?(.+)", re.IGNORECASE),
    re.compile(r"(.+?)(?:之后|以后|后|起|开始)"),
)
_PRIORITY = re.compile(r"(?:priority|优先级) ?[:：=]? ?([1-5]|高|中|低|high|medium|low)", re.IGNORECASE)
_LEVELS = {"高": 5, "high": 5, "中": 3, "medium": 3, "低": 1, "low": 1}
_PRIORITY_WORDS = {
    "高优先级": 5, "紧急": 5, "重要": 5, "high priority": 5, "urgent": 5, "important": 5,
    "优先": 4, "priority": 4,
    "中优先级": 3, "普通": 3, "medium priority": 3, "normal priority": 3,
    "低优先级": 1, "不急": 1, "low priority": 1,
}  # fmt: skip  # one level a line
_UNORDERED = frozenset({"不分先后", "不限顺序", "顺序不限", "无顺序", "unordered", "any order", "in any order"})


_NO_TASK = IncomingTask("")


@dataclass(frozen=True, slots=True)
class _Details:
    """What the brackets of one line say; *unordered* is of use for a heading only."""

    duration: int | None = None
    task: IncomingTask = _NO_TASK
    unordered: bool = False


def read_task_list(data: bytes, term: Term, default_category: str) -> TaskList:
    """Read a task list; tasks before the first heading belong to *default_category*. A file without text raises `ModelCanFix`."""
    text, told = decode(data)
    lines = [one_line(line[:MAX_LINE_CHARS]) for line in text.splitlines()]
    if not text.strip():
        raise ModelCanFix("import_empty")
    if len(lines) > MAX_LINES:
        raise ModelCanFix("import_too_many_rows", count=len(lines), limit=MAX_LINES)
    return _List(term, default_category, told).read(lines)


class _List:
    """One list under reading: the category that is open, and what came together so far."""

    def __init__(self, term: Term, category: str, told: list[Entry]) -> None:
        self._term, self._category, self._told = term, category, told
        self._gathering = Gathering(len(term.scale), told)
        self._line = 0

    def read(self, lines: list[str]) -> TaskList:
        itemised, fenced = any(_ITEM.fullmatch(line) and not _NOT_TEXT.match(line) for line in lines), False
        for self._line, line in enumerate(lines, 1):
            if _FENCE.match(line):
                fenced = not fenced
            elif fenced or _NOT_TEXT.match(line):
                self._ignore(line)
            elif line.strip():
                self._understand(line, itemised=itemised)
        return self._gathering.task_list()

    def _ignore(self, line: str) -> None:
        if clean(line).strip("-*_= ") and not line.lstrip().startswith("<!--"):
            self._told.append(entry("text_ignored", self._line, text=shown(line)))

    def _understand(self, line: str, *, itemised: bool) -> None:
        item, heading = _ITEM.fullmatch(line), _HEADING.fullmatch(line.strip())
        if item is not None and not (heading is not None and heading["bold"]):
            self._item(item["text"], done=(item["box"] or " ") != " ")
        elif heading is not None:
            self._heading(next(name for name in heading.groups() if name).rstrip("#").rstrip())
        elif itemised:
            self._ignore(line)
        else:
            self._item(line, done=False)

    def _heading(self, text: str) -> None:
        name, details = self._details(text, of_heading=True)
        if name:
            self._category = name
            self._gathering.describe(name, details.duration, ordered=not details.unordered)

    def _item(self, text: str, *, done: bool) -> None:
        if done:
            self._told.append(entry("item_done", self._line, name=shown(_BRACKET.sub("", text))))
            return
        name, details = self._details(text, of_heading=False)
        if not name:
            self._told.append(entry("name_missing", self._line))
            return
        self._gathering.add(self._category, replace(details.task, content=name, duration=details.duration, line=self._line))

    def _details(self, text: str, *, of_heading: bool) -> tuple[str, _Details]:
        """Return the name without the details that were understood, and the details."""
        text = _MARKUP.sub("", _LINK.sub(r"\1", text))
        details, name, at = _Details(), "", 0
        unknown: list[str] = []
        for bracket in _BRACKET.finditer(text):
            left: list[str] = []
            for part in filter(None, (clean(part) for part in _SPLIT.split(bracket[1]))):
                understood = self._detail(part, details, of_heading=of_heading)
                if understood is None:
                    left.append(part)
                details = understood or details
            name += text[at : bracket.start()] + (f"（{'，'.join(left)}）" if left else " ")
            unknown += left
            at = bracket.end()
        name = clean(name + text[at:])
        self._told += [entry("detail_unknown", self._line, detail=shown(part), name=shown(name)) for part in unknown]
        return name, details

    def _detail(self, part: str, details: _Details, *, of_heading: bool) -> _Details | None:
        """Return *details* with what *part* says, or None when it is not understood."""
        duration = _DURATION.fullmatch(part)
        if duration:
            slots = _NUMERALS.get(duration[1]) or int(duration[1])
            return replace(details, duration=slots) if slots else None
        if of_heading:
            return replace(details, unordered=True) if part.lower() in _UNORDERED else None
        level = _PRIORITY.fullmatch(part)
        priority = _PRIORITY_WORDS.get(part.lower()) or (level and (_LEVELS.get(level[1].lower()) or int(level[1])))
        if priority:
            return replace(details, task=replace(details.task, priority=priority))
        return self._date_detail(part, details)

    def _date_detail(self, part: str, details: _Details) -> _Details | None:
        for forms, of_deadline in ((_BEFORE, True), (_AFTER, False)):
            for match in filter(None, (form.fullmatch(part) for form in forms)):
                if not is_date(match[1]):
                    continue
                found = read_date(match[1], self._term, end_of_week=of_deadline)
                if found is None:
                    self._told.append(entry("date_unresolved", self._line, detail=shown(part)))
                    return details
                task = replace(details.task, deadline=found) if of_deadline else replace(details.task, earliest=found)
                return replace(details, task=task)
        return None
