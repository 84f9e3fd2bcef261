"""An audit finds what is wrong with a part, each thing on a mesh made to have it, and tells it in one form."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.meshes import NEAR, numbers, part_of, parts, plate
from domains.cae.engine.plates import state, stiffened
from steadyhand.domains.cae.engine.audit import Audit, QualityLimits, audit
from steadyhand.domains.cae.engine.duplicates import remove_duplicate_elements
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.free_nodes import remove_free_nodes
from steadyhand.domains.cae.engine.merging import merge_nodes
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.quality import quality

SQUARE = [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0)]
QUIET = {"free_edges", "unassigned_elements"}


def found(part: Part) -> set[str]:
    """What is found beside what every loose unfinished piece has."""
    return set(audit(part).found) - QUIET


def shown(part: Part, name: str) -> tuple[int, tuple[object, ...]]:
    finding = audit(part).findings[name]
    return finding.count, finding.shown


def test_a_good_plate_has_free_edges_and_nothing_else():
    part = stiffened()
    part.mesh.assigned[:] = 0
    assert audit(part).found == ("free_edges",)
    plain = plate()
    assert shown(plain, "free_edges") == (8, ((1, 2), (1, 4), (2, 3), (3, 6), (4, 7), (6, 9), (7, 8), (8, 9)))
    assert found(plain) == set()


def test_an_edge_of_three_elements_is_non_manifold_and_a_beam_on_it_does_not_count():
    points = [*SQUARE, (20, 0, 0), (20, 10, 0), (10, 0, 10), (10, 10, 10)]
    part = part_of(points, [(0, 1, 2, 3), (1, 4, 5, 2), (1, 6, 7, 2), (1, 2)])
    assert shown(part, "non_manifold_edges") == (1, ((2, 3),))
    assert audit(part).findings["flipped_edges"].count == 0


def test_neighbours_that_run_along_an_edge_the_same_way_are_flipped():
    points = [*SQUARE, (20, 0, 0), (20, 10, 0)]
    assert shown(part_of(points, [(0, 1, 2, 3), (1, 2, 5, 4)]), "flipped_edges") == (1, ((2, 3),))
    assert shown(part_of(points, [(0, 1, 2, 3), (1, 4, 5, 2)]), "flipped_edges") == (0, ())


def test_components_are_counted_and_the_largest_are_told_first():
    part = part_of([*SQUARE, (50, 0, 0), (60, 0, 0), (70, 0, 0), (90, 9, 9)], [(0, 1, 2, 3), (4, 5), (5, 6)])
    told = audit(part)
    assert told.components == 2
    assert [(one.elements, one.first) for one in told.largest_components] == [(2, 2), (1, 1)]


def test_nodes_in_one_place_are_those_that_a_merge_would_remove():
    part = part_of([*SQUARE, (10, 0, NEAR), (20, 0, 0), (20, 10, 0), (10, 10, 0)], [(0, 1, 2, 3), (4, 5, 6, 7)])
    assert shown(part, "coincident_nodes") == (2, (5, 8))
    assert audit(part, tolerance=0.0).findings["coincident_nodes"].shown == (8,)
    assert audit(part, tolerance=NEAR / 2).findings["coincident_nodes"].count == 1


def test_a_tolerance_of_the_size_of_an_element_is_taken_smaller_and_that_is_told():
    told = audit(plate(), tolerance=10.0)
    assert told.findings["coincident_nodes"].count == 0
    assert (told.tolerance, told.tolerance_used) == (10.0, pytest.approx(4.9))


def test_a_node_in_the_middle_of_an_edge_hangs():
    points = [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0), (20, 0, 0), (20, 5, 0), (20, 10, 0), (10, 5, 0)]
    part = part_of(points, [(0, 1, 2, 3), (1, 4, 5, 7), (7, 5, 6, 2)])
    assert shown(part, "hanging_nodes") == (1, (8,))


def test_a_node_hangs_also_where_two_coarse_and_two_fine_plates_meet():
    coarse = [(0, 0, 0), (0, 10, 0), (10, 0, 0), (10, 10, 0), (-10, 0, 0), (-10, 10, 0)]
    fine = [(0, 5, 0), (0, 0, 10), (0, 5, 10), (0, 10, 10), (0, 0, -10), (0, 5, -10), (0, 10, -10)]
    elements = [(0, 2, 3, 1), (4, 0, 1, 5), (0, 6, 8, 7), (6, 1, 9, 8), (10, 11, 6, 0), (11, 12, 1, 6)]
    assert shown(part_of(coarse + fine, elements), "hanging_nodes") == (1, (7,))


def test_plates_of_different_division_that_only_touch_hang_along_their_free_edges():
    points = [*SQUARE, (10, 0, 0), (10, 5, 0), (10, 10, 0), (20, 0, 0), (20, 5, 0), (20, 10, 0)]
    part = part_of(points, [(0, 1, 2, 3), (4, 7, 8, 5), (5, 8, 9, 6)])
    assert shown(part, "hanging_nodes") == (1, (6,))
    merge_nodes(part, 1e-3)
    assert shown(part, "hanging_nodes") == (1, (6,))


def test_a_node_in_the_middle_of_a_beam_hangs():
    part = part_of([*SQUARE, (5, 0, 0)], [(0, 1, 2, 3), (0, 1), (4, 2)])
    assert shown(part, "hanging_nodes") == (1, (5,))


def test_free_nodes_are_told_but_not_those_of_kept_text():
    part = part_of([*SQUARE, (50, 0, 0), (60, 0, 0)], [(0, 1, 2, 3)])
    part.held_nodes = np.array([6])
    assert shown(part, "free_nodes") == (1, (5,))


def test_duplicates_are_told_and_those_that_are_flipped_apart():
    part = part_of(SQUARE, [(0, 1, 2, 3), (1, 2, 3, 0), (3, 2, 1, 0)])
    assert shown(part, "duplicate_elements") == (2, (2, 3))
    assert shown(part, "flipped_duplicates") == (1, (3,))


def test_what_names_a_node_twice_has_collapsed_and_is_not_measured():
    part = part_of(SQUARE, [(0, 1, 2, 2), (0, 1, 1), (3, 3), (0, 1, 0, 2)])
    assert shown(part, "collapsed_elements") == (4, (1, 2, 3, 4))
    assert audit(part).worst["aspect"].value == 1.0
    assert {"elements_without_size", "negative_jacobian", "bow_ties"}.isdisjoint(found(part))


@pytest.mark.parametrize(
    "points",
    [
        [(0, 0, 0), (0, 0, 0)],
        [(0, 0, 0), (10, 0, 0), (20, 0, 0)],
        [(0, 0, 0), (10, 0, 0), (20, 0, 0), (30, 0, 0)],
        [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 0, 0)],
        [(1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)],
    ],
)
def test_elements_without_length_or_area_are_told_and_spoil_no_other_figure(points):
    told = audit(part_of(points, [range(len(points))]))
    assert told.findings["elements_without_size"].shown == (1,)
    assert told.worst["aspect"].value == 1.0
    json.dumps(told.to_json(), allow_nan=False)


def test_a_bow_tie_is_told_with_its_negative_jacobian():
    part = part_of([*SQUARE, (30, 0, 0), (40, 0, 0), (30, 30, 0), (40, 10, 0)], [(0, 1, 3, 2), (4, 5, 6, 7)])
    assert shown(part, "bow_ties") == (2, (1, 2))
    assert set(shown(part, "negative_jacobian")[1]) == {1, 2}
    assert audit(part).findings["high_warpage"].count == 0


def test_a_quad_with_a_corner_that_points_inward_has_a_negative_jacobian_and_is_no_bow_tie():
    part = part_of([(0, 0, 0), (10, 0, 0), (2, 2, 0), (0, 10, 0)], [(0, 1, 2, 3)])
    assert shown(part, "negative_jacobian") == (1, (1,))
    assert shown(part, "bow_ties") == (0, ())
    assert audit(part).worst["jacobian"].value == pytest.approx(-60 / 100)


def test_a_quad_with_a_straight_corner_has_no_positive_jacobian():
    part = part_of([(0, 0, 0), (10, 0, 0), (5, 5, 0), (0, 10, 0)], [(0, 1, 2, 3)])
    assert shown(part, "negative_jacobian") == (1, (1,))


@pytest.mark.parametrize("turn", range(4))
def test_the_jacobian_of_a_trapezium_is_its_short_side_by_its_long_one(turn):
    corners = [(0, 0, 0), (10, 0, 0), (7, 10, 0), (3, 10, 0)]
    measured = quality(part_of(corners, [np.roll(range(4), turn)]).mesh)
    assert measured.jacobian[0] == pytest.approx(0.4)
    assert measured.skew[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("degrees", [0.0, 5.0, 20.0, 60.0])
def test_warpage_is_the_angle_between_the_halves(degrees):
    bent = math.radians(degrees)
    half = 10 / math.sqrt(2)
    points = [(-half, 0, 0), (0, -half, 0), (half * math.cos(bent), 0, half * math.sin(bent)), (0, half, 0)]
    measured = quality(part_of(points, [(0, 1, 2, 3)]).mesh)
    assert measured.warpage[0] == pytest.approx(degrees, abs=1e-4)


@pytest.mark.parametrize("lean", [0.0, 15.0, 45.0])
def test_skew_is_what_a_leaning_rhombus_lacks_to_a_right_angle(lean):
    x, y = 10 * math.sin(math.radians(lean)), 10 * math.cos(math.radians(lean))
    measured = quality(part_of([(0, 0, 0), (10, 0, 0), (10 + x, y, 0), (x, y, 0)], [(0, 1, 2, 3)]).mesh)
    assert measured.skew[0] == pytest.approx(lean, abs=1e-6)


@pytest.mark.parametrize(
    ("points", "aspect"),
    [
        ([(0, 0, 0), (30, 0, 0), (30, 10, 0), (0, 10, 0)], 3.0),
        ([(0, 0, 0), (10, 0, 0), (5, math.sqrt(75), 0)], 1.0),
        ([(0, 0, 0), (10, 0, 0), (5, math.sqrt(75) / 4, 0)], 4.0),
    ],
)
def test_aspect_is_longest_by_shortest(points, aspect):
    assert quality(part_of(points, [range(len(points))]).mesh).aspect[0] == pytest.approx(aspect)


def test_quality_findings_follow_the_limits_and_show_the_worst_first():
    points = [(0, 0, 0), (30, 0, 0), (30, 10, 0), (0, 10, 0), (30, 50, 0), (0, 50, 0), (30, 55, 0), (0, 55, 0)]
    part = part_of(points, [(0, 1, 2, 3), (3, 2, 4, 5), (5, 4, 6, 7)])
    assert audit(part).findings["high_aspect"].count == 0
    told = audit(part, limits=QualityLimits(aspect=2.0))
    assert told.findings["high_aspect"].shown == (3, 1)
    assert (told.worst["aspect"].value, told.worst["aspect"].element) == (6.0, 3)
    lying = part_of([(0, 0, 0), (10, 0, 0), (22, 10, 3), (12, 10, -3)], [(0, 1, 2, 3)])
    strict = audit(lying, limits=QualityLimits(warpage=1.0, jacobian=0.99, skew=10.0))
    assert {"high_warpage", "low_jacobian", "high_skew"} <= set(strict.found)


def test_elements_without_section_and_sets_without_members_are_told():
    part = plate()
    part.mesh.assigned[:3] = 0
    part.node_sets = {"Z": np.zeros(0, np.int64), "A": np.zeros(0, np.int64), "FULL": np.array([1])}
    part.element_sets = {"_P": np.zeros(0, np.int64)}
    assert shown(part, "unassigned_elements") == (1, (4,))
    assert shown(part, "empty_node_sets") == (2, ("A", "Z"))
    assert shown(part, "empty_element_sets") == (1, ("_P",))


def test_a_repaired_part_has_nothing_left_to_repair():
    part = part_of([*SQUARE, *SQUARE, (99, 0, 0)], [(0, 1, 2, 3), (4, 5, 6, 7)])
    assert {"coincident_nodes", "free_nodes"} <= found(part)
    merge_nodes(part, 1e-3)
    assert found(part) == {"duplicate_elements", "flipped_edges", "free_nodes"}
    remove_duplicate_elements(part)
    remove_free_nodes(part)
    assert found(part) == set()


@given(parts(), st.sampled_from([0.0, 1e-3, 2.0, 1e6]), st.integers(0, 3))
@settings(max_examples=80, deadline=None)
def test_an_audit_changes_nothing_and_is_the_same_json_every_time(part, tolerance, most):
    before = state(part)
    one = audit(part, tolerance=tolerance, shown=most)
    text = json.dumps(one.to_json(), allow_nan=False)
    assert json.dumps(audit(part, tolerance=tolerance, shown=most).to_json(), allow_nan=False) == text
    assert state(part) == before
    assert all(len(finding.shown) == min(most, finding.count) for finding in one.findings.values())
    assert sum(component.elements for component in audit(part).largest_components) == part.mesh.element_count


@given(parts())
@settings(max_examples=60, deadline=None)
def test_what_the_repairs_do_is_what_the_audit_told(part):
    part.held_nodes = np.zeros(0, np.int64)
    told = audit(part, shown=1000).findings
    assert list(told["coincident_nodes"].shown) == numbers(merge_nodes(part, 1e-3).removed)
    assert list(audit(part, shown=1000).findings["duplicate_elements"].shown) == numbers(remove_duplicate_elements(part))
    assert list(audit(part, shown=1000).findings["free_nodes"].shown) == numbers(remove_free_nodes(part))


def test_quality_does_not_depend_on_where_how_large_and_in_which_units_a_part_is():
    points = np.array([(0, 0, 0), (12, 1, 0), (10, 9, 2), (-1, 10, 0)], float)
    plain = quality(part_of(points, [(0, 1, 2, 3)]).mesh)
    for scale in (1e-150, 1e-3, 1e9, 1e150):
        scaled = quality(part_of(points * scale, [(0, 1, 2, 3)]).mesh)
        for name in ("aspect", "warpage", "jacobian", "skew"):
            assert getattr(scaled, name)[0] == pytest.approx(getattr(plain, name)[0])
        assert not scaled.pointless[0]


def test_an_empty_part_has_an_audit_too():
    told = audit(Part())
    assert told.found == ()
    assert isinstance(told, Audit)
    assert told.to_json()["worst"] == {
        name: {"value": None, "element": None} for name in ("aspect", "warpage", "jacobian", "skew")
    }
    json.dumps(told.to_json(), allow_nan=False)


def test_the_form_of_the_report_is_fixed():
    told = audit(plate(1, 1)).to_json()
    assert list(told) == [
        "schema",
        "version",
        "counts",
        "largest_components",
        "tolerance",
        "tolerance_used",
        "limits",
        "worst",
        "found",
        "findings",
    ]
    assert (told["schema"], told["version"]) == ("steadyhand.mesh-audit", 1)
    assert told["counts"] == {"nodes": 4, "elements": 1, "shapes": {"QUAD": 1, "TRI": 0, "BEAM": 0}, "edges": 4, "components": 1}
    assert told["found"] == ["free_edges", "unassigned_elements"]
    findings = told["findings"]
    assert isinstance(findings, dict)
    assert findings["free_edges"] == {"of": "edge", "count": 4, "shown": [[1, 2], [1, 3], [2, 4], [3, 4]]}
    assert list(findings) == [
        "free_edges",
        "non_manifold_edges",
        "flipped_edges",
        "coincident_nodes",
        "hanging_nodes",
        "free_nodes",
        "duplicate_elements",
        "flipped_duplicates",
        "collapsed_elements",
        "elements_without_size",
        "bow_ties",
        "negative_jacobian",
        "low_jacobian",
        "high_aspect",
        "high_warpage",
        "high_skew",
        "unassigned_elements",
        "empty_node_sets",
        "empty_element_sets",
    ]


@pytest.mark.parametrize("tolerance", [-1.0, float("nan")])
def test_a_tolerance_is_a_distance(tolerance):
    with pytest.raises(EngineRefusal, match="bad_tolerance"):
        audit(plate(), tolerance=tolerance)
