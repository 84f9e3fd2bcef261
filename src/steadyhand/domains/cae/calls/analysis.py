"""Decides the arguments of the tools for loads, supports and jobs; it must not know a solver."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from steadyhand.domains.cae.calls.words import AxisName, KnownName, Name, Number, Region, Vector, upper
from steadyhand.tools.base import Arguments


class ForceEntry(Arguments):
    """A force in N on the nodes of a region: *components* in all, shared by the area or length that carries it, or on *each* node."""

    kind: Literal["force"]
    name: Name
    region: Region
    components: Vector
    share: Literal["total", "each"] = "total"


class PressureEntry(Arguments):
    """A pressure in MPa on the QUADs and TRIs of a region; a positive one pushes against their normal."""

    kind: Literal["pressure"]
    name: Name
    region: Region
    magnitude: Number


class GravityEntry(Arguments):
    """An acceleration in mm/s² on everything that has a density."""

    kind: Literal["gravity"]
    name: Name
    components: Vector


LoadEntry: TypeAlias = Annotated[ForceEntry | PressureEntry | GravityEntry, Field(discriminator="kind")]


class ApplyLoad(Arguments):
    """apply_load: add loads, or replace those of the same name; *remove* takes loads away."""

    loads: Annotated[tuple[LoadEntry, ...], Field(max_length=100)] = ()
    remove: tuple[KnownName, ...] = ()


class FixEntry(Arguments):
    """Hold degrees of freedom of the nodes of a region at zero: 1 to 3 along x, y, z, 4 to 6 about them; all when none is named."""

    kind: Literal["fix"]
    name: Name
    region: Region
    dofs: Annotated[tuple[Annotated[int, Field(ge=1, le=6)], ...], Field(min_length=1, max_length=6)] = (1, 2, 3, 4, 5, 6)


class SymmetryEntry(Arguments):
    """Make the nodes of a region lie in a plane of symmetry whose normal is *axis*."""

    kind: Literal["symmetry"]
    name: Name
    region: Region
    axis: AxisName


SupportEntry: TypeAlias = Annotated[FixEntry | SymmetryEntry, Field(discriminator="kind")]


class ApplyBoundary(Arguments):
    """apply_boundary: add supports, or replace those of the same name; *remove* takes supports away."""

    supports: Annotated[tuple[SupportEntry, ...], Field(max_length=100)] = ()
    remove: tuple[KnownName, ...] = ()


def _element_word(value: object) -> object:
    return value.lower() if isinstance(value, str) and value.lower() == "auto" else upper(value)


class RunJob(Arguments):
    """run_job: solve the part, linear and static. *elements*: S4 as they are, S8R promoted to second order, auto by the part."""

    name: Name = "static"
    kind: Annotated[Literal["static"], BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)] = (
        "static"
    )
    elements: Annotated[Literal["auto", "S4", "S8R"], BeforeValidator(_element_word)] = "auto"
