"""Decides where a translation, a rotation or a reflection takes points and directions; it must not know a mesh."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.fitting import without_dust
from steadyhand.domains.cae.engine.inputs import as_direction, as_points, as_vector
from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.engine.properties import Vector

Matrix = tuple[Vector, Vector, Vector]

_UNTURNED: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Affine:
    """A map that keeps lengths: *linear* times the point, plus *offset*; *flips* when it turns right hands into left ones."""

    linear: Matrix
    offset: Vector
    flips: bool = False

    def points(self, xyz: Floats) -> Floats:
        """Return where (n, 3) points go, without the dust of the arithmetic. Raises `EngineRefusal` ``bad_coordinates`` when that is too far away."""
        moved = self._apply(xyz, self.offset)
        sizes = (float(np.abs(values).max(initial=0.0)) for values in (xyz, moved, np.array(self.offset)))
        return as_points(without_dust(moved, max(sizes)))

    def directions(self, vectors: Floats) -> Floats:
        """Return where (n, 3) directions point then."""
        turned = self._apply(vectors, (0.0, 0.0, 0.0))
        return as_points(np.stack([without_dust(one, float(np.abs(one).max())) for one in turned]) if len(turned) else turned)

    def _apply(self, xyz: Floats, offset: Vector) -> Floats:
        x, y, z = xyz[:, 0], xyz[:, 1], xyz[:, 2]
        moved = np.empty((len(xyz), 3))
        with np.errstate(over="ignore", invalid="ignore"):  # a deck may hold any coordinate
            # Term by term: a matrix product may round otherwise on another machine.
            for axis, (a, b, c) in enumerate(self.linear):
                moved[:, axis] = a * x + b * y + c * z + offset[axis]
        return moved


def translation(vector: ArrayLike) -> Affine:
    """Return the map along *vector*."""
    return Affine(_UNTURNED, as_vector(vector))


def rotation(point: ArrayLike, direction: ArrayLike, degrees: float) -> Affine:
    """Return the turn by *degrees*, right-handed, about the axis through *point* along *direction*; quarter turns are exact.

    Raises `EngineRefusal` ``zero_vector``, ``bad_angle``.
    """
    if not math.isfinite(degrees):
        raise EngineRefusal("bad_angle")
    x, y, z = axis = as_direction(direction)
    cosine, sine = _cosine_and_sine(degrees)
    cross = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    turn = [
        [axis[i] * axis[j] + cosine * (_UNTURNED[i][j] - axis[i] * axis[j]) + sine * cross[i][j] for j in range(3)]
        for i in range(3)
    ]
    return _about(as_vector(point), turn, flips=False)


def mirror(point: ArrayLike, normal: ArrayLike) -> Affine:
    """Return the reflection in the plane through *point* with *normal*. Raises `EngineRefusal` ``zero_vector``."""
    axis = as_direction(normal)
    turn = [[_UNTURNED[i][j] - 2.0 * axis[i] * axis[j] for j in range(3)] for i in range(3)]
    return _about(as_vector(point), turn, flips=True)


def _about(point: Vector, turn: list[list[float]], *, flips: bool) -> Affine:
    """Return the map that does *turn* and leaves *point* where it is."""
    first, second, third = (as_vector(row) for row in turn)
    goes = [row[0] * point[0] + row[1] * point[1] + row[2] * point[2] for row in (first, second, third)]
    return Affine((first, second, third), as_vector([here - there for here, there in zip(point, goes, strict=True)]), flips)


def _cosine_and_sine(degrees: float) -> tuple[float, float]:
    """Return both, from an angle of at most 45 degrees, where rounding is least and quarter turns are none."""
    quarters = round(math.fmod(degrees, 360.0) / 90.0)
    rest = math.radians(math.fmod(degrees, 360.0) - 90.0 * quarters)
    cosine, sine = math.cos(rest), math.sin(rest)
    return ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarters % 4]
