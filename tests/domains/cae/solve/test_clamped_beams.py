"""A clamped beam answers as beam theory says, and its reactions are its loads, whichever way it and its section lie."""

import math
import os
import shutil
from itertools import product

import numpy as np
import pytest

from domains.cae.solve.parts import bar, cantilever, hold, line, near, part_of, push
from steadyhand.core.language import say
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Floats
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, BeamSection
from steadyhand.domains.cae.engine.shapes import Profile
from steadyhand.domains.cae.solve.deck import compose
from steadyhand.domains.cae.solve.door import solve, solve_unchecked
from steadyhand.domains.cae.solve.options import Options

LENGTH, COUNT, YOUNGS = 1000.0, 20, 210_000.0
PIPE = math.pi / 4 * (20**4 - 18**4)
PROFILES = {
    "RECT": (bar(Profile.RECT, 10.0, 40.0), 10 * 40**3 / 12, 40 * 10**3 / 12, 400.0),
    "PIPE": (bar(Profile.PIPE, 20.0, 2.0), PIPE, PIPE, 0.96 * math.pi * (20**2 - 18**2)),
    "BOX": (
        bar(Profile.BOX, 20.0, 30.0, 2.0, 3.0, 2.0, 3.0),
        (20 * 30**3 - 16 * 24**3) / 12,
        (30 * 20**3 - 24 * 16**3) / 12,
        20 * 30 - 16 * 24.0,
    ),
}
"""Each with its second moments of area for bending along the second axis and along n1, and its area: of the solver's PIPE 4 % less."""
LYING = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0), "askew": (0.48, -0.6, 0.64)}
SIGNED = [tuple(sign * value for value in axis) for axis in np.eye(3).tolist() for sign in (1.0, -1.0)]
OTHER = (0.3, 0.8, 0.6)


def beam(section: BeamSection, axis: Floats, n1: Floats, force: Floats, count: int = COUNT) -> Part:
    """From the origin along *axis*, clamped there, with *force* at its end."""
    along, elements = line(LENGTH, count)
    part = part_of(along[:, :1] * axis, elements, section)
    part.assignments[0] = Assignment("bar", (float(n1[0]), float(n1[1]), float(n1[2])))
    hold(part, "wall", near(along[:, 0], 0.0))
    push(part, "tip", near(along[:, 0], LENGTH), (float(force[0]), float(force[1]), float(force[2])))
    return part


def across(axis: Floats, n1: Floats) -> Floats | None:
    """What of *n1* is square to the axis, as long as 1; None where there is next to nothing."""
    square = n1 - (n1 @ axis) * axis
    size = float(np.linalg.norm(square))
    return square / size if size > 0.1 else None


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize(("profile", "lies"), list(product(PROFILES, LYING)))
def test_a_clamped_beam_answers_as_theory_says_and_its_reactions_are_the_loads(tmp_path, profile, lies):
    section, high, wide, area = PROFILES[profile]
    axis = np.array(LYING[lies])
    for given in [*SIGNED, OTHER]:
        first = across(axis, np.array(given))
        if first is None:
            continue
        second = np.cross(axis, first)
        local = np.stack([axis, first, second])
        for force in (300.0 * np.eye(3)).tolist():
            result = solve(beam(section, axis, first, np.array(force)), tmp_path)
            pull, shift, lift = (local @ force).tolist()
            bend = LENGTH**3 / (3 * YOUNGS)
            theory = np.array([pull * LENGTH / (YOUNGS * area), shift * bend / wide, lift * bend / high])
            found = local @ result.displacement[-1]
            assert found == pytest.approx(theory, rel=0.03, abs=0.01 * float(np.abs(theory).max())), (given, force)
            assert result.reactions["wall"] == pytest.approx([-value for value in force], abs=0.3), (given, force)
            assert result.reaction_total == pytest.approx(result.reactions["wall"])
            assert result.unbalanced < 1e-3
            assert ("solve_knotted_ends" in {remark.code for remark in result.remarks}) == (lies == "askew")


