"""Decides which edges of TRI and QUAD are free, non-manifold, or run the same way twice, and which nodes hang on one; it must not read properties."""

from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.edges import Ends, all_ends, ends_of_keys, lengths
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.mesh import Mesh
from steadyhand.domains.cae.engine.search_tree import tree_of

HALF = 0.51
"""An edge is about half as long as another below this share of it."""
LEAST = 1e-300
"""The least distance that is looked for; nothing is nearer than nought."""


@dataclass(frozen=True, slots=True)
class EdgeCensus:
    """The different edges of TRI and QUAD (an edge from a node to itself is none), and those that stand out.

    *free*: of one element. *non_manifold*: of three or more. *flipped*: of two elements which both run along it the same way,
    so that one shows its upper side where the other shows its lower one.
    """

    edges: Ends
    free: Ends
    non_manifold: Ends
    flipped: Ends


def edge_census(mesh: Mesh) -> EdgeCensus:
    """Count the edges of *mesh*."""
    nodes = mesh.node_count
    ends = all_ends(mesh, (3, 4))
    low = np.minimum(ends.start, ends.end)
    # The direction is the last bit of the key, so that one sort brings equal edges together.
    directed = (low.astype(np.int64) * nodes + np.maximum(ends.start, ends.end)) * 2 + (ends.start != low)
    directed = np.sort(directed[ends.start != ends.end], kind="stable")  # quick where a mesh comes in ascending runs
    found = directed >> 1
    begins = np.flatnonzero(np.concatenate(([True], found[1:] != found[:-1]))) if len(found) else np.zeros(0, np.int64)
    counts = np.diff(np.append(begins, len(found)))
    once = found[begins]
    same = np.zeros(len(begins), np.bool_)
    pairs = counts == 2
    first = begins[pairs]
    same[pairs] = directed[first] == directed[first + 1]
    return EdgeCensus(
        edges=ends_of_keys(once, nodes),
        free=ends_of_keys(once[counts == 1], nodes),
        non_manifold=ends_of_keys(once[counts > 2], nodes),
        flipped=ends_of_keys(once[same], nodes),
    )


def hanging_nodes(mesh: Mesh, census: EdgeCensus, tolerance: float) -> Places:
    """Return the rows of the nodes that stand in the middle of an edge of *census* or of a BEAM, within *tolerance*, ascending.

    What an edge of an element has in its middle is not joined to it: the mesh looks closed there and is not. Where pieces only
    touch, this is found along free edges and BEAMs; between them only once their nodes are merged.
    """
    beams = all_ends(mesh, (2,))
    edges = Ends(np.concatenate((census.edges.start, beams.start)), np.concatenate((census.edges.end, beams.end)))
    edges = _may_have_a_middle(mesh, edges, (census.free, beams))
    if len(edges.start) == 0:
        return np.zeros(0, np.int64)
    with np.errstate(over="ignore"):
        middles = 0.5 * mesh.xyz[edges.start] + 0.5 * mesh.xyz[edges.end]
    near = tree_of(mesh.xyz).query(middles, distance_upper_bound=max(tolerance, LEAST))[1]
    is_there = (near < mesh.node_count) & (near != edges.start) & (near != edges.end)
    return np.unique(near[is_there])


def _may_have_a_middle(mesh: Mesh, edges: Ends, rims: tuple[Ends, ...]) -> Ends:
    """Return those of *edges* between two nodes which both have an edge of half the length, or which both lie on *rims*."""
    long = lengths(mesh.xyz, edges)
    shortest = np.full(mesh.node_count, np.inf)
    on_rim = np.zeros(mesh.node_count, np.bool_)
    for end in (edges.start, edges.end):
        np.minimum.at(shortest, end, long)
    for rim in rims:
        on_rim[rim.start] = on_rim[rim.end] = True
    halved = HALF * long >= np.maximum(shortest[edges.start], shortest[edges.end])
    wanted = halved | (on_rim[edges.start] & on_rim[edges.end])
    return Ends(edges.start[wanted], edges.end[wanted])
