"""Decides how the sums over corners and directions of elements follow an operation; it must not look at a mesh.

A sum that an operation leaves open is None from there on: what is not known is not promised.
"""

import hashlib
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.calls.geometry import ElementEntry, GridEntry, LinearArray, Mirror, PolarArray, Transform, Translate
from steadyhand.domains.cae.compiling.known import SHAPES
from steadyhand.domains.cae.compiling.points import Point, cross, length, minus
from steadyhand.domains.cae.compiling.spans import CHILDREN, CORNERS, Some

Sums: TypeAlias = Mapping[str, Point]

_NOWHERE: Final = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Moments:
    """For each shape the sum of all *corners*, and of all *directions*, as the engine's proof has them; *slack*: by how much a corner may be off."""

    corners: Sums | None
    directions: Sums | None
    slack: float = 0.0

    @classmethod
    def none(cls) -> Self:
        """Return those of no element at all."""
        return cls(dict.fromkeys(SHAPES, _NOWHERE), dict.fromkeys(SHAPES, _NOWHERE))

    @classmethod
    def of(cls, told: Mapping[str, Sequence[float]] | None) -> Self:
        """Return those that were observed; open ones, where nothing was."""
        if told is None:
            return cls(None, None)
        return cls({name: _point(told[name][:3]) for name in SHAPES}, {name: _point(told[name][3:]) for name in SHAPES})

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of them."""
        return self.corners is None and self.directions is None

    def plus(self, other: "Moments", sign: float = 1.0) -> "Moments":
        """Return those of both together, or with *sign* −1 of what is left without the other."""
        return Moments(
            _added(self.corners, other.corners, sign),
            _added(self.directions, other.directions, sign),
            max(self.slack, other.slack),
        )

    def only(self, shapes: Sequence[str]) -> "Moments":
        """Return those of some shapes."""
        corners, directions = (None if sums is None else _of(sums, shapes) for sums in (self.corners, self.directions))
        return Moments(corners, directions, self.slack)

    def moved(self, by: "Motion", some: Some) -> "Moments":
        """Return those of the same elements once they have been moved; *some* says how many they are."""
        counts = {name: some.shapes[name].low * CORNERS[name] for name in SHAPES}
        known = self.corners is not None and all(some.shapes[name].exact for name in SHAPES)
        corners = {name: by.point(self.corners[name], counts[name]) for name in SHAPES} if known and self.corners else None
        if self.directions is None:
            return Moments(corners, None, self.slack)
        backwards = {"BEAM": -1.0 if by.flips else 1.0}  # a mirrored face keeps its side, a mirrored beam runs the other way
        turned = {name: _scaled(by.point(self.directions[name], 0), backwards.get(name, 1.0)) for name in SHAPES}
        return Moments(corners, turned, self.slack)

    def halved(self, levels: int) -> "Moments":
        """Return those of the pieces, edges halved *levels* times: directions add up to what they were."""
        if self.corners is None:
            return self
        return replace(self, corners={name: _scaled(self.corners[name], CHILDREN[name] ** levels) for name in SHAPES})

    def loosened(self, slack: float) -> "Moments":
        """Return them where corners may be off by *slack* more."""
        return replace(self, slack=self.slack + slack)

    def to_json(self) -> Json:
        """Return them as evidence."""
        corners, directions = (
            None if sums is None else {name: list(sums[name]) for name in SHAPES} for sums in (self.corners, self.directions)
        )
        return {"corners": corners, "directions": directions, "slack": self.slack}


OPEN: Final = Moments(None, None)


@dataclass(frozen=True, slots=True)
class Motion:
    """Where elements go: *rows* times a point, plus *offset*; *flips* when right hands become left ones."""

    rows: tuple[Point, Point, Point]
    offset: Point
    flips: bool = False

    def point(self, total: Point, count: int) -> Point:
        """Return what a sum of *count* points becomes."""
        x, y, z = (_dot(row, total) + count * part for row, part in zip(self.rows, self.offset, strict=True))
        return x, y, z


def digest_of(labels: Iterable[int]) -> Json:
    """Return how many labels there are, and what the engine's proof says of exactly these."""
    held = sorted(set(labels))
    return {"count": len(held), "sha256": hashlib.sha256(struct.pack(f"<{len(held)}q", *held)).hexdigest()}


