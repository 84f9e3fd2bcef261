"""The published shell benchmarks, built here: LE1, LE3 and LE5 of NAFEMS, and the Scordelis-Lo roof. Lengths in mm, forces in N."""

import math
from itertools import pairwise

import numpy as np

from domains.cae.solve.parts import Elements, hold, near, part_of, push, surface, weigh
from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Material, ShellSection
from steadyhand.domains.cae.engine.shapes import SYMMETRY_DOFS, Axis

METRE = 1000.0


def _edge_forces(part: Part, name: str, nodes: list[int], force_of) -> None:
    """Load the edges between neighbouring *nodes*; each gives half of its force to either end."""
    forces: dict[int, Floats] = {}
    for first, second in pairwise(nodes):
        half = np.array(force_of(part.mesh.xyz[first], part.mesh.xyz[second])) / 2
        for node in (first, second):
            forces[node] = forces.get(node, np.zeros(3)) + half
    for node, force in forces.items():
        x, y, z = force.tolist()
        push(part, f"{name}{node}", np.arange(part.mesh.node_count) == node, (x, y, z))


def elliptic_membrane(across: int, along: int) -> tuple[Part, int]:
    """LE1: a quarter of a membrane between two ellipses, pulled outwards with 10 MPa; and the node at D, where yy is 92.7 MPa."""

    def at(s, q):
        angle = q * math.pi / 2
        return (2 + 1.25 * s) * math.cos(angle) * METRE, (1 + 1.75 * s) * math.sin(angle) * METRE, 0.0

    xyz, elements = surface(at, across, along)
    part = part_of(xyz, elements, ShellSection("membrane", "steel", 100.0))
    hold(part, "below", near(xyz[:, 1], 0.0), SYMMETRY_DOFS[Axis.Y])
    hold(part, "left", near(xyz[:, 0], 0.0), SYMMETRY_DOFS[Axis.X])
    hold(part, "plane", np.ones(len(xyz), bool), (3,))
    rim = [j * (across + 1) + across for j in range(along + 1)]
    _edge_forces(part, "rim", rim, lambda a, b: (10 * 100 * (b - a)[1], -10 * 100 * (b - a)[0], 0.0))
    return part, 0


def roof(count: int, *, quarter: bool) -> tuple[Part, int]:
    """Scordelis-Lo: a cylindrical roof on diaphragms under its weight; and the middle of a free edge, which sinks by 302.4 mm."""
    radius, length, half = 25 * METRE, 50 * METRE, math.radians(40)

    def at(s, q):
        angle = half * (s if quarter else 2 * s - 1)
        return radius * math.sin(angle), radius * math.cos(angle), length * (q / 2 if quarter else q)

    divisions = count if quarter else 2 * count
    xyz, elements = surface(at, divisions, divisions)
    concrete = Material("steel", 4.32e8, 0.0, 1e-3)
    part = part_of(xyz, elements, ShellSection("roof", "steel", 250.0), material=concrete)
    hold(part, "diaphragm", near(xyz[:, 2], 0.0), (1, 2))
    middle = near(xyz[:, 2], length / 2)
    if quarter:
        hold(part, "crown", near(xyz[:, 0], 0.0), SYMMETRY_DOFS[Axis.X])
        hold(part, "middle", middle, SYMMETRY_DOFS[Axis.Z])
    else:
        hold(part, "other", near(xyz[:, 2], length), (1, 2))
        hold(part, "still", middle & near(xyz[:, 0], 0.0), (3,))
    weigh(part, (0.0, -360.0, 0.0))
    corner = middle & near(xyz[:, 0], radius * math.sin(half))
    return part, int(np.flatnonzero(corner)[0])


