"""Decides what a text becomes when one passage is replaced by another; it must not guess which of several places was meant."""

from dataclasses import dataclass

from steadyhand.core.errors import ToolRefusal

MAX_NAMED = 10
_CRLF = "\r\n"


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, in how many places it is new, and the lines (of the old text) at which the first of them began."""

    text: str
    count: int
    lines: str


def edit(text: str, old: str, new: str, *, replace_all: bool, most_bytes: int, told: str) -> Edited:
    """Replace *old* by *new*, which must stand exactly once unless *replace_all*; the line ends of the text are kept."""
    if _ends_in_crlf(text):
        old, new = _with_crlf(old), _with_crlf(new)
    if old == new:
        raise ToolRefusal("edit_changes_nothing", path=told)
    places = _first_places(text, old, step=len(old) if replace_all else 1)
    count = max(text.count(old), len(places))
    lines = _named([text.count("\n", 0, place) + 1 for place in places], count)
    if not places:
        raise ToolRefusal("edit_not_found", path=told)
    if count > 1 and not replace_all:
        raise ToolRefusal("edit_several", path=told, count=count, lines=lines)
    if len(text) + count * (len(new) - len(old)) > most_bytes:
        raise ToolRefusal("file_too_large", path=told, mib=most_bytes >> 20)
    return Edited(text.replace(old, new), count, lines)


def _named(lines: list[int], count: int) -> str:
    return ", ".join(str(line) for line in lines) + (" …" if count > len(lines) else "")


def _ends_in_crlf(text: str) -> bool:
    """Tell whether every line of *text* ends as on Windows; one with both kinds is taken literally."""
    pairs = text.count(_CRLF)
    return pairs > 0 and pairs == text.count("\n")


def _with_crlf(text: str) -> str:
    return text.replace(_CRLF, "\n").replace("\n", _CRLF)


def _first_places(text: str, old: str, *, step: int) -> list[int]:
    """Return where *old* begins the first few times; with a *step* of 1 those that overlap too, since each could be meant."""
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and len(found) < MAX_NAMED:
        found.append(at)
        at = text.find(old, at + step)
    return found
