"""Decides how coarse a mesh is for its stresses: how far neighbours disagree at the nodes that they share. It must not compute stresses."""

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.solve.normals import SMOOTH, corner_normals

COARSE = 0.2
"""The jump, as a share of the largest stress, above which a person is told."""


def largest_jump(part: Part, corners: Floats, acted_on: Flags) -> float:
    """Return the largest difference of the stresses *corners* (E, 2, 4) at a node, as a share of the largest of them.

    Only neighbours of one section that go on smoothly count, and no node that is *acted_on* (N,) by a force or support: at folds, steps in
    thickness, joints and forces stresses really jump.
    """
    largest = float(np.nanmax(corners)) if corners.size else 0.0
    nodes, owners, ways, values = _around(part, corners)
    if not largest > 0 or not len(nodes):
        return 0.0
    order = np.argsort(nodes, kind="stable")
    starts = np.flatnonzero(np.diff(nodes[order], prepend=-1))
    first = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
    alike = np.einsum("ij,ij->i", ways[order], ways[first]) > SMOOTH
    alike &= part.mesh.assigned[owners[order]] == part.mesh.assigned[owners[first]]
    jumps = np.maximum.reduceat(values[order], starts) - np.minimum.reduceat(values[order], starts)
    counted = np.logical_and.reduceat(alike, starts)
    counted &= ~acted_on[nodes[order[starts]]]
    return float(jumps[counted].max(initial=0.0)) / largest


def _around(part: Part, corners: Floats) -> tuple[Labels, Labels, Floats, Floats]:
    """Return node, element, direction (a shell's normal, a beam's axis) and the two stresses (k, 2) of each corner."""
    mesh = part.mesh
    nodes, owners = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    ways, values = [np.zeros((0, 3))], [np.zeros((0, 2))]
    for shape in Shape:
        rows, size = np.flatnonzero(mesh.sizes == shape.value), shape.value
        touched = mesh.conn[rows][:, :size]
        if shape is Shape.BEAM:
            axes = mesh.xyz[touched[:, 1]] - mesh.xyz[touched[:, 0]]
            axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
            heading = np.where(axes[np.arange(len(rows)), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)
            ways.append(np.repeat(axes * heading[:, None], 2, axis=0))
            values.append(np.repeat(np.nanmax(corners[rows], axis=2).reshape(-1, 1), 2, axis=1))
        else:
            ways.append(corner_normals(mesh.xyz[touched]).reshape(-1, 3))
            values.append(np.moveaxis(corners[rows][:, :, :size], 1, 2).reshape(-1, 2))
        nodes.append(touched.reshape(-1).astype(np.int64))
        owners.append(np.repeat(rows, size))
    return np.concatenate(nodes), np.concatenate(owners), np.concatenate(ways), np.concatenate(values)
