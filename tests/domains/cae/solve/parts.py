"""Hand-made parts to solve: a plate, a beam, and what is done to them."""

import math

import numpy as np

from steadyhand.domains.cae.engine.mesh import USUAL_TYPE, Flags, Floats, Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import (
    Assignment,
    BeamSection,
    Force,
    Gravity,
    Material,
    Pressure,
    Section,
    ShellSection,
    Support,
    Vector,
)
from steadyhand.domains.cae.engine.shapes import Profile, Shape

STEEL = Material("steel", 210_000.0, 0.3, 7.85e-9)
CLAMPED = (1, 2, 3, 4, 5, 6)
N1: Vector = (0.0, 1.0, 0.0)

Elements = list[tuple[int, ...]]


def part_of(
    xyz: Floats, elements: Elements, *sections: Section, material: Material = STEEL, given: list[int] | None = None
) -> Part:
    """A part whose elements list rows of *xyz* and have the section whose place *given* names (all the first one)."""
    part = Part()
    conn = np.full((len(elements), 4), -1, np.int32)
    for row, nodes in enumerate(elements):
        conn[row, : len(nodes)] = nodes
    sizes = np.array([len(nodes) for nodes in elements], np.int8)
    part.mesh = Mesh(
        xyz=np.array(xyz, float),
        node_labels=part.take_node_labels(len(xyz)),
        conn=conn,
        sizes=sizes,
        element_labels=part.take_element_labels(len(elements)),
        types=np.array([USUAL_TYPE[Shape(size)] for size in sizes.tolist()], np.int32),
        assigned=np.array(given or [0] * len(elements), np.int32),
    )
    part.materials[material.name] = material
    for section in sections:
        part.sections[section.name] = section
        part.assignments.append(Assignment(section.name, N1 if isinstance(section, BeamSection) else None))
    assert part.faults() == []
    return part


def shell(thickness: float, name: str = "plate", offset: float = 0.0) -> ShellSection:
    return ShellSection(name, "steel", thickness, offset)


def bar(profile: Profile, *size: float, name: str = "bar", offset: tuple[float, float] = (0.0, 0.0)) -> BeamSection:
    return BeamSection(name, "steel", profile, size, offset)


def grid(width: float, depth: float, nu: int, nv: int, split: bool = False) -> tuple[Floats, Elements]:
    """A flat plate from the origin along x and y."""
    return surface(lambda s, q: (width * s, depth * q, 0.0), nu, nv, split)


def surface(at, nu: int, nv: int, split: bool = False) -> tuple[Floats, Elements]:
    """A sheet of quads over ``at(s, q)``, both from 0 to 1, or of triangles."""
    xyz = np.array([at(i / nu, j / nv) for j in range(nv + 1) for i in range(nu + 1)], float)
    quads = [(a, a + 1, a + nu + 2, a + nu + 1) for j in range(nv) for i in range(nu) for a in [j * (nu + 1) + i]]
    return xyz, [tri for q in quads for tri in (q[:3], (q[0], q[2], q[3]))] if split else list(quads)


def line(length: float, count: int, first: int = 0) -> tuple[Floats, Elements]:
    """Beams along x."""
    xyz = np.array([(length * i / count, 0.0, 0.0) for i in range(count + 1)])
    return xyz, [(first + i, first + i + 1) for i in range(count)]


def near(values: Floats, wanted: float) -> Flags:
    return np.abs(values - wanted) < 1e-6 * max(1.0, float(np.abs(values).max()))


def hold(part: Part, name: str, where: Flags, dofs: tuple[int, ...] = CLAMPED) -> None:
    part.node_sets[f"_{name}"] = part.mesh.node_labels[where]
    part.supports[name] = Support(name, f"_{name}", dofs)


def push(part: Part, name: str, where: Flags, force: Vector, *, total: bool = True) -> None:
    part.node_sets[f"_{name}"] = part.mesh.node_labels[where]
    part.loads[name] = Force(name, f"_{name}", force, total)


def press(part: Part, magnitude: float, name: str = "pressure") -> None:
    part.element_sets[f"_{name}"] = part.mesh.element_labels
    part.loads[name] = Pressure(name, f"_{name}", magnitude)


def weigh(part: Part, components: Vector, name: str = "weight") -> None:
    part.loads[name] = Gravity(name, components)


def cantilever(split: bool = False, thickness: float = 10.0, offset: float = 0.0) -> Part:
    """A plate 1000 × 100 that is clamped at x = 0 and pulled down with 10 N at its free end."""
    xyz, elements = grid(1000.0, 100.0, 20, 2, split)
    part = part_of(xyz, elements, shell(thickness, offset=offset))
    hold(part, "wall", near(xyz[:, 0], 0.0))
    push(part, "tip", near(xyz[:, 0], 1000.0), (0.0, 0.0, -10.0))
    return part


def bending(force: float, length: float, inertia: float, youngs: float = 210_000.0) -> float:
    """The tip of a slender cantilever moves so far."""
    return force * length**3 / (3 * youngs * inertia)


def rod(section: BeamSection, force: Vector = (0.0, 0.0, -100.0), count: int = 20) -> Part:
    """A beam of 1000 along x, clamped at its start, with a force at its end."""
    xyz, elements = line(1000.0, count)
    part = part_of(xyz, elements, section)
    hold(part, "wall", near(xyz[:, 0], 0.0))
    push(part, "tip", near(xyz[:, 0], 1000.0), force)
    return part


def turned(part: Part, degrees: float) -> Part:
    """Turn a part and its forces about the y axis."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = np.array([[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]])
    part.mesh.xyz = part.mesh.xyz @ matrix.T
    for name, load in list(part.loads.items()):
        if isinstance(load, Force):
            x, y, z = (matrix @ np.array(load.components)).tolist()
            part.loads[name] = Force(name, load.node_set, (x, y, z), load.total)
    return part
