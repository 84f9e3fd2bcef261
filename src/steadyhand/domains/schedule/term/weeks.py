"""Decides how a list of weeks is written and read (``1-16``, ``1-15 odd``, ``1-5,7-11单``); it must not know dates."""

import re
from collections.abc import Iterable

_PART = re.compile(
    r"第? ?(\d{1,3}) ?(?:周|weeks?)? ?(?:[-~～—–至到] ?第? ?(\d{1,3}))? ?(?:周|weeks?)? ?[(\[（【]? ?(单|双|odd|even)? ?周? ?[)\]）】]?",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"(全部|全|每|所有|all|every|单|双|odd|even) ?(?:周|weeks?)?", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,，、;；]+|(?<=[\d单双周]) (?=\d)|(?<=周)(?=\d)")
ODD, EVEN = " odd", " even"
_PARITY = {"单": 1, "odd": 1, "双": 0, "even": 0}


def read_weeks(text: str, weeks: int, lowest: int = 1) -> frozenset[int]:
    """Read a list of weeks of a term of *weeks* weeks; what is no such list raises `ValueError`. Weeks past the term are kept.

    Schools count a week 0 before the term: files are read with *lowest* 0, and what falls before the term is told.
    """
    found: set[int] = set()
    for part in _SEPARATOR.split(" ".join(text.split())):
        found |= _read_part(part.strip(), weeks, lowest)
    return frozenset(found)


def _read_part(part: str, weeks: int, lowest: int) -> set[int]:
    whole = _WHOLE.fullmatch(part)
    if whole:
        first, last, parity = 1, weeks, _PARITY.get(whole[1].lower())
    else:
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(part)
        first, last = int(match[1]), int(match[2] or match[1])
        parity = _PARITY.get((match[3] or "").lower())
    if not lowest <= first <= last:
        raise ValueError(part)
    return {week for week in range(first, last + 1) if parity is None or week % 2 == parity}


def write_weeks(weeks: Iterable[int], odd: str = ODD, even: str = EVEN) -> str:
    """Write *weeks* so that `read_weeks` reads the same weeks: runs, and runs of every other week with *odd* or *even* behind."""
    rest = sorted(set(weeks))
    parts: list[str] = []
    while rest:
        run = _run(rest, 1)
        alternating = _run(rest, 2)
        step = 2 if len(alternating) > max(len(run), 2) else 1
        taken = alternating if step == 2 else run
        suffix = "" if step == 1 else (odd if taken[0] % 2 else even)
        parts.append(f"{taken[0]}-{taken[-1]}{suffix}" if len(taken) > 1 else str(taken[0]))
        rest = [week for week in rest if week not in taken]
    return ",".join(parts)


def _run(weeks: list[int], step: int) -> list[int]:
    """Return the longest run that begins with the first week and goes on by *step*, with no other week of *weeks* between."""
    run = weeks[:1]
    for week in weeks[1:]:
        if week != run[-1] + step:
            break
        run.append(week)
    return run
