"""Nodes in one place become one, and nothing else happens unsaid."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.meshes import NEAR, TOLERANCE, numbers, part_of, parts, plate
from domains.cae.engine.plates import state
from steadyhand.domains.cae.engine import coincidence
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.merging import merge_nodes
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Force, Support

SQUARES = [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0), (10, 0, NEAR), (20, 0, 0), (20, 10, 0), (10, 10, 0)]


def two_squares() -> Part:
    """Two QUADs side by side that share no node: 5 lies near 2, and 8 exactly on 3."""
    return part_of(SQUARES, [(0, 1, 2, 3), (4, 5, 6, 7)])


def groups_by_hand(points: np.ndarray, tolerance: float) -> list[int]:
    """The first point of each point's chain, by looking at every pair."""
    head = list(range(len(points)))
    for one, other in itertools.combinations(range(len(points)), 2):
        if np.linalg.norm(points[one] - points[other]) <= tolerance:
            low, high = sorted((head[one], head[other]))
            head = [low if at == high else at for at in head]
    return head


def test_the_smallest_label_survives_where_it_stood_and_takes_the_memberships_over():
    part = two_squares()
    part.node_sets = {"EDGE": np.array([5, 8]), "BOTH": np.array([2, 5, 6])}
    merged = merge_nodes(part, TOLERANCE)
    assert numbers(merged.removed) == [5, 8]
    assert numbers(merged.survivors) == [2, 3]
    assert numbers(part.mesh.node_labels) == [1, 2, 3, 4, 6, 7]
    assert part.mesh.xyz[1].tolist() == [10, 0, 0]
    assert part.mesh.node_labels[part.mesh.conn[1]].tolist() == [2, 6, 7, 3]
    assert {name: numbers(labels) for name, labels in part.node_sets.items()} == {"EDGE": [2, 3], "BOTH": [2, 6]}
    assert part.next_node == 9


def test_a_support_holds_on_what_survives():
    part = two_squares()
    part.node_sets["HELD"] = np.array([5, 8])
    part.supports["FIX"] = Support("FIX", "HELD", (1, 2, 3))
    merge_nodes(part, TOLERANCE)
    assert numbers(part.node_sets["HELD"]) == [2, 3]


def test_a_chain_of_near_nodes_is_one_place():
    part = part_of([(at * NEAR, 0, 0) for at in (0, 9, 18, 27)] + [(50, 0, 0)], [(0, 4)])
    assert numbers(merge_nodes(part, 9 * NEAR + 1e-12).survivors) == [1, 1, 1]


@given(parts())
@settings(max_examples=80, deadline=None)
def test_after_a_merge_no_two_nodes_are_in_one_place_and_a_second_one_does_nothing(part):
    held = set(numbers(part.held_nodes))
    merged = merge_nodes(part, TOLERANCE)
    assert part.faults() == []
    assert set(numbers(merged.survivors)) <= set(numbers(part.mesh.node_labels))
    assert not held & set(numbers(merged.removed))
    free = ~np.isin(part.mesh.node_labels, merged.held)
    points = part.mesh.xyz[free]
    assert groups_by_hand(points, TOLERANCE) == list(range(len(points)))
    before = state(part)
    again = merge_nodes(part, TOLERANCE)
    assert len(again.removed) == 0
    assert state(part) == before


@given(parts(held=False))
@settings(max_examples=80, deadline=None)
def test_what_merges_is_what_hangs_together_by_chains(part):
    points, labels = part.mesh.xyz.copy(), part.mesh.node_labels
    head = groups_by_hand(points, TOLERANCE)
    merged = merge_nodes(part, TOLERANCE)
    wanted = {int(labels[at]): int(labels[to]) for at, to in enumerate(head) if at != to}
    assert dict(zip(numbers(merged.removed), numbers(merged.survivors), strict=True)) == wanted


@given(parts())
@settings(max_examples=60, deadline=None)
def test_elements_stay_where_they_are_and_keep_everything_but_their_nodes(part):
    corners = part.mesh.xyz[part.mesh.conn]
    kept = {name: getattr(part.mesh, name).tolist() for name in ("sizes", "element_labels", "types", "assigned")}
    merge_nodes(part, TOLERANCE)
    assert np.abs(part.mesh.xyz[part.mesh.conn] - corners)[part.mesh.conn >= 0].max(initial=0) < 30 * NEAR
    assert {name: getattr(part.mesh, name).tolist() for name in kept} == kept


