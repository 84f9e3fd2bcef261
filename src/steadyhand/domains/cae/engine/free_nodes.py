"""Decides which nodes are free, and removes them; it must not touch an element."""

import numpy as np

from steadyhand.domains.cae.engine.compacting import within
from steadyhand.domains.cae.engine.deleting import delete_nodes
from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.mesh import Flags, Labels
from steadyhand.domains.cae.engine.part import Part


def held_rows(part: Part) -> Places:
    """Return the rows of the nodes that kept text of a deck uses, ascending."""
    places, there = within(part.mesh.node_labels, np.unique(part.held_nodes))
    return places[there]


def free_nodes(part: Part) -> Flags:
    """Return (N,) which nodes no element uses; nodes that kept text of a deck uses are none."""
    free = ~part.mesh.used_nodes()
    free[held_rows(part)] = False
    return free


def remove_free_nodes(part: Part) -> Labels:
    """Remove the free nodes, also from their sets, and return their labels. A set that has no other node stays, empty."""
    removed = part.mesh.node_labels[free_nodes(part)]
    delete_nodes(part, removed)
    return removed
