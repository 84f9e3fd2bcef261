"""Decides which figures of a part give away that something else was done to it than was meant; it must not know what was meant.

Sums over corners and over the directions of elements follow an operation by a formula, so that whoever knows the operation knows the
sums, without a mesh: a node that moved, an element that is there twice or runs the wrong way shows in them.
"""

import hashlib
from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.edges import BLOCK
from steadyhand.domains.cae.engine.inputs import TOLERANCE
from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels, Mesh
from steadyhand.domains.cae.engine.part import INTERNAL, Part
from steadyhand.domains.cae.engine.properties import Force, Pressure
from steadyhand.domains.cae.engine.regions import SIDES, extent
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.engine.stacking import stacked

Told: TypeAlias = "bool | int | float | str | list[Told] | Mapping[str, Told] | None"
Facts: TypeAlias = dict[str, Told]
MOST_SETS: Final = 200
"""Of so many sets of each kind it is told where they are, by name; of more, nothing."""


def proof(part: Part) -> Facts:
    """Return ``moments``, what is ``stacked``, and how many nodes and elements of which box sides, sets, loads and supports have."""
    if part.empty:
        return {}
    mesh = part.mesh
    forces = {load.name: _nodes(mesh, part.node_sets[load.node_set]) for load in part.loads.values() if isinstance(load, Force)}
    pressures = {
        load.name: _elements(mesh, part.element_sets[load.element_set])
        for load in part.loads.values()
        if isinstance(load, Pressure)
    }
    elements = {name: part.element_sets[name] for name in _named(part.element_sets)}
    return {
        "moments": moments(mesh, mesh.element_labels),
        "stacked": stacked(mesh),
        "sides": _sides(part),
        "element_sets": {name: {**_elements(mesh, held), "moments": moments(mesh, held)} for name, held in elements.items()},
        "node_sets": {name: _nodes(mesh, part.node_sets[name]) for name in _named(part.node_sets)},
        "sections": {
            name: moments(mesh, mesh.element_labels[np.isin(mesh.assigned, places)]) for name, places in _given(part).items()
        },
        "loads": {**forces, **pressures},
        "supports": {support.name: _nodes(mesh, part.node_sets[support.node_set]) for support in part.supports.values()},
    }


def moments(mesh: Mesh, labels: Labels) -> Facts:
    """Return for each shape six numbers: the sum of the corners of the elements *labels*, and the sum of their directions.

    The direction of a QUAD or TRI is its area along its normal, that of a BEAM the way from its first node to its second.
    """
    rows = mesh.element_rows(labels)
    return {shape.name: _moment(mesh, rows[mesh.sizes[rows] == shape.value], shape) for shape in Shape}


def box_of(xyz: Floats) -> Told:
    """Return the corners of the box around points, −0 made 0; None around none."""
    if len(xyz) == 0:
        return None
    return {
        "minimum": [float(value) + 0.0 for value in xyz.min(axis=0)],
        "maximum": [float(value) + 0.0 for value in xyz.max(axis=0)],
    }


def _named(sets: dict[str, Labels]) -> list[str]:
    return sorted(name for name in sets if not name.startswith(INTERNAL))[:MOST_SETS]


def _moment(mesh: Mesh, rows: "NDArray[np.int32]", shape: Shape) -> list[Told]:
    total = np.zeros(6)
    for begin in range(0, len(rows), BLOCK):
        corners = mesh.xyz[mesh.conn[rows[begin : begin + BLOCK], : shape.value]]
        total[:3] += corners.sum(axis=(0, 1))
        total[3:] += _directions(corners, shape).sum(axis=0)
    return [float(number) + 0.0 for number in total]


def _directions(corners: Floats, shape: Shape) -> Floats:
    first = corners[:, 1] - corners[:, 0]
    if shape is Shape.BEAM:
        return first
    across = corners[:, 2] - corners[:, 0]
    return np.cross(across, corners[:, 3] - corners[:, 1]) / 2 if shape is Shape.QUAD else np.cross(first, across) / 2


def _sides(part: Part) -> Facts:
    """Return where each side lies and what is on it, as a region means it."""
    corners, mesh = extent(part), part.mesh
    if corners is None:
        return {}
    told: Facts = {}
    for side in SIDES:
        axis = "xyz".index(side[0])
        at = corners[side.endswith("max")][axis]
        on: Flags = np.append(np.abs(mesh.xyz[:, axis] - at) <= TOLERANCE, [True])  # one more, for the padding
        told[side] = {"at": at, "nodes": int(on[:-1].sum()), "elements": int(on[mesh.conn].all(axis=1).sum())}
    return told


def _elements(mesh: Mesh, labels: Labels) -> Facts:
    on = np.zeros(mesh.node_count + 1, np.bool_)
    on[mesh.conn[mesh.element_rows(labels)]] = True  # the padding marks one place more
    return {"count": len(labels), "labels": _digest(labels), "nodes": int(on[:-1].sum()), "box": box_of(mesh.xyz[on[:-1]])}


def _nodes(mesh: Mesh, labels: Labels) -> Facts:
    return {"count": len(labels), "labels": _digest(labels), "box": box_of(mesh.xyz[mesh.node_rows(labels)])}


def _digest(labels: Labels) -> str:
    return hashlib.sha256(np.ascontiguousarray(labels, dtype="<i8").tobytes()).hexdigest()


def _given(part: Part) -> dict[str, list[int]]:
    """Return for each section that elements have, its places in the list of assignments."""
    places: list[int] = np.unique(part.mesh.assigned[part.mesh.assigned >= 0]).tolist()
    found: dict[str, list[int]] = {}
    for place in places:
        found.setdefault(part.assignments[place].section, []).append(place)
    return found
