"""Decides which degrees of freedom of which node are fixed, and in which axes; it must not write a deck.

A shell has no rotation about its normal. Where a support holds a rotation that has a part about the normal, the solver locks the
model (0.1 to 0.001 of the displacement, without a word). So only rotations in the tangent plane are ever held: the directions that
lie both in what the support holds and in the plane, in axes of the node's own where the part's axes cannot say it. Measured on
quarter models of a cylinder and a hemisphere: the same answers as the full models.
"""

from dataclasses import dataclass, field

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.solve.choosing import makes
from steadyhand.domains.cae.solve.normals import around, smooth_normal
from steadyhand.domains.cae.solve.promoting import Model

ALONG = 0.9397
"""From this cosine on (20°) a normal counts as lying along an axis: chords of a coarse mesh tilt it."""
ACROSS = 0.342
_EXACT = 1e-6


@dataclass(frozen=True, slots=True)
class Fixed:
    """What is held at one node: *dofs* 1 to 6 in the axes *frame* (rows), None for the part's own."""

    dofs: tuple[int, ...]
    frame: Floats | None = None


@dataclass(slots=True)
class Held:
    """All that is held: by node of the model, ascending; the nodes of each support; and how many held rotations were left out."""

    nodes: dict[int, Fixed] = field(default_factory=dict[int, Fixed])
    supports: dict[str, Labels] = field(default_factory=dict[str, Labels])
    turned: int = 0
    left_out: int = 0

    @property
    def flat(self) -> Labels:
        """The held nodes, ascending."""
        return np.array(list(self.nodes), np.int64)


def hold(part: Part, model: Model) -> Held:
    """Return what the supports of *part* hold on *model*."""
    wanted = np.zeros((len(model.xyz), 7), np.bool_)
    held = Held()
    for support in part.supports.values():
        rows = model.place[part.mesh.node_rows(part.node_sets[support.node_set])]
        used = np.zeros(len(model.rows), np.bool_)
        used[rows[rows >= 0]] = True
        nodes = np.flatnonzero(model.with_middles(used))
        held.supports[support.name] = nodes
        wanted[np.ix_(nodes, np.array(support.dofs, np.int64))] = True
    turned: Flags = wanted[:, 4] | wanted[:, 5] | wanted[:, 6]
    normals = _normals(part, model, turned)
    for node in np.flatnonzero(wanted.any(axis=1)).tolist():
        moves, turns = wanted[node, 1:4], wanted[node, 4:]
        fixed = Fixed(_dofs(moves, turns))
        normal = normals.get(node)
        if normal is not None and turns.any():
            fixed, lost = _tangential(moves, turns, normal)
            held.left_out += lost
            held.turned += fixed.frame is not None
        if fixed.dofs:
            held.nodes[node] = fixed
    return held


def _normals(part: Part, model: Model, wanted: Flags) -> dict[int, Floats]:
    """Return the normal of each *wanted* node that lies in one smooth shell; knots and beams have none."""
    found = around(part, model, wanted)
    make = makes(part)
    normals: dict[int, Floats] = {}
    starts = np.flatnonzero(np.diff(found.nodes, prepend=-1))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(found.nodes)], strict=False):
        normal = smooth_normal(found.normals[start:end], make[found.elements[start:end]])
        if normal is not None:
            normals[int(found.nodes[start])] = normal
    return normals


def _tangential(moves: Flags, turns: Flags, normal: Floats) -> tuple[Fixed, int]:
    """Return what is held at a node of a smooth shell, and 1 when a rotation that was asked for is not held."""
    count = int(turns.sum())
    tilt = np.abs(normal)
    if count == 1:
        axis = int(np.flatnonzero(turns)[0])
        if tilt[axis] < ACROSS:
            return Fixed(_dofs(moves, turns)), 0
        return Fixed(_dofs(moves, np.zeros(3, np.bool_))), int(tilt[axis] < ALONG)
    spare = int(np.flatnonzero(~turns)[0]) if count < 3 else -1
    if count == 3 or tilt[spare] > ALONG:
        return _in_plane(moves, turns, normal), 0
    first, second = (axis for axis in range(3) if axis != spare)
    direction = np.zeros(3)
    direction[first], direction[second] = normal[second], -normal[first]
    direction /= np.linalg.norm(direction)
    fixed = _framed(moves, direction, only=True)
    if fixed is None:
        return Fixed(_dofs(moves, np.zeros(3, np.bool_))), 1
    return fixed, int(tilt[spare] > ACROSS)


def _in_plane(moves: Flags, turns: Flags, normal: Floats) -> Fixed:
    """Hold both tangential rotations; where no axes suit the translations too, those two of the part's axes that lie flattest."""
    fixed = _framed(moves, normal, only=False)
    if fixed is not None and turns.all():
        return fixed
    flattest = [axis for axis in np.argsort(np.abs(normal), kind="stable").tolist() if turns[axis]][:2]
    chosen = np.zeros(3, np.bool_)
    chosen[flattest] = True
    return Fixed(_dofs(moves, chosen))


def _framed(moves: Flags, axis: Floats, *, only: bool) -> Fixed | None:
    """Hold rotations about *axis* (*only*) or about all but it, in axes in which the held translations can be said too; else None."""
    single = int(np.flatnonzero(moves if moves.sum() == 1 else ~moves)[0]) if moves.sum() in {1, 2} else None
    own = int(np.argmax(np.abs(axis)))
    if abs(axis[own]) > 1 - _EXACT:
        return Fixed(_dofs(moves, np.arange(3) == own if only else np.arange(3) != own))
    second = np.eye(3)[single if single is not None else int(np.argmin(np.abs(axis)))]
    if single is None:
        second -= (second @ axis) * axis
        second /= np.linalg.norm(second)
    elif abs(second @ axis) > _EXACT:
        return None
    frame: Floats = np.stack([axis, second, np.cross(axis, second)]).astype(np.float64)
    along = np.arange(3) == 1
    told = moves if single is None else (along if moves.sum() == 1 else ~along)
    return Fixed(_dofs(told, np.arange(3) == 0 if only else np.arange(3) != 0), frame)


def _dofs(moves: Flags, turns: Flags) -> tuple[int, ...]:
    return tuple(dof + 1 for dof, on in enumerate([*moves.tolist(), *turns.tolist()]) if on)


def rigid_rank(points: Floats, fixed: list[Fixed]) -> int:
    """Return how many of the six rigid-body motions of a body are held at *points* (k, 3) by *fixed*."""
    if not fixed:
        return 0
    centre = points.mean(axis=0)
    size = max(float(np.abs(points - centre).max()), 1e-30)
    rows: list[Floats] = []
    for point, entry in zip((points - centre) / size, fixed, strict=True):
        frame = np.eye(3) if entry.frame is None else entry.frame
        rows += [
            np.concatenate([frame[dof - 1], np.cross(point, frame[dof - 1])])
            if dof <= 3
            else np.concatenate([np.zeros(3), frame[dof - 4]])
            for dof in entry.dofs
        ]
    table = np.array(rows)
    return int(np.linalg.matrix_rank(table.T @ table, tol=1e-8 * len(rows)))
