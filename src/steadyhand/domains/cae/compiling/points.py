"""Decides which coordinates are one place, as the engine will resolve them, without a mesh; it must not make one."""

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final, TypeAlias

from steadyhand.domains.cae.calls.geometry import GridEntry
from steadyhand.domains.cae.compiling.spans import Span

Point: TypeAlias = tuple[float, float, float]

TOLERANCE: Final = 1e-6
"""Within so many mm the engine takes two coordinates for one place."""
_CELL: Final = 1e-5
_NEAR: Final = 2e-6
_CROWD: Final = 64
"""Among more points than these nobody is looked for: in such a crowd each may have a neighbour."""


def same(one: Point, other: Point) -> bool:
    """Tell whether both are one place."""
    return math.dist(one, other) <= TOLERANCE


def distinct(points: Iterable[Point]) -> Span:
    """Return how many places *points* are: one number, but where some are so near that only resolving them tells."""
    found = {tuple(round(value, 9) for value in point): point for point in points}
    cells: dict[tuple[int, ...], list[Point]] = {}
    for point in found.values():
        cells.setdefault(tuple(math.floor(value / _CELL) for value in point), []).append(point)
    doubtful = sum(_has_neighbour(point, cells) for point in found.values())
    return Span(max(len(found) - doubtful, min(1, len(found))), len(found))


def _has_neighbour(point: Point, cells: dict[tuple[int, ...], list[Point]]) -> bool:
    """Look in the point's own cell, and beyond those of its walls that it lies at."""
    sides: list[list[int]] = []
    for value in point:
        cell, inside = math.floor(value / _CELL), value / _CELL - math.floor(value / _CELL)
        sides.append([cell, *([cell - 1] if inside < 0.25 else [cell + 1] if inside > 0.75 else [])])
    around = [other for cell in product(*sides) for other in cells.get(cell, ())[: _CROWD + 1]]
    return len(around) > _CROWD or any(other is not point and math.dist(other, point) <= _NEAR for other in around)


def lattice(grid: GridEntry) -> list[list[Point]]:
    """Return the places of a plate's nodes, row by row along *v*, in the engine's own arithmetic."""
    along, across = grid.divisions
    return [[_at(grid, i, j) for i in range(along + 1)] for j in range(across + 1)]


def _at(grid: GridEntry, i: int, j: int) -> Point:
    along, across = grid.divisions
    x, y, z = (start + u * i / along + v * j / across for start, u, v in zip(grid.origin, grid.u, grid.v, strict=True))
    return x, y, z


def cross(one: Sequence[float], other: Sequence[float]) -> Point:
    """Return the vector product."""
    a, b, c = one
    d, e, f = other
    return b * f - c * e, c * d - a * f, a * e - b * d


def length(vector: Sequence[float]) -> float:
    """Return how long *vector* is."""
    return math.hypot(*vector)


def parallel(one: Sequence[float], other: Sequence[float], least: float) -> bool:
    """Tell whether the sine of the angle between the two is below *least*; neither is zero."""
    return length(cross(one, other)) <= least * length(one) * length(other)


def minus(one: Sequence[float], other: Sequence[float]) -> Point:
    """Return the way from *other* to *one*."""
    x, y, z = (a - b for a, b in zip(one, other, strict=True))
    return x, y, z
