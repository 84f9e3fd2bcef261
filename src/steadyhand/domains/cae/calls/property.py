"""Decides the arguments of the tools for materials, sections, and what they are given to; it must not check one against a mesh."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from steadyhand.domains.cae.calls.words import KnownName, Name, Number, Positive, Region, Vector, upper
from steadyhand.tools.base import Arguments


class MaterialEntry(Arguments):
    """A linear elastic material: MPa, no unit, t/mm³."""

    name: Name
    youngs: Positive
    poisson: Annotated[Number, Field(gt=-1, lt=0.5)]
    density: Annotated[Number, Field(ge=0)] = 0.0


class ShellSectionEntry(Arguments):
    """A section of QUAD and TRI: mm; *offset* in thicknesses."""

    name: Name
    material: KnownName
    thickness: Positive
    offset: Annotated[Number, Field(ge=-0.5, le=0.5)] = 0.0


class BeamSectionEntry(Arguments):
    """A section of BEAM: RECT (a, b) · CIRC (r) · PIPE (r, t) · BOX (a, b, t1, t2, t3, t4), mm."""

    name: Name
    material: KnownName
    profile: Annotated[Literal["RECT", "CIRC", "PIPE", "BOX"], BeforeValidator(upper)]
    dimensions: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=6)]
    offset: tuple[Number, Number] = (0.0, 0.0)


class DefineProperty(Arguments):
    """define_property: make materials and sections, or replace those of the same name."""

    materials: tuple[MaterialEntry, ...] = ()
    shell_sections: tuple[ShellSectionEntry, ...] = ()
    beam_sections: tuple[BeamSectionEntry, ...] = ()


class AssignmentEntry(Arguments):
    """A section for the elements of a region; BEAM needs *n1*, the direction of the section's first axis."""

    section: KnownName
    region: Region
    n1: Vector | None = None


class AssignProperty(Arguments):
    """assign_property: give sections to elements; what they had before is replaced."""

    assignments: Annotated[tuple[AssignmentEntry, ...], Field(min_length=1, max_length=200)]


class AuditProperty(Arguments):
    """audit_property: look which elements have which section, which have none, and report."""
