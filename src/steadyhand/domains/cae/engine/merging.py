"""Decides what becomes of nodes in one place: the smallest label survives; it must not remove or reshape an element."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.coincidence import groups
from steadyhand.domains.cae.engine.compacting import keep_nodes, replaced
from steadyhand.domains.cae.engine.edges import doubled, shortest_edge
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.free_nodes import held_rows
from steadyhand.domains.cae.engine.inputs import as_labels, as_tolerance
from steadyhand.domains.cae.engine.mesh import Flags, Labels, Mesh
from steadyhand.domains.cae.engine.part import Part, Sets
from steadyhand.domains.cae.engine.properties import Force


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did: each of *removed* became the one of *survivors* beside it.

    *collapsed* are elements that name a node twice since then; they stay as they are, for a person to decide about. *held* are
    nodes that stay although another is in their place, because text of the deck that the engine does not understand uses them.
    """

    removed: Labels
    survivors: Labels
    collapsed: Labels
    held: Labels


def merge_nodes(part: Part, tolerance: float, elements: ArrayLike | None = None) -> Merged:
    """Merge nodes that are within *tolerance* (mm) of each other, of all nodes or of those that *elements* use.

    Chains count as one place (see `coincidence`). The smallest label survives, among nodes that kept text uses where there are such;
    it does not move, and takes over the memberships in sets. Raises
    `EngineRefusal` ``bad_tolerance``, ``tolerance_too_large`` (half of the shortest edge or more), ``tolerance_too_crowded``,
    ``force_would_shrink`` (a force on each node of a set that would lose nodes), ``unknown_element``.
    """
    tolerance = as_tolerance(tolerance)
    mesh = part.mesh
    among = _candidates(mesh, elements)
    shortest = shortest_edge(mesh, among)
    if tolerance >= 0.5 * shortest:
        raise EngineRefusal("tolerance_too_large", tolerance=tolerance, shortest=shortest)
    onto, held = _survivors(part, among, tolerance)
    keep = onto == np.arange(mesh.node_count)
    removed, survivors = mesh.node_labels[~keep], mesh.node_labels[onto[~keep]]
    merged = keep_nodes(mesh, keep, onto)
    collapsed = mesh.element_labels[doubled(merged.conn) & ~doubled(mesh.conn)]
    sets = {name: replaced(labels, removed, survivors) for name, labels in part.node_sets.items()}
    _refuse_a_smaller_force(part, sets)
    part.mesh, part.node_sets = merged, sets
    return Merged(removed, survivors, collapsed, mesh.node_labels[held])


def _candidates(mesh: Mesh, elements: ArrayLike | None) -> Flags:
    if elements is None:
        return np.ones(mesh.node_count, np.bool_)
    rows = mesh.conn[mesh.element_rows(as_labels(elements))]
    among = np.zeros(mesh.node_count, np.bool_)
    among[rows[rows >= 0]] = True
    return among


def _survivors(part: Part, among: Flags, tolerance: float) -> tuple[Places, Places]:
    """Return for each row the row that it becomes, and the held rows that stay beside another of their place."""
    mesh = part.mesh
    rows = np.flatnonzero(among)
    onto = np.arange(mesh.node_count)
    onto[rows] = rows[groups(mesh.xyz[rows], tolerance)]
    held = held_rows(part)
    held = held[among[held]]
    if len(held) == 0:
        return onto, held
    heads, first = np.unique(onto[held], return_index=True)
    head_of = np.arange(mesh.node_count)
    head_of[heads] = held[first]
    onto = head_of[onto]
    apart = held[onto[held] != held]
    onto[held] = held
    return onto, apart


def _refuse_a_smaller_force(part: Part, sets: Sets) -> None:
    for load in part.loads.values():
        if isinstance(load, Force) and not load.total:
            before, after = len(part.node_sets[load.node_set]), len(sets[load.node_set])
            if after < before:
                raise EngineRefusal("force_would_shrink", load=load.name, nodes=before, left=after)
