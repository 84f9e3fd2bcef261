"""Decides what moving, turning, mirroring and copying elements does to a part; it must not merge what comes to lie together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyhand.domains.cae.engine.affine import Affine, rotation, translation
from steadyhand.domains.cae.engine.building import append_elements, append_nodes
from steadyhand.domains.cae.engine.deleting import refuse_held
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import LIMIT, as_counts, as_direction, as_labels, as_vector, within_limit
from steadyhand.domains.cae.engine.mesh import Flags, Labels, Rows
from steadyhand.domains.cae.engine.naming import loaded_sets
from steadyhand.domains.cae.engine.part import INTERNAL, Part
from steadyhand.domains.cae.engine.properties import Assignment

Places: TypeAlias = NDArray[np.int64]

_FLIPPED = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3], [0, 3, 2, 1]])
"""By number of nodes: which column a mirrored element takes its nodes from.

A mirrored BEAM runs the other way, so that its second axis, which follows from its direction and n1, is mirrored too.
"""


@dataclass(frozen=True, slots=True)
class Copied:
    """The labels of what a copy made: of each copy in turn, in the order of the labels that it is a copy of."""

    nodes: Labels
    elements: Labels


def move(part: Part, elements: ArrayLike, affine: Affine) -> None:
    """Bring *elements*, with their nodes and the first axes of beams, to where *affine* takes them. Sets, loads and supports stay.

    Refused: ``shared_with_rest`` when a node belongs to an element that stays, ``held_nodes`` when that one is in kept text.
    """
    mesh = part.mesh
    chosen = _chosen(part, elements)
    nodes = _nodes_of(mesh.conn[chosen], mesh.node_count)
    shared = nodes & _nodes_of(mesh.conn[~chosen], mesh.node_count)
    if shared.any():
        raise EngineRefusal("shared_with_rest", label=int(mesh.node_labels[shared][0]), count=int(shared.sum()))
    refuse_held(part, mesh.node_labels[nodes])
    xyz, conn, assigned = mesh.xyz.copy(), mesh.conn.copy(), mesh.assigned.copy()
    xyz[nodes] = affine.points(xyz[nodes])
    if affine.flips:
        conn[chosen] = _flipped(conn[chosen], mesh.sizes[chosen])
    turned, assignments = _turned(part, assigned[chosen], [affine])
    assigned[chosen] = turned[0]
    part.mesh, part.assignments = replace(mesh, xyz=xyz, conn=conn, assigned=assigned), assignments


def copy(part: Part, elements: ArrayLike, affine: Affine) -> Copied:
    """Make a copy of *elements*, on nodes of its own, where *affine* takes them.

    A copy has the types and sections of its original (the first axes of beams turned with it) and belongs to its element sets, but
    not to internal ones nor to those that a load refers to, and to no node set: what a load or a support acts on stays as it was.
    """
    return _copies(part, elements, [affine])


def linear_array(part: Part, elements: ArrayLike, vector: ArrayLike, count: int) -> Copied:
    """Make *count* copies beside the original, each one *vector* further. Refused: ``zero_vector``."""
    step = as_vector(vector)
    as_direction(step)
    (many,) = as_counts([count])
    _refuse_too_many(part, elements, many)
    return _copies(part, elements, [translation([part * turn for part in step]) for turn in range(1, many + 1)])


def polar_array(part: Part, elements: ArrayLike, point: ArrayLike, direction: ArrayLike, degrees: float, count: int) -> Copied:
    """Make *count* copies beside the original, each *degrees* further about the axis through *point* along *direction*, right-handed.

    For a full circle of n in all: 360 / n degrees and n − 1 copies. Refused: ``array_overlaps`` when the last copy would come to lie
    on the original or beyond it, or all on it.
    """
    (many,) = as_counts([count])
    if degrees == 0 or abs(degrees) * many > 360 - 1e-9:
        raise EngineRefusal("array_overlaps", degrees=float(degrees), count=many)
    _refuse_too_many(part, elements, many)
    return _copies(part, elements, [rotation(point, direction, degrees * turn) for turn in range(1, many + 1)])


def _copies(part: Part, elements: ArrayLike, affines: Sequence[Affine]) -> Copied:
    mesh = part.mesh
    chosen = _chosen(part, elements)
    _refuse_too_many(part, elements, len(affines))
    nodes = np.flatnonzero(_nodes_of(mesh.conn[chosen], mesh.node_count))
    points = [affine.points(mesh.xyz[nodes]) for affine in affines]
    assigned, assignments = _turned(part, mesh.assigned[chosen], affines)
    places = np.full(mesh.node_count + 1, -1, np.int64)  # one more: the −1 that pads a row leads there
    places[nodes] = np.arange(len(nodes))
    rows, sizes = places[mesh.conn[chosen]], mesh.sizes[chosen]
    conn = [
        np.where(own >= 0, own + (mesh.node_count + turn * len(nodes)), -1).astype(np.int32)
        for turn, own in enumerate(_flipped(rows, sizes) if affine.flips else rows for affine in affines)
    ]
    many = len(affines)
    sources = mesh.element_labels[chosen]
    types = np.tile(mesh.types[chosen], many)
    part.assignments = assignments
    made_nodes = append_nodes(part, np.concatenate(points))
    made = append_elements(part, np.concatenate(conn), np.tile(sizes, many), types, np.concatenate(assigned))
    _join_sets(part, sources, made.reshape(many, -1))
    return Copied(made_nodes, made)


def _join_sets(part: Part, sources: Labels, made: Labels) -> None:
    """Let the copies *made*, a row for each, belong where *sources* do."""
    loaded = loaded_sets(part)
    joined = dict(part.element_sets)
    for name, labels in part.element_sets.items():
        if name.startswith(INTERNAL) or name in loaded:
            continue
        inside = np.isin(sources, labels, assume_unique=True)
        joined[name] = np.concatenate([labels, made[:, inside].ravel()])  # new labels are larger than all there were
    part.element_sets = joined


def _turned(part: Part, places: Rows, affines: Sequence[Affine]) -> tuple[list[Rows], list[Assignment]]:
    """Return, for each of *affines*, the *places* in the list of assignments that follows, in which first axes are turned."""
    known = list(part.assignments)
    numbers = {entry: number for number, entry in reversed(list(enumerate(known)))}
    given: list[int] = np.unique(places[places >= 0]).tolist()
    beams = [(place, axis) for place in given if (axis := known[place].n1) is not None]
    found: list[Rows] = []
    for affine in affines:
        follows = np.arange(len(part.assignments) + 1, dtype=np.int32)
        follows[-1] = -1  # the place of what has none
        turned = affine.directions(np.array([axis for _, axis in beams]).reshape(-1, 3)).tolist()
        for (place, _), (x, y, z) in zip(beams, turned, strict=True):
            wanted = Assignment(known[place].section, (x, y, z))
            if wanted not in numbers:
                numbers[wanted] = len(known)
                known.append(wanted)
            if known[place] != wanted:
                follows[place] = numbers[wanted]
        found.append(follows[places])
    return found, known


def _chosen(part: Part, elements: ArrayLike) -> Flags:
    chosen = np.zeros(part.mesh.element_count, np.bool_)
    chosen[part.mesh.element_rows(as_labels(elements))] = True
    return chosen


def _refuse_too_many(part: Part, elements: ArrayLike, copies: int) -> None:
    within_limit(part.mesh.element_count + copies * len(np.unique(as_labels(elements))), LIMIT)


def _nodes_of(conn: Rows, count: int) -> Flags:
    marks = np.zeros(count + 1, np.bool_)
    marks[conn] = True
    return marks[:-1]


def _flipped(rows: NDArray[np.signedinteger], sizes: NDArray[np.int8]) -> NDArray[np.signedinteger]:
    return np.take_along_axis(rows, _FLIPPED[sizes], axis=1)
