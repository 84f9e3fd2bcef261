"""Of elements over the same nodes the smallest label stays."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.meshes import numbers, part_of, parts
from domains.cae.engine.plates import state
from steadyhand.domains.cae.engine.duplicates import find_duplicates, remove_duplicate_elements
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, Pressure

CORNERS = [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0), (5, 5, 5)]
QUAD = (0, 1, 2, 3)


def turns(nodes: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [nodes[start:] + nodes[:start] for start in range(len(nodes))]


@pytest.mark.parametrize("nodes", [QUAD, (3, 1, 4), (2, 0)])
def test_any_beginning_and_any_direction_is_the_same_element(nodes):
    same, other_way = turns(nodes), turns(nodes[::-1])
    part = part_of(CORNERS, [*same, *other_way])
    found = find_duplicates(part.mesh)
    count = len(same) + len(other_way)
    assert numbers(found.removed) == list(range(2, count + 1))
    assert set(numbers(found.survivors)) == {1}
    # A BEAM that begins at its other end runs the other way: the two of its four spellings in the middle do.
    assert numbers(found.flipped) == ([2, 3] if len(nodes) == 2 else list(range(len(same) + 1, count + 1)))


def test_the_same_nodes_crosswise_are_another_element():
    part = part_of(CORNERS, [(0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2), (1, 0, 2, 3)])
    assert numbers(find_duplicates(part.mesh).removed) == [4]
    assert numbers(find_duplicates(part.mesh).survivors) == [3]


def test_another_shape_over_the_same_nodes_is_another_element():
    part = part_of(CORNERS, [(0, 1, 2, 2), (0, 1, 2), (0, 1), (2, 1, 0)])
    assert numbers(find_duplicates(part.mesh).removed) == [4]


def same_round(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return other in turns(one) or other in turns(one[::-1])


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=4, unique=True).map(tuple), max_size=14))
@settings(max_examples=150, deadline=None)
def test_what_is_found_is_what_every_pair_tells(elements):
    part = part_of(CORNERS, elements)
    under = {
        other + 1: next(one for one in range(other) if same_round(elements[one], elements[other])) + 1
        for other in range(len(elements))
        if any(same_round(elements[one], elements[other]) for one in range(other))
    }
    found = find_duplicates(part.mesh)
    assert dict(zip(numbers(found.removed), numbers(found.survivors), strict=True)) == under
    flipped = [over for over, one in under.items() if elements[over - 1] not in turns(elements[one - 1])]
    beams = [over for over, one in under.items() if len(elements[over - 1]) == 2 and elements[over - 1] != elements[one - 1]]
    assert numbers(found.flipped) == sorted({*[over for over in flipped if len(elements[over - 1]) > 2], *beams})


@given(parts())
@settings(max_examples=60, deadline=None)
def test_after_removal_none_is_left_and_sets_lose_no_place(part):
    places = {name: places_of(part, labels) for name, labels in part.element_sets.items()}
    remove_duplicate_elements(part)
    assert part.faults() == []
    assert {name: places_of(part, labels) for name, labels in part.element_sets.items()} == places
    before = state(part)
    assert len(remove_duplicate_elements(part)) == 0
    assert state(part) == before


def places_of(part: Part, labels: np.ndarray) -> set[tuple[int, frozenset[int]]]:
    """Where elements are, in a way that neither beginning nor direction changes."""
    rows = part.mesh.element_rows(labels)
    found = set()
    for row in rows:
        nodes = part.mesh.conn[row, : part.mesh.sizes[row]].tolist()
        sides = frozenset(frozenset(side) for side in itertools.pairwise([*nodes, nodes[0]]))
        found.add((len(nodes), sides))
    return found


def test_what_survives_keeps_its_section_and_joins_the_sets():
    part = part_of(CORNERS, [QUAD, QUAD, (0, 1, 4)])
    part.assignments = [Assignment("A"), Assignment("B")]
    part.mesh.assigned = np.array([0, 1, 1], np.int32)
    part.element_sets = {
        "UPPER": np.array([2, 3]),
        "LOWER": np.array([1]),
        "BOTH": np.array([1, 2]),
        "NONE": np.array([], np.int64),
    }
    assert numbers(find_duplicates(part.mesh).other_section) == [2]
    assert numbers(remove_duplicate_elements(part)) == [2]
    assert part.mesh.assigned.tolist() == [0, 1]
    sets = {name: numbers(labels) for name, labels in part.element_sets.items()}
    assert sets == {"UPPER": [1, 3], "LOWER": [1], "BOTH": [1], "NONE": []}
    assert part.next_element == 4


def test_a_pressure_is_not_turned_round_silently():
    part = part_of(CORNERS, [QUAD, QUAD[::-1]])
    part.element_sets["WET"] = np.array([2])
    part.loads["SEA"] = Pressure("SEA", "WET", 0.1)
    before = state(part)
    with pytest.raises(EngineRefusal) as refusal:
        remove_duplicate_elements(part)
    assert refusal.value.code == "pressure_would_flip"
    assert refusal.value.params == {"load": "SEA", "element": 2, "count": 1}
    assert state(part) == before
    part.element_sets["WET"] = np.array([1])
    assert numbers(remove_duplicate_elements(part)) == [2]


def test_a_pressure_stays_on_what_survives_of_elements_that_run_alike():
    part = part_of(CORNERS, [QUAD, (2, 3, 0, 1)])
    part.element_sets["WET"] = np.array([2])
    part.loads["SEA"] = Pressure("SEA", "WET", 0.1)
    remove_duplicate_elements(part)
    assert numbers(part.element_sets["WET"]) == [1]