@pytest.mark.usefixtures("ccx")
def test_two_clamped_columns_of_a_frame_each_tell_their_own_share(tmp_path):
    """A portal of two columns and a beam, loaded beside its middle: by the lever rule but for the bending of the corners."""
    rise = [(0.0, 0.0, 100.0 * k) for k in range(11)]
    top = [(100.0 * k, 0.0, 1000.0) for k in range(1, 11)]
    fall = [(1000.0, 0.0, 1000.0 - 100.0 * k) for k in range(1, 11)]
    xyz = np.array([*rise, *top, *fall])
    elements = [(k, k + 1) for k in range(len(xyz) - 1)]
    part = part_of(xyz, elements, bar(Profile.RECT, 20.0, 30.0))
    part.assignments[0] = Assignment("bar", (1.0, 0.0, 1.0))
    hold(part, "left", near(xyz[:, 0] + xyz[:, 2], 0.0))
    hold(part, "right", near(xyz[:, 0] - xyz[:, 2], 1000.0))
    push(part, "load", near(np.abs(xyz[:, 0] - 500.0) + 1000.0 - xyz[:, 2], 0.0), (0.0, 0.0, -1000.0))
    push(part, "wind", near(np.abs(xyz[:, 0]) + 1000.0 - xyz[:, 2], 0.0), (0.0, 50.0, 0.0))
    result = solve(part, tmp_path)
    left, right = np.array(result.reactions["left"]), np.array(result.reactions["right"])
    assert left + right == pytest.approx([0.0, -50.0, 1000.0], abs=1.0)
    assert left[2] == pytest.approx(500.0, rel=0.02)
    assert left[0] == pytest.approx(-right[0], abs=1.0)
    assert left[0] > 50.0  # a portal pushes its feet apart


@pytest.mark.usefixtures("ccx")
def test_a_beam_askew_whose_mean_rotation_ends_the_solver_is_solved_with_rigid_ends_and_told(tmp_path):
    """Without a stub the solver ends with a zero coefficient of its own making for these axes."""
    axis = np.array([-0.78806049, -0.31684847, -0.52779514])
    n1 = np.array([-0.41593449, -0.16723108, 0.7214323])
    part = beam(PROFILES["RECT"][0], axis / np.linalg.norm(axis), n1, np.array([10.0, 20.0, 100.0]))
    result = solve(part, tmp_path)
    assert result.reaction_total == pytest.approx((-10.0, -20.0, -100.0), abs=0.1)
    told = {remark.code: remark.params for remark in result.remarks}
    assert told["solve_knotted_ends"] == {"count": 1}
    for language in ("en", "zh-CN"):
        assert say(language, "remark.solve_knotted_ends", count=1)


@pytest.mark.usefixtures("ccx")
def test_a_run_that_ends_badly_at_a_clamped_beam_is_tried_again_with_rigid_ends(tmp_path, monkeypatch):
    real, folder = shutil.which("ccx"), tmp_path / "bin"
    folder.mkdir()
    (folder / "ccx").write_text(f'#!/bin/sh\nif [ "$1" = static ]; then exit 201; fi\nexec {real} "$1"\n')
    (folder / "ccx").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    force = np.array([0.0, 0.0, -100.0])
    part = beam(PROFILES["RECT"][0], np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), force)
    result = solve(part, tmp_path)
    assert {remark.code for remark in result.remarks} == {"solve_knotted_ends"}
    assert result.reaction_total == pytest.approx((0.0, 0.0, 100.0), abs=0.1)
    with pytest.raises(EngineRefusal, match="solve_failed"):
        solve(cantilever(), tmp_path)


def test_only_clamped_ends_of_beams_alone_get_a_stub():
    part = beam(PROFILES["BOX"][0], np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    plain, knotted = compose(part, Options()), compose(part, Options(), knotted=True)
    assert [stub.node for stub in knotted.stubs] == [0]
    assert (plain.stubs, "STUB" in plain.text) == ((), False)
    hold(part, "wall", part.mesh.xyz[:, 0] == 0, (1, 2, 3))
    assert compose(part, Options(), knotted=True).stubs == ()
    assert compose(cantilever(), Options(), knotted=True).stubs == ()


@pytest.mark.usefixtures("ccx")
def test_a_beam_that_is_not_held_is_no_answer_with_stubs_either(tmp_path):
    part = beam(PROFILES["RECT"][0], np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -100.0]))
    hold(part, "wall", part.mesh.xyz[:, 0] == 0, (1, 4, 5, 6))
    with pytest.raises(EngineRefusal, match="solve_not_held"):
        solve(part, tmp_path)
    with pytest.raises(EngineRefusal, match=r"solve_(insane|unbalanced|failed|not_finite)"):
        solve_unchecked(part, tmp_path)
    part.supports.clear()
    with pytest.raises(EngineRefusal, match=r"solve_(insane|unbalanced|failed|not_finite)"):
        solve_unchecked(part, tmp_path)
