"""Decides where in the expanded solids a shell's or beam's stresses are read; it must not read files."""

import math

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection
from steadyhand.domains.cae.engine.shapes import Profile, Shape
from steadyhand.domains.cae.solve.beam_ends import carried_to_ends
from steadyhand.domains.cae.solve.frd import Block, Frd
from steadyhand.domains.cae.solve.normals import corner_normals
from steadyhand.domains.cae.solve.promoting import KINDS, Kind, Model

_ENDS = ((0, 3, 7, 4), (1, 2, 6, 5))
"""Where a solid that stands for a beam lists the corners of its two end sections."""
_RIM = ((11, 12, 19, 15), (9, 13, 17, 14))
"""Where a quadratic one lists the middles of their sides, going round: of a round profile they lie on its rim."""
_ANGLES = 32
_TENSOR = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]])
_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])
_OUT = np.array([[1 + math.sqrt(3), 1 - math.sqrt(3)], [1 - math.sqrt(3), 1 + math.sqrt(3)]]) / 2
"""From two points of a line to its ends."""
_AROUND = [0, 1, 3, 2, 4, 5, 7, 6]
_TO_BRICK: Floats = np.kron(_OUT, np.kron(_OUT, _OUT))[_AROUND].astype(np.float64)
"""From the eight points of a solid, x first, to its corners, which go round."""
_FAR = 1 / math.sqrt(0.6)
_THROUGH = 1 / 3 + _FAR / 2 * np.array([[1, 0, -1], [-1, 0, 1]])
_TO_WEDGE: Floats = np.kron(_THROUGH, 2 * np.eye(3) - 1 / 3).astype(np.float64)
"""From the three layers of three points of a wedge to its corners."""


def _layers(kind: Kind) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if kind in {Kind.B31, Kind.B32R}:
        return _ENDS
    corners = 3 if kind is Kind.S6 else 4
    return tuple(range(corners)), tuple(range(corners, 2 * corners))


def _solids(model: Model, frd: Frd, kind: Kind) -> tuple[Labels, Labels]:
    """Return the rows of *kind* and the expanded nodes of each."""
    rows = np.flatnonzero(model.kinds == KINDS.index(kind))
    return rows, np.array([frd.elements[row + 1] for row in rows.tolist()], np.int64)


def corner_stresses(part: Part, model: Model, frd: Frd, points: Block) -> Floats:
    """Return (E, 2, 4, 6) as `Result.stress` tells; NaN where a TRI has no fourth corner or the files have no value.

    Each element's own, carried on from the *points* where the solver knows them, of a linear beam with its shear force; only of beams
    with other points than a RECT's the means at the nodes, which the ``.frd`` has.
    """
    found = np.full((part.mesh.element_count, 2, 4, 6), np.nan)
    block = frd.blocks.get("STRESS")
    if block is None:
        return found
    for kind in Kind:
        rows, solids = _solids(model, frd, kind)
        if not len(rows):
            continue
        own = _own(points, rows, _TO_WEDGE if kind is Kind.S6 else _TO_BRICK)
        for layer, places in enumerate(_layers(kind)):
            at_nodes = block.at(solids[:, places])
            found[rows, layer, : len(places)] = np.where(np.isnan(own[:, places]), at_nodes, own[:, places])
        if kind is Kind.B31:
            found[rows] = carried_to_ends(part, rows, found[rows])
    return found


def _own(points: Block, rows: Labels, matrix: Floats) -> Floats:
    """Return (k, corners, 6) of the solids of *rows*; NaN where one has not as many points as *matrix* takes."""
    first, last = (np.searchsorted(points.nodes, rows + 1, side) for side in ("left", "right"))
    whole = last - first == matrix.shape[1]
    found = np.full((len(rows), len(matrix), 6), np.nan)
    values = points.values[first[whole][:, None] + np.arange(matrix.shape[1])]
    found[whole] = np.einsum("cp,kps->kcs", matrix, values)
    return found