def motions(operation: Transform) -> list[Motion]:
    """Return where a transform takes its elements, one motion for each copy."""
    if isinstance(operation, Translate):
        return [_shift(operation.vector, 1)]
    if isinstance(operation, LinearArray):
        return [_shift(operation.vector, turn) for turn in range(1, operation.count + 1)]
    if isinstance(operation, Mirror):
        return [_about(operation.point, _reflection(operation.normal), flips=True)]
    turns = operation.count if isinstance(operation, PolarArray) else 1
    angles = (operation.degrees * turn for turn in range(1, turns + 1))
    return [_about(operation.point, _turn(operation.direction, degrees)) for degrees in angles]


def added(elements: Iterable[ElementEntry], grids: Iterable[GridEntry], where: Mapping[str, Point]) -> Moments:
    """Return those of new elements, and of new plates."""
    total = Moments.none()
    corners, directions = dict(total.corners or {}), dict(total.directions or {})
    for element in elements:
        points = [where[name] for name in element.node_ids]
        for point in points:
            corners[element.shape] = _sum(corners[element.shape], point)
        directions[element.shape] = _sum(directions[element.shape], _direction(points))
    for grid in grids:
        cells = grid.divisions[0] * grid.divisions[1]
        middle = _sum(grid.origin, _scaled(_sum(grid.u, grid.v), 0.5))
        corners["QUAD"] = _sum(corners["QUAD"], _scaled(middle, 4.0 * cells))
        directions["QUAD"] = _sum(directions["QUAD"], cross(grid.u, grid.v))
    return Moments(corners, directions)


def _direction(points: Sequence[Point]) -> Point:
    if len(points) == CORNERS["BEAM"]:
        return minus(points[1], points[0])
    last = minus(points[3], points[1]) if len(points) == CORNERS["QUAD"] else minus(points[2], points[1])
    return _scaled(cross(minus(points[2], points[0]), last), 0.5)


def _shift(vector: Point, times: int) -> Motion:
    return Motion(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), _scaled(vector, float(times)))


def _about(point: Point, rows: tuple[Point, Point, Point], *, flips: bool = False) -> Motion:
    return Motion(rows, minus(point, Motion(rows, _NOWHERE).point(point, 0)), flips)


def _reflection(normal: Point) -> tuple[Point, Point, Point]:
    axis = _unit(normal)
    first, second, third = (_point([(row == column) - 2 * axis[row] * axis[column] for column in range(3)]) for row in range(3))
    return first, second, third


def _turn(direction: Point, degrees: float) -> tuple[Point, Point, Point]:
    x, y, z = axis = _unit(direction)
    angle = math.radians(math.fmod(degrees, 360.0))
    cosine, sine = math.cos(angle), math.sin(angle)
    skew = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    first, second, third = (
        _point(
            [axis[row] * axis[column] * (1 - cosine) + (row == column) * cosine + sine * skew[row][column] for column in range(3)]
        )
        for row in range(3)
    )
    return first, second, third


def _unit(vector: Point) -> Point:
    largest = max(abs(part) for part in vector)
    even = _point([part / largest for part in vector])  # first, so that no square vanishes
    return _scaled(even, 1 / length(even))


def _added(one: Sums | None, other: Sums | None, sign: float) -> Sums | None:
    if one is None or other is None:
        return None
    return {name: _sum(one[name], _scaled(other[name], sign)) for name in SHAPES}


def _of(sums: Sums, shapes: Sequence[str]) -> Sums:
    return {name: sums[name] if name in shapes else _NOWHERE for name in SHAPES}


def _sum(one: Point, other: Point) -> Point:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _scaled(vector: Point, factor: float) -> Point:
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def _dot(one: Point, other: Point) -> float:
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def _point(values: Sequence[float]) -> Point:
    x, y, z = values
    return x, y, z
