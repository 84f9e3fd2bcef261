"""Decides what a solve may be told and how it reports what is no refusal; it must not know the solver."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with stages done, stages in all, and the stage's name."""
Stop: TypeAlias = Callable[[], bool]

AUTO, LINEAR, QUADRATIC = "auto", "S4", "S8R"
STATIC = "static"


@dataclass(frozen=True, slots=True)
class Options:
    """How to solve.

    *elements*: ``S4`` (QUAD as they are), ``S8R`` (QUAD with mid-side nodes), or ``auto``, which chooses by the part. *memory_mib*: 0 when there is no bound to compare with.
    *sane_factor*: displacements above the part's size times this are no answer. *balance*: how far reactions may be from the loads.
    """

    elements: str = AUTO
    max_elements: int = 50_000
    memory_mib: int = 0
    seconds: float = 600.0
    threads: int = 2
    sane_factor: float = 10.0
    balance: float = 0.05


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person should know about a solve that goes on; *code* is worded by the catalogue as ``remark.<code>``."""

    code: str
    params: Mapping[str, str | int | float]
