"""Decides how elements are halved once, with one node for each edge that they share; it must not know labels, sets or a part."""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.edges import Ends, ends_of, ends_of_keys, keys
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.mesh import Flags, Floats, Rows

FAN = {2: 2, 3: 4, 4: 4}
"""How many elements one of so many nodes becomes; they follow each other in the order of their parents."""


@dataclass(frozen=True, slots=True)
class Split:
    """Halved elements, by size, and the nodes with those that came. Node ``first + i`` is in the middle of edge i of *edges*;
    after these come the middles of *quads*, in order.
    """

    xyz: Floats
    cells: dict[int, Rows]
    edges: Ends
    first: int
    quads: Rows

    @property
    def centres(self) -> int:
        """The row of the first middle of a QUAD."""
        return self.first + len(self.edges.start)


def split(xyz: Floats, cells: dict[int, Rows]) -> Split:
    """Return *cells* (size → rows of *xyz*) halved: QUAD and TRI into four, BEAM into two; they run as their parents do."""
    first = len(xyz)
    found = [keys(ends_of(rows, size), first) for size, rows in cells.items()]
    edge_keys, middles = _numbered(np.concatenate(found))
    edges = ends_of_keys(edge_keys, first)
    quads = cells[4]
    middles += np.int32(first)
    centres = np.arange(len(quads), dtype=np.int32) + np.int32(first + len(edge_keys))
    halved: dict[int, Rows] = {}
    begin = 0
    for size, rows in cells.items():
        sides = size if size > 2 else 1
        end = begin + sides * len(rows)
        halved[size] = _SPLITTERS[size](rows, middles[begin:end].reshape(sides, len(rows)), centres)
        begin = end
    grown = np.empty((first + len(edge_keys) + len(quads), 3))
    grown[:first] = xyz
    grown[first : first + len(edge_keys)] = 0.5 * xyz[edges.start] + 0.5 * xyz[edges.end]
    grown[first + len(edge_keys) :] = _middle(xyz, quads)
    return Split(grown, halved, edges, first, quads)


def _numbered(found: Places) -> tuple[Places, Rows]:
    """Return the different keys, ascending, and for each key its place among them."""
    order = np.argsort(found, kind="stable")  # meshes come in long ascending runs, which this sort makes use of
    ordered = found[order]
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    places = np.empty(len(found), np.int32)
    places[order] = np.cumsum(new, dtype=np.int32) - np.int32(1)
    return ordered[new], places


def _middle(xyz: Floats, quads: Rows) -> Floats:
    total = 0.25 * xyz[quads[:, 0]]
    for corner in (1, 2, 3):
        total += 0.25 * xyz[quads[:, corner]]
    return total


def _beams(rows: Rows, middles: Rows, centres: Rows) -> Rows:
    del centres
    halved = np.empty((len(rows), 2, 2), np.int32)
    halved[:, 0, 0], halved[:, 0, 1] = rows[:, 0], middles[0]
    halved[:, 1, 0], halved[:, 1, 1] = middles[0], rows[:, 1]
    return halved.reshape(-1, 2)


def _tris(rows: Rows, middles: Rows, centres: Rows) -> Rows:
    del centres
    halved = np.empty((len(rows), 4, 3), np.int32)
    for corner in range(3):
        halved[:, corner, 0] = rows[:, corner]
        halved[:, corner, 1] = middles[corner]
        halved[:, corner, 2] = middles[corner - 1]
        halved[:, 3, corner] = middles[corner]
    return halved.reshape(-1, 3)


def _quads(rows: Rows, middles: Rows, centres: Rows) -> Rows:
    halved = np.empty((len(rows), 4, 4), np.int32)
    for corner in range(4):
        halved[:, corner, 0] = rows[:, corner]
        halved[:, corner, 1] = middles[corner]
        halved[:, corner, 2] = centres
        halved[:, corner, 3] = middles[corner - 1]
    return halved.reshape(-1, 4)


_SPLITTERS = {2: _beams, 3: _tris, 4: _quads}


def joins(made: Split, rows: Rows, inside: Flags) -> Rows:
    """Return the new nodes of *made* that join a set of nodes: middles of edges with both ends in it, of QUADs with all corners in it.

    *rows* are the set's, ascending, and *inside* says the same for each node before the split.
    """
    begins = np.searchsorted(made.edges.start, rows, "left")
    counts = np.searchsorted(made.edges.start, rows, "right") - begins
    offsets = np.repeat(begins - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) if len(rows) else np.zeros(0, np.int64)
    candidates = offsets + np.arange(len(offsets))
    of_edges = candidates[inside[made.edges.end[candidates]]] + made.first
    whole = np.flatnonzero(inside[made.quads[:, 0]])
    for corner in (1, 2, 3):
        whole = whole[inside[made.quads[whole, corner]]]
    return np.concatenate((of_edges, whole + made.centres)).astype(np.int32)
