"""Decides which edges of a mesh carry information: free, shared by more than two faces, or sharp; it must not draw."""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Mesh, Rows
from steadyhand.domains.cae.engine.shapes import Shape

_SHARP = float(np.cos(np.radians(25)))


@dataclass(frozen=True, slots=True)
class Outline:
    """Each edge of TRI and QUAD once: *edges* (n, 2) rows of nodes; *uses* (n,) how many faces have it; *sharp* (n,)."""

    edges: Rows
    uses: Rows
    sharp: Flags

    @property
    def free(self) -> Rows:
        """Edges of one face alone."""
        return self.edges[self.uses == 1]

    @property
    def branching(self) -> Rows:
        """Edges where more than two faces meet."""
        return self.edges[self.uses > 2]

    @property
    def bent(self) -> Rows:
        """Edges where two faces meet at an angle."""
        return self.edges[self.sharp]


def normals_of(xyz: Floats, conn: Rows, sizes: "np.ndarray") -> Floats:
    """Return (E, 3) normals of length 1 by the right-hand rule; zero for BEAM and faces without area."""
    quad = sizes == Shape.QUAD.value
    rows = np.where(conn < 0, conn[:, :1], conn)
    corners = xyz[rows]
    one = np.where(quad[:, None], corners[:, 2] - corners[:, 0], corners[:, 1] - corners[:, 0])
    two = np.where(quad[:, None], corners[:, 3] - corners[:, 1], corners[:, 2] - corners[:, 0])
    normal = np.stack([one[:, i] * two[:, j] - one[:, j] * two[:, i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1)
    normal[sizes == Shape.BEAM.value] = 0
    length = np.sqrt((normal * normal).sum(axis=1))
    return normal / np.where(length > 0, length, 1)[:, None]


def outline_of(mesh: Mesh) -> Outline:
    """Return the edges of the faces of *mesh*, ascending by their nodes."""
    faces = np.flatnonzero(mesh.sizes >= Shape.TRI.value)
    if len(faces) == 0:
        return Outline(np.zeros((0, 2), np.int32), np.zeros(0, np.int32), np.zeros(0, np.bool_))
    conn, sizes = mesh.conn[faces], mesh.sizes[faces]
    after = np.roll(conn, -1, axis=1)
    after[sizes == Shape.TRI.value, 2] = conn[sizes == Shape.TRI.value, 0]
    used = np.arange(4)[None, :] < sizes[:, None]
    start, end = conn[used].astype(np.int64), after[used].astype(np.int64)
    owner = np.broadcast_to(np.arange(len(faces))[:, None], used.shape)[used]
    keys = np.minimum(start, end) * mesh.node_count + np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    keys, owner = keys[order], owner[order]
    first = np.flatnonzero(np.r_[True, np.diff(keys) != 0])
    uses = np.diff(np.r_[first, len(keys)])
    pair = first[uses == 2]
    normals = normals_of(mesh.xyz, conn, sizes)
    sharp = np.zeros(len(first), np.bool_)
    sharp[uses == 2] = np.abs((normals[owner[pair]] * normals[owner[pair + 1]]).sum(axis=1)) < _SHARP
    edges = np.stack(np.divmod(keys[first], mesh.node_count), axis=1).astype(np.int32)
    return Outline(edges, uses.astype(np.int32), sharp)
