"""What is refused before anything is written, each with its code and words in both languages."""

import numpy as np
import pytest

from domains.cae.solve.parts import CLAMPED, bar, cantilever, grid, hold, line, near, part_of, press, push, rod, shell, weigh
from steadyhand.core.language import say
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Kept, Part
from steadyhand.domains.cae.engine.properties import Assignment, Force, Material
from steadyhand.domains.cae.engine.shapes import SYMMETRY_DOFS, Axis, Profile
from steadyhand.domains.cae.solve.door import check, write
from steadyhand.domains.cae.solve.options import Options


def refused(part: Part, options: Options | None = None) -> EngineRefusal:
    with pytest.raises(EngineRefusal) as caught:
        check(part, options or Options())
    for language in ("en", "zh-CN"):
        assert say(language, f"refusal.{caught.value.code}", **caught.value.params)
    return caught.value


def told(part: Part, options: Options | None = None) -> dict[str, dict[str, object]]:
    remarks = check(part, options or Options(elements="S4"))
    for language in ("en", "zh-CN"):
        for remark in remarks:
            assert say(language, f"remark.{remark.code}", **remark.params)
    return {remark.code: dict(remark.params) for remark in remarks}


def x(part: Part) -> np.ndarray:
    return part.mesh.xyz[:, 0]


def test_a_sound_plate_has_nothing_to_remark():
    assert told(cantilever()) == {}


def no_elements(part: Part) -> None:
    fresh = Part()
    part.mesh = fresh.mesh


def unknown_material_number(**changes: float):
    def change(part: Part) -> None:
        part.materials["steel"] = Material("steel", **{"youngs": 210_000.0, "poisson": 0.3, **changes})

    return change


def crossed(part: Part) -> None:
    part.mesh.conn = part.mesh.conn.copy()
    part.mesh.conn[3, [1, 2]] = part.mesh.conn[3, [2, 1]]


def collapsed(part: Part) -> None:
    part.mesh.conn = part.mesh.conn.copy()
    part.mesh.conn[3, 1] = part.mesh.conn[3, 0]


def dented(part: Part) -> None:
    part.mesh.xyz = part.mesh.xyz.copy()
    part.mesh.xyz[22] += [40.0, 40.0, 0.0]


def bare(part: Part) -> None:
    part.mesh.assigned = part.mesh.assigned.copy()
    part.mesh.assigned[5:] = -1


def beam_section(part: Part) -> None:
    part.sections["plate"] = bar(Profile.RECT, 1.0, 2.0, name="plate")


def free_force(part: Part) -> None:
    part.mesh.xyz = np.vstack([part.mesh.xyz, [[5.0, 5.0, 5.0]]])
    part.mesh.node_labels = np.append(part.mesh.node_labels, part.take_node_labels(1))
    push(part, "tip", x(part) == 5.0, (0.0, 0.0, -1.0))


def kept(keyword: str):
    return lambda part: part.kept.append(Kept("model", keyword, f"*{keyword}\n"))


def empty_set(part: Part) -> None:
    push(part, "tip", x(part) < 0, (0.0, 0.0, -1.0))


def press_nothing(part: Part) -> None:
    press(part, 1.0)
    part.element_sets["_pressure"] = part.mesh.element_labels[:0]


