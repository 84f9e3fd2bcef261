"""The largest von Mises stress: against theory at coarse meshes, from each element's own corners, and told where it is not converged."""

import numpy as np
import pytest

from domains.cae.solve.parts import (
    CLAMPED,
    bar,
    cantilever,
    grid,
    hold,
    line,
    near,
    part_of,
    press,
    push,
    rod,
    shell,
    turned,
    weigh,
)
from steadyhand.core.language import say
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Profile
from steadyhand.domains.cae.solve.door import solve
from steadyhand.domains.cae.solve.frd import read_frd
from steadyhand.domains.cae.solve.jumps import largest_jump
from steadyhand.domains.cae.solve.options import Options
from steadyhand.domains.cae.solve.results import Result

STRIP = 6 * 0.1 * 100**2 / 12 / 2**2
"""The stress of a strip of 100 × 2, clamped at both ends, under 0.1 MPa: 125 MPa."""
WIDE = STRIP * np.sqrt(1 - 0.3 + 0.3**2)
"""Its equivalent stress where the strip cannot narrow, as in a plate clamped along an edge: 111 MPa."""


def plate(size: float) -> Part:
    xyz, elements = grid(60.0, 100.0, round(60 / size), round(100 / size))
    part = part_of(xyz, elements, shell(2.0))
    hold(part, "edges", near(xyz[:, 1], 0.0) | near(xyz[:, 1], 100.0))
    press(part, 0.1)
    return part


def told(result: Result) -> dict[str, object]:
    """The jump that is remarked, in per cent."""
    for language in ("en", "zh-CN"):
        for remark in result.remarks:
            assert say(language, f"remark.{remark.code}", **remark.params)
    return {remark.code: remark.params["percent"] for remark in result.remarks if remark.code == "solve_stress_coarse"}


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize("size", [10.0, 5.0])
def test_the_largest_stress_of_a_clamped_plate_is_what_strip_theory_says_at_coarse_meshes_already(tmp_path, size):
    part = plate(size)
    result = solve(part, tmp_path, options=Options(elements="S8R"))
    largest = result.to_json()["von_mises"]
    assert 0.98 * WIDE < largest["max"] < STRIP
    in_the_middle = (part.mesh.xyz[part.mesh.conn, 0].mean(axis=1) - 30) ** 2 < size**2
    assert result.von_mises[in_the_middle, 2].max() == pytest.approx(WIDE, rel=0.03)
    node = part.mesh.xyz[np.flatnonzero(part.mesh.node_labels == largest["node"])[0]]
    assert node[1] in {0.0, 100.0}
    assert largest["side"] in {"bottom", "top"}
    assert told(result) == {}


