"""Decides the words that every call is made of: numbers, names, local ids, regions. It must not check a call against a part."""

import math
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from steadyhand.tools.base import Arguments

LARGEST = 1e12
"""No length, force or modulus in N-mm-MPa-t is larger; what is, is a slip of units or of the keyboard."""
NAME = r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"


def upper(value: object) -> object:
    """Return a word in capitals, as enumerations are written; what is no text is left to be refused."""
    return value.upper() if isinstance(value, str) else value


def _without_sign_of_zero(value: float) -> float:
    return value + 0.0  # −0 and 0 are one number here, so that they compile to the same bytes


def _float(value: object) -> object:
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all doubles is refused as any that is too large
        return math.inf


def _printable(value: str) -> str:
    if not value.isprintable():
        raise PydanticCustomError("unprinted", "a mark that is not printed: a name stands on the review as it is")
    return value


Number: TypeAlias = Annotated[
    float,
    BeforeValidator(_float),
    Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False),
    AfterValidator(_without_sign_of_zero),
]
Positive: TypeAlias = Annotated[
    float, BeforeValidator(_float), Field(gt=0, le=LARGEST, allow_inf_nan=False), AfterValidator(_without_sign_of_zero)
]
Vector: TypeAlias = tuple[Number, Number, Number]
Name: TypeAlias = Annotated[str, Field(pattern=NAME)]
KnownName: TypeAlias = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_printable)]
"""The name of what a part has already: a deck may have brought one that could not be given here."""
LocalId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_printable)]
Label: TypeAlias = Annotated[int, Field(ge=1, le=2**31 - 1)]
Labels: TypeAlias = Annotated[tuple[Label, ...], Field(max_length=100_000)]
ShapeName: TypeAlias = Annotated[Literal["QUAD", "TRI", "BEAM"], BeforeValidator(upper)]
AxisName: TypeAlias = Annotated[Literal["X", "Y", "Z"], BeforeValidator(upper)]
Side: TypeAlias = Literal["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"]


class Box(Arguments):
    """Everything between two corners, borders included."""

    minimum: Vector
    maximum: Vector


class Plane(Arguments):
    """Everything at one coordinate."""

    axis: AxisName
    at: Number


class Region(Arguments):
    """Where something applies: exactly one way of saying it, and optionally only these *shapes*."""

    set: KnownName | None = None
    labels: Labels | None = None
    box: Box | None = None
    plane: Plane | None = None
    side: Side | None = None
    all: Literal[True] | None = None
    shapes: tuple[ShapeName, ...] = ()

    @model_validator(mode="after")
    def one_way(self) -> "Region":
        """Refuse a region that says nothing, or says it twice."""
        ways = (self.set, self.labels, self.box, self.plane, self.side, self.all)
        if sum(way is not None for way in ways) != 1:
            raise PydanticCustomError("region_ways", "say a region in exactly one way: set, labels, box, plane, side or all")
        return self
