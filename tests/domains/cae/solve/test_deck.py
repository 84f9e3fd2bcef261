"""The deck: which elements it uses, what it holds, and how it is written; without the solver."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.solve.benchmarks import hemisphere, roof
from domains.cae.solve.parts import bar, cantilever, grid, hold, line, near, part_of, push, rod, shell, turned
from steadyhand.domains.cae.engine.shapes import SYMMETRY_DOFS, Axis, Profile
from steadyhand.domains.cae.solve.deck import compose
from steadyhand.domains.cae.solve.door import write
from steadyhand.domains.cae.solve.holding import hold as held_of
from steadyhand.domains.cae.solve.normals import corner_normals
from steadyhand.domains.cae.solve.options import Options
from steadyhand.domains.cae.solve.promoting import promote


def types(text: str) -> set[str]:
    return set(re.findall(r"^\*ELEMENT, TYPE=(\w+)", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("part", "options", "expected"),
    [
        (cantilever(), Options(), {"S8R"}),
        (cantilever(), Options(elements="S4"), {"S4"}),
        (cantilever(), Options(elements="S8R"), {"S8R"}),
        (cantilever(split=True), Options(), {"S6"}),
        (rod(bar(Profile.RECT, 10.0, 20.0)), Options(), {"B31"}),
        (rod(bar(Profile.RECT, 10.0, 20.0)), Options(elements="S8R"), {"B31"}),
        (rod(bar(Profile.PIPE, 10.0, 2.0)), Options(), {"B32R"}),
        (rod(bar(Profile.BOX, 10.0, 20.0, 1.0, 1.0, 1.0, 1.0)), Options(), {"B32R"}),
        (rod(bar(Profile.CIRC, 10.0)), Options(), {"B32R"}),
    ],
)
def test_every_shape_is_written_as_an_element_that_answers_right(part, options, expected):
    assert types(compose(part, options).text) == expected


def test_a_triangle_makes_what_it_shares_edges_with_quadratic_and_nothing_else():
    xyz, elements = grid(100.0, 10.0, 10, 1)
    mixed = [*elements[:-1], elements[-1][:3], (elements[-1][0], *elements[-1][2:])]
    apart = xyz + np.array([0.0, 50.0, 0.0])
    part = part_of(np.vstack([xyz, apart]), [*mixed, *(tuple(n + len(xyz) for n in nodes) for nodes in elements)], shell(1.0))
    model = promote(part, Options(elements="S4"))
    assert model.quadratic.tolist() == [True] * 11 + [False] * 10
    assert len(model.ends) == 10 * 2 + 11 + 1  # along x, across, and the diagonal


def test_middles_are_shared_and_lie_half_way():
    model = promote(cantilever(), Options(elements="S8R"))
    assert len(model.ends) == len({tuple(sorted(pair)) for pair in model.ends.tolist()}) == 20 * 3 + 21 * 2
    middles = model.xyz[len(model.rows) :]
    assert np.allclose(middles, (model.xyz[model.ends[:, 0]] + model.xyz[model.ends[:, 1]]) / 2)


@settings(max_examples=15, deadline=None)
@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9), st.sampled_from(["S4", "S8R"]))
def test_lines_are_ascii_short_and_of_at_most_sixteen_numbers_of_twenty_characters(place, thickness, elements):
    part = cantilever(thickness=thickness)
    part.mesh.xyz = part.mesh.xyz + place / 7
    part.heading = "板" * 200
    text = compose(part, Options(elements=elements)).text
    assert text.isascii()
    for line_ in text.splitlines():
        fields = line_.rstrip(",").split(",")
        assert len(line_) <= 200
        if not line_.startswith("*"):
            assert len(fields) <= 16
        if re.match(r"[-\d]", line_):
            assert all(len(field.strip()) <= 20 for field in fields)


def test_the_same_part_gives_the_same_bytes_and_says_its_units(tmp_path):
    written = write(cantilever(), tmp_path)
    assert written.digest == compose(cantilever(), Options()).digest
    assert "N-mm-MPa-t" in written.path.read_text("ascii").splitlines()[1]
    assert "OUTPUT=2D" not in written.path.read_text("ascii")


def test_a_middle_is_held_where_both_ends_of_its_edge_are():
    part = cantilever()
    deck = compose(part, Options(elements="S8R"))
    held = deck.model.xyz[deck.held.flat]
    assert sorted(held[:, 1].tolist()) == [0.0, 25.0, 50.0, 75.0, 100.0]
    assert (held[:, 0] == 0).all()


def test_a_clamp_of_a_level_plate_leaves_out_the_rotation_about_its_normal():
    deck = compose(cantilever(), Options())
    assert {fixed.dofs for fixed in deck.held.nodes.values()} == {(1, 2, 3, 4, 5)}
    assert "*TRANSFORM" not in deck.text


def test_no_held_rotation_of_a_curved_or_inclined_shell_has_a_part_about_the_normal():
    parts = [roof(6, quarter=True)[0], turned(cantilever(), 33.0), hemisphere(3, quarter=True)[0]]
    for part in parts:
        for elements in ("S4", "S8R"):
            model = promote(part, Options(elements=elements))
            held = held_of(part, model)
            corners = corner_normals(model.xyz[model.conn[:, :4]])
            turned_nodes = 0
            for node, fixed in held.nodes.items():
                rows, places = np.nonzero(model.conn[:, :4] == node)
                normals = corners[rows, places]
                if fixed.frame is None or not len(rows):
                    continue
                normal = normals.mean(axis=0)
                for dof in fixed.dofs:
                    if dof > 3:
                        turned_nodes += 1
                        assert abs(fixed.frame[dof - 4] @ normal) < 1e-6 * np.linalg.norm(normal)
            assert turned_nodes > 0
            assert held.left_out == 0


def test_a_single_rotation_askew_to_the_shell_is_left_out_and_told():
    part = turned(cantilever(), 45.0)
    hold(part, "wall", near(part.mesh.xyz[:, 0], 0.0), (1, 2, 3, 6))
    held = held_of(part, promote(part, Options(elements="S4")))
    assert held.left_out == 3
    assert {fixed.dofs for fixed in held.nodes.values()} == {(1, 2, 3)}


def test_a_fold_is_a_knot_whose_three_rotations_are_held():
    xyz, elements = grid(100.0, 100.0, 2, 2)
    folded = np.where(xyz[:, [0]] > 50, np.stack([np.full(len(xyz), 50.0), xyz[:, 1], xyz[:, 0] - 50], axis=1), xyz)
    part = part_of(folded, elements, shell(1.0))
    hold(part, "edge", near(folded[:, 1], 0.0), SYMMETRY_DOFS[Axis.Y])
    held = held_of(part, promote(part, Options(elements="S4")))
    assert [fixed.dofs for fixed in held.nodes.values()] == [(2, 4), (2, 4, 6), (2, 6)]


def test_forces_on_nodes_with_axes_of_their_own_are_written_in_them():
    part = turned(cantilever(), 45.0)
    push(part, "wall_force", near(part.mesh.xyz[:, 0], 0.0), (30.0, 0.0, 0.0))
    deck = compose(part, Options(elements="S4"))
    node, fixed = next(iter(deck.held.nodes.items()))
    assert fixed.frame is not None
    written = dict(re.findall(rf"^{node + 1}, ([123]), (-?[\d.e-]+)$", deck.text.split("*CLOAD")[1], re.MULTILINE))
    local = np.array([float(written.get(str(axis), 0.0)) for axis in (1, 2, 3)])
    assert local @ fixed.frame == pytest.approx([7.5, 0.0, 0.0], abs=1e-9)  # a quarter: the end of an edge of two


def test_beams_beside_shells_share_the_middles_of_their_edges():
    xyz, elements = grid(100.0, 10.0, 10, 1)
    beams = [(k, k + 1) for k in range(10)]
    part = part_of(xyz, [*elements, *beams], shell(1.0), bar(Profile.PIPE, 5.0, 1.0), given=[0] * 10 + [1] * 10)
    model = promote(part, Options())
    assert model.quadratic.all()
    assert set(model.conn[10:, 2].tolist()) == set(model.conn[:10, 4].tolist())


def test_a_beam_away_from_shells_stays_linear():
    xyz, elements = grid(100.0, 10.0, 10, 1, split=True)
    along, beams = line(100.0, 3, first=len(xyz))
    given = [0] * len(elements) + [1] * 3
    part = part_of(
        np.vstack([xyz, along + np.array([0, 0, 90])]), [*elements, *beams], shell(1.0), bar(Profile.RECT, 5.0, 1.0), given=given
    )
    assert types(compose(part, Options()).text) == {"S6", "B31"}
