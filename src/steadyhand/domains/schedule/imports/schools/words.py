"""Decides how the weeks and sections that school systems write are read; what is none of their forms is a `ValueError`, never a guess."""

import re
from itertools import pairwise

from steadyhand.domains.schedule.imports.wording import one_line
from steadyhand.domains.schedule.term.records import MAX_WEEKS
from steadyhand.domains.schedule.term.weeks import read_weeks

_SECTIONS = re.compile(r"[\[【(（]? ?第? ?([\d,，、\-–—~～－]+) ?[\]】)）]? ?小?节? ?[\]】)）]?")
_FORMS = str.maketrans({"－": "-", "–": "-", "—": "-", "～": "-", "~": "-", "，": ",", "、": ",", "（": "(", "）": ")"})
_TAIL = re.compile(r"\((?:全)?(单|双)?周\)$")
_ODD_OR_EVEN = frozenset("单双")
_MOST_SECTIONS = 48


def weeks_of(text: str, weeks: int) -> frozenset[int]:
    """Read a list of weeks: ``1-5、7-11单``, ``4-6周,8-13周(双)``, ``1-8,10-16(单周)``, ``{第1-15周|单周}``, ``3-17周|3节/周``.

    A bracket at the end behind a plain list of numbers is about the whole list; elsewhere a mark is about its own part.
    *weeks* are the weeks of the term, which words like 单周 alone are about.
    """
    plain = text.translate(_FORMS).strip().strip("{}").replace("(周)", "周").strip()
    listed, _, mark = plain.partition("|")
    parity = mark[:1] if mark[:1] in {"单", "双"} else ""
    tail = _TAIL.search(listed)
    if tail is not None and not _ODD_OR_EVEN.intersection(listed[: tail.start()]) and "周" not in listed[: tail.start()]:
        listed, parity = listed[: tail.start()], parity or tail[1] or ""
    found = read_weeks(listed.strip(), weeks, lowest=0)
    if max(found, default=0) > MAX_WEEKS:
        raise ValueError(text)
    return frozenset(week for week in found if not parity or week % 2 == (parity == "单"))


def weeks_of_bits(bits: str, first: int = 1) -> frozenset[int]:
    """Read a string of marks, one per week, of which the first is about week *first*: ``1100`` are the weeks 1 and 2."""
    marks = bits.strip()
    if not marks or len(marks) > 4 * MAX_WEEKS or set(marks) - {"0", "1"}:
        raise ValueError(bits[:MAX_WEEKS])
    return frozenset(week for week, mark in enumerate(marks, first) if mark == "1" and week >= 1)


def weeks_either(text: str, weeks: int) -> frozenset[int]:
    """Read a string of marks or a list of weeks: nothing but noughts and ones, more than two of them, are marks."""
    marks = text.strip()
    return weeks_of_bits(marks) if len(marks) > 2 and not set(marks) - {"0", "1"} else weeks_of(marks, weeks)


def sections_of(text: str) -> list[tuple[int, int]]:
    """Read sections as runs that follow each other: ``1-2,5-6``, ``[01-02-03节]``, ``第1,2节``, ``0102``."""
    match = _SECTIONS.fullmatch(one_line(text))
    if match is None:
        raise ValueError(text)
    found: set[int] = set()
    for part in match[1].translate(_FORMS).split(","):
        found |= _run(part)
    runs: list[tuple[int, int]] = []
    for section in sorted(found):
        if runs and runs[-1][1] == section - 1:
            runs[-1] = (runs[-1][0], section)
        else:
            runs.append((section, section))
    return runs


def _run(part: str) -> set[int]:
    numbers = [int(number) for number in _numbers(part)]
    rising = all(earlier < later for earlier, later in pairwise(numbers))
    if not rising or not 1 <= numbers[0] <= numbers[-1] <= _MOST_SECTIONS:
        raise ValueError(part)
    return set(range(numbers[0], numbers[-1] + 1))


def _numbers(part: str) -> list[str]:
    if len(part) > 2 and len(part) % 2 == 0 and len(part) <= 2 * _MOST_SECTIONS and part.isascii() and part.isdigit():
        return [part[at : at + 2] for at in range(0, len(part), 2)]
    numbers = part.split("-")
    if not all(number.isascii() and number.isdigit() and len(number) <= 2 for number in numbers):
        raise ValueError(part)
    return numbers
