"""Decides what a person can ask of an arrangement and how it is kept as JSON; it must not know a timetable."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.tools.base import Arguments

Quick: TypeAlias = Literal["greedy", "first_fit"]
Engine: TypeAlias = Literal["greedy", "first_fit", "optimise"]
EFFORT = 8
EXACT = 2**53 - 1
Number: TypeAlias = Annotated[int, Field(ge=-EXACT, le=EXACT)]
"""A number that is the same in every reader of JSON."""


@dataclass(frozen=True, slots=True)
class ArrangeOptions:
    """What to arrange and within which rules; days and slots are indexes of the window.

    *categories* and *task_ids* select among the pending tasks (None: all). *max_per_day* counts the slots of suggested
    tasks on a day. *ordered* and *embed* lift the order within a category and standing inside a host when they are off.
    *preferred_slots* is a wish, not a rule. With *move_suggested* tasks that are suggested already may be moved too; with
    *keep* those of them whose place is no longer legal, and others only where that lets one more task stand.

    *effort* is for the engine ``optimise``: the same number gives the same answer on any machine, one is about a second.
    *cap_seconds* ends the search by the clock all the same; what it cut short says so and may differ the next time.
    """

    engine: Engine = "greedy"
    categories: tuple[str, ...] | None = None
    task_ids: tuple[int, ...] | None = None
    max_per_day: int | None = None
    excluded_days: tuple[int, ...] = ()
    excluded_slots: tuple[int, ...] = ()
    preferred_slots: tuple[int, ...] = ()
    ordered: bool = True
    embed: bool = True
    move_suggested: bool = False
    keep: bool = False
    effort: int = EFFORT
    cap_seconds: float | None = None

    @property
    def moving(self) -> bool:
        """Whether tasks that have a suggested place are arranged too."""
        return self.move_suggested or self.keep

    def to_json(self) -> Json:
        """Return every option; `from_json` makes the same options of it."""
        entry = cast("Mapping[str, Json | tuple[Json, ...]]", asdict(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in entry.items()}

    @staticmethod
    def from_json(value: Json) -> "ArrangeOptions":
        """Make options of what `to_json` returned; what is missing has its default."""
        known: dict[str, Any] = {}
        for name, item in cast("Mapping[str, Json]", value).items():
            known[name] = tuple(item) if isinstance(item, list) else item
        return ArrangeOptions(**known)


class ArrangeArguments(Arguments):
    """The arguments of the tool ``arrange``; every one can be left away."""

    engine: Quick = "greedy"
    categories: list[str] | None = None
    task_ids: list[Number] | None = None
    max_per_day: Number | None = None
    excluded_days: list[Number] = Field(default_factory=list[int])
    excluded_slots: list[Number] = Field(default_factory=list[int])
    preferred_slots: list[Number] = Field(default_factory=list[int])
    ordered: bool = True
    embed: bool = True
    move_suggested: bool = False

    def options(self) -> ArrangeOptions:
        """Return the options that these arguments ask for."""
        return ArrangeOptions.from_json(self.model_dump())
