"""Decides what refining does to a part: who is halved, what children and new nodes inherit, and when it is refused; it must not project new nodes on a shape.

A child inherits type, section and element sets; the parent's label is retired, since none of its children is the same element.
A new node joins a node set when both ends of its edge are in it, or all corners of its QUAD, so that a held edge stays held.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.edges import Ends, all_ends, doubled, keys
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.fitting import all_fitted
from steadyhand.domains.cae.engine.inputs import LIMIT, as_labels, within_limit
from steadyhand.domains.cae.engine.mesh import WIDTH, Flags, Floats, Labels, Mesh, Rows
from steadyhand.domains.cae.engine.part import Part, Sets
from steadyhand.domains.cae.engine.properties import Force
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI, Shape, as_shape
from steadyhand.domains.cae.engine.splitting import FAN, Split, joins, split

MOST_LEVELS = 3
ORDER = (QUAD.value, TRI.value, BEAM.value)
"""Children stand in this order of sizes, and in the order of their parents within each."""


@dataclass(frozen=True, slots=True)
class Refined:
    """What refining did: *parents* were halved into *elements*, over *nodes* that came.

    *hanging* are those of *nodes* that lie on an edge of an element which was not halved: a joint that does not hold there.
    """

    parents: Labels
    elements: Labels
    nodes: Labels
    hanging: Labels


@dataclass(slots=True)
class _Course:
    """Where a refinement stands between two levels."""

    xyz: Floats
    cells: dict[int, Rows]
    sets: dict[str, Rows]
    coarse: Ends
    hanging: list[Rows]


def refine(
    part: Part,
    levels: int = 1,
    shapes: Sequence[Shape] = (QUAD, TRI, BEAM),
    elements: ArrayLike | None = None,
    limit: int = LIMIT,
) -> Refined:
    """Halve the edges of the elements of *shapes* *levels* times, of all or of *elements*: QUAD and TRI become four, BEAM two.

    Raises `EngineRefusal` ``bad_levels``, ``nothing_to_refine``, ``collapsed_elements``, ``too_many_elements`` (more than *limit*),
    ``force_would_multiply`` (a force on each node of a set that would get more nodes), ``unknown_element``.
    """
    if levels not in range(1, MOST_LEVELS + 1):
        raise EngineRefusal("bad_levels", levels=levels, most=MOST_LEVELS)
    mesh = part.mesh
    chosen = _chosen(mesh, shapes, elements)
    _refuse_what_cannot_be(mesh, chosen, levels, limit)
    parents = {size: np.flatnonzero(chosen & (mesh.sizes == size)) for size in ORDER}
    course = _Course(
        xyz=mesh.xyz,
        cells={size: np.ascontiguousarray(mesh.conn[rows, :size]) for size, rows in parents.items()},
        sets={name: mesh.node_rows(labels) for name, labels in part.node_sets.items()},
        coarse=all_ends(Mesh(conn=mesh.conn[~chosen], sizes=mesh.sizes[~chosen])),
        hanging=[],
    )
    for _ in range(levels):
        _halve(course)
        _refuse_a_larger_force(part, course.sets)
    return _settle(part, chosen, parents, course, levels)


def _chosen(mesh: Mesh, shapes: Sequence[Shape], elements: ArrayLike | None) -> Flags:
    wanted = np.zeros(WIDTH + 1, np.bool_)
    wanted[[as_shape(shape).value for shape in shapes]] = True
    chosen = wanted[mesh.sizes]
    if elements is not None:
        among = np.zeros(mesh.element_count, np.bool_)
        among[mesh.element_rows(as_labels(elements))] = True
        chosen &= among
    return chosen


def _refuse_what_cannot_be(mesh: Mesh, chosen: Flags, levels: int, limit: int) -> None:
    if not chosen.any():
        raise EngineRefusal("nothing_to_refine")
    collapsed = np.flatnonzero(chosen & doubled(mesh.conn))
    if len(collapsed):
        raise EngineRefusal("collapsed_elements", element=int(mesh.element_labels[collapsed[0]]), count=len(collapsed))
    counts = np.bincount(mesh.sizes[chosen], minlength=WIDTH + 1)
    count = int((~chosen).sum()) + sum(int(counts[size]) * fan**levels for size, fan in FAN.items())
    within_limit(count, limit)


def _halve(course: _Course) -> None:
    made = split(course.xyz, course.cells)
    inside = np.zeros(len(course.xyz), np.bool_)
    for name, rows in course.sets.items():
        inside[rows] = True
        course.sets[name] = np.concatenate((rows, joins(made, rows, inside)))
        inside[rows] = False
    _hang(course, made)
    new = made.xyz[made.first :]
    held = all_fitted(new)
    if held is not new:
        new[:] = held
    course.xyz, course.cells = made.xyz, made.cells


def _hang(course: _Course, made: Split) -> None:
    """Find the new nodes on edges that stayed whole; the halves of these are looked at on the next level."""
    nodes = len(course.xyz)
    if len(course.coarse.start) == 0:
        return
    on_coarse = np.flatnonzero(np.isin(keys(made.edges, nodes), keys(course.coarse, nodes)))
    middles = (on_coarse + made.first).astype(np.int32)
    course.hanging.append(middles)
    start, end = made.edges.start[on_coarse], made.edges.end[on_coarse]
    course.coarse = Ends(np.concatenate((start, middles)), np.concatenate((middles, end)))


def _refuse_a_larger_force(part: Part, sets: dict[str, Rows]) -> None:
    for load in part.loads.values():
        if isinstance(load, Force) and not load.total:
            before, after = len(part.node_sets[load.node_set]), len(sets[load.node_set])
            if after > before:
                raise EngineRefusal("force_would_multiply", load=load.name, nodes=before)


def _settle(part: Part, chosen: Flags, parents: dict[int, Places], course: _Course, levels: int) -> Refined:
    """Give the labels and put everything into *part*; from here on nothing is refused."""
    old = part.mesh
    nodes = part.take_node_labels(len(course.xyz) - old.node_count)
    node_labels = np.concatenate((old.node_labels, nodes))
    elements = part.take_element_labels(sum(len(rows) for rows in course.cells.values()))
    fans = {size: FAN[size] ** levels for size in ORDER}
    part.element_sets = _inherited(part, chosen, parents, fans, elements)
    part.node_sets = {name: node_labels[rows] for name, rows in course.sets.items()}
    kept = np.flatnonzero(~chosen)
    conn = np.full((len(kept) + len(elements), WIDTH), -1, np.int32)
    conn[: len(kept)] = old.conn[kept]
    begin = len(kept)
    for size in ORDER:
        conn[begin : begin + len(course.cells[size]), :size] = course.cells[size]
        begin += len(course.cells[size])
    origin = np.concatenate([kept, *(np.repeat(parents[size], fans[size]) for size in ORDER)])
    part.mesh = Mesh(
        xyz=course.xyz,
        node_labels=node_labels,
        conn=conn,
        sizes=old.sizes[origin],
        element_labels=np.concatenate((old.element_labels[kept], elements)),
        types=old.types[origin],
        assigned=old.assigned[origin],
    )
    hanging = np.sort(np.concatenate(course.hanging)) if course.hanging else np.zeros(0, np.int32)
    return Refined(old.element_labels[chosen], elements, nodes, node_labels[hanging])


def _inherited(
    part: Part,
    chosen: Flags,
    parents: dict[int, Places],
    fans: dict[int, int],
    elements: Labels,
) -> Sets:
    """Return the element sets with the children of members in the place of these."""
    mesh = part.mesh
    begins = np.zeros(mesh.element_count, np.int64)
    begin = 0
    for size in ORDER:
        begins[parents[size]] = begin + fans[size] * np.arange(len(parents[size]))
        begin += fans[size] * len(parents[size])
    sets: Sets = {}
    for name, labels in part.element_sets.items():
        rows = mesh.element_rows(labels)
        places = [
            (begins[mine][:, None] + np.arange(fans[size])).reshape(-1)
            for size in ORDER
            for mine in (rows[chosen[rows] & (mesh.sizes[rows] == size)],)
        ]
        sets[name] = np.concatenate((labels[~chosen[rows]], elements[np.concatenate(places)]))
    return sets
