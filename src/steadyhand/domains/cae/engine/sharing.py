"""Decides which share of a force in total each node of a set takes: that of the area or the length that belongs to it. It must not apply one.

* By area where every node of the set lies on a TRI or QUAD whose nodes are all in the set.
* Else by length where every node lies on an edge of an element whose two nodes are in the set.
* Else equally: nodes by themselves have no size.
"""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels, Mesh, Rows
from steadyhand.domains.cae.engine.shapes import Shape

_ROOT = 1 / np.sqrt(3.0)


@dataclass(frozen=True, slots=True)
class Carriers:
    """What carries a force in total: rows of TRI and QUAD (*faces*), or (k, 2) node rows of *edges*, each once; neither: the nodes."""

    faces: Labels
    edges: Rows


def carriers(mesh: Mesh, nodes: Rows) -> Carriers:
    """Return what carries a force on the set of node rows *nodes*."""
    none = Carriers(np.zeros(0, np.int64), np.zeros((0, 2), np.int32))
    inside = np.zeros(mesh.node_count + 1, np.bool_)  # one more: the −1 that pads a row leads there
    inside[nodes] = True
    within = inside[mesh.conn]
    if not (within.sum(axis=1) >= 2).any():
        return none
    whole = np.flatnonzero((within.sum(axis=1) == mesh.sizes) & (mesh.sizes > Shape.BEAM.value))
    if _covered(inside, mesh.conn[whole]):
        return Carriers(whole, none.edges)
    edges = _edges(mesh, within)
    return Carriers(none.faces, edges) if _covered(inside, edges) else none


def shares(mesh: Mesh, nodes: Rows) -> Floats:
    """Return the share of each of *nodes* (rows of a set), which add up to 1, where elements have no mid-side nodes."""
    found = carriers(mesh, nodes)
    taken = np.zeros(mesh.node_count)
    with np.errstate(over="ignore", invalid="ignore"):  # a deck may hold any coordinate
        if len(found.faces):
            _by_area(mesh, found.faces, taken)
        elif len(found.edges):
            half = np.linalg.norm(mesh.xyz[found.edges[:, 1]] - mesh.xyz[found.edges[:, 0]], axis=1) / 2
            np.add.at(taken, found.edges, half[:, None])
        whole = float(taken[nodes].sum())
    if not 0.0 < whole < np.inf:
        return np.full(len(nodes), 1.0 / max(len(nodes), 1))
    return taken[nodes] / whole


def _covered(inside: Flags, rows: Rows) -> bool:
    on = np.zeros_like(inside)
    on[rows] = True
    return bool((on[:-1] >= inside[:-1]).all())


def _edges(mesh: Mesh, within: Flags) -> Rows:
    found: list[Rows] = [np.zeros((0, 2), np.int32)]
    for shape in Shape:
        rows = np.flatnonzero((mesh.sizes == shape.value) & (within.sum(axis=1) >= 2))
        for place in range(shape.value if shape is not Shape.BEAM else 1):
            columns = [place, (place + 1) % shape.value]
            both = rows[within[rows][:, columns].all(axis=1)]
            found.append(np.sort(mesh.conn[both][:, columns], axis=1))
    return np.unique(np.concatenate(found), axis=0)


def _by_area(mesh: Mesh, faces: Labels, taken: Floats) -> None:
    """Add what a traction of 1 over *faces* comes to at each node."""
    for shape in (Shape.TRI, Shape.QUAD):
        rows = mesh.conn[faces[mesh.sizes[faces] == shape.value]][:, : shape.value]
        corners = mesh.xyz[rows]
        if shape is Shape.TRI:
            area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
            np.add.at(taken, rows, area[:, None] / 3)
            continue
        us, vs = np.array([-1.0, 1, 1, -1]), np.array([-1.0, -1, 1, 1])
        for u in (-_ROOT, _ROOT):
            for v in (-_ROOT, _ROOT):
                along, across = us * (1 + vs * v) / 4, vs * (1 + us * u) / 4
                area = np.cross(np.einsum("k,ekc->ec", along, corners), np.einsum("k,ekc->ec", across, corners))
                np.add.at(taken, rows, np.linalg.norm(area, axis=1)[:, None] * ((1 + us * u) * (1 + vs * v) / 4))