@pytest.mark.usefixtures("ccx")
def test_s4_has_one_curvature_an_element_and_is_told_until_the_mesh_is_fine_enough(tmp_path):
    found = {size: solve(plate(size), tmp_path, options=Options(elements="S4")) for size in (10.0, 5.0, 2.5)}
    jumps = [told(result).get("solve_stress_coarse", 0) for result in found.values()]
    assert jumps[0] > jumps[1] > 20
    assert jumps[2] == 0
    largest = [result.to_json()["von_mises"]["max"] for result in found.values()]
    assert largest[0] < 0.8 * WIDE < largest[1] < largest[2]
    assert largest[2] == pytest.approx(WIDE, rel=0.03)


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize(("elements", "split"), [("S4", False), ("S8R", False), ("S8R", True)])
def test_the_corners_of_all_elements_at_a_node_have_the_mean_that_the_solver_gives(tmp_path, elements, split):
    xyz, faces = grid(60.0, 100.0, 4, 5, split)
    part = part_of(xyz, faces, shell(4.0))
    hold(part, "edges", near(xyz[:, 1], 0.0))
    press(part, 0.01)
    result = solve(part, tmp_path, options=Options(elements=elements))
    frd = read_frd(tmp_path / "static.frd")
    size = 3 if split else 4
    places = np.array([frd.elements[row + 1][: 2 * size] for row in range(len(faces))]).reshape(-1, 2, size)
    means = frd.blocks["STRESS"].at(places)
    apart = 0.0
    for node in range(len(xyz)):
        rows, corners = np.nonzero(part.mesh.conn == node)
        own, mean = result.stress[rows, :, corners], means[rows, :, corners]
        assert own.mean(axis=0) == pytest.approx(mean[0], rel=1e-3, abs=2e-3)
        apart = max(apart, float(np.abs(own - mean).max()))
    assert apart > 0.1


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize("count", [1, 4, 20])
@pytest.mark.parametrize("turn", [0.0, 90.0, 30.0])
@pytest.mark.parametrize(("force", "by_hand"), [((0.0, 0.0, -100.0), 37.5), ((0.0, 100.0, 0.0), 150.0)])
def test_a_clamped_linear_beam_has_the_moment_of_its_end_at_any_mesh(tmp_path, count, turn, force, by_hand):
    """F L over the section modulus, 6 F L / (b h²), in both directions of bending."""
    part = turned(rod(bar(Profile.RECT, 10.0, 40.0), force, count=count), turn)
    result = solve(part, tmp_path)
    summary = result.to_json()["von_mises"]
    assert summary["max"] == pytest.approx(by_hand, rel=0.01)
    assert (summary["element"], summary["node"], summary["side"]) == (1, 1, "start")
    starts = np.hypot(by_hand * (1 - np.arange(count) / count), np.sqrt(3) * 100 / 400)
    assert result.von_mises[:, 0] == pytest.approx(starts, rel=0.01)
    assert result.von_mises[-1, 1] == pytest.approx(
        np.sqrt(3) * 100 / 400, abs=0.01 * by_hand
    )  # the free end has its shear alone
    assert told(result) == {}


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize("backwards", [False, True])
def test_bending_both_ways_and_a_pull_add_up_at_one_corner_of_a_linear_beam(tmp_path, backwards):
    xyz, elements = line(1000.0, 3)
    elements = [(b, a) for a, b in elements] if backwards else elements
    part = part_of(xyz, elements, bar(Profile.RECT, 10.0, 40.0))
    hold(part, "wall", near(xyz[:, 0], 0.0))
    push(part, "tip", near(xyz[:, 0], 1000.0), (4000.0, 100.0, -100.0))
    result = solve(part, tmp_path)
    assert result.to_json()["von_mises"]["max"] == pytest.approx(10 + 37.5 + 150, rel=0.01)
    at_the_wall = result.stress[0, int(backwards), :, 0]
    assert sorted(at_the_wall.tolist()) == pytest.approx([10 - 187.5, 10 - 112.5, 10 + 112.5, 10 + 187.5], rel=0.01)


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize(("dofs", "share"), [(CLAMPED, 12.0), ((1, 2, 3, 4), 8.0)])
def test_a_beam_under_its_own_weight_has_the_moments_of_the_table_at_clamps_and_in_the_middle(tmp_path, dofs, share):
    """q L² / 12 at both clamps, q L² / 8 in the middle where it is simply supported."""
    xyz, elements = line(1000.0, 10)
    part = part_of(xyz, elements, bar(Profile.RECT, 10.0, 40.0))
    hold(part, "ends", near(xyz[:, 0], 0.0) | near(xyz[:, 0], 1000.0), dofs)
    weigh(part, (0.0, 0.0, -981_000.0))
    result = solve(part, tmp_path)
    by_hand = 7.85e-9 * 981_000.0 * 10 * 40 * 1000.0**2 / share * 6 / (10 * 40**2)
    assert result.to_json()["von_mises"]["max"] == pytest.approx(by_hand, rel=0.015)
    assert told(result) == {}


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize("count", [1, 4, 20])
@pytest.mark.parametrize(
    ("profile", "size", "modulus"),
    [
        (Profile.PIPE, (20.0, 2.0), np.pi / 4 * (20**4 - 18**4) / 20),
        (Profile.CIRC, (20.0,), np.pi / 4 * 20**3),
        (Profile.BOX, (20.0, 30.0, 2.0, 3.0, 2.0, 3.0), (20 * 30**3 - 16 * 24**3) / 12 / 15),
    ],
)
def test_beams_of_the_other_profiles_have_it_too(tmp_path, profile, size, modulus, count):
    result = solve(rod(bar(profile, *size), count=count), tmp_path)
    assert result.to_json()["von_mises"]["max"] == pytest.approx(100.0 * 1000.0 / modulus, rel=0.015)
    assert result.stressed_node == 1


def uneven(part: Part) -> np.ndarray:
    """Stresses of 1 everywhere but 2 in the second half of the elements."""
    corners = np.ones((part.mesh.element_count, 2, 4))
    corners[part.mesh.element_count // 2 :] = 2.0
    return corners


def untouched(part: Part) -> np.ndarray:
    return np.zeros(part.mesh.node_count, bool)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_jump_is_the_largest_difference_at_a_node_as_a_share_of_the_largest_stress(turn):
    xyz, elements = line(1000.0, 4)
    beams = part_of(xyz, [pair[::turn] if k % 2 else pair for k, pair in enumerate(elements)], bar(Profile.RECT, 10.0, 40.0))
    for part in (cantilever(), cantilever(split=True), beams):
        assert largest_jump(part, uneven(part), untouched(part)) == 0.5
        assert largest_jump(part, np.ones((part.mesh.element_count, 2, 4)), untouched(part)) == 0
        assert largest_jump(part, np.zeros((part.mesh.element_count, 2, 4)), untouched(part)) == 0


def test_where_stresses_really_jump_no_mesh_is_blamed():
    xyz, elements = grid(100.0, 100.0, 2, 1)
    level = part_of(xyz, elements, shell(10.0))
    assert largest_jump(level, uneven(level), untouched(level)) == 0.5
    assert largest_jump(level, uneven(level), near(xyz[:, 0], 50.0)) == 0
    stepped = part_of(xyz, elements, shell(10.0), shell(14.0, "thicker"), given=[0, 1])
    assert largest_jump(stepped, uneven(stepped), untouched(stepped)) == 0
    fold = np.where(xyz[:, [0]] > 50, np.stack([np.full(len(xyz), 50.0), xyz[:, 1], xyz[:, 0] - 50], axis=1), xyz)
    folded = part_of(fold, elements, shell(10.0))
    assert largest_jump(folded, uneven(folded), untouched(folded)) == 0


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize("held", [False, True])
def test_a_pulled_bar_is_not_called_coarse_where_a_force_or_a_support_takes_the_pull(tmp_path, held):
    part = rod(bar(Profile.RECT, 10.0, 40.0), (400.0, 0.0, 0.0), count=4)
    middle = near(part.mesh.xyz[:, 0], 500.0)
    if held:
        hold(part, "middle", middle, (1,))
    else:
        push(part, "middle", middle, (-400.0, 0.0, 0.0))
    result = solve(part, tmp_path)
    assert result.von_mises[:, 2].max() > 0.9
    assert result.von_mises[0, 2] < 0.1
    assert told(result) == {}
