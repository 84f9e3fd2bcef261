"""Decides which element shapes, beam profiles, axes and degrees of freedom there are; each is an object, never a string. It must not hold data."""

from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

T = TypeVar("T", bound=Enum)


class Shape(Enum):
    """An element's shape; the value is its number of nodes."""

    BEAM = 2
    TRI = 3
    QUAD = 4


class Profile(Enum):
    """A beam's cross-section, with the deck's name for it as value. Dimensions, in length units, in the deck's order.

    RECT (a, b): a along n1, b along the second axis · CIRC (r,) · PIPE (r, t) · BOX (a, b, t1, t2, t3, t4).
    """

    RECT = "RECT"
    CIRC = "CIRC"
    PIPE = "PIPE"
    BOX = "BOX"


class Axis(Enum):
    """A coordinate axis; the value is its column."""

    X = 0
    Y = 1
    Z = 2


BEAM, TRI, QUAD = Shape.BEAM, Shape.TRI, Shape.QUAD
RECT, CIRC, PIPE, BOX = Profile.RECT, Profile.CIRC, Profile.PIPE, Profile.BOX
X, Y, Z = Axis.X, Axis.Y, Axis.Z

DOFS = (1, 2, 3, 4, 5, 6)
"""Translations along x, y, z, then rotations about them."""
DOF_NAMES = ("Ux", "Uy", "Uz", "Rx", "Ry", "Rz")
"""Degrees of freedom as people write them: U along an axis, R about it."""
SYMMETRY_DOFS = {Axis.X: (1, 5, 6), Axis.Y: (2, 4, 6), Axis.Z: (3, 4, 5)}
"""What a plane of symmetry with that normal holds."""


def as_shape(value: object) -> Shape:
    """Return *value*; a string or number in the place of the enum raises `TypeError`, as the modelled API does."""
    return _member(value, Shape)


def as_profile(value: object) -> Profile:
    """As `as_shape`, for profiles."""
    return _member(value, Profile)


def as_axis(value: object) -> Axis:
    """As `as_shape`, for axes."""
    return _member(value, Axis)


def _member(value: object, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"found {type(value).__name__}, expecting enum {kind.__name__}")
    return value


def dofs_named(dofs: Iterable[int]) -> str:
    """Return degrees of freedom as people write them."""
    return ", ".join(DOF_NAMES[dof - 1] for dof in dofs)
