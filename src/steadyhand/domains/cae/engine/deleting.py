"""Decides what goes along when elements or nodes go; it must not give a label again or drop a set, a load or a support."""

import numpy as np
from numpy.typing import ArrayLike

from steadyhand.domains.cae.engine.compacting import keep_elements, keep_nodes
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import as_labels
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.part import Part, Sets


def delete_elements(part: Part, labels: ArrayLike) -> None:
    """Delete the elements *labels*, once each. Their nodes stay; sets lose them and stay, also when nothing is left in them."""
    stays = np.ones(part.mesh.element_count, np.bool_)
    stays[part.mesh.element_rows(as_labels(labels))] = False
    gone = part.mesh.element_labels[~stays]
    part.mesh, part.element_sets = keep_elements(part.mesh, stays), _cut(part.element_sets, gone)


def delete_nodes(part: Part, labels: ArrayLike) -> Labels:
    """Delete the nodes *labels* and every element on one of them; return the labels of those elements.

    Refused: ``held_nodes`` when an element in kept text, which cannot go along, stands on one.
    """
    mesh = part.mesh
    rows = mesh.node_rows(as_labels(labels))
    refuse_held(part, mesh.node_labels[rows])
    stays = np.ones(mesh.node_count + 1, np.bool_)  # one more: the −1 that pads a row leads there
    stays[rows] = False
    elements = np.all(stays[mesh.conn], axis=1)
    gone, gone_nodes = mesh.element_labels[~elements], mesh.node_labels[~stays[:-1]]
    part.mesh = keep_nodes(keep_elements(mesh, elements), stays[:-1])
    part.element_sets, part.node_sets = _cut(part.element_sets, gone), _cut(part.node_sets, gone_nodes)
    return gone


def clear(part: Part) -> None:
    """Delete every node and element; refused as `delete_nodes`.

    Sets stay, empty, since loads, supports and kept text name them; properties stay, and labels go on where they were.
    """
    delete_nodes(part, part.mesh.node_labels)


def refuse_held(part: Part, labels: Labels) -> None:
    """Raise `EngineRefusal` ``held_nodes`` when an element in kept text stands on one of the nodes *labels*."""
    held = np.intersect1d(labels, part.held_nodes)
    if len(held):
        raise EngineRefusal("held_nodes", label=int(held[0]), count=len(held))


def _cut(sets: Sets, gone: Labels) -> Sets:
    return {name: labels[~np.isin(labels, gone, assume_unique=True)] for name, labels in sets.items()} if len(gone) else sets
