"""Decides what materials, sections, loads and supports are; it must not know how a deck writes them or what they do to a mesh."""

from dataclasses import dataclass

from steadyhand.domains.cae.engine.shapes import Profile

Vector = tuple[float, float, float]

UNITS = "N-mm-MPa-t"
"""The units that every number of a part is in: force N, length mm, stress MPa, mass t, density t/mm³, acceleration mm/s²."""


@dataclass(frozen=True, slots=True)
class Material:
    """A linear elastic, isotropic material: *youngs* in MPa, *poisson* without unit, *density* in t/mm³ (0: none given)."""

    name: str
    youngs: float
    poisson: float
    density: float = 0.0


@dataclass(frozen=True, slots=True)
class ShellSection:
    """A section of TRI and QUAD: *thickness* in mm; *offset* in thicknesses from the middle to the node plane, −0.5 to 0.5."""

    name: str
    material: str
    thickness: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class BeamSection:
    """A section of BEAM: *dimensions* in mm in the order of `Profile`; *offset* along n1 and the second axis, in widths."""

    name: str
    material: str
    profile: Profile
    dimensions: tuple[float, ...]
    offset: tuple[float, float] = (0.0, 0.0)


Section = ShellSection | BeamSection


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an element is given: a section, and for BEAM the direction of its first axis; `Mesh.assigned` holds its place in the list."""

    section: str
    n1: Vector | None = None


@dataclass(frozen=True, slots=True)
class Force:
    """A concentrated force in N on the nodes of a set: the same on each, or, *total*, shared as `sharing` says."""

    name: str
    node_set: str
    components: Vector
    total: bool = True


@dataclass(frozen=True, slots=True)
class Pressure:
    """A pressure in MPa on TRI and QUAD of a set; a positive one pushes against the element's normal (right-hand rule over its nodes)."""

    name: str
    element_set: str
    magnitude: float


@dataclass(frozen=True, slots=True)
class Gravity:
    """An acceleration in mm/s² on every element whose material has a density."""

    name: str
    components: Vector


Load = Force | Pressure | Gravity


@dataclass(frozen=True, slots=True)
class Support:
    """Degrees of freedom (1 to 6) that are held at zero on the nodes of a set; *symmetry* marks a plane of symmetry."""

    name: str
    node_set: str
    dofs: tuple[int, ...]
    symmetry: bool = False
