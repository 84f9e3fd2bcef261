"""Decides how the stresses of a linear beam go on from its middle to its ends; it must not read files.

The solver's linear beam has one curvature, that of its middle, so its own stresses miss what its shear force adds over half its length: at
the clamp of a cantilever of one element a half. But its shear force is right in every element (measured: 100.000 of 100 N), and by
equilibrium the moment grows by it along the beam.
"""

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection
from steadyhand.domains.cae.solve.ends import USUAL_N1

_SIGNS = np.array([[-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]])
"""Where the corners of a section lie along n1 and along the second axis, as the solver's solid lists them."""
_TENSOR = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]])
_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])


def carried_to_ends(part: Part, rows: Labels, stress: Floats) -> Floats:
    """Return (k, 2, 4, 6) the stresses at both ends of the linear beams of *rows*, from those of the expanded solids, *stress*.

    In a solid the direct stress varies along the beam only by what a clamp keeps of its thickness, so the mean along it is taken.
    """
    middle = stress.mean(axis=1)
    axes, sizes, lengths = _frames(part, rows)
    mean = middle.mean(axis=1)[:, _TENSOR]
    shear = np.einsum("ki,kij,kaj->ka", axes[:, 0], mean, axes[:, 1:])
    # a slope of 12 × shear × distance / size² at half a size from the middle, over half a length
    growth = np.einsum("ca,ka->kc", _SIGNS, 3 * shear * lengths[:, None] / sizes)
    along = np.einsum("ki,kj->kij", axes[:, 0], axes[:, 0])[:, _ROWS, _COLUMNS]
    more = growth[:, :, None] * along[:, None, :]
    return np.stack([middle - more, middle + more], axis=1)


def _frames(part: Part, rows: Labels) -> tuple[Floats, Floats, Floats]:
    """Return of each beam its axis, n1 and second axis (k, 3, 3), its width and height (k, 2), and its length (k,)."""
    mesh = part.mesh
    ends: Floats = mesh.xyz[mesh.conn[rows, :2]]
    axes: Floats = ends[:, 1] - ends[:, 0]
    lengths: Floats = np.linalg.norm(axes, axis=1)
    axes = axes / lengths[:, None]
    made = [(entry.n1 or USUAL_N1, part.sections[entry.section]) for entry in part.assignments]
    given = np.array([n1 for n1, _ in made], np.float64)[mesh.assigned[rows]]
    sizes = np.array([_size(section) for _, section in made])[mesh.assigned[rows]]
    first: Floats = given - np.einsum("ki,ki->k", given, axes)[:, None] * axes
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack([axes, first, np.cross(axes, first)], axis=1), sizes, lengths


def _size(section: object) -> tuple[float, float]:
    """Return width and height of a RECT, the one profile that the linear beam has; of anything else what is never used."""
    if isinstance(section, BeamSection) and len(section.dimensions) > 1:
        return section.dimensions[0], section.dimensions[1]
    return 1.0, 1.0
