"""Decides from where a part is looked at and how it is fitted into a box; it must not draw.

A flat part is looked at squarely, along the coordinate axis across it where there is one. Everything else is drawn
isometrically, enlarged so that lengths along the three axes are true to the scale.
"""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.pictures.paper import Box

FLAT = 1e-6
"""A part is flat when it is this much thinner than long."""
_ISOMETRIC = np.array([[1, 1, 0], [-1, 1, 2], [1, -1, 1]]) / np.sqrt([[2], [6], [3]]) * np.sqrt(1.5)
_ALONG = {2: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1: [[1, 0, 0], [0, 0, 1], [0, -1, 0]], 0: [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}


@dataclass(frozen=True, slots=True)
class Camera:
    """Rows of *axes*: what points right, up, and toward the one who looks."""

    axes: Floats
    flat: bool


@dataclass(frozen=True, slots=True)
class Projection:
    """Where points lie on the sheet: *scale* is sheet units per mm, *shift* is added to right, down and depth."""

    camera: Camera
    scale: float
    shift: tuple[float, float, float]

    def at(self, points: Floats) -> Floats:
        """Return (n, 2) places on the sheet, y downwards."""
        return points @ self.camera.axes[:2].T * [self.scale, -self.scale] + self.shift[:2]

    def depth(self, points: Floats) -> Floats:
        """Return (n,) how near each point is, in sheet units; more is nearer."""
        return points @ self.camera.axes[2] * self.scale + self.shift[2]

    def place(self, points: Floats) -> Floats:
        """Return (n, 3) places on the sheet with their depth."""
        return np.column_stack([self.at(points), self.depth(points)])

    def direction(self, vector: Floats) -> Floats:
        """Return (3,) *vector*, of length 1, as right, down and toward, of length 1 again."""
        turned = self.camera.axes @ vector
        turned = turned / max(float(np.linalg.norm(turned)), 1e-300)
        return turned * [1, -1, 1]


def camera_for(points: Floats) -> Camera:
    """Return the camera that shows *points* (n, 3) best."""
    if len(points) == 0:
        return Camera(_ISOMETRIC, flat=False)
    extents = np.ptp(points, axis=0)
    thin = [axis for axis in (2, 1, 0) if extents[axis] <= FLAT * extents.max()]
    if thin:
        return Camera(np.array(_ALONG[thin[0]], float), flat=True)
    centred = (points - points.mean(axis=0)) / extents.max()
    sizes, vectors = np.linalg.eigh(centred.T @ centred)
    if sizes[0] > FLAT**2 * sizes[2]:
        return Camera(_ISOMETRIC, flat=False)
    return Camera(_squarely(vectors[:, 0]), flat=True)


def _squarely(normal: Floats) -> Floats:
    toward = normal if normal @ _ISOMETRIC[2] >= 0 else -normal
    up = np.array([0.0, 0.0, 1.0]) - toward[2] * toward
    up = up / np.linalg.norm(up)
    return np.array([np.cross(up, toward), up, toward])


def fit(camera: Camera, points: Floats, box: Box) -> Projection:
    """Return the projection that centres *points* in *box*, as large as they fit."""
    if len(points) == 0:
        return Projection(camera, 1.0, (*box.centre, 0.0))
    seen = points @ camera.axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    wide, tall = (float(value) for value in (high - low)[:2])
    scales = [room / size for room, size in ((box.width, wide), (box.height, tall)) if size > 0]
    scale = min(scales) if scales else 1.0
    across, upward, near = (float(value) for value in (low + high) / 2 * scale)
    return Projection(camera, scale, (box.centre[0] - across, box.centre[1] + upward, -near))


def shape_on_sheet(camera: Camera, points: Floats) -> float:
    """Return how many times wider than tall *points* look; 1 for none."""
    if len(points) == 0:
        return 1.0
    wide, tall = (float(value) for value in np.ptp(points @ camera.axes[:2].T, axis=0))
    return wide / tall if tall > 0 else (1.0 if wide == 0 else 1e3)
