"""Decides how rows leave a mesh and labels leave sets so that what stays still refers to each other; it must not decide who goes."""

from dataclasses import replace

import numpy as np

from steadyhand.domains.cae.engine.equal_rows import Places
from steadyhand.domains.cae.engine.mesh import Flags, Labels, Mesh, Rows


def keep_nodes(mesh: Mesh, keep: Flags, onto: "Rows | Places | None" = None) -> Mesh:
    """Return *mesh* with the nodes of *keep* alone. A node that goes is replaced in elements by row *onto* of it, which must stay."""
    if keep.all():
        return mesh
    places = np.full(mesh.node_count + 1, -1, np.int32)  # the last entry answers for the padding
    places[:-1][keep] = np.arange(int(keep.sum()), dtype=np.int32)
    if onto is not None:
        places[:-1] = places[onto]
    return replace(mesh, xyz=mesh.xyz[keep], node_labels=mesh.node_labels[keep], conn=places[mesh.conn])


def keep_elements(mesh: Mesh, keep: Flags) -> Mesh:
    """Return *mesh* with the elements of *keep* alone, and all nodes."""
    if keep.all():
        return mesh
    return replace(
        mesh,
        conn=mesh.conn[keep],
        sizes=mesh.sizes[keep],
        element_labels=mesh.element_labels[keep],
        types=mesh.types[keep],
        assigned=mesh.assigned[keep],
    )


def within(known: Labels, labels: Labels) -> tuple[Places, Flags]:
    """Return where *labels* stand, or would stand, in *known* (ascending), and which are there."""
    places = np.searchsorted(known, labels)
    there = np.zeros(len(labels), np.bool_)
    inside = places < len(known)
    there[inside] = known[places[inside]] == labels[inside]
    return places, there


def without(labels: Labels, gone: Labels) -> Labels:
    """Return a set's *labels* without those *gone*."""
    places, there = within(labels, gone)
    return np.delete(labels, places[there])


def replaced(labels: Labels, gone: Labels, survivors: Labels) -> Labels:
    """Return a set's *labels* with each of *gone* replaced by the one of *survivors* beside it, which takes its membership over."""
    places, there = within(labels, gone)
    kept = np.delete(labels, places[there])
    wanted = np.unique(survivors[there])
    places, there = within(kept, wanted)
    return np.insert(kept, places[~there], wanted[~there])
