"""Decides what loads become: forces on nodes, one pressure per element, one acceleration; and which nodal forces they amount to; it must not ask the solver for them.

The latter are computed here from the shapes of the elements, without the solver, so that its reactions can be held against them.
"""

import math
from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection, Force, Gravity, Pressure, ShellSection
from steadyhand.domains.cae.engine.shapes import Profile, Shape
from steadyhand.domains.cae.engine.sharing import carriers
from steadyhand.domains.cae.solve.promoting import KINDS, Kind, Model

_ROOT = 1 / math.sqrt(3)
_SIXTH, _TWO_THIRDS = 1 / 6, 2 / 3


@dataclass(frozen=True, slots=True)
class Loading:
    """Loads as the solver is told: *forces* (n, 3) on nodes, *pressures* (E,) against the normal, *acceleration* on what has a density.

    *nodal* (n, 3): what all of them amount to.
    """

    forces: Floats
    pressures: Floats
    acceleration: Floats
    nodal: Floats

    @property
    def total(self) -> Floats:
        """(3,) the sum of all loads, N."""
        return self.nodal.sum(axis=0)


def load(part: Part, model: Model) -> Loading:
    """Return the loads of *part* on *model*. Loads on the same place add up here: the solver would keep the last one only."""
    forces = np.zeros((len(model.xyz), 3))
    pressures = np.zeros(part.mesh.element_count)
    acceleration = np.zeros(3)
    for entry in part.loads.values():
        if isinstance(entry, Force):
            forces += _pushed(part, model, entry)
        elif isinstance(entry, Pressure):
            rows = part.mesh.element_rows(part.element_sets[entry.element_set])
            pressures[rows[part.mesh.sizes[rows] != Shape.BEAM.value]] += entry.magnitude
        else:
            acceleration += np.array(entry.components, float)
    nodal = forces.copy()
    _spread_shells(part, model, pressures, acceleration, nodal)
    _spread_beams(part, model, acceleration, nodal)
    return Loading(forces, pressures, acceleration, nodal)


def _pushed(part: Part, model: Model, force: Force) -> Floats:
    """Return (n, 3) what *force* puts on each node of the model; a total is shared by the area or length that carries it."""
    rows = part.mesh.node_rows(part.node_sets[force.node_set])
    components = np.array(force.components, float)
    taken = np.zeros(len(model.xyz))
    if not force.total:
        taken[model.place[rows]] = 1.0
        return taken[:, None] * components
    found = carriers(part.mesh, rows)
    if len(found.faces):
        _share_faces(model, found.faces, taken)
    elif len(found.edges):
        _share_edges(model, model.place[found.edges], taken)
    whole = float(taken.sum())
    if not 0.0 < whole < math.inf:
        taken[model.place[rows]], whole = 1.0, float(len(rows))
    return (taken / whole)[:, None] * components


def _share_faces(model: Model, faces: Labels, taken: Floats) -> None:
    """Add what a traction of 1 over *faces* comes to at each node, middles of edges among them."""
    for kind in (Kind.S4, Kind.S8R, Kind.S6):
        conn = model.conn[faces[model.kinds[faces] == KINDS.index(kind)]][:, : kind.value[1]]
        corners = model.xyz[conn]
        for weight, shape, along, across in _points(kind):
            area = np.cross(np.einsum("k,ekc->ec", along, corners), np.einsum("k,ekc->ec", across, corners))
            np.add.at(taken, conn, weight * np.linalg.norm(area, axis=1)[:, None] * shape)


def _share_edges(model: Model, edges: Labels, taken: Floats) -> None:
    """Add what a traction of 1 along *edges*, pairs of nodes, comes to: a half at each end, or a sixth and two thirds in the middle."""
    length = np.linalg.norm(model.xyz[edges[:, 1]] - model.xyz[edges[:, 0]], axis=1)
    numbers = {(first, second): place for place, (first, second) in enumerate(np.sort(model.ends, axis=1).tolist())}
    middles = np.array([numbers.get((first, second), -1) for first, second in np.sort(edges, axis=1).tolist()], np.int64)
    halved = middles >= 0
    np.add.at(taken, edges[~halved], length[~halved, None] / 2)
    np.add.at(taken, edges[halved], length[halved, None] * _SIXTH)
    np.add.at(taken, len(model.rows) + middles[halved], length[halved] * _TWO_THIRDS)


def densities(part: Part) -> Floats:
    """Return (E,) the density of each element's material, 0 where there is none."""
    table = [part.materials[part.sections[entry.section].material].density for entry in part.assignments]
    return np.array([*table, 0.0])[part.mesh.assigned]


def has_gravity(part: Part) -> bool:
    """Return whether an acceleration acts that is not zero."""
    return any(isinstance(entry, Gravity) and any(entry.components) for entry in part.loads.values())


