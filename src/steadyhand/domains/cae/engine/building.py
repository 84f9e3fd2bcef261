"""Decides how nodes, elements and regular plates come into a part; it must not remove or move what is there."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import (
    LIMIT,
    TOLERANCE,
    as_counts,
    as_direction,
    as_label_rows,
    as_points,
    as_tolerance,
    as_vector,
    within_limit,
)
from steadyhand.domains.cae.engine.mesh import UNASSIGNED, USUAL_TYPE, WIDTH, Floats, Labels, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection
from steadyhand.domains.cae.engine.resolving import resolve_points
from steadyhand.domains.cae.engine.shapes import QUAD, Shape, as_shape

FLATTEST = 1e-9
"""The sine of the smallest angle between the edges of a plate."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The labels of a plate: *nodes* (divisions of v + 1, of u + 1) and *elements* (divisions of v, of u), u running fastest."""

    nodes: Labels
    elements: Labels


def add_nodes(part: Part, xyz: ArrayLike) -> Labels:
    """Make a node at each of *xyz* (n, 3), also where one is already, and return their labels in that order."""
    return append_nodes(part, as_points(xyz))


def resolve(part: Part, xyz: ArrayLike, tolerance: float = TOLERANCE) -> Labels:
    """Return the label of the node that stands for each of *xyz* (n, 3), in that order.

    A node within *tolerance* is reused: the nearest, of several as near the one with the smallest label. Where there is none, one is
    made, once for all coordinates of the list within *tolerance* of it; the first of them is where it lies. So nodes made here are
    farther than *tolerance* from every other, and asking again makes nothing.
    """
    reach = as_tolerance(tolerance)
    found = resolve_points(part.mesh.xyz, as_points(xyz), reach)
    append_nodes(part, found.created)
    return part.mesh.node_labels[found.rows]


def add_elements(part: Part, shape: Shape, nodes: ArrayLike, assigned: int = UNASSIGNED) -> Labels:
    """Make an element of *shape* over each row of node labels *nodes* (n, k), all of one assignment; return their labels.

    Refused: ``wrong_node_count``, ``unknown_node``, ``repeated_node``, ``unknown_assignment``, and ``section_misfit`` for a section
    of beams on TRI or QUAD and the other way round. An element that is no enumeration member raises `TypeError`.
    """
    size = as_shape(shape).value
    labels = as_label_rows(nodes)
    if labels.size and (labels.ndim != 2 or labels.shape[1] != size):
        raise EngineRefusal("wrong_node_count", shape=shape.name, expected=size)
    labels = labels.reshape(-1, size)
    rows = part.mesh.node_rows(labels.ravel()).reshape(-1, size)
    _refuse_repeated(labels)
    _refuse_misfit(part, shape, assigned)
    within_limit(part.mesh.element_count + len(rows), LIMIT)
    return append_elements(
        part,
        _padded(rows),
        np.full(len(rows), size, np.int8),
        np.full(len(rows), USUAL_TYPE[shape], np.int32),
        np.full(len(rows), assigned, np.int32),
    )


def grid(part: Part, origin: ArrayLike, u: ArrayLike, v: ArrayLike, divisions: tuple[int, int]) -> Grid:
    """Make a plate of QUADs from *origin* along the whole edge vectors *u* and *v*, cut into *divisions* along each.

    Its normal is u × v. Nodes are resolved: along an edge where another plate has nodes already, the two are joined.
    """
    start, edges = as_vector(origin), (as_vector(u), as_vector(v))
    along, across = as_counts(divisions)
    cross = np.cross(as_direction(edges[0]), as_direction(edges[1]))
    if float(np.sqrt((cross**2).sum())) < FLATTEST:
        raise EngineRefusal("grid_flat")
    within_limit(part.mesh.element_count + along * across, LIMIT)
    found = resolve_points(part.mesh.xyz, _lattice(start, edges, along, across), TOLERANCE)
    rows = found.rows.reshape(across + 1, along + 1)
    corners = np.stack([rows[:-1, :-1], rows[:-1, 1:], rows[1:, 1:], rows[1:, :-1]], axis=2).reshape(-1, 4)
    known = np.concatenate([part.mesh.node_labels, part.next_node + np.arange(len(found.created))])
    _refuse_repeated(known[corners])
    append_nodes(part, found.created)
    many = len(corners)
    elements = append_elements(
        part,
        corners.astype(np.int32),
        np.full(many, QUAD.value, np.int8),
        np.full(many, USUAL_TYPE[QUAD], np.int32),
        np.full(many, UNASSIGNED, np.int32),
    )
    return Grid(known[rows], elements.reshape(across, along))


def append_nodes(part: Part, points: Floats) -> Labels:
    """Put nodes at *points*, which are finite and (n, 3), behind the others."""
    labels = part.take_node_labels(len(points))
    mesh = part.mesh
    part.mesh = replace(mesh, xyz=np.concatenate([mesh.xyz, points]), node_labels=np.concatenate([mesh.node_labels, labels]))
    return labels


def append_elements(part: Part, conn: Rows, sizes: NDArray[np.int8], types: Rows, assigned: Rows) -> Labels:
    """Put elements, whose columns are as `Mesh` wants them, behind the others."""
    labels = part.take_element_labels(len(conn))
    mesh = part.mesh
    part.mesh = replace(
        mesh,
        conn=np.concatenate([mesh.conn, conn]),
        sizes=np.concatenate([mesh.sizes, sizes]),
        element_labels=np.concatenate([mesh.element_labels, labels]),
        types=np.concatenate([mesh.types, types]),
        assigned=np.concatenate([mesh.assigned, assigned]),
    )
    return labels


def _lattice(origin: tuple[float, ...], edges: tuple[tuple[float, ...], tuple[float, ...]], along: int, across: int) -> Floats:
    steps = np.arange(along + 1.0)[None, :, None], np.arange(across + 1.0)[:, None, None]
    # Multiplied first: whole numbers then divide without a remainder where they can.
    points = np.array(origin) + np.array(edges[0]) * steps[0] / along + np.array(edges[1]) * steps[1] / across
    return as_points(points.reshape(-1, 3))


def _padded(rows: Rows) -> Rows:
    conn = np.full((len(rows), WIDTH), -1, np.int32)
    conn[:, : rows.shape[1]] = rows
    return conn


def _refuse_repeated(labels: Labels) -> None:
    inner = np.sort(labels, axis=1)
    double = inner[:, 1:] == inner[:, :-1]
    if double.any():
        place, column = (int(index) for index in np.argwhere(double)[0])
        raise EngineRefusal(
            "repeated_node", label=int(inner[place, column]), element=place + 1, count=int(double.any(axis=1).sum())
        )


def _refuse_misfit(part: Part, shape: Shape, assigned: int) -> None:
    if assigned == UNASSIGNED:
        return
    if not 0 <= assigned < len(part.assignments):
        raise EngineRefusal("unknown_assignment", place=int(assigned))
    name = part.assignments[assigned].section
    if isinstance(part.sections[name], BeamSection) != (shape is Shape.BEAM):
        raise EngineRefusal("section_misfit", section=name, shape=shape.name)
