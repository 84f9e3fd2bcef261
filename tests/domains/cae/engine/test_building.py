"""How nodes, elements and plates come into a part."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.plates import normals, state, stiffened, with_properties
from steadyhand.domains.cae.engine.building import add_elements, add_nodes, grid, resolve
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import LIMIT
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI

LATTICE = st.tuples(*[st.integers(-3, 3).map(lambda step: step / 4)] * 3)
LISTS = st.lists(LATTICE, max_size=14)
TOLERANCES = st.sampled_from([0.0, 1e-6, 0.25, 0.3, 0.5, 0.75])


def refused(part: Part, code: str, act) -> EngineRefusal:
    before = state(part)
    with pytest.raises(EngineRefusal) as caught:
        act()
    assert caught.value.code == code
    assert state(part) == before
    return caught.value


# ---- nodes -----------------------------------------------------------------------------------------------------------


def test_nodes_get_ascending_labels_in_the_order_of_the_list_also_on_top_of_one_another():
    part = Part()
    assert add_nodes(part, [(1, 2, 3), (1, 2, 3)]).tolist() == [1, 2]
    assert add_nodes(part, np.array([[0.5, 0, -0.0]])).tolist() == [3]
    assert part.mesh.xyz.tolist() == [[1, 2, 3], [1, 2, 3], [0.5, 0, 0]]
    assert not np.signbit(part.mesh.xyz).any()
    assert add_nodes(part, []).tolist() == []
    assert part.faults() == []


@pytest.mark.parametrize(
    "wrong",
    [
        [(1, 2)],
        (1, 2, 3),
        [(1, 2, math.nan)],
        [(1, 2, math.inf)],
        [(1, 2, -1.1e12)],
        "abc",
        [("1", "2", "3")],
        [(True, True, True)],
        [(1, 2, 3), (1,)],
        [(1, 2, 10**400)],
        [(1, 2, 1j)],
    ],
    ids=str,
)
def test_what_is_no_coordinate_is_refused(wrong):
    part = stiffened()
    refused(part, "bad_coordinates", lambda: add_nodes(part, wrong))
    refused(part, "bad_coordinates", lambda: resolve(part, wrong))


# ---- resolving -------------------------------------------------------------------------------------------------------


def slow_resolve(known: list[tuple[float, ...]], wanted: list[tuple[float, ...]], tolerance: float) -> tuple[list[int], int]:
    """As `resolve`, said plainly; labels are places counted from 1."""
    nodes = list(known)
    for point in wanted:
        near_known = any(math.dist(point, node) <= tolerance for node in known)
        if not near_known and all(math.dist(point, node) > tolerance for node in nodes[len(known) :]):
            nodes.append(point)
    return [min(range(len(nodes)), key=lambda place: (math.dist(point, nodes[place]), place)) + 1 for point in wanted], len(nodes)


@given(known=LISTS, wanted=LISTS, tolerance=TOLERANCES)
@settings(max_examples=400, deadline=None)
def test_the_nearest_node_is_reused_else_one_is_made_once(known, wanted, tolerance):
    part = Part()
    add_nodes(part, known)
    labels, count = slow_resolve(known, wanted, tolerance)
    assert resolve(part, wanted, tolerance).tolist() == labels
    assert part.mesh.node_count == count
    assert part.faults() == []


@given(known=LISTS, wanted=LISTS, tolerance=TOLERANCES)
@settings(max_examples=200, deadline=None)
def test_what_is_made_lies_apart_and_asking_again_makes_nothing(known, wanted, tolerance):
    part = Part()
    add_nodes(part, known)
    labels = resolve(part, wanted, tolerance)
    answers = part.mesh.xyz[part.mesh.node_rows(labels)]
    assert all(math.dist(asked, got) <= tolerance for asked, got in zip(wanted, answers.tolist(), strict=True))
    for place in range(len(known), part.mesh.node_count):
        others = np.delete(part.mesh.xyz, place, axis=0)
        assert (np.linalg.norm(others - part.mesh.xyz[place], axis=1) > tolerance).all()
    before = state(part)
    assert resolve(part, wanted, tolerance).tolist() == labels.tolist()
    assert state(part) == before


@given(
    cells=st.lists(st.tuples(*[st.integers(-(10**7), 10**7)] * 3), min_size=1, max_size=12),
    shift=st.tuples(*[st.floats(-5e-7, 5e-7)] * 3),
)
@settings(max_examples=100, deadline=None)
def test_a_node_a_hair_away_is_reused(cells, shift):
    part, wanted = Part(), np.array(cells) * 0.1
    made = resolve(part, wanted)
    before = state(part)
    assert len(set(made.tolist())) == len(set(cells))
    assert resolve(part, wanted + shift).tolist() == made.tolist()
    assert state(part) == before


def test_of_nodes_on_one_spot_the_smallest_label_stands_for_it_however_many():
    part = Part()
    add_nodes(part, [(9, 9, 9)])
    add_nodes(part, np.full((3000, 3), 5.0))
    assert resolve(part, [(5, 5, 5)] * 2000).tolist() == [2] * 2000
    assert resolve(part, [(5, 5, 5 + 1e-7), (5, 5, 5 - 1e-7)]).tolist() == [2, 2]


def test_a_chain_of_close_coordinates_is_cut_so_that_every_answer_is_near():
    part = Part()
    assert resolve(part, [(0.75 * step, 0, 0) for step in range(5)], tolerance=1.0).tolist() == [1, 1, 2, 2, 3]
    assert part.mesh.xyz[:, 0].tolist() == [0.0, 1.5, 3.0]


def test_a_node_beyond_all_measure_from_a_file_does_not_disturb():
    part = Part()
    add_nodes(part, [(1e12, 0, 0), (-1e12, 0, 0)])
    part.mesh.xyz[0] = 1e308
    assert resolve(part, [(-1e12, 0, 0), (1e12, 0, 0), (0, 0, 0)], tolerance=1e12).tolist() == [2, 3, 2]
    assert resolve(part, [(1e12, 0, 0)]).tolist() == [3]


def test_a_heap_of_coordinates_within_a_large_tolerance_is_refused():
    part = stiffened()
    heap = np.random.default_rng(1).random((4100, 3)) + 5000
    refused(part, "coordinates_too_close", lambda: resolve(part, heap, tolerance=10.0))
    assert len(np.unique(resolve(part, heap))) == 4100


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_a_tolerance_is_a_length(wrong):
    part = stiffened()
    refused(part, "bad_tolerance", lambda: resolve(part, [(0, 0, 0)], wrong))


# ---- elements --------------------------------------------------------------------------------------------------------


def test_elements_of_each_shape_get_the_usual_type_and_what_they_are_assigned():
    part = with_properties()
    nodes = resolve(part, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    assert add_elements(part, QUAD, [nodes], assigned=0).tolist() == [1]
    assert add_elements(part, TRI, [nodes[:3], nodes[[0, 2, 3]]]).tolist() == [2, 3]
    assert add_elements(part, BEAM, [nodes[:2]], assigned=1).tolist() == [4]
    assert add_elements(part, BEAM, []).tolist() == []
    assert [part.type_names[place] for place in part.mesh.types] == ["S4", "S3", "S3", "B31"]
    assert part.mesh.assigned.tolist() == [0, -1, -1, 1]
    assert part.mesh.shape_counts() == {"QUAD": 1, "TRI": 2, "BEAM": 1}
    assert part.faults() == []


def test_a_wrong_element_is_refused_and_nothing_of_the_list_is_made():
    part = stiffened()
    good = part.mesh.node_labels[:4].tolist()
    said = refused(part, "repeated_node", lambda: add_elements(part, QUAD, [good, [*good[:3], good[0]], good[:2] * 2]))
    assert dict(said.params) == {"label": good[0], "element": 2, "count": 2}
    assert refused(part, "unknown_node", lambda: add_elements(part, TRI, [[1, 2, 999]])).params["label"] == 999
    refused(part, "unknown_node", lambda: add_elements(part, TRI, [[1, 2, 0]]))
    refused(part, "wrong_node_count", lambda: add_elements(part, QUAD, [good[:3]]))
    refused(part, "wrong_node_count", lambda: add_elements(part, BEAM, good[:2]))
    refused(part, "bad_labels", lambda: add_elements(part, BEAM, [[1.0, 2.0]]))
    refused(part, "bad_labels", lambda: add_elements(part, BEAM, [[1, 2], [3]]))
    refused(part, "bad_labels", lambda: add_elements(part, BEAM, [[1, 2**63 + 1]]))
    refused(part, "unknown_assignment", lambda: add_elements(part, BEAM, [good[:2]], assigned=7))
    refused(part, "unknown_assignment", lambda: add_elements(part, BEAM, [good[:2]], assigned=-2))
    refused(part, "section_misfit", lambda: add_elements(part, BEAM, [good[:2]], assigned=0))
    refused(part, "section_misfit", lambda: add_elements(part, QUAD, [good], assigned=1))


def test_a_word_in_the_place_of_a_shape_is_a_type_error():
    part = stiffened()
    before = state(part)
    with pytest.raises(TypeError, match="found str, expecting enum Shape"):
        add_elements(part, "QUAD", [[1, 2, 3, 4]])  # type: ignore[arg-type]  # this is what must not pass
    assert state(part) == before


# ---- plates ----------------------------------------------------------------------------------------------------------


@given(along=st.integers(1, 5), across=st.integers(1, 5), tilt=st.floats(-50, 50))
@settings(max_examples=30, deadline=None)
def test_a_plate_has_its_corners_its_counts_and_one_normal(along, across, tilt):
    part = Part()
    u, v = np.array([60.0, tilt, 0.0]), np.array([0.0, 100.0, tilt])
    plate = grid(part, (1, 2, 3), u, v, (along, across))
    assert plate.nodes.shape == (across + 1, along + 1)
    assert plate.elements.shape == (across, along)
    assert (part.mesh.node_count, part.mesh.element_count) == (plate.nodes.size, plate.elements.size)
    ends = plate.nodes[[0, 0, -1, -1], [0, -1, -1, 0]]
    assert np.allclose(part.mesh.xyz[part.mesh.node_rows(ends)] - [1, 2, 3], [[0, 0, 0], u, u + v, v])
    assert np.allclose(normals(part.mesh, plate.elements.ravel()), np.cross(u, v) / (along * across))
    assert part.faults() == []


def test_plates_are_joined_along_an_edge_that_they_share():
    part = Part()
    floor = grid(part, (0, 0, 0), (60, 0, 0), (0, 100, 0), (6, 10))
    wall = grid(part, (0, 0, 0), (60, 0, 0), (0, 0, 50), (6, 5))
    assert wall.nodes[0].tolist() == floor.nodes[0].tolist()
    assert part.mesh.node_count == 7 * 11 + 7 * 5
    assert part.mesh.xyz[part.mesh.node_rows(floor.nodes[0]), 0].tolist() == [0, 10, 20, 30, 40, 50, 60]


def test_a_plate_that_is_none_is_refused():
    part = stiffened()
    refused(part, "grid_flat", lambda: grid(part, (0, 0, 0), (1, 0, 0), (-2, 0, 0), (1, 1)))
    refused(part, "zero_vector", lambda: grid(part, (0, 0, 0), (1, 0, 0), (0, 0, 0), (1, 1)))
    for wrong in ((0, 1), (1.0, 1), (True, 1), ("2", 1)):
        refused(part, "bad_count", lambda wrong=wrong: grid(part, (0, 0, 0), (1, 0, 0), (0, 1, 0), wrong))
    refused(part, "bad_coordinates", lambda: grid(part, (0, 0), (1, 0, 0), (0, 1, 0), (1, 1)))
    refused(part, "bad_coordinates", lambda: grid(part, (1e12, 0, 0), (1e12, 0, 0), (0, 1, 0), (1, 1)))
    refused(part, "repeated_node", lambda: grid(part, (0, 0, 500), (1e-7, 0, 0), (0, 1, 0), (1, 1)))
    over = refused(part, "too_many_elements", lambda: grid(part, (0, 0, 0), (1, 0, 0), (0, 1, 0), (LIMIT, 1)))
    assert over.params == {"count": LIMIT + part.mesh.element_count, "limit": LIMIT}