def hemisphere(count: int, *, quarter: bool) -> tuple[Part, int]:
    """LE3: a hemisphere pulled and pushed at its rim; and the pulled point, which moves outwards by 185 mm."""
    xyz, elements = _octants(count, [(1, 1)] if quarter else [(1, 1), (-1, 1), (-1, -1), (1, -1)])
    part = part_of(xyz, elements, ShellSection("shell", "steel", 40.0), material=Material("steel", 68_250.0, 0.3))
    x, y, z = (near(xyz[:, axis], 0.0) for axis in range(3))
    share = 2000.0 if quarter else 4000.0
    for name, where, column, way in (("a", y & z, 0, 1), ("b", x & z, 1, -1)):
        for side in (1, -1):
            there = where & (xyz[:, column] * side > 0)
            if there.any():
                push(part, f"{name}{side}", there, tuple(way * side * share * float(axis == column) for axis in range(3)))
    if quarter:
        hold(part, "x", x, SYMMETRY_DOFS[Axis.X])
        hold(part, "y", y, SYMMETRY_DOFS[Axis.Y])
        hold(part, "pole", x & y, (3,))
    else:
        hold(part, "pole", x & y, (1, 2, 3, 4, 5))
        hold(part, "a", y & z & (xyz[:, 0] > 0), (2,))
    return part, int(np.flatnonzero(y & z & (xyz[:, 0] > 0))[0])


def _octants(count: int, sides: list[tuple[int, int]]) -> tuple[Floats, Elements]:
    """Three patches of quads on each octant of a sphere."""
    axes = np.eye(3)
    known: dict[tuple[float, ...], int] = {}
    xyz: list[Floats] = []
    elements: Elements = []

    def node(point: Floats) -> int:
        key = tuple((np.round(point, 3) + 0.0).tolist())
        if key not in known:
            known[key] = len(xyz)
            xyz.append(point)
        return known[key]

    def on(point: Floats) -> Floats:
        return point / np.linalg.norm(point) * 10 * METRE

    for side in sides:
        signs = np.array([*side, 1])
        for place in range(3):
            a, b, c = (axes[(place + step) % 3] for step in range(3))
            corners = [on(a), on(a + b), on(a + b + c), on(a + c)]
            steps = np.arange(count + 1) / count
            shares = [[((1 - s) * (1 - q), s * (1 - q), s * q, (1 - s) * q) for s in steps] for q in steps]
            rows = [
                [node(on(sum(w * p for w, p in zip(weights, corners, strict=True))) * signs) for weights in row] for row in shares
            ]
            for j in range(count):
                for i in range(count):
                    quad = (rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i])
                    elements.append(quad if side[0] * side[1] > 0 else quad[::-1])
    return np.array(xyz), elements


def z_section(along: int, per_flange: int) -> tuple[Part, int]:
    """LE5: a cantilever of Z section under torsion; and the node at A, where xx is −108 MPa."""
    outline = [(-METRE, METRE), (0.0, METRE), (0.0, -METRE), (METRE, -METRE)]
    counts = (per_flange, 2 * per_flange, per_flange)
    points = [outline[0]]
    for (y0, z0), (y1, z1), count in zip(outline, outline[1:], counts, strict=False):
        points += [(y0 + (y1 - y0) * i / count, z0 + (z1 - z0) * i / count) for i in range(1, count + 1)]
    last = len(points) - 1
    xyz, elements = surface(lambda s, q: (10 * METRE * s, *points[round(q * last)]), along, last)
    part = part_of(xyz, elements, ShellSection("wall", "steel", 100.0))
    hold(part, "root", near(xyz[:, 0], 0.0))
    end = near(xyz[:, 0], 10 * METRE)
    for name, height, way in (("top", METRE, -1), ("bottom", -METRE, 1)):
        nodes = np.flatnonzero(end & near(xyz[:, 2], height))
        ordered = nodes[np.argsort(xyz[nodes, 1])].tolist()
        _edge_forces(part, name, ordered, lambda a, b, way=way: (0.0, way * 600.0 * (b - a)[1], 0.0))
    there = near(xyz[:, 0], 2.5 * METRE) & near(xyz[:, 1], -METRE) & near(xyz[:, 2], METRE)
    return part, int(np.flatnonzero(there)[0])
