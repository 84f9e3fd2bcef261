"""Decides what a program's own build makes, well enough to check what the same program gives to it; it must not stand for the engine."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Self

from steadyhand.domains.cae.calls.geometry import BuildPart
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.compiling.points import TOLERANCE, Point, lattice

MOST: Final = 50_000
"""Of more elements no sketch is made; the rehearsal looks at them."""
_AXES: Final = "xyz"


@dataclass(frozen=True, slots=True)
class Sketched:
    """One element: its shape, the places of its nodes, and the corners of the box around them."""

    shape: str
    points: tuple[Point, ...]
    low: Point
    high: Point

    @classmethod
    def of(cls, shape: str, points: tuple[Point, ...]) -> Self:
        """Return the element on *points*."""
        return cls(shape, points, *_corners(points))


@dataclass(slots=True)
class Sketch:
    """Elements in the order in which they are made, and sets of their places in it; what was asked for once is not looked up again."""

    elements: list[Sketched] = field(default_factory=list[Sketched])
    sets: dict[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    _found: dict[Region, frozenset[int]] = field(default_factory=dict[Region, frozenset[int]])
    _extent: tuple[Point, Point] | None = None

    def inside(self, where: Region) -> frozenset[int] | None:
        """Return which elements *where* means; None when that cannot be told from here: labels are given by the engine."""
        if where.labels is not None or (where.set is not None and where.set not in self.sets):
            return None
        if where not in self._found:
            chosen = self.sets[where.set] if where.set is not None else self._placed(where)
            self._found[where] = frozenset(
                place for place in chosen if not where.shapes or self.elements[place].shape in where.shapes
            )
        return self._found[where]

    def _placed(self, where: Region) -> Iterable[int]:
        """Return the elements of which all nodes are in a box or on a plane: those whose own box is."""
        if where.all:
            return range(len(self.elements))
        least, most = [-math.inf] * 3, [math.inf] * 3
        if where.box is not None:
            least, most = list(where.box.minimum), list(where.box.maximum)
        elif where.plane is not None:
            axis = _AXES.index(where.plane.axis.lower())
            least[axis] = most[axis] = where.plane.at
        elif where.side is not None:
            axis = _AXES.index(where.side[0])
            least[axis] = most[axis] = self.extent()[where.side.endswith("max")][axis]
        (a, b, c), (d, e, f) = (value - TOLERANCE for value in least), (value + TOLERANCE for value in most)
        return (
            place
            for place, one in enumerate(self.elements)
            if a <= one.low[0]
            and one.high[0] <= d
            and b <= one.low[1]
            and one.high[1] <= e
            and c <= one.low[2]
            and one.high[2] <= f
        )

    def extent(self) -> tuple[Point, Point]:
        """Return the box around all elements."""
        if self._extent is None:
            self._extent = _corners(
                [end for element in self.elements for end in (element.low, element.high)] or [(0.0, 0.0, 0.0)]
            )
        return self._extent

    def shapes(self, places: Iterable[int]) -> dict[str, int]:
        """Count the elements at *places* by shape."""
        found: dict[str, int] = {}
        for place in places:
            found[self.elements[place].shape] = found.get(self.elements[place].shape, 0) + 1
        return found


def sketch(call: BuildPart, where: Mapping[str, Point]) -> Sketch | None:
    """Draw what *call* builds; *where* are the places of its nodes. None for what is too large."""
    total = len(call.elements) + sum(grid.divisions[0] * grid.divisions[1] for grid in call.grids)
    if total > MOST:
        return None
    drawn = Sketch()
    members: dict[str, list[int]] = {}
    for element in call.elements:
        members[element.id] = [len(drawn.elements)]
        drawn.elements.append(Sketched.of(element.shape, tuple(where[name] for name in element.node_ids)))
    for grid in call.grids:
        table = lattice(grid)
        first = len(drawn.elements)
        for below, above in pairwise(table):
            for left in range(len(below) - 1):
                drawn.elements.append(Sketched.of("QUAD", (below[left], below[left + 1], above[left + 1], above[left])))
        members[grid.id] = list(range(first, len(drawn.elements)))
    for entry in call.element_sets:
        drawn.sets[entry.name] = frozenset(place for name in entry.element_ids for place in members[name])
    return drawn


def _corners(points: Sequence[Point]) -> tuple[Point, Point]:
    xs, ys, zs = zip(*points, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))
