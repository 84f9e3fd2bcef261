"""Decides what a program has said so far: fragments by phase, and what the part will be at that point. It must not know a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.compiling import writing
from steadyhand.domains.cae.compiling.known import SHAPES, Known
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.sketch import Sketch
from steadyhand.domains.cae.compiling.spans import NONE, Counts, Some, Span, tightened
from steadyhand.domains.cae.compiling.weights import Weights
from steadyhand.gate.contract import Refusal

MOST_ELEMENTS: Final = 8_000_000
"""More than these no program makes; the engine has the same limit."""


@dataclass(slots=True)
class Fragment:
    """What one operation says in each phase of a script."""

    preflight: list[str] = field(default_factory=list[str])
    mutation: list[str] = field(default_factory=list[str])
    postflight: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Scene:
    """The state of affairs while operations are compiled in order.

    *touched*: an earlier operation of this program changed nodes or elements, so that the mesh of before says nothing of a region; *replaced*: the whole part is another one.
    *gone* and *fresh* are names of sets, *evidence* what a read-back must show beside the counts.
    """

    known: Known
    counts: Counts
    sections: dict[str, str]
    materials: set[str]
    node_sets: set[str]
    loads: dict[str, str]
    supports: dict[str, str]
    weights: Weights
    touched: bool = False
    replaced: bool = False
    sketch: Sketch | None = None
    gone: set[str] = field(default_factory=set[str])
    properties: dict[str, Json] = field(default_factory=dict[str, Json])
    cases: dict[str, Json] = field(default_factory=dict[str, Json])
    places: dict[str, Json] = field(default_factory=dict[str, Json])
    box: Json = None
    artifacts: list[str] = field(default_factory=list[str])
    job: Json = None
    _serial: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, facts: Known) -> "Scene":
        """Return the scene before the first operation."""
        return cls(
            facts,
            Counts.of(facts),
            dict(facts.sections),
            set(facts.materials),
            set(facts.node_sets),
            dict(facts.loads),
            dict(facts.supports),
            Weights.of(facts),
        )

    def name(self, stem: str) -> str:
        """Return a name for a variable of the script that no other has."""
        self._serial[stem] = self._serial.get(stem, 0) + 1
        return f"{stem}_{self._serial[stem]}"

    def change_geometry(self) -> None:
        """Note that from here on the mesh is another one."""
        self.touched, self.sketch, self.box = True, None, None

    def meant(self, where: Region) -> Some:
        """Return how many elements *where* can mean. Raises `Unfit` ``unknown_set`` for a set of elements that is not there."""
        some, shapes = self.counts.all, where.shapes or SHAPES
        if where.set is not None:
            if where.set not in self.counts.sets:
                raise Unfit(Refusal("unknown_set", {"name": where.set}))
            some = self.counts.sets[where.set]
        if where.all or where.set is not None:
            if not where.shapes:
                return some
            held = {shape: some.shapes[shape] if shape in shapes else NONE for shape in SHAPES}
            return tightened(Span(0, some.elements.high), held)
        most = some.elements.high if where.labels is None else len(where.labels)
        least = len(where.labels) if where.labels is not None and not where.shapes else 1
        held = {shape: Span(0, min(most, some.shapes[shape].high)) if shape in shapes else NONE for shape in SHAPES}
        return tightened(Span(least, max(least, most)), held)

    def foreseen(self, where: Region, fragment: Fragment, *, nodes: bool = False) -> str | None:
        """Let *fragment* look at a region before any mutation, and return the name that its preflight has it under.

        None once the mesh is another one than that of before: then only the rehearsal can look.
        """
        if self.touched:
            return None
        name = self.name("chosen")
        fragment.preflight.append(f"{name} = preflight.{'nodes' if nodes else 'elements'}(part, {writing.region(where)})")
        return name

    def picked(self, where: Region, fragment: Fragment, *, nodes: bool = False) -> str:
        """Let *fragment* pick a region when its mutation comes to it, and return the name that it has there."""
        name = self.name("nodes" if nodes else "elements")
        fragment.mutation.append(f"{name} = part.{'pickNodes' if nodes else 'pickElements'}({writing.region(where)})")
        return name

    def within_limit(
        self, code: str = "too_many_elements", params: "Mapping[str, str | int | float | bool] | None" = None
    ) -> None:
        """Refuse a part that surely grows beyond what can be held."""
        low = self.counts.all.elements.low
        if low > MOST_ELEMENTS:
            raise Unfit(Refusal(code, params or {"count": low, "limit": MOST_ELEMENTS}))
