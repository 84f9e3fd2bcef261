"""Decides which values have which of twelve colours and where a colour ends inside an element; it must not know what a value means."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Mesh, Rows

Per = Literal["element", "node"]

BANDS = (
    "#3b2f80",
    "#466be3",
    "#3ba0fd",
    "#1ad2d2",
    "#32f298",
    "#80ff53",
    "#bef434",
    "#eecf3a",
    "#fe9e2f",
    "#f26014",
    "#d02f05",
    "#9b0f01",
)
NO_VALUE = "#c3c9cf"
_HIGHEST_PERCENT = 99.5
_TURN_OF_DEFORMATION = 0.1
"""How far the largest displacement is drawn, as a share of the part's size."""

Corner = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Field:
    """What a solve gives for a part: *displacement* (N, 3) in mm, *values* (E,) or (N,), with their name and unit in *quantity*."""

    displacement: Floats
    values: Floats
    quantity: str
    per: Per = "element"

    def fits(self, mesh: Mesh) -> bool:
        """Whether the numbers belong to *mesh*."""
        wanted = mesh.element_count if self.per == "element" else mesh.node_count
        return self.displacement.shape == (mesh.node_count, 3) and self.values.shape == (wanted,)

    def levels(self) -> Floats:
        """Return the 13 limits of the bands: from the smallest value to the one that 99.5 % of the values are not above."""
        known = self.values[np.isfinite(self.values)]
        if len(known) == 0:
            return np.linspace(0.0, 1.0, len(BANDS) + 1)
        low, high = float(known.min()), float(np.percentile(known, _HIGHEST_PERCENT, method="higher"))
        if high <= low:
            high = low + max(abs(low) * 0.01, 1e-12)
        return np.linspace(low, high, len(BANDS) + 1)

    def moved(self) -> Floats:
        """Return the displacements, zero where there is none."""
        return np.nan_to_num(self.displacement, nan=0.0, posinf=0.0, neginf=0.0)

    def largest(self) -> int | None:
        """Return the row of the largest value, the first of equals; None when there is none."""
        known = np.isfinite(self.values)
        return int(np.argmax(np.where(known, self.values, -np.inf))) if known.any() else None

    def at_corners(self, mesh: Mesh) -> Floats:
        """Return (E, 4) the value at each corner, the last corner's again where there is no fourth; NaN for none."""
        known = np.where(np.isfinite(self.values), self.values, np.nan)
        if self.per == "element":
            return np.repeat(known[:, None], mesh.conn.shape[1], axis=1)
        last = mesh.conn[np.arange(mesh.element_count), mesh.sizes - 1]
        return known[np.where(mesh.conn < 0, last[:, None], mesh.conn)]


def deformation_factor(xyz: Floats, displacement: Floats) -> float:
    """Return by how much displacements are enlarged before they are rounded to 1, 2 or 5 times a power of ten; 1 for none."""
    most = float(np.sqrt((displacement**2).sum(axis=1)).max(initial=0.0))
    size = float(np.linalg.norm(np.ptp(xyz, axis=0))) if len(xyz) else 0.0
    return size * _TURN_OF_DEFORMATION / most if most > 0 and size > 0 else 1.0


def bands_of(values: Floats, levels: Floats) -> Rows:
    """Return the band of each value, 0 to 11; 12 for no number."""
    bands = np.searchsorted(levels[1:-1], values, side="right")
    return np.where(np.isnan(values), len(BANDS), bands).astype(np.int32)


def cut(corners: Sequence[Corner], levels: Sequence[float]) -> Iterator[tuple[int, list[Corner]]]:
    """Yield the parts of an area, band by band; *corners* are x, y and value, *levels* the inner limits, ascending.

    Between two corners the value changes evenly; a value that is a limit belongs to the band above it.
    """
    for area in _plain(list(corners), levels):
        rest = area
        highest = max(value for _, _, value in rest)
        for band, level in enumerate(levels):
            if min(value for _, _, value in rest) >= level:
                continue
            if level >= highest:
                yield band, rest
                break
            yield band, _side(rest, level, 1)
            rest = _side(rest, level, -1)
        else:
            yield len(levels), rest


def _plain(corners: list[Corner], levels: Sequence[float]) -> list[list[Corner]]:
    """Return an area as one that each limit crosses once, or as two triangles.

    A limit crosses an area twice when opposite corners are both higher than the others; one that goes through a corner may
    leave a part of it on both sides.
    """
    one, other = ([value for _, _, value in corners[start::2]] for start in (0, 1))
    twice = min(one) > max(other) or min(other) > max(one)
    if len(corners) == 4 and (twice or not {*one, *other}.isdisjoint(levels)):
        return [corners[:3], [corners[0], corners[2], corners[3]]]
    return [corners]


def _side(corners: list[Corner], level: float, sign: int) -> list[Corner]:
    """Return what of an area is below *level* (*sign* 1) or above it (−1)."""
    kept: list[Corner] = []
    for one, two in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        here, there = (level - one[2]) * sign, (level - two[2]) * sign
        if here >= 0:
            kept.append(one)
        if here > 0 > there or here < 0 < there:
            share = here / (here - there)
            kept.append((one[0] + (two[0] - one[0]) * share, one[1] + (two[1] - one[1]) * share, level))
    return kept
