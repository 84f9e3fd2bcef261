"""Decides which sums a part and its sets have after each operation of a program; it must not know how one is written.

A set that an operation may have changed in a way that only the mesh knows is open from there on, and so is the whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from steadyhand.domains.cae.calls.geometry import BuildPart, EditPart, LinearArray, PolarArray, Transform, Translate
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.compiling.known import Known
from steadyhand.domains.cae.compiling.moments import OPEN, Moments, added, motions
from steadyhand.domains.cae.compiling.points import TOLERANCE, Point
from steadyhand.domains.cae.compiling.spans import Some, Span

_LONGEST_CHAIN: Final = 64
"""Merging joins chains, so a node may move by more than the tolerance; by more than so many of them none is expected to."""


@dataclass(slots=True)
class Weights:
    """The moments of all elements, of those of each set, and of those that a program gives a section.

    *unless_fewer*: so many elements there are when no duplicate was removed; when one was, only the mesh knows what is left.
    *merged*: how many nodes there are when none was merged, and by how much a corner may be off when one was.
    """

    all: Moments
    sets: dict[str, Moments] = field(default_factory=dict[str, Moments])
    sections: dict[str, Moments] = field(default_factory=dict[str, Moments])
    unless_fewer: int | None = None
    merged: "tuple[int, float] | None" = None

    @classmethod
    def of(cls, facts: Known) -> Self:
        """Return what was observed."""
        if facts.elements == 0:
            return cls(Moments.none(), {name: Moments.none() for name in facts.element_sets})
        return cls(Moments.of(facts.moments), {name: Moments.of(facts.set_moments.get(name)) for name in facts.element_sets})

    def inside(self, where: Region) -> Moments:
        """Return the moments of a region; open ones where only the mesh knows who is in it."""
        found = self.all if where.all else OPEN if where.set is None else self.sets.get(where.set, OPEN)
        return found.only(where.shapes) if where.shapes else found

    def add(self, call: BuildPart | EditPart, where: dict[str, Point], *, exact: bool) -> None:
        """Put what a call makes; *exact*: on nodes of its own, each where it was asked for."""
        elements = call.elements if isinstance(call, BuildPart) else call.add_elements
        slack = 0.0 if exact else TOLERANCE
        self.all = self.all.plus(added(elements, call.grids, where).loosened(slack))
        for entry in call.element_sets:
            named = set(entry.element_ids)
            mine = added((one for one in elements if one.id in named), (one for one in call.grids if one.id in named), where)
            self.sets[entry.name] = mine.loosened(slack)

    def clear(self) -> None:
        """Take everything."""
        self.all, self.sets = Moments.none(), dict.fromkeys(self.sets, Moments.none())

    def take(self, where: Region | None) -> None:
        """Take a region, or what only the mesh knows."""
        self.all = OPEN if where is None else self.all.plus(self.inside(where), -1.0)
        whole = where is not None and where.all is not None and not where.shapes
        self.sets = dict.fromkeys(self.sets, Moments.none() if whole else OPEN)

    def move(self, operation: Transform, some: Some, sets: Mapping[str, Some]) -> None:
        """Move a region, or put copies of it; *sets* says how many elements each has."""
        where, inside, by = operation.region, self.inside(operation.region), motions(operation)
        if isinstance(operation, LinearArray | PolarArray) or operation.copy_elements:
            for motion in by:
                self.all = self.all.plus(inside.moved(motion, some))
            self.sets = dict.fromkeys(self.sets, OPEN)
            return
        moved = inside.moved(by[0], some)
        keeps = Moments(None, self.all.directions, self.all.slack) if isinstance(operation, Translate) else OPEN
        self.all = keeps if inside.unknown else self.all.plus(inside, -1.0).plus(moved)
        whole = bool(where.all) and not where.shapes
        follows = {name: held.moved(by[0], sets[name]) for name, held in self.sets.items() if whole}
        follows |= {where.set: moved} if where.set in self.sets and not where.shapes else {}
        self.sets = {name: follows.get(name, OPEN) for name in self.sets}

    def merge(self, tolerance: float, nodes: Span) -> None:
        """Merge nodes, of which there are so many before: a corner may move by a little, no element goes."""
        self.merged = (nodes.high, tolerance * _LONGEST_CHAIN)

    def take_duplicates(self, elements: Span) -> None:
        """Take duplicates, if there are any; *elements*: how many there are before."""
        if elements.exact:
            self.unless_fewer = elements.high
        else:
            self.all, self.sets = OPEN, dict.fromkeys(self.sets, OPEN)

    def give(self, where: Region, section: str, *, first: bool) -> None:
        """Give a region a section; *first*: nobody had it before."""
        inside = self.inside(where)
        if first:
            self.sections[section] = self.sections[section].plus(inside) if section in self.sections else inside

    def halve(self, where: Region, levels: int) -> None:
        """Halve the edges of a region: the directions stay, the corners become more."""
        inside = self.inside(where)
        self.all = self._halved(self.all, inside, levels)
        whole = bool(where.all) and not where.shapes
        self.sets = {
            name: held.halved(levels) if whole else Moments(None, held.directions, held.slack) for name, held in self.sets.items()
        }

    def _halved(self, held: Moments, inside: Moments, levels: int) -> Moments:
        grown = inside.halved(levels)
        rest = held.plus(inside, -1.0).plus(grown)
        return Moments(rest.corners, held.directions, held.slack)
