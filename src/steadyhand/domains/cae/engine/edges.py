"""Decides what the edges of elements are, as arrays; it must not judge them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Mesh, Rows

BLOCK = 65_536
"""Elements that are looked at in one go: their numbers stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Edges from row *start* to row *end* of the nodes, in the direction in which their element runs."""

    start: Rows
    end: Rows


def ends_of(conn: Rows, size: int) -> Ends:
    """Return the edges of elements of *size* nodes: first the first edge of every element, then the second of every element …"""
    if size == 2:
        return Ends(conn[:, 0], conn[:, 1])
    columns = np.ascontiguousarray(conn[:, :size].T)
    return Ends(columns.reshape(-1), np.roll(columns, -1, axis=0).reshape(-1))


def all_ends(mesh: Mesh, sizes: tuple[int, ...] = (2, 3, 4)) -> Ends:
    """Return the edges of all elements of *sizes*; an edge appears once for each element that has it."""
    found = [ends_of(mesh.conn[mesh.sizes == size], size) for size in sizes]
    return Ends(np.concatenate([ends.start for ends in found]), np.concatenate([ends.end for ends in found]))


def keys(ends: Ends, nodes: int) -> NDArray[np.int64]:
    """Return a number for each edge that does not depend on its direction; ascending by the smaller row, then the larger."""
    return np.minimum(ends.start, ends.end).astype(np.int64) * nodes + np.maximum(ends.start, ends.end)


def ends_of_keys(found: NDArray[np.int64], nodes: int) -> Ends:
    """Return the edges of `keys`, from the smaller row to the larger."""
    low, high = np.divmod(found, nodes) if nodes else (found, found)
    return Ends(low.astype(np.int32), high.astype(np.int32))


def lengths(xyz: Floats, ends: Ends) -> Floats:
    """Return the length of each edge, in blocks."""
    found = np.empty(len(ends.start))
    for begin in range(0, len(found), BLOCK):
        part = slice(begin, begin + BLOCK)
        with np.errstate(over="ignore"):
            way = xyz[ends.end[part]] - xyz[ends.start[part]]
            found[part] = np.sqrt(way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1] + way[:, 2] * way[:, 2])
    return found


def shortest_edge(mesh: Mesh, among: Flags | None = None) -> float:
    """Return the length of the shortest edge with both ends *among* the nodes; edges without length do not count. Infinite for none."""
    ends = all_ends(mesh)
    if among is not None:
        inside = among[ends.start] & among[ends.end]
        ends = Ends(ends.start[inside], ends.end[inside])
    found = lengths(mesh.xyz, ends)
    return float(np.min(found, initial=np.inf, where=found > 0))


def doubled(conn: Rows) -> Flags:
    """Return which elements name a node twice: they have collapsed."""
    found = np.zeros(len(conn), np.bool_)
    for one in range(conn.shape[1]):
        for other in range(one):
            found |= (conn[:, one] == conn[:, other]) & (conn[:, one] >= 0)
    return found
