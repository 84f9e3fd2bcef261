"""Decides which solver element stands for each element, and where mid-side nodes come in; it must not write a deck.

Elements that share an edge must agree on its mid-side node, or the solver's expanded solids gape there. So TRI (as S3 it is nearly
three times too stiff in bending) and profiles that the linear beam refuses make every element quadratic that they reach over
shared edges; all others stay linear unless the options ask for more.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from steadyhand.domains.cae.engine.mesh import WIDTH, Flags, Floats, Labels, Mesh, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.solve.choosing import chosen, quadratic_as
from steadyhand.domains.cae.solve.options import Options


class Kind(Enum):
    """A solver's element, with its number of nodes. S4R and B31R are missing on purpose: their answers are three times wrong."""

    S4 = ("S4", 4)
    S8R = ("S8R", 8)
    S6 = ("S6", 6)
    B31 = ("B31", 2)
    B32R = ("B32R", 3)


KINDS = tuple(Kind)
_KIND_OF = {
    (Shape.QUAD, False): Kind.S4,
    (Shape.QUAD, True): Kind.S8R,
    (Shape.TRI, True): Kind.S6,
    (Shape.BEAM, False): Kind.B31,
    (Shape.BEAM, True): Kind.B32R,
}


@dataclass(frozen=True, slots=True)
class Model:
    """What the solver gets: nodes and elements numbered from 0 in these arrays, from 1 in the deck.

    * ``xyz`` (n, 3): the part's used nodes in ascending order, then the mid-side nodes.
    * ``rows`` (used,): the part's row of each used node; ``place`` (N,): the way back, −1 for free nodes.
    * ``conn`` (E, 8): corners, then the middles of the edges in their order (a beam: two ends, middle); padded with −1.
    * ``kinds`` (E,): places in `KINDS`; ``ends`` (m, 2): the corners between which each mid-side node lies.
    """

    xyz: Floats
    rows: Rows
    place: Labels
    conn: Labels
    kinds: Rows
    ends: Labels

    @property
    def quadratic(self) -> Flags:
        """(E,) which elements have mid-side nodes."""
        return np.isin(self.kinds, [KINDS.index(kind) for kind in (Kind.S8R, Kind.S6, Kind.B32R)])

    def with_middles(self, held: Flags) -> Flags:
        """Return *held* (used nodes) carried on to (n,): a middle is held when both its ends are, as on the straight edge it stands for."""
        return np.concatenate([held, held[self.ends].all(axis=1)]) if len(self.ends) else held.copy()


def edges_of(mesh: Mesh) -> tuple[Rows, Rows, Rows]:
    """Return the element, the place in the element and the two node rows of every edge, element by element."""
    owners: list[Rows] = []
    places: list[Rows] = []
    pairs: list[Rows] = []
    for shape in Shape:
        of_shape = np.flatnonzero(mesh.sizes == shape.value).astype(np.int32)
        count = 1 if shape is Shape.BEAM else shape.value
        for place in range(count):
            owners.append(of_shape)
            places.append(np.full(len(of_shape), place, np.int32))
            pairs.append(mesh.conn[of_shape][:, [place, (place + 1) % shape.value]])
    return np.concatenate(owners), np.concatenate(places), np.concatenate(pairs)


def promote(part: Part, options: Options) -> Model:
    """Return the solver's model of *part*; free nodes are left out."""
    mesh = part.mesh
    rows = np.flatnonzero(mesh.used_nodes()).astype(np.int32)
    place = np.full(mesh.node_count + 1, -1, np.int64)
    place[rows] = np.arange(len(rows))
    owners, where, pairs = edges_of(mesh)
    known, edge = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    edge = edge.reshape(-1)
    quadratic = _spread(quadratic_as(part, chosen(part, options)), owners, edge, len(known))
    middle = np.full(len(known), -1, np.int64)
    middle[np.unique(edge[quadratic[owners]])] = 0
    with_middle = np.flatnonzero(middle == 0)
    middle[with_middle] = len(rows) + np.arange(len(with_middle))
    conn = np.full((mesh.element_count, 2 * WIDTH), -1, np.int64)
    conn[:, :WIDTH] = place[mesh.conn]
    on_edge = quadratic[owners]
    conn[owners[on_edge], mesh.sizes[owners[on_edge]].astype(np.int64) + where[on_edge]] = middle[edge[on_edge]]
    ends = place[known[with_middle]].reshape(-1, 2)
    xyz = mesh.xyz[rows]
    xyz = np.concatenate([xyz, (xyz[ends[:, 0]] + xyz[ends[:, 1]]) / 2])
    return Model(xyz=xyz, rows=rows, place=place[:-1], conn=conn, kinds=_kinds(mesh, quadratic), ends=ends)


def _spread(quadratic: Flags, owners: Rows, edge: Labels, count: int) -> Flags:
    """Carry *quadratic* over shared edges until nothing changes."""
    while True:
        flagged = np.zeros(count, np.bool_)
        flagged[edge[quadratic[owners]]] = True
        wider = quadratic.copy()
        wider[owners[flagged[edge]]] = True
        if (wider == quadratic).all():
            return wider
        quadratic = wider


def _kinds(mesh: Mesh, quadratic: Flags) -> Rows:
    kinds = np.zeros(mesh.element_count, np.int32)
    for (shape, high), kind in _KIND_OF.items():
        kinds[(mesh.sizes == shape.value) & (quadratic == high)] = KINDS.index(kind)
    return kinds