def _spread_shells(part: Part, model: Model, pressures: Floats, acceleration: Floats, nodal: Floats) -> None:
    sections = [part.sections[entry.section] for entry in part.assignments]
    thick = np.array([*(s.thickness if isinstance(s, ShellSection) else 0.0 for s in sections), 0.0])[part.mesh.assigned]
    mass = densities(part) * thick
    for kind in (Kind.S4, Kind.S8R, Kind.S6):
        rows = np.flatnonzero(model.kinds == KINDS.index(kind))
        conn = model.conn[rows][:, : kind.value[1]]
        corners = model.xyz[conn]
        for weight, shape, along, across in _points(kind):
            area = weight * np.cross(np.einsum("k,ekc->ec", along, corners), np.einsum("k,ekc->ec", across, corners))
            push = -pressures[rows, None] * area
            push += (mass[rows] * np.linalg.norm(area, axis=1))[:, None] * acceleration
            np.add.at(nodal, conn, shape[None, :, None] * push[:, None, :])


def _spread_beams(part: Part, model: Model, acceleration: Floats, nodal: Floats) -> None:
    sections = [part.sections[entry.section] for entry in part.assignments]
    areas = np.array([*(area_of(s) if isinstance(s, BeamSection) else 0.0 for s in sections), 0.0])[part.mesh.assigned]
    mass = densities(part) * areas
    for kind, shares in ((Kind.B31, (0.5, 0.5)), (Kind.B32R, (_SIXTH, _SIXTH, _TWO_THIRDS))):
        rows = np.flatnonzero(model.kinds == KINDS.index(kind))
        conn = model.conn[rows][:, : kind.value[1]]
        length = np.linalg.norm(model.xyz[conn[:, 1]] - model.xyz[conn[:, 0]], axis=1)
        weight = (mass[rows] * length)[:, None] * acceleration
        np.add.at(nodal, conn, np.array(shares)[None, :, None] * weight[:, None, :])


def area_of(section: BeamSection) -> float:
    """Return the area of a beam's cross-section, mm²."""
    size = section.dimensions
    if section.profile is Profile.RECT:
        return size[0] * size[1]
    if section.profile is Profile.CIRC:
        return math.pi * size[0] ** 2
    if section.profile is Profile.PIPE:
        return math.pi * (size[0] ** 2 - (size[0] - size[1]) ** 2)
    wide, high, *walls = size
    return wide * high - (wide - walls[0] - walls[2]) * (high - walls[1] - walls[3])


def _points(kind: Kind) -> list[tuple[float, Floats, Floats, Floats]]:
    """Return weight, shape functions and their two derivatives at each integration point of a shell."""
    if kind is Kind.S6:
        at = ((_SIXTH, _SIXTH), (_TWO_THIRDS, _SIXTH), (_SIXTH, _TWO_THIRDS))
        return [(_SIXTH, *_tri6(u, v)) for u, v in at]
    shape = _quad4 if kind is Kind.S4 else _quad8
    return [(1.0, *shape(u, v)) for u in (-_ROOT, _ROOT) for v in (-_ROOT, _ROOT)]


def _quad4(u: float, v: float) -> tuple[Floats, Floats, Floats]:
    us, vs = np.array([-1.0, 1, 1, -1]), np.array([-1.0, -1, 1, 1])
    return (1 + us * u) * (1 + vs * v) / 4, us * (1 + vs * v) / 4, vs * (1 + us * u) / 4


def _quad8(u: float, v: float) -> tuple[Floats, Floats, Floats]:
    us, vs = np.array([-1.0, 1, 1, -1]), np.array([-1.0, -1, 1, 1])
    at, across = 1 + us * u, 1 + vs * v
    corner = at * across * (us * u + vs * v - 1) / 4
    corner_u = us * across * (2 * us * u + vs * v) / 4
    corner_v = vs * at * (us * u + 2 * vs * v) / 4
    middle = np.array([(1 - u * u) * (1 - v), (1 + u) * (1 - v * v), (1 - u * u) * (1 + v), (1 - u) * (1 - v * v)]) / 2
    middle_u = np.array([-2 * u * (1 - v), 1 - v * v, -2 * u * (1 + v), -(1 - v * v)]) / 2
    middle_v = np.array([-(1 - u * u), -2 * v * (1 + u), 1 - u * u, -2 * v * (1 - u)]) / 2
    return np.concatenate([corner, middle]), np.concatenate([corner_u, middle_u]), np.concatenate([corner_v, middle_v])


def _tri6(u: float, v: float) -> tuple[Floats, Floats, Floats]:
    w = 1 - u - v
    shape = np.array([w * (2 * w - 1), u * (2 * u - 1), v * (2 * v - 1), 4 * w * u, 4 * u * v, 4 * v * w])
    along = np.array([1 - 4 * w, 4 * u - 1, 0, 4 * (w - u), 4 * v, -4 * v])
    across = np.array([1 - 4 * w, 0, 4 * v - 1, -4 * u, 4 * u, 4 * (w - v)])
    return shape, along, across
