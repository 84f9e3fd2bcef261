"""Decides which reader a file is for, by its content and never by its name, and reads any file of courses. It must not ask or store."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.detecting import kind_of
from steadyhand.domains.schedule.imports.fit import fit
from steadyhand.domains.schedule.imports.incoming import Cell, Fitted
from steadyhand.domains.schedule.imports.lessons import Courses, Lesson
from steadyhand.domains.schedule.imports.plain_text import decode
from steadyhand.domains.schedule.imports.reader import read as read_calendar
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.schools import qiangzhi, shuwei, urp, wakeup, wisedu, zhengfang, zhengfang_page
from steadyhand.domains.schedule.imports.schools.pages import tree_of
from steadyhand.domains.schedule.imports.schools.pieces import parsed
from steadyhand.domains.schedule.imports.schools.reading import Asked, Offer
from steadyhand.domains.schedule.imports.tables import read_courses
from steadyhand.domains.schedule.records import DAYS_IN_WEEK, MAX_WEEKS, Term, TimeScale
from steadyhand.domains.schedule.terms import DEFAULT_WEEKS, Suggestion

_TEXTS: Mapping[str, Callable[[str], Offer | None]] = {"wakeup": wakeup.read, "shuwei_page": shuwei.read_page}
_VALUES: Mapping[str, Callable[[object], Offer | None]] = {
    "zhengfang": zhengfang.read,
    "urp": urp.read,
    "wisedu": wisedu.read,
    "shuwei": shuwei.read,
}
_PAGES: Mapping[str, Callable[[LexborHTMLParser], Offer | None]] = {
    "qiangzhi_page": qiangzhi.read,
    "zhengfang_page": zhengfang_page.read,
}
KINDS: tuple[str, ...] = (*_TEXTS, *_VALUES, *_PAGES)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader bound to the file that it took for its own; ``school.kind.<kind>`` says to a person what that is."""

    kind: str
    _offer: Offer
    _told: tuple[Entry, ...]

    def suggestion(self, zone: str) -> Suggestion:
        """Return the term that the file suggests; its weeks cover its last lesson."""
        offer = self._offer
        asked = Asked(0, TimeScale("file", offer.slots) if offer.slots else TimeScale())
        found = [max(one.weeks, default=0) for one in offer.lessons(asked) if isinstance(one, Lesson)]
        weeks = offer.weeks or max(DEFAULT_WEEKS, min(max(found, default=0), MAX_WEEKS))
        return Suggestion(offer.first_monday, weeks, zone, offer.name, offer.slots)

    def read(self, term: Term, taken: Mapping[Cell, str] | None = None) -> Fitted:
        """Return the courses as they lie in *term*; *taken* as in `fit.fit`."""
        told = [*self._told, *self._otherwise(term)]
        courses = Courses(term, told)
        for one in self._offer.lessons(Asked(term.weeks, term.scale)):
            if isinstance(one, Entry):
                told.append(one)
                continue
            try:
                courses.add(one)
            except Dropped as dropped:
                told.append(Entry(dropped.code, dropped.params, one.line))
        return courses.fitted(taken)

    def _otherwise(self, term: Term) -> Iterator[Entry]:
        """Say where the term into which the file is read is not the one that the file means."""
        start, slots = self._offer.first_monday, self._offer.slots
        if start is not None and start != term.first_monday:
            yield entry("start_other", date=start.isoformat(), first=term.first_monday.isoformat())
        if slots and slots != term.scale.slots[: len(slots)]:
            yield entry("scale_other", begin=slots[0][0], first=term.scale.slots[0][0])


def detect(data: bytes) -> Reader | None:
    """Return the reader of the school system or app that *data* is from; None for a calendar, a table and what is unknown."""
    if kind_of(data) == "calendar":
        return None
    text, told = decode(data)
    found = _detected(text.lstrip("\ufeff \t\r\n"))
    return Reader(*found, tuple(told)) if found is not None else None


def _detected(text: str) -> tuple[str, Offer] | None:
    for kind, read in _TEXTS.items():
        offer = read(text)
        if offer is not None:
            return kind, offer
    if text[:1] in {"{", "["}:
        value = parsed(text)
        return next(((kind, offer) for kind, read in _VALUES.items() if (offer := read(value))), None)
    tree = tree_of(text) if text[:1] == "<" or "<table" in text.lower() else None
    if tree is None:
        return None
    return next(((kind, offer) for kind, read in _PAGES.items() if (offer := read(tree))), None)


def is_foreign(data: bytes) -> bool:
    """Tell whether *data* is a page or JSON, thus no table of courses, whether or not a reader knows it."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"<", b"{", b"["}


def read_any(data: bytes, term: Term, taken: Mapping[Cell, str] | None = None) -> Fitted:
    """Read a file of courses of any kind that we know into *term*: a calendar, a school's export, an app's, a table.

    A calendar is read here and now; `calendar.read_calendar_here` does it in a child, as a command should.
    """
    if kind_of(data) == "calendar":
        span = term.first_monday, term.date_of(term.weeks, DAYS_IN_WEEK)
        found = read_calendar(data, term.zone, span)
        fitted = fit(found.events, term, taken=taken)
        return Fitted(fitted.events, (*found.entries, *fitted.entries))
    reader = detect(data)
    if reader is not None:
        return reader.read(term, taken)
    if is_foreign(data):
        raise ModelCanFix("import_kind_unknown")
    return read_courses(data, term, taken)
