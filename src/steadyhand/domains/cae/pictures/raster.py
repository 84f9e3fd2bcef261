"""Decides which face is seen at each pixel, so that hidden lines are known and a large part becomes one small image.

It works on numbers alone: corners in sheet units with a depth, and a tint per corner. It must not know a part.
"""

import math

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels
from steadyhand.domains.cae.pictures.paper import Box

Pixels = NDArray[np.uint8]

_BLOCK = 1 << 19
"""How many samples are taken at once."""
_STEPS = (2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640, 896, 1280, 1792, 2560)
_DEPTHS = 64.0
"""How many levels of depth one pixel is."""
_TINTS = 8
"""Bits of a tint below the depth in a pixel's key."""
_MIDDLE = 1 << 45
"""The level of depth 0, so that every level is positive."""
_NEAR_ENOUGH = 4.0
"""How much nearer than a line, in pixels, a face must be to hide it: the steepest face that is seen rises by less."""


class Raster:
    """A box of the sheet in pixels; the nearest tint wins, whatever the order in which faces come."""

    def __init__(self, box: Box, zoom: float) -> None:
        self._box, self._zoom = box, zoom
        self._wide, self._tall = math.ceil(box.width * zoom), math.ceil(box.height * zoom)
        self._keys = np.zeros(self._wide * self._tall, np.int64)

    @property
    def box(self) -> Box:
        """Where the whole pixels lie on the sheet."""
        return Box(self._box.x, self._box.y, self._wide / self._zoom, self._tall / self._zoom)

    @property
    def size(self) -> tuple[int, int]:
        """How many lines and columns of pixels there are."""
        return self._tall, self._wide

    def paint(self, corners: Floats, tints: Floats, levels: Floats | None = None) -> None:
        """Paint faces: *corners* (n, 4, 3), the last doubled for a triangle; *tints* (n, 4), 1 to 255.

        With *levels* the tints are values, mixed between the corners: 1 below the first level, 2 above it, and so on; one
        more than the last for no number.
        """
        pixels = (corners - [self._box.x, self._box.y, 0]) * self._zoom
        spans = [
            np.maximum(_length(pixels[:, one] - pixels[:, two]), _length(pixels[:, three] - pixels[:, four]))
            for one, two, three, four in ((0, 1, 3, 2), (0, 3, 1, 2))
        ]
        counts = [np.searchsorted(_STEPS, np.minimum(span * 1.15 + 1, _STEPS[-1])) for span in spans]
        kinds = counts[0] * len(_STEPS) + counts[1]
        order = np.argsort(kinds, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(kinds[order]) != 0]) if len(order) else np.zeros(0, np.int64)
        for rows in np.split(order, starts[1:]):
            if len(rows):
                across, along = (_STEPS[int(count[rows[0]])] for count in counts)
                size = max(1, _BLOCK // (across * along))
                for at in range(0, len(rows), size):
                    block = rows[at : at + size]
                    self._paint_block(pixels[block], tints[block], (across, along), levels)

    def _paint_block(self, pixels: Floats, tints: Floats, steps: tuple[int, int], levels: Floats | None) -> None:
        u, v = (axis.ravel()[None, :] for axis in np.meshgrid(*(np.linspace(0, 1, count) for count in steps), indexing="ij"))
        weights = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=2)[0]
        x, y, depth = (pixels[:, :, column] @ weights.T for column in range(3))
        if levels is None:
            tint = np.broadcast_to(np.rint(tints[:, :1]).astype(np.int64), x.shape)
        else:
            value: Floats = tints @ weights.T
            band: Labels = np.searchsorted(levels, value.ravel(), side="right").reshape(value.shape)
            tint = np.where(np.isnan(value), len(levels) + 2, 1 + band)
        column, line = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
        inside = (column >= 0) & (column < self._wide) & (line >= 0) & (line < self._tall)
        level = np.rint(depth * _DEPTHS).astype(np.int64) + _MIDDLE
        places = (line * self._wide + column)[inside]
        np.maximum.at(self._keys, places, ((level << _TINTS) | tint)[inside])

    def shows(self, points: Floats) -> Flags:
        """Return (n,) which *points* (n, 3) are hidden by no face."""
        column = np.floor((points[:, 0] - self._box.x) * self._zoom).astype(np.int64)
        line = np.floor((points[:, 1] - self._box.y) * self._zoom).astype(np.int64)
        inside = (column >= 0) & (column < self._wide) & (line >= 0) & (line < self._tall)
        level = self._keys[np.where(inside, line * self._wide + column, 0)] >> _TINTS
        return ~inside | (points[:, 2] * self._zoom >= (level - _MIDDLE) / _DEPTHS - _NEAR_ENOUGH)

    def pixels(self) -> Pixels:
        """Return (h, w) the tint of each pixel; 0 where there is nothing."""
        return (self._keys & ((1 << _TINTS) - 1)).astype(np.uint8).reshape(self._tall, self._wide)


def _length(vectors: Floats) -> Floats:
    return np.sqrt(vectors[:, 0] ** 2 + vectors[:, 1] ** 2)


def visible_runs(raster: Raster, starts: Floats, ends: Floats, pieces: int = 8) -> tuple[Floats, Floats]:
    """Return the parts of lines *starts* to *ends* (n, 3) that no face hides, cut at one of *pieces* places."""
    if len(starts) == 0:
        return starts, ends
    shares = (np.arange(pieces) + 0.5) / pieces
    points = starts[:, None, :] + (ends - starts)[:, None, :] * shares[None, :, None]
    seen = raster.shows(points.reshape(-1, 3)).reshape(len(starts), pieces)
    turns = np.diff(np.pad(seen, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, begun = np.nonzero(turns == 1)  # row by row, so that beginnings and ends pair up
    low, high = (begun / pieces)[:, None], (np.nonzero(turns == -1)[1] / pieces)[:, None]
    way = (ends - starts)[rows]
    return starts[rows] + way * low, starts[rows] + way * high
