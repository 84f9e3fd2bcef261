"""Nodes that nothing uses go, and only these."""

import numpy as np
from hypothesis import given, settings

from domains.cae.engine.meshes import numbers, part_of, parts
from domains.cae.engine.plates import state
from steadyhand.domains.cae.engine.free_nodes import remove_free_nodes


def test_free_nodes_leave_their_sets_and_those_of_kept_text_stay():
    part = part_of([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)], [(1, 3)])
    part.held_nodes = np.array([5])
    part.node_sets = {"MIXED": np.array([1, 2, 5]), "LOST": np.array([3])}
    assert numbers(remove_free_nodes(part)) == [1, 3]
    assert numbers(part.mesh.node_labels) == [2, 4, 5]
    assert part.mesh.conn[0].tolist() == [0, 1, -1, -1]
    assert {name: numbers(labels) for name, labels in part.node_sets.items()} == {"MIXED": [2, 5], "LOST": []}
    assert part.next_node == 6


@given(parts())
@settings(max_examples=60, deadline=None)
def test_afterwards_every_node_is_used_or_held_and_elements_are_as_they_were(part):
    corners = part.mesh.node_labels[part.mesh.conn] * (part.mesh.conn >= 0)
    remove_free_nodes(part)
    assert part.faults() == []
    unused = part.mesh.node_labels[~part.mesh.used_nodes()]
    assert set(numbers(unused)) <= set(numbers(part.held_nodes))
    assert (part.mesh.node_labels[part.mesh.conn] * (part.mesh.conn >= 0) == corners).all()
    before = state(part)
    assert len(remove_free_nodes(part)) == 0
    assert state(part) == before