@given(parts(held=False), st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_a_selection_touches_its_own_nodes_alone(part, place):
    if part.mesh.element_count == 0:
        return
    place %= part.mesh.element_count
    mine = set(numbers(part.mesh.node_labels[part.mesh.conn[place, : part.mesh.sizes[place]]]))
    merged = merge_nodes(part, TOLERANCE, part.mesh.element_labels[[place]])
    assert set(numbers(merged.removed)) | set(numbers(merged.survivors)) <= mine


def test_nodes_that_kept_text_uses_are_never_removed():
    part = two_squares()
    part.held_nodes = np.array([5])
    merged = merge_nodes(part, TOLERANCE)
    assert numbers(merged.removed) == [2, 8]
    assert numbers(merged.survivors) == [5, 3]
    assert numbers(merged.held) == []


def test_two_nodes_of_kept_text_in_one_place_both_stay_and_are_told():
    part = part_of([(0, 0, 0), (0, 0, 0), (0, 0, 0), (10, 0, 0)], [(0, 3)])
    part.held_nodes = np.array([2, 3])
    merged = merge_nodes(part, TOLERANCE)
    assert numbers(merged.removed) == [1]
    assert numbers(merged.survivors) == [2]
    assert numbers(merged.held) == [3]
    assert numbers(part.mesh.node_labels) == [2, 3, 4]


@pytest.mark.parametrize(
    "points", [[(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 0, 0)], [(0, 0, 0), (9, 1, 0), (0, 0, 0), (0, 9, 0)]]
)
def test_an_element_that_folds_up_is_told_and_keeps_its_shape(points):
    part = part_of(points, [(0, 1, 2, 3)])
    merged = merge_nodes(part, TOLERANCE)
    assert numbers(merged.collapsed) == [1]
    assert part.mesh.sizes.tolist() == [4]
    assert part.faults() == []
    assert len(merge_nodes(part, TOLERANCE).collapsed) == 0


def test_a_tolerance_of_half_the_shortest_edge_is_refused_and_the_edge_is_told():
    part = two_squares()
    before = state(part)
    with pytest.raises(EngineRefusal) as refusal:
        merge_nodes(part, 5.0)
    assert refusal.value.code == "tolerance_too_large"
    assert refusal.value.params == {"tolerance": 5.0, "shortest": 10.0}
    assert state(part) == before
    merge_nodes(part, 4.999)


def test_the_shortest_edge_counts_only_where_nodes_may_merge():
    part = part_of([*SQUARES, (30, 0, 0), (30.5, 0, 0)], [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9)])
    assert len(merge_nodes(part, 1.0, [1, 2]).removed) == 2
    with pytest.raises(EngineRefusal, match="tolerance_too_large"):
        merge_nodes(part, 1.0)


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan"), float("inf")])
def test_a_tolerance_is_a_distance(tolerance):
    with pytest.raises(EngineRefusal, match="bad_tolerance"):
        merge_nodes(two_squares(), tolerance)


def test_a_tolerance_of_nought_merges_what_is_exactly_in_one_place():
    part = two_squares()
    part.mesh.xyz[7] = (10, 10, -0.0)
    assert numbers(merge_nodes(part, 0.0).removed) == [8]


def test_an_unknown_element_is_refused():
    with pytest.raises(EngineRefusal, match="unknown_element"):
        merge_nodes(two_squares(), TOLERANCE, [1, 3])


def test_a_force_on_each_node_does_not_lose_one_silently():
    part = two_squares()
    part.node_sets["TIP"] = np.array([2, 5])
    part.loads["PULL"] = Force("PULL", "TIP", (0.0, 0.0, 1.0), total=False)
    before = state(part)
    with pytest.raises(EngineRefusal) as refusal:
        merge_nodes(part, TOLERANCE)
    assert refusal.value.code == "force_would_shrink"
    assert refusal.value.params == {"load": "PULL", "nodes": 2, "left": 1}
    assert state(part) == before
    part.loads["PULL"] = Force("PULL", "TIP", (0.0, 0.0, 2.0))
    merge_nodes(part, TOLERANCE)
    assert numbers(part.node_sets["TIP"]) == [2]


def test_a_force_on_each_node_moves_to_what_survives():
    part = two_squares()
    part.node_sets["TIP"] = np.array([5, 8])
    part.loads["PULL"] = Force("PULL", "TIP", (0.0, 0.0, 1.0), total=False)
    merge_nodes(part, TOLERANCE)
    assert numbers(part.node_sets["TIP"]) == [2, 3]


def test_a_heap_of_nodes_too_near_to_each_other_is_refused_before_its_pairs_are_made(monkeypatch):
    monkeypatch.setattr(coincidence, "FREE_PAIRS", 100)
    monkeypatch.setattr(coincidence, "MOST_PAIRS_EACH", 4)
    part = part_of([(at * 1e-6, 0, 0) for at in range(200)], [])
    before = state(part)
    with pytest.raises(EngineRefusal, match="tolerance_too_crowded"):
        merge_nodes(part, TOLERANCE)
    assert state(part) == before


def test_exactly_coincident_nodes_are_no_heap(monkeypatch):
    monkeypatch.setattr(coincidence, "FREE_PAIRS", 0)
    part = part_of([(1, 2, 3)] * 5000 + [(1, 2, 3 + NEAR)], [])
    assert len(merge_nodes(part, TOLERANCE).removed) == 5000


def test_an_empty_part_and_one_without_pairs_are_left_as_they_are():
    assert len(merge_nodes(Part(), TOLERANCE).removed) == 0
    part = plate()
    before = state(part)
    merge_nodes(part, TOLERANCE)
    assert state(part) == before
