"""Decides which edges of a mesh carry information: free, shared by more than two faces, or sharp; it must not draw."""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.edges import Ends, all_ends, ends_of, ends_of_keys, keys
from steadyhand.domains.cae.engine.mesh import Flags, Floats, Mesh, Rows, Small
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


def normals_of(xyz: Floats, conn: Rows, sizes: Small) -> Floats:
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


def bare(mesh: Mesh, edges: Rows) -> Rows:
    """Return those of *edges* along which no BEAM runs."""
    beams = keys(ends_of(mesh.conn[mesh.sizes == Shape.BEAM.value], Shape.BEAM.value), mesh.node_count)
    return edges[~np.isin(keys(Ends(edges[:, 0], edges[:, 1]), mesh.node_count), beams)]


def outline_of(mesh: Mesh) -> Outline:
    """Return the edges of the faces of *mesh*, ascending by their nodes."""
    faces = (Shape.TRI.value, Shape.QUAD.value)
    ends = keys(all_ends(mesh, faces), mesh.node_count)
    owner = np.concatenate([np.tile(np.flatnonzero(mesh.sizes == size), size) for size in faces])
    order = np.argsort(ends, kind="stable")
    ends, owner = ends[order], owner[order]
    first = np.flatnonzero(np.diff(ends, prepend=-1))
    uses = np.diff(first, append=len(ends))
    pair = first[uses == 2]
    normals = normals_of(mesh.xyz, mesh.conn, mesh.sizes)
    sharp = np.zeros(len(first), np.bool_)
    sharp[uses == 2] = np.abs((normals[owner[pair]] * normals[owner[pair + 1]]).sum(axis=1)) < _SHARP
    edges = ends_of_keys(ends[first], mesh.node_count)
    return Outline(np.column_stack([edges.start, edges.end]), uses.astype(np.int32), sharp)
