"""Where elements go when they are moved, turned, mirrored and copied, and what goes with them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.plates import corners, labels_of, normals, second_axes, state, stiffened, with_kept_text
from steadyhand.domains.cae.engine.affine import Affine, mirror, rotation, translation
from steadyhand.domains.cae.engine.building import add_elements, add_nodes
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import LIMIT
from steadyhand.domains.cae.engine.moving import copy, linear_array, move, polar_array
from steadyhand.domains.cae.engine.naming import put_element_set
from steadyhand.domains.cae.engine.shapes import BEAM

NUMBER = st.floats(-500, 500, allow_nan=False).map(lambda number: round(number, 3))
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
DIRECTION = VECTOR.filter(lambda vector: math.hypot(*vector) > 1)
ANGLE = st.floats(-720, 720).map(lambda number: round(number, 2))
MIRRORS = st.builds(mirror, VECTOR, DIRECTION)
ROTATIONS = st.builds(rotation, VECTOR, DIRECTION, ANGLE)
AFFINES = st.one_of(st.builds(translation, VECTOR), ROTATIONS, MIRRORS)
CLOSE = 1e-6
ROUND = {2: [1, 0], 3: [0, 2, 1], 4: [0, 3, 2, 1]}
"""The other way round."""


def close(one: object, other: object) -> bool:
    return np.allclose(np.asarray(one), np.asarray(other), rtol=1e-9, atol=CLOSE)


def gaps(points: np.ndarray) -> list[float]:
    """Every distance within an element, edges and diagonals, so its whole form."""
    return [float(np.linalg.norm(one - other)) for one in points for other in points]


# ---- where points go -------------------------------------------------------------------------------------------------


@given(affine=AFFINES, points=st.lists(VECTOR, min_size=2, max_size=6))
@settings(max_examples=100, deadline=None)
def test_lengths_are_kept_and_hands_only_by_what_does_not_flip(affine, points):
    before, after = np.array(points), affine.points(np.array(points))
    assert close(gaps(before), gaps(after))
    assert np.linalg.det(np.array(affine.linear)) == pytest.approx(-1 if affine.flips else 1)
    assert not np.signbit(after[after == 0]).any()


@pytest.mark.parametrize("turns", [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 401])
@pytest.mark.parametrize("axis", [(0, 0, 2), (0, 3, 0), (-1, 0, 0)])
def test_quarter_turns_about_an_axis_are_exact(axis, turns):
    turn = rotation((0, 0, 0), axis, 90 * turns)
    expected = np.linalg.matrix_power(np.round(np.array(rotation((0, 0, 0), axis, 90).linear)), turns % 4)
    assert np.array(turn.linear).tolist() == expected.tolist()
    assert turn.offset == (0, 0, 0)


@given(point=VECTOR, direction=DIRECTION, turns=st.integers(-3, 3))
@settings(max_examples=50, deadline=None)
def test_whole_turns_change_nothing_to_the_bit(point, direction, turns):
    part = stiffened()
    before = state(part)
    whole = rotation(point, direction, 360.0 * turns)
    assert close(whole.linear, np.eye(3))
    move(part, part.mesh.element_labels, rotation(point, (0, 0, 1), 360.0 * turns))
    assert state(part) == before


def test_a_turn_is_right_handed_and_leaves_its_axis():
    turn = rotation((10, 0, 0), (0, 0, 1), 90)
    assert turn.points(np.array([[11.0, 0, 0], [10, 0, 7]])).tolist() == [[10, 1, 0], [10, 0, 7]]


@given(point=VECTOR, direction=DIRECTION, one=ANGLE, other=ANGLE)
@settings(max_examples=50, deadline=None)
def test_turns_add_up(point, direction, one, other):
    points = np.array([[1.0, 2, 3], [-40, 5, 60]])
    twice = rotation(point, direction, other).points(rotation(point, direction, one).points(points))
    assert close(twice, rotation(point, direction, one + other).points(points))


def test_what_is_no_direction_or_angle_is_refused():
    for code, act in [
        ("zero_vector", lambda: rotation((0, 0, 0), (0, 0, 0), 5)),
        ("zero_vector", lambda: mirror((0, 0, 0), (0, -0.0, 0))),
        ("bad_angle", lambda: rotation((0, 0, 0), (0, 0, 1), math.nan)),
        ("bad_angle", lambda: rotation((0, 0, 0), (0, 0, 1), math.inf)),
        ("bad_coordinates", lambda: translation((0, 0))),
        ("bad_coordinates", lambda: mirror((0, 0, math.nan), (0, 0, 1))),
    ]:
        with pytest.raises(EngineRefusal) as caught:
            act()
        assert caught.value.code == code
    assert mirror((0, 0, 0), (1e12, 1e12, 1e12)).linear == mirror((0, 0, 0), (1e-300, 1e-300, 1e-300)).linear


# ---- move ------------------------------------------------------------------------------------------------------------


@given(affine=AFFINES)
@settings(max_examples=60, deadline=None)
def test_moving_everything_moves_nodes_normals_and_axes_alike(affine):
    part = stiffened()
    mesh, shells, beams = part.mesh, labels_of(part.mesh, 3, 4), labels_of(part.mesh, 2)
    turn = np.array(affine.linear)
    spots, sides, axes = affine.points(mesh.xyz), normals(mesh, shells) @ turn.T, second_axes(part, beams) @ turn.T
    sets, rest = part.element_sets, (mesh.node_labels, mesh.element_labels, mesh.types)
    move(part, mesh.element_labels, affine)
    assert close(part.mesh.xyz, spots)
    assert close(normals(part.mesh, shells), sides)
    assert close(second_axes(part, beams), axes)
    assert part.element_sets == sets
    assert (part.mesh.node_labels, part.mesh.element_labels, part.mesh.types) == rest
    assert part.faults() == []


@given(affine=MIRRORS)
@settings(max_examples=40, deadline=None)
def test_mirrored_twice_is_the_same_part(affine):
    part, original = stiffened(), stiffened()
    move(part, part.mesh.element_labels, affine)
    assert part.mesh.conn.tolist() != original.mesh.conn.tolist()
    move(part, part.mesh.element_labels, affine)
    assert close(part.mesh.xyz, original.mesh.xyz)
    assert part.mesh.conn.tolist() == original.mesh.conn.tolist()
    for now, then in zip(part.mesh.assigned, original.mesh.assigned, strict=True):
        axes = part.assignments[now].n1, original.assignments[then].n1
        assert axes == (None, None) or close(*axes)


def test_a_mirrored_element_begins_where_it_began_and_runs_the_other_way():
    part = stiffened()
    quad, tri, beam = (labels_of(part.mesh, size)[0] for size in (4, 3, 2))
    before = {label: part.mesh.conn[part.mesh.element_rows([label])[0]].tolist() for label in (quad, tri, beam)}
    move(part, part.mesh.element_labels, mirror((0, 0, 0), (0, 0, 1)))
    now = {label: part.mesh.conn[part.mesh.element_rows([label])[0]].tolist() for label in (quad, tri, beam)}
    a, b, c, d = before[quad]
    assert now[quad] == [a, d, c, b]
    a, b, c, _ = before[tri]
    assert now[tri] == [a, c, b, -1]
    a, b, _, _ = before[beam]
    assert now[beam] == [b, a, -1, -1]
    assert part.assignments[part.mesh.assigned[part.mesh.element_rows([beam])[0]]].n1 == (0, 0, -1)


def test_a_quarter_turn_turns_the_first_axis_of_beams_that_were_chosen_alone():
    part = stiffened()
    free = add_elements(part, BEAM, [add_nodes(part, [(0, 0, 900), (50, 0, 900)])], assigned=1)
    move(part, free, rotation((0, 0, 900), (0, 1, 0), 90))
    assert part.assignments[part.mesh.assigned[-1]].n1 == (1, 0, 0)
    assert part.mesh.xyz[-1].tolist() == [0, 0, 850]
    ribs = part.mesh.element_rows(part.element_sets["RIBS"])
    assert {part.assignments[place].n1 for place in part.mesh.assigned[ribs]} == {(0, 0, 1)}
    assert part.faults() == []


# ---- copy ------------------------------------------------------------------------------------------------------------


@given(data=st.data(), affine=AFFINES)
@settings(max_examples=80, deadline=None)
def test_a_copy_has_the_form_the_section_and_the_sides_of_its_original(data, affine):
    part = stiffened()
    chosen = np.unique(data.draw(st.lists(st.sampled_from(part.mesh.element_labels.tolist()), min_size=1, max_size=8)))
    original = state(part)["xyz"]
    made = copy(part, data.draw(st.permutations(chosen.tolist())), affine)
    mesh, turn = part.mesh, np.array(affine.linear)
    assert len(made.elements) == len(chosen)
    assert mesh.xyz[: -len(made.nodes)].tobytes() == original[2]
    for old, new in zip(corners(mesh, chosen), corners(mesh, made.elements), strict=True):
        assert close(affine.points(old)[ROUND[len(old)] if affine.flips else slice(None)], new)
        assert close(sorted(gaps(old)), sorted(gaps(new)))
    rows = mesh.element_rows(chosen), mesh.element_rows(made.elements)
    assert mesh.types[rows[0]].tolist() == mesh.types[rows[1]].tolist()
    sections = [[part.assignments[place].section for place in mesh.assigned[row]] for row in rows]
    assert sections[0] == sections[1]
    shells, beams = mesh.sizes[rows[0]] > 2, mesh.sizes[rows[0]] == 2
    if shells.any():
        assert close(normals(mesh, chosen[shells]) @ turn.T, normals(mesh, made.elements[shells]))
    if beams.any():
        assert close(second_axes(part, chosen[beams]) @ turn.T, second_axes(part, made.elements[beams]))
    assert part.faults() == []


def test_copies_belong_to_sets_but_no_load_and_no_support_acts_on_them():
    part = stiffened()
    put_element_set(part, "_OLD", [1])
    before = {name: labels.tolist() for name, labels in (part.element_sets | part.node_sets).items()}
    made = copy(part, part.mesh.element_labels, translation((0, 0, 500)))
    after = {name: labels.tolist() for name, labels in (part.element_sets | part.node_sets).items()}
    quads, beams = labels_of(part.mesh, 4), labels_of(part.mesh, 2)
    assert after["DECK"] == quads.tolist()
    assert after["RIBS"] == beams.tolist()
    assert {name: after[name] for name in ("LOADED", "_P1", "_OLD", "LEFT", "_TIP")} == {
        name: before[name] for name in ("LOADED", "_P1", "_OLD", "LEFT", "_TIP")
    }
    assert len(made.elements) == part.mesh.element_count // 2


def test_nodes_that_elements_share_are_shared_in_the_copy():
    part = stiffened(4, 4)
    before = part.mesh
    used = int(before.used_nodes().sum())
    made = copy(part, before.element_labels, translation((0, 0, 500)))
    assert len(made.nodes) == used
    old, new = part.mesh.conn[: before.element_count], part.mesh.conn[before.element_count :]
    assert np.where(old >= 0, old + used, -1).tolist() == new.tolist()
    assert part.mesh.assigned[: before.element_count].tolist() == part.mesh.assigned[before.element_count :].tolist()
    assert len(part.assignments) == 2


# ---- arrays ----------------------------------------------------------------------------------------------------------


def test_a_linear_array_stands_in_equal_steps():
    part = stiffened()
    count = part.mesh.node_count
    made = linear_array(part, part.mesh.element_labels, (0, 0, 0.1), 4)
    spots = part.mesh.xyz.reshape(5, count, 3)
    for turn in range(5):
        assert close(spots[turn], spots[0] + [0, 0, 0.1 * turn])
    assert made.nodes.tolist() == list(range(count + 1, 5 * count + 1))
    assert len(made.elements) * 5 == part.mesh.element_count * 4
    assert part.faults() == []


def test_an_array_is_the_same_as_its_copies_one_by_one():
    at_once, one_by_one = stiffened(), stiffened()
    labels = at_once.mesh.element_labels
    polar_array(at_once, labels, (0, -50, 0), (1, 0, 0), 30, 3)
    for turn in (1, 2, 3):
        copy(one_by_one, labels, rotation((0, -50, 0), (1, 0, 0), 30.0 * turn))
    assert state(at_once) == state(one_by_one)


def test_a_polar_array_closes_a_circle_without_a_copy_on_the_original():
    part = stiffened()
    count = part.mesh.node_count
    polar_array(part, part.mesh.element_labels, (0, 0, 0), (0, 0, 1), 360 / 7, 6)
    spots = part.mesh.xyz.reshape(7, count, 3)
    back = rotation((0, 0, 0), (0, 0, 1), 360 / 7).points(spots[6])
    assert close(back, spots[0])
    assert len({tuple(spot) for spot in spots[:, 1].round(6).tolist()}) == 7
    angles = np.degrees(np.arctan2(spots[:, 1, 1], spots[:, 1, 0])) % 360
    assert close(angles, np.arange(7) * 360 / 7)


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "act"),
    [
        ("shared_with_rest", lambda part: move(part, part.element_sets["RIBS"], translation((1, 0, 0)))),
        ("held_nodes", lambda part: move(part, part.mesh.element_labels, translation((1, 0, 0)))),
        ("unknown_element", lambda part: move(part, [1, 999], translation((1, 0, 0)))),
        ("unknown_element", lambda part: copy(part, [1, 999], translation((1, 0, 0)))),
        ("bad_labels", lambda part: copy(part, [[1]], translation((1, 0, 0)))),
        ("bad_coordinates", lambda part: copy(part, [1], Affine(((1e308, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0)))),
        ("zero_vector", lambda part: linear_array(part, [1], (0, 0, 0), 2)),
        ("bad_count", lambda part: linear_array(part, [1], (0, 0, 1), 0)),
        ("bad_coordinates", lambda part: linear_array(part, [1], (0, 0, 7e11), 2)),
        ("too_many_elements", lambda part: linear_array(part, [1, 1], (0, 0, 1), LIMIT)),
        ("too_many_elements", lambda part: polar_array(part, [1], (0, 0, 0), (0, 0, 1), 1e-9, LIMIT)),
        ("array_overlaps", lambda part: polar_array(part, [1], (0, 0, 0), (0, 0, 1), 90, 4)),
        ("array_overlaps", lambda part: polar_array(part, [1], (0, 0, 0), (0, 0, 1), -120, 3)),
        ("array_overlaps", lambda part: polar_array(part, [1], (0, 0, 0), (0, 0, 1), 0, 3)),
        ("bad_angle", lambda part: polar_array(part, [1], (0, 0, 0), (0, 0, 1), math.nan, 3)),
        ("zero_vector", lambda part: polar_array(part, [1], (0, 0, 0), (0, 0, 0), 9, 3)),
    ],
)
def test_what_is_refused_leaves_the_part_as_it_was(code, act):
    part = with_kept_text(stiffened(), np.array([3, 4]))
    before = state(part)
    with pytest.raises(EngineRefusal) as caught:
        act(part)
    assert caught.value.code == code
    assert state(part) == before


def test_nothing_chosen_is_nothing_done():
    part = stiffened()
    before = state(part)
    move(part, [], mirror((0, 0, 0), (1, 0, 0)))
    assert len(copy(part, [], translation((1, 0, 0))).elements) == 0
    assert state(part) == before
