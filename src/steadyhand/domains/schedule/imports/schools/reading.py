"""Decides what a reader of a school's export offers: lessons when a term is known, and what the file itself says of its term.

It must not know the form of any export, nor the term that is stored.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from steadyhand.domains.schedule.imports.lessons import Lesson
from steadyhand.domains.schedule.imports.report import Entry


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader must know of the term: its weeks, for words like 单周 alone."""

    weeks: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A file that a reader took for its own. *first_monday* None, *weeks* 0 and empty *slots* mean that the file does not say."""

    lessons: Callable[[Asked], Iterable[Lesson | Entry]]
    first_monday: date | None = None
    weeks: int = 0
    name: str = ""
    slots: tuple[tuple[str, str], ...] = ()
