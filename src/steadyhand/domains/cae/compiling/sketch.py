"""Decides what a program's own build makes, well enough to check what the same program gives to it; it must not stand for the engine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from steadyhand.domains.cae.calls.geometry import BuildPart
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.compiling.points import TOLERANCE, Point, lattice

MOST: Final = 50_000
"""Of more elements no sketch is made; the rehearsal looks at them."""
_AXES: Final = "xyz"


@dataclass(frozen=True, slots=True)
class Sketched:
    """One element: its shape and the places of its nodes."""

    shape: str
    points: tuple[Point, ...]


@dataclass(slots=True)
class Sketch:
    """Elements in the order in which they are made, and sets of their places in it."""

    elements: list[Sketched] = field(default_factory=list[Sketched])
    sets: dict[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])

    def inside(self, where: Region) -> frozenset[int] | None:
        """Return which elements *where* means; None when that cannot be told from here: labels are given by the engine."""
        if where.labels is not None or (where.set is not None and where.set not in self.sets):
            return None
        chosen = self.sets[where.set] if where.set is not None else self._placed(where)
        return frozenset(place for place in chosen if not where.shapes or self.elements[place].shape in where.shapes)

    def _placed(self, where: Region) -> Iterable[int]:
        low, high = self.corners()
        if where.box is not None:
            low, high = where.box.minimum, where.box.maximum
        axis, at = 0, 0.0
        if where.plane is not None:
            axis, at = _AXES.index(where.plane.axis.lower()), where.plane.at
        elif where.side is not None:
            axis = _AXES.index(where.side[0])
            at = (high if where.side.endswith("max") else low)[axis]
        flat = where.plane is not None or where.side is not None

        def holds(point: Point) -> bool:
            if flat:
                return abs(point[axis] - at) <= TOLERANCE
            return all(
                least - TOLERANCE <= value <= most + TOLERANCE for least, value, most in zip(low, point, high, strict=True)
            )

        return (place for place, element in enumerate(self.elements) if all(holds(point) for point in element.points))

    def corners(self) -> tuple[Point, Point]:
        """Return the box around all elements."""
        points = [point for element in self.elements for point in element.points] or [(0.0, 0.0, 0.0)]
        xs, ys, zs = zip(*points, strict=True)
        return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))

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
        drawn.elements.append(Sketched(element.shape, tuple(where[name] for name in element.node_ids)))
    for grid in call.grids:
        table = lattice(grid)
        first = len(drawn.elements)
        for below, above in pairwise(table):
            for left in range(len(below) - 1):
                drawn.elements.append(Sketched("QUAD", (below[left], below[left + 1], above[left + 1], above[left])))
        members[grid.id] = list(range(first, len(drawn.elements)))
    for entry in call.element_sets:
        drawn.sets[entry.name] = frozenset(place for name in entry.element_ids for place in members[name])
    return drawn