def support_nothing(part: Part) -> None:
    hold(part, "wall", x(part) < 0)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (no_elements, "solve_empty"),
        (lambda part: part.supports.clear(), "solve_no_supports"),
        (lambda part: part.loads.clear(), "solve_nothing_loaded"),
        (lambda part: push(part, "tip", x(part) == 1000, (0.0, 0.0, 0.0)), "solve_nothing_loaded"),
        (lambda part: push(part, "tip", x(part) == 1000, (0.0, 0.0, float("nan"))), "solve_bad_load"),
        (empty_set, "solve_empty_region"),
        (press_nothing, "solve_empty_region"),
        (support_nothing, "solve_empty_region"),
        (free_force, "solve_force_on_free_node"),
        (bare, "solve_without_section"),
        (beam_section, "solve_section_misfit"),
        (unknown_material_number(youngs=0.0), "solve_bad_youngs"),
        (unknown_material_number(youngs=float("inf")), "solve_bad_youngs"),
        (unknown_material_number(poisson=0.5), "solve_bad_poisson"),
        (unknown_material_number(poisson=-1.0), "solve_bad_poisson"),
        (unknown_material_number(density=-1.0), "solve_bad_density"),
        (lambda part: part.sections.update(plate=shell(0.0)), "solve_bad_section"),
        (lambda part: part.sections.update(plate=shell(-1.0)), "solve_bad_section"),
        (crossed, "solve_bad_shape"),
        (collapsed, "solve_bad_shape"),
        (dented, "solve_bad_shape"),
        (kept("ELEMENT"), "solve_kept_text"),
        (kept("EQUATION"), "solve_kept_text"),
    ],
)
def test_what_the_solver_would_answer_wrongly_is_refused_first(tmp_path, change, code):
    part = cantilever()
    change(part)
    assert refused(part).code == code
    with pytest.raises(EngineRefusal):
        write(part, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_gravity_needs_a_density():
    part = cantilever()
    part.loads.clear()
    weigh(part, (0.0, 0.0, -9810.0))
    part.materials["steel"] = Material("steel", 210_000.0, 0.3)
    assert refused(part).code == "solve_gravity_without_density"


def test_text_that_was_kept_but_changes_no_answer_is_told():
    part = cantilever()
    part.kept.append(Kept("step", "NODE FILE", "*NODE FILE\nU\n"))
    assert told(part) == {"solve_text_not_used": {"keywords": "NODE FILE"}}


@pytest.mark.parametrize(
    ("dofs", "free"),
    [
        ((1, 2, 3, 4, 5, 6), 0),
        ((1, 2, 3), 1),
        ((3,), 4),
        ((1, 3), 2),
        ((1, 2, 3, 5), 0),
        ((1, 2, 3, 6), 1),
        (SYMMETRY_DOFS[Axis.X], 3),
    ],
)
def test_the_ways_that_a_plate_can_still_move_are_counted(dofs, free):
    """On its edge at x = 0, of a level plate: a held rotation about the normal (6) holds nothing."""
    part = cantilever()
    hold(part, "wall", x(part) == 0, dofs)
    if free == 0:
        assert told(part) == {}
    else:
        refusal = refused(part)
        assert (refusal.code, refusal.params["free"]) == ("solve_not_held", free)


def test_a_piece_that_only_touches_is_not_held():
    xyz, elements = grid(1000.0, 100.0, 4, 1)
    both = np.vstack([xyz, xyz + np.array([1000.0, 0, 0])])
    part = part_of(both, [*elements, *(tuple(node + len(xyz) for node in nodes) for nodes in elements)], shell(10.0))
    hold(part, "wall", near(both[:, 0], 0.0))
    push(part, "tip", near(both[:, 0], 2000.0), (0.0, 0.0, -1.0))
    refusal = refused(part)
    assert (refusal.code, refusal.params) == ("solve_not_held", {"free": 6, "label": 5, "bodies": 2})


def test_one_clamped_end_holds_a_beam_in_all_six_ways():
    assert told(rod(bar(Profile.RECT, 10.0, 20.0))) == {}


@pytest.mark.parametrize("n1", [(1.0, 0.0, 0.0), (-3.0, 0.0, 1e-6), (0.0, 0.0, 0.0)])
def test_an_n1_along_the_axis_is_refused(n1):
    part = rod(bar(Profile.RECT, 10.0, 20.0))
    part.assignments[0] = Assignment("bar", n1)
    assert refused(part).code == "solve_n1_parallel"


def test_a_beam_along_the_usual_n1_needs_its_own():
    xyz, elements = line(1000.0, 2)
    part = part_of(xyz[:, [2, 1, 0]], elements, bar(Profile.RECT, 10.0, 20.0))
    hold(part, "wall", part.mesh.xyz[:, 2] == 0)
    push(part, "tip", part.mesh.xyz[:, 2] == 1000, (1.0, 0.0, 0.0))
    assert told(part) == {}
    part.assignments[0] = Assignment("bar")
    assert refused(part).code == "solve_n1_parallel"


@pytest.mark.parametrize(
    ("profile", "size"),
    [
        (Profile.RECT, (10.0,)),
        (Profile.RECT, (10.0, -1.0)),
        (Profile.CIRC, (0.0,)),
        (Profile.PIPE, (10.0, 11.0)),
        (Profile.BOX, (10.0, 20.0, 5.0, 1.0, 5.0, 1.0)),
        (Profile.BOX, (10.0, 20.0, 1.0, 1.0, 1.0)),
    ],
)
def test_dimensions_that_make_no_section_are_refused(profile, size):
    assert refused(rod(bar(profile, *size))).code == "solve_bad_section"


def test_too_many_elements_are_refused_with_the_memory_that_they_would_take():
    xyz, elements = grid(300.0, 200.0, 300, 200)
    part = part_of(xyz, elements, shell(1.0))
    hold(part, "wall", x(part) == 0)
    press(part, 0.1)
    refusal = refused(part)
    assert (refusal.code, refusal.params["count"], refusal.params["limit"]) == ("solve_too_large", 60_000, 50_000)
    linear = refused(part, Options(elements="S4"))
    assert 3_000 < linear.params["memory_mib"] < 6_000
    assert refused(part, Options(max_elements=60_000, memory_mib=2_000)).code == "solve_needs_memory"
    assert refusal.params["memory_mib"] > 2 * linear.params["memory_mib"]


def test_only_what_there_is_can_be_asked_for(tmp_path):
    assert refused(cantilever(), Options(elements="S4R")).code == "solve_unknown_elements"
    with pytest.raises(EngineRefusal, match="solve_unknown_job"):
        write(cantilever(), tmp_path, job="../modal")


@pytest.mark.parametrize(("thickness", "count"), [(2.0, None), (1.99, 24), (0.1, 24)])
def test_quads_that_are_long_for_their_thickness_are_told_where_they_stay_linear(thickness, count):
    xyz, elements = grid(60.0, 40.0, 6, 4)
    part = part_of(xyz, elements, shell(thickness))
    hold(part, "wall", x(part) == 0)
    press(part, 0.1)
    remarks = {remark.code: remark.params["count"] for remark in check(part, Options(elements="S4"))}
    assert remarks.get("solve_slender") == count
    assert told(part, Options()) == {"solve_chose_s8r": {"count": 24}}
    assert "solve_slender" not in {remark.code for remark in check(part, Options(elements="S8R"))}


@pytest.mark.parametrize(("apart", "code"), [(0.0, "solve_chose_s4"), (5.0, "solve_chose_s8r")])
def test_quads_get_mid_side_nodes_unless_a_beam_shares_a_node_with_a_shell(tmp_path, apart, code):
    xyz, elements = grid(60.0, 40.0, 6, 4)
    beam = [node if apart == 0 else node + len(xyz) for node in (0, 1)]
    both = np.vstack([xyz, xyz[:2] + np.array([0.0, 0.0, apart])]) if apart else xyz
    given = [0] * len(elements) + [1]
    part = part_of(both, [*elements, tuple(beam)], shell(1.0), bar(Profile.RECT, 1.0, 2.0), given=given)
    hold(part, "wall", x(part) == 0)
    press(part, 0.1)
    remarks = told(part, Options())
    assert remarks[code] == {"count": 24}
    assert ("solve_slender" in remarks) == (code == "solve_chose_s4")
    assert ("TYPE=S8R" in write(part, tmp_path).path.read_text()) == (code == "solve_chose_s8r")
    for elements in ("S4", "S8R"):
        assert not {"solve_chose_s4", "solve_chose_s8r"} & {one.code for one in check(part, Options(elements=elements))}


def test_quads_stay_linear_where_mid_side_nodes_would_take_more_memory_than_there_is(tmp_path):
    xyz, elements = grid(60.0, 40.0, 60, 40)
    part = part_of(xyz, elements, shell(0.1))
    hold(part, "wall", x(part) == 0)
    press(part, 0.1)
    for limit, code, kind in (
        (493, "solve_chose_s8r", "S8R"),
        (492, "solve_chose_s4_memory", "S4"),
        (169, "solve_chose_s4_memory", "S4"),
    ):
        options = Options(memory_mib=limit)
        remarks = told(part, options)
        assert code in remarks
        assert ("solve_slender" in remarks) == (kind == "S4")
        assert f"TYPE={kind}," in write(part, tmp_path, options=options).path.read_text()
    assert remarks["solve_chose_s4_memory"] == {"count": 2_400, "memory_mib": 493, "limit_mib": 169}
    assert refused(part, Options(memory_mib=168)).code == "solve_needs_memory"
    assert refused(part, Options(memory_mib=492, elements="S8R")).code == "solve_needs_memory"


def test_the_knots_of_a_fold_are_counted_once_for_each_node():
    xyz, elements = grid(100.0, 100.0, 2, 2)
    folded = np.where(xyz[:, [0]] > 50, np.stack([np.full(len(xyz), 50.0), xyz[:, 1], xyz[:, 0] - 50], axis=1), xyz)
    part = part_of(folded, elements, shell(10.0))
    hold(part, "wall", x(part) == 0, CLAMPED)
    part.node_sets["_end"] = part.mesh.node_labels[-1:]
    part.loads["end"] = Force("end", "_end", (0.0, 0.0, 1.0))
    assert told(part) == {"solve_knots": {"count": 3}}
