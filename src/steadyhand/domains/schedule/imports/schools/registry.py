"""Decides which reader a file of courses is for, by its content and never by its name, and reads it. It must not ask or store."""

import re
from collections.abc import Callable, Mapping

from selectolax.lexbor import LexborHTMLParser

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.lesson_file import LessonFile, suggested
from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.plain_text import decode
from steadyhand.domains.schedule.imports.report import Entry
from steadyhand.domains.schedule.imports.schools import qiangzhi, shuwei, urp, wakeup, wisedu, xiaoai, zhengfang, zhengfang_page
from steadyhand.domains.schedule.imports.schools.pages import tree_of
from steadyhand.domains.schedule.imports.schools.pieces import first_value, parsed
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.tables import read_table

_TEXTS: Mapping[str, Callable[[str], Offer | None]] = {"wakeup": wakeup.read, "shuwei_page": shuwei.read_page}
_VALUES: Mapping[str, Callable[[object], Offer | None]] = {
    "zhengfang": zhengfang.read,
    "urp": urp.read,
    "wisedu": wisedu.read,
    "shuwei": shuwei.read,
    "xiaoai": xiaoai.read,
}
_PAGES: Mapping[str, Callable[[LexborHTMLParser], Offer | None]] = {
    "qiangzhi_page": qiangzhi.read,
    "zhengfang_page": zhengfang_page.read,
}
_EMBEDDED = re.compile(r"\bkbxx(?:_json)?\s*=\s*(?=[\[{])")
"""Where a page of URP keeps its JSON: as the value of a variable of its script, which is read and never run."""
KINDS: tuple[str, ...] = (*_TEXTS, *_VALUES, *_PAGES)


def read_file(data: bytes, weeks: int | None = None, unsaid: str = "") -> LessonFile:
    """Read a file of courses that is no calendar, for a term of *weeks* weeks (None: as many as it suggests).

    *unsaid* are the weeks of rows of a table that say none. What is neither a table nor of a known form raises `ModelCanFix`.
    """
    text, told = decode(data)
    found = _detected(text.lstrip("\ufeff \t\r\n"))
    if found is not None:
        return _read(*found, weeks, told)
    if is_foreign(data):
        raise ModelCanFix("import_kind_unknown")
    return read_table(data, weeks, unsaid)


def _read(kind: str, offer: Offer, weeks: int | None, told: list[Entry]) -> LessonFile:
    weeks = weeks or offer.weeks or suggested(one for one in offer.lessons(Asked(0)) if isinstance(one, Lesson))
    found = tuple(offer.lessons(Asked(weeks)))
    lessons = tuple(one for one in found if isinstance(one, Lesson))
    entries = (*told, *(one for one in found if isinstance(one, Entry)))
    return LessonFile(kind, weeks, lessons, entries, offer.first_monday, offer.name, offer.slots)


def _detected(text: str) -> tuple[str, Offer] | None:
    for kind, read in _TEXTS.items():
        offer = read(text)
        if offer is not None:
            return kind, offer
    if text[:1] in {"{", "["}:
        return _of_value(parsed(text))
    embedded = _EMBEDDED.search(text)
    if embedded is not None:
        return _of_value(first_value(text, embedded.end()))
    tree = tree_of(text) if text[:1] == "<" or "<table" in text.lower() else None
    if tree is None:
        return None
    return next(((kind, offer) for kind, read in _PAGES.items() if (offer := read(tree))), None)


def _of_value(value: object) -> tuple[str, Offer] | None:
    return next(((kind, offer) for kind, read in _VALUES.items() if (offer := read(value))), None)


def is_foreign(data: bytes) -> bool:
    """Tell whether *data* is a page or JSON, thus no table of courses, whether or not a reader knows it."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"<", b"{", b"["}
