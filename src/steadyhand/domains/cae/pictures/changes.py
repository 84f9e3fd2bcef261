"""Decides what became of each element and node between two states of a part; it must not draw."""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels, Mesh, Rows
from steadyhand.domains.cae.engine.part import Part

_STILL = 1e-9
"""A node that went less than this share of the part's size did not move."""


class State(IntEnum):
    """What became of an element."""

    SAME = 0
    ADDED = 1
    DELETED = 2
    MOVED = 3
    CHANGED = 4
    JOINED = 5
    """Nothing but its nodes: others, in the same places."""


@dataclass(frozen=True, slots=True)
class Changes:
    """States of the elements *before* (E,) and *after* (E,), and the labels of nodes that came, went and moved."""

    before: Rows
    after: Rows
    nodes_added: Labels
    nodes_deleted: Labels
    nodes_moved: Labels

    def count(self, state: State) -> int:
        """Return how many elements are in *state*."""
        return int(((self.before if state is State.DELETED else self.after) == state).sum())


def compare(before: Part, after: Part) -> Changes:
    """Return what changes from *before* to *after*: elements are the same ones by their labels."""
    _, old, new = np.intersect1d(before.mesh.element_labels, after.mesh.element_labels, assume_unique=True, return_indices=True)
    still = _STILL * max(
        [1e-12, *(float(np.ptp(part.mesh.xyz, axis=0).max()) for part in (before, after) if part.mesh.node_count)]
    )
    shared = np.full(len(old), State.SAME, np.int32)
    nodes, properties = _differing(before, after, old, new)
    shared[nodes] = State.JOINED
    shared[properties] = State.CHANGED
    shared[_moved(before.mesh, after.mesh, old, new, still)] = State.MOVED
    first = np.full(before.mesh.element_count, State.DELETED, np.int32)
    second = np.full(after.mesh.element_count, State.ADDED, np.int32)
    first[old], second[new] = shared, shared
    labels = before.mesh.node_labels, after.mesh.node_labels
    both, was, now = np.intersect1d(*labels, assume_unique=True, return_indices=True)
    went = np.abs(after.mesh.xyz[now] - before.mesh.xyz[was]).max(axis=1, initial=0)
    return Changes(first, second, np.setdiff1d(labels[1], labels[0]), np.setdiff1d(labels[0], labels[1]), both[went > still])


def _moved(before: Mesh, after: Mesh, old: Labels, new: Labels, still: float) -> Rows:
    """Return the rows of the shared elements whose corners lie elsewhere."""
    corners = [_corners(mesh, rows) for mesh, rows in ((before, old), (after, new))]
    return np.flatnonzero(np.abs(corners[1] - corners[0]).max(axis=(1, 2), initial=0) > still).astype(np.int32)


def _corners(mesh: Mesh, rows: Labels) -> Floats:
    conn = mesh.conn[rows]
    return mesh.xyz[np.where(conn < 0, conn[:, :1], conn)]


def _differing(before: Part, after: Part, old: Labels, new: Labels) -> tuple[Flags, Flags]:
    """Return which of the shared elements have other nodes, and which another shape, type, section, material or n1."""
    known: dict[Hashable, int] = {}
    facts: list[tuple[Labels, Labels]] = []
    for part, rows in ((before, old), (after, new)):
        mesh = part.mesh
        nodes = np.where(mesh.conn[rows] < 0, -1, _labels(mesh)[mesh.conn[rows]])
        given = _numbers([_property(part, place) for place in range(-1, len(part.assignments))], known)[mesh.assigned[rows] + 1]
        kinds = _numbers([("type", name) for name in part.type_names], known)[mesh.types[rows]]
        facts.append((nodes, np.column_stack([given, kinds, mesh.sizes[rows].astype(np.int64)])))
    (nodes, properties), (nodes_after, properties_after) = facts
    return (nodes != nodes_after).any(axis=1), (properties != properties_after).any(axis=1)


def _labels(mesh: Mesh) -> Labels:
    return mesh.node_labels if mesh.node_count else np.zeros(1, np.int64)


def _property(part: Part, place: int) -> Hashable:
    if place < 0:
        return None
    assignment = part.assignments[place]
    section = part.sections[assignment.section]
    return assignment, section, part.materials[section.material]


def _numbers(facts: list[Hashable], known: dict[Hashable, int]) -> Labels:
    return np.array([known.setdefault(fact, len(known)) for fact in facts], np.int64)
