"""Decides where in the expanded solids a shell's or beam's stresses are read; it must not read files."""

import math

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection
from steadyhand.domains.cae.engine.shapes import Profile
from steadyhand.domains.cae.solve.frd import Frd
from steadyhand.domains.cae.solve.promoting import KINDS, Kind, Model

_ENDS = ((0, 3, 7, 4), (1, 2, 6, 5))
"""Where a solid that stands for a beam lists the corners of its two end sections."""
_RIM = ((11, 12, 19, 15), (9, 13, 17, 14))
"""Where a quadratic one lists the middles of their sides, going round: of a round profile they lie on its rim."""
_ANGLES = 32


def _layers(kind: Kind) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if kind in {Kind.B31, Kind.B32R}:
        return _ENDS
    corners = 3 if kind is Kind.S6 else 4
    return tuple(range(corners)), tuple(range(corners, 2 * corners))


def _solids(model: Model, frd: Frd, kind: Kind) -> tuple[Labels, Labels]:
    """Return the rows of *kind* and the expanded nodes of each."""
    rows = np.flatnonzero(model.kinds == KINDS.index(kind))
    return rows, np.array([frd.elements[row + 1] for row in rows.tolist()], np.int64)


def corner_stresses(part: Part, model: Model, frd: Frd) -> Floats:
    """Return (E, 2, 4, 6) as `Result.stress` tells; NaN where a TRI has no fourth corner or the file has no value."""
    found = np.full((part.mesh.element_count, 2, 4, 6), np.nan)
    block = frd.blocks.get("STRESS")
    if block is None:
        return found
    for kind in Kind:
        rows, solids = _solids(model, frd, kind)
        if not len(rows):
            continue
        for layer, places in enumerate(_layers(kind)):
            found[rows, layer, : len(places)] = block.at(solids[:, places])
    return found


def von_mises(part: Part, model: Model, frd: Frd, stress: Floats) -> Floats:
    """Return (E, 3): the largest equivalent stress of the first layer, of the second, and of both."""
    at_corners = equivalent(stress)
    peaks = np.nanmax(np.where(np.isnan(at_corners), -np.inf, at_corners), axis=2)
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
        peaks[rows[mine], layer] = equivalent(ring).max(axis=1)


def equivalent(stress: Floats) -> Floats:
    """Return the von Mises stress of components xx yy zz xy yz zx along the last axis."""
    xx, yy, zz, xy, yz, zx = np.moveaxis(stress, -1, 0)
    direct = ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2
    return np.sqrt(direct + 3 * (xy**2 + yz**2 + zx**2))
