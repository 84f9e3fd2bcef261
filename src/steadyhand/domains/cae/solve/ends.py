"""Decides at which clamped beam ends the solver is given a stub, and what it looks like; it must not decide when a deck has stubs.

Where a rotation is held at a node of beams alone, the solver holds the mean rotation of the expanded section and leaves the force at
the node that this eliminates out of its reactions (measured: 67 of 120 clamped RECT and PIPE ends; in two of 180 runs it did not run
at all). A second beam across the end, free and without load, makes the node a knot, whose reactions are whole whatever n1 is. Knots are a little stiffer (a RECT of 20 elements 1 %, of 4 elements 6 %), so
displacements come without them, except where a beam lies askew to the axes: there the mean rotation itself errs, by up to 8 %.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.solve.holding import Held
from steadyhand.domains.cae.solve.promoting import Model

USUAL_N1 = (0.0, 0.0, -1.0)
_ALONG = 1e-9
_LONG, _WIDE, _HIGH = 0.05, 0.02, 0.03
"""A stub's length and section, as shares of the length of the beam at its end."""


@dataclass(frozen=True, slots=True)
class Stub:
    """A short beam from *node* of the model to *tip*; *axis* is its n1, *width* and *height* its section, *assignment* the beam's."""

    node: int
    tip: Floats
    axis: Floats
    width: float
    height: float
    assignment: int


def stubs(part: Part, model: Model, held: Held) -> list[Stub]:
    """Return a stub for each held node of beams alone at which a rotation is held."""
    return list(_stubs(part, model, held))


def askew(added: Sequence[Stub]) -> bool:
    """Return whether a beam at one of these ends lies along none of the axes."""
    return any(float(np.abs(stub.axis).max()) < 1 - _ALONG for stub in added)


def _stubs(part: Part, model: Model, held: Held) -> Iterator[Stub]:
    is_bar = part.mesh.sizes == Shape.BEAM.value
    with_shell = set(model.conn[~is_bar].reshape(-1).tolist())
    first: dict[int, int] = {}
    for row in np.flatnonzero(is_bar).tolist():
        for node in model.conn[row, :2].tolist():
            first.setdefault(node, row)
    for node, fixed in held.nodes.items():
        row = first.get(node)
        if row is None or node in with_shell or max(fixed.dofs) <= 3:
            continue
        start, end = model.xyz[model.conn[row, :2]]
        length = float(np.linalg.norm(end - start))
        axis = (end - start) / length
        place = int(part.mesh.assigned[row])
        across = np.cross(axis, part.assignments[place].n1 or USUAL_N1)
        tip = model.xyz[node] + across * (_LONG * length / float(np.linalg.norm(across)))
        yield Stub(node, tip, axis, _WIDE * length, _HIGH * length, place)
