"""Decides where shells are smooth and where the solver ties them into a rigid knot; it must not know supports.

The solver groups the shells around a node: those of equal thickness and offset whose normals lie within 20° of the first one's
share one expanded normal. More than one group, or a beam beside a shell, makes the node a knot, whose three rotations are all real.
"""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.solve.promoting import Model

SMOOTH = 0.939693
"""The cosine of 20°."""


@dataclass(frozen=True, slots=True)
class Around:
    """The elements around nodes, one row per corner or middle: sorted by node, then by element. Beams have a normal of zeros."""

    nodes: Labels
    elements: Labels
    normals: Floats


def corner_normals(corners: Floats) -> Floats:
    """Return (E, k, 3) unit normals at each corner of shells with *corners* (E, k, 3); zeros where a corner has none."""
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    return _units(np.cross(ahead, behind))


def _units(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def around(part: Part, model: Model, wanted: Flags) -> Around:
    """Return what stands around the *wanted* nodes of *model*."""
    nodes, elements, normals = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros((0, 3))]
    for shape in Shape:
        rows = np.flatnonzero(part.mesh.sizes == shape.value)
        size = shape.value
        touched = model.conn[rows][:, : 2 * size]
        at_node = np.zeros((len(rows), 2 * size, 3))
        if shape is not Shape.BEAM:
            corners = corner_normals(model.xyz[touched[:, :size]])
            at_node[:, :size] = corners
            at_node[:, size:] = _units(corners + np.roll(corners, -1, axis=1))
        hit = (touched >= 0) & wanted[touched]
        nodes.append(touched[hit])
        elements.append(np.broadcast_to(rows[:, None], touched.shape)[hit])
        normals.append(at_node[hit])
    node, element, normal = np.concatenate(nodes), np.concatenate(elements), np.concatenate(normals)
    order = np.lexsort((element, node))
    return Around(node[order], element[order], normal[order])


def smooth_normal(normals: Floats, make: Floats) -> Floats | None:
    """Return the one normal of the shells around a node, or None where they form a knot or no shell is there.

    *normals* (k, 3) in the order of the elements; *make* (k, 2) thickness and offset.
    """
    if not normals.any(axis=1).all():
        return None
    alike = (normals @ normals[0] > SMOOTH) & (np.abs(make - make[0]) < 1e-10).all(axis=1)  # the solver's own bounds
    if not alike.all():
        return None
    mean = normals.sum(axis=0)
    return mean / np.linalg.norm(mean)


def meeting(part: Part, model: Model) -> tuple[Flags, Flags]:
    """Return (n,) the nodes where shells meet at an angle and those where beams meet shells: the solver's rigid knots."""
    every = around(part, model, np.ones(len(model.xyz), np.bool_))
    is_shell = every.normals.any(axis=1)
    shells, beams = np.zeros((2, len(model.xyz)), np.bool_)
    shells[every.nodes[is_shell]] = True
    beams[every.nodes[~is_shell]] = True
    reference = np.zeros((len(model.xyz), 3))
    first = np.flatnonzero(is_shell)[::-1]
    reference[every.nodes[first]] = every.normals[first]
    cosines = np.einsum("ij,ij->i", every.normals, reference[every.nodes])
    angled = np.zeros(len(model.xyz), np.bool_)
    angled[every.nodes[is_shell & (cosines <= SMOOTH)]] = True
    return angled, shells & beams


def is_beam(part: Part) -> Flags:
    """Return which assignments give a beam section, one more (False) for elements without any."""
    return np.array([*(isinstance(part.sections[entry.section], BeamSection) for entry in part.assignments), False])
