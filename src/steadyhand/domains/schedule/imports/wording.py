"""Decides how words from a foreign file become words of ours: one line, no control characters, bounded; it must not translate."""

import re
import unicodedata

NAME_CHARS = 120
TEXT_CHARS = 2_000
_SHOWN_CHARS = 60

_TEACHER = re.compile(
    r"^[^\S\n]*(?:任课教师|任课老师|授课教师|教师|老师|teacher|instructor|lecturer)[^\S\n]*[:：][^\S\n]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_SECTIONS_LINE = re.compile(r"第 ?\d+ ?(?:[-~～—–至] ?\d+)? ?节")
_LINES_WITH_TEACHER = 3


def one_line(text: str) -> str:
    """Return *text* on one line with single blanks, which is what patterns for foreign words are written for.

    Several runs of blanks in one pattern would each try every way to share one long run.
    """
    return " ".join(text.split())


def clean(text: str, limit: int = NAME_CHARS) -> str:
    """Return *text* on one line without control, format or lone surrogate characters, at most *limit* characters long."""
    if len(text) <= limit and text.isprintable():
        return " ".join(text.split())
    kept = (" " if character.isspace() else character for character in text[: limit * 4])
    visible = "".join(character for character in kept if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn"})
    return " ".join(visible.split())[:limit].rstrip()


def shown(text: str) -> str:
    """Return a quotation of *text* that is short enough for one line of a report."""
    short = clean(text, _SHOWN_CHARS + 1)
    return short if len(short) <= _SHOWN_CHARS else short[: _SHOWN_CHARS - 1] + "…"


def teacher_in(description: str) -> str:
    """Return the teacher that a description names: a labelled line, or the third line of the sections, room, teacher form."""
    labelled = _TEACHER.search(description[:TEXT_CHARS])
    if labelled:
        return clean(labelled.group(1))
    lines = [line for line in description[:TEXT_CHARS].splitlines() if line.strip()]
    if len(lines) == _LINES_WITH_TEACHER and _SECTIONS_LINE.fullmatch(one_line(lines[0])):
        return clean(lines[2])
    return ""