def corner_equivalents(part: Part, stress: Floats) -> Floats:
    """Return (E, 2, 4) the equivalent stress at each corner.

    Of shells from what acts within the surface: the traction on a free surface is 0, and what the expanded solid has there comes from
    a clamp that keeps its thickness too (measured: 53 beside 125 MPa, which made the equivalent stress a third too small). Of beams for
    the same reason from what acts on the section.
    """
    mesh = part.mesh
    within = stress.copy()
    for shape in (Shape.TRI, Shape.QUAD):
        rows, size = np.flatnonzero(mesh.sizes == shape.value), shape.value
        normals = corner_normals(mesh.xyz[mesh.conn[rows][:, :size]])
        flat = np.eye(3) - normals[..., :, None] * normals[..., None, :]
        tensors = stress[rows][:, :, :size][..., _TENSOR]
        tensors = np.einsum("ecij,elcjk,eckm->elcim", flat, tensors, flat, optimize=True)
        within[rows, :, :size] = tensors[..., _ROWS, _COLUMNS]
    bars = np.flatnonzero(mesh.sizes == Shape.BEAM.value)
    within[bars] = _on_sections(part, bars, stress[bars].reshape(-1, 8, 6)).reshape(-1, 2, 4, 6)
    return equivalent(within)


def _on_sections(part: Part, rows: Labels, stress: Floats) -> Floats:
    """Return *stress* (k, points, 6) in the beams of *rows* without what acts across them only."""
    ends = part.mesh.xyz[part.mesh.conn[rows, :2]]
    axes = ends[:, 1] - ends[:, 0]
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :] / (axes**2).sum(axis=1)[:, None, None]
    tensors = stress[..., _TENSOR]
    kept = tensors - np.einsum("eij,epjk,ekm->epim", across, tensors, across, optimize=True)
    return kept[..., _ROWS, _COLUMNS]


def von_mises(part: Part, model: Model, frd: Frd, corners: Floats) -> Floats:
    """Return (E, 3): the largest equivalent stress at the *corners* of the first layer, of the second, and of both."""
    peaks = np.nanmax(np.where(np.isnan(corners), -np.inf, corners), axis=2)
    _round_profiles(part, model, frd, peaks)
    return np.concatenate([peaks, peaks.max(axis=1, keepdims=True)], axis=1)


def _round_profiles(part: Part, model: Model, frd: Frd, peaks: Floats) -> None:
    """Put right the beams of round profile: the corners of the square that stands for one lie outside of it."""
    sections = [part.sections[entry.section] for entry in part.assignments]
    table = [isinstance(section, BeamSection) and section.profile in {Profile.PIPE, Profile.CIRC} for section in sections]
    is_round = np.array([*table, False])
    rows, solids = _solids(model, frd, Kind.B32R)
    mine = is_round[part.mesh.assigned[rows]]
    block = frd.blocks.get("STRESS")
    if block is None or not mine.any():
        return
    turns = np.arange(_ANGLES) * (2 * math.pi / _ANGLES)
    for layer, places in enumerate(_RIM):
        rim = block.at(solids[mine][:, places])
        middle = rim.mean(axis=1, keepdims=True)
        first, second = (rim[:, 0] - rim[:, 2]) / 2, (rim[:, 1] - rim[:, 3]) / 2
        ring = middle + np.cos(turns)[None, :, None] * first[:, None] + np.sin(turns)[None, :, None] * second[:, None]
        peaks[rows[mine], layer] = equivalent(_on_sections(part, rows[mine], ring)).max(axis=1)


def equivalent(stress: Floats) -> Floats:
    """Return the von Mises stress of components xx yy zz xy yz zx along the last axis."""
    xx, yy, zz, xy, yz, zx = np.moveaxis(stress, -1, 0)
    direct = ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2
    return np.sqrt(direct + 3 * (xy**2 + yz**2 + zx**2))
