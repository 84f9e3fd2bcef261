"""A script that did something else than was compiled is not verified: one operation less or twice, a node elsewhere, a support swapped."""

import ast
import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from domains.cae.compiling.desk import DEFINED, EVERYTHING, MIXED, Desk, checked, element, furnished, mixed, node
from steadyhand.domains.cae.compiling import verify
from steadyhand.domains.cae.engine.building import add_nodes
from steadyhand.domains.cae.engine.loading import put_fix, put_gravity
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Material
from steadyhand.domains.cae.engine.script import run
from steadyhand.domains.cae.engine.stage import Stage
from steadyhand.gate.contract import Observation, Receipt

SHEETS = {"all": True, "shapes": ["QUAD", "TRI"]}
BARS = {"all": True, "shapes": ["BEAM"]}


def transformed(kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return ("transform_part", {"operations": [{"kind": kind, "region": EVERYTHING, **more}]})


def supported(**region: Any) -> tuple[str, dict[str, Any]]:
    return ("apply_boundary", {"supports": [{"kind": "fix", "name": "F", "region": region}]})


def loaded(**load: Any) -> tuple[str, dict[str, Any]]:
    return ("apply_load", {"loads": [{"name": "P", **load}]})


AXIS = {"point": [0, 0, 0], "direction": [1, 2, 3], "degrees": 33}
TRI_AWAY = {
    "nodes": [node("a", 100, 0), node("b", 120, 0), node("c", 120, 20)],
    "add_elements": [element("e", "TRI", "a", "b", "c")],
}
SHAPED = {
    "a build": (Desk, MIXED),
    "an addition": (mixed, ("edit_part", TRI_AWAY)),
    "a move": (mixed, transformed("translate", vector=[0, 0, 50], copy_elements=False)),
    "a copy": (mixed, transformed("translate", vector=[0, 0, 50], copy_elements=True)),
    "a turn": (mixed, transformed("rotate", **AXIS, copy_elements=False)),
    "a mirror image": (mixed, transformed("mirror", point=[1, 2, 3], normal=[3, 1, 2], copy_elements=True)),
    "a row": (mixed, transformed("linear_array", vector=[0, 0, 50], count=3)),
    "a ring": (mixed, transformed("polar_array", **AXIS, count=4)),
    "a repair": (mixed, ("repair_part", {"merge_tolerance": 0.01, "remove_duplicate_elements": True, "remove_free_nodes": True})),
    "a refinement": (lambda: mixed("mesh"), ("refine_mesh", {"levels": 2})),
    "a refinement of a set": (lambda: mixed("mesh"), ("refine_mesh", {"levels": 1, "region": {"set": "PLATE"}})),
}
GIVEN = {
    "sections": (
        furnished,
        (
            "assign_property",
            {"assignments": [{"section": "T2", "region": SHEETS}, {"section": "Bar", "region": BARS, "n1": [1, 0, 0]}]},
        ),
    ),
    "a section of a set": (furnished, ("assign_property", {"assignments": [{"section": "T2", "region": {"set": "PLATE"}}]})),
    "a clamped side": (lambda: furnished("load"), supported(side="xmin")),
    "clamped nodes": (lambda: furnished("load"), supported(labels=[1, 2])),
    "a clamped set": (lambda: furnished("load"), supported(set="POST")),
    "a force on a side": (lambda: furnished("load"), loaded(kind="force", region={"side": "xmax"}, components=[0, 0, -5])),
    "a pressure on a set": (lambda: furnished("load"), loaded(kind="pressure", region={"set": "PLATE"}, magnitude=0.1)),
    "a pressure on one element": (lambda: furnished("load"), loaded(kind="pressure", region={"labels": [4]}, magnitude=0.1)),
}


def moved_node(part: Part) -> None:
    xyz = part.mesh.xyz.copy()
    xyz[len(xyz) // 2, 1] += 0.5
    part.mesh = replace(part.mesh, xyz=xyz)


def shifted(part: Part) -> None:
    part.mesh = replace(part.mesh, xyz=np.add(part.mesh.xyz, (0.01, 0, 0)))


def turned_over(part: Part) -> None:
    part.mesh = replace(part.mesh, xyz=part.mesh.xyz * [1, 1, -1])


def flipped_quad(part: Part) -> None:
    conn = part.mesh.conn.copy()
    row = np.flatnonzero(part.mesh.sizes == 4)[0]
    conn[row] = conn[row][[0, 3, 2, 1]]
    part.mesh = replace(part.mesh, conn=conn)


def reversed_beam(part: Part) -> None:
    conn = part.mesh.conn.copy()
    row = np.flatnonzero(part.mesh.sizes == 2)[0]
    conn[row, :2] = conn[row, 1::-1]
    part.mesh = replace(part.mesh, conn=conn)


def quad_on_another(part: Part) -> None:
    conn = part.mesh.conn.copy()
    first, second = np.flatnonzero(part.mesh.sizes == 4)[:2]
    conn[first] = conn[second]
    part.mesh = replace(part.mesh, conn=conn)


def other_material(part: Part) -> None:
    part.materials["Extra"] = Material("Extra", 1.0, 0.1)


def other_support(part: Part) -> None:
    put_fix(part, "Extra", part.mesh.node_labels[:1])


def other_load(part: Part) -> None:
    put_gravity(part, "Extra", (0, 0, 1))


def softer(part: Part) -> None:
    part.materials = {name: replace(one, youngs=one.youngs * 1.01) for name, one in part.materials.items()}


def offset(part: Part) -> None:
    part.sections = {name: one if name == "Bar" else replace(one, offset=0.25) for name, one in part.sections.items()}  # type: ignore[arg-type]  # a shell's is one number


def section_elsewhere(part: Part) -> None:
    assigned = part.mesh.assigned.copy()
    given = np.flatnonzero(assigned >= 0)
    bare = np.flatnonzero((assigned < 0) & (part.mesh.sizes != 2))
    if len(bare):
        assigned[bare[0]] = assigned[given[0]]
    assigned[given[0]] = -1
    part.mesh = replace(part.mesh, assigned=assigned)


def other_axis(part: Part) -> None:
    part.assignments = [entry if entry.n1 is None else replace(entry, n1=(0.0, 1.0, 0.0)) for entry in part.assignments]


def region_of_case(part: Part) -> tuple[dict[str, Any], str, Any]:
    held = part.element_sets if "_load_P" in part.element_sets else part.node_sets
    known = part.mesh.element_labels if held is part.element_sets else part.mesh.node_labels
    return held, next(name for name in held if name.startswith("_")), known


def fewer_in_region(part: Part) -> None:
    held, name, known = region_of_case(part)
    held[name] = held[name][1:] if len(held[name]) > 1 else np.setdiff1d(known, held[name])[:1]


def one_more_in_region(part: Part) -> None:
    held, name, known = region_of_case(part)
    held[name] = np.sort(np.append(held[name], np.setdiff1d(known, held[name])[-1]))


def another_in_region(part: Part) -> None:
    held, name, known = region_of_case(part)
    held[name] = np.sort(np.append(held[name][1:], np.setdiff1d(known, held[name])[-1]))


OF_SHAPES = (
    moved_node, shifted, turned_over, flipped_quad, reversed_beam, quad_on_another, other_material, other_support, other_load,
)  # fmt: skip  # a list of names
OF_EVERYTHING = (other_material, other_support, other_load, softer, offset)
OF_SECTIONS = (section_elsewhere, *OF_EVERYTHING)
OF_REGIONS = (fewer_in_region, one_more_in_region, another_in_region, *OF_EVERYTHING)
TABLE = [
    *((what, change) for what in SHAPED for change in OF_SHAPES),
    *((what, change) for what in ("sections", "a section of a set") for change in OF_SECTIONS),
    ("sections", other_axis),
    *((what, change) for what in GIVEN if "section" not in what for change in OF_REGIONS),
]


@pytest.mark.parametrize(("what", "change"), TABLE, ids=[f"{what}-{change.__name__}" for what, change in TABLE])
def test_a_part_that_is_otherwise_than_promised_is_not_verified(what: str, change: Callable[[Part], None]):
    make, item = {**SHAPED, **GIVEN}[what]
    desk = make()
    program = desk.program(item)
    part, read = desk.after(program)
    assert desk.verdict(program, read).matched is True
    change(part)
    assert part.faults() == []
    assert (
        desk.verdict(program, desk._observed(part, **{name: read.facts[name] for name in ("artifacts", "results")})).matched
        is False
    )


@pytest.mark.parametrize("what", [*SHAPED, *GIVEN])
def test_a_script_with_one_operation_less_or_twice_is_not_verified(what: str):
    make, item = {**SHAPED, **GIVEN}[what]
    desk = make()
    program = desk.program(item)
    body = ast.parse(program.text).body
    mutations = [place for place, line in enumerate(body) if _changes(ast.unparse(line))]
    for place in mutations:
        for instead in ([], [body[place], body[place]]):
            stage = Stage("ship", "hull", copy.deepcopy(desk.part), Path(), solver=checked)
            try:
                run("\n".join(map(ast.unparse, [*body[:place], *instead, *body[place + 1 :]])), stage)
            except Exception:  # noqa: BLE001, S112  # a script that cannot run ends without a version: as well
                continue
            after = desk._observed(stage.part)
            same = after.footprint == desk.after(program)[1].footprint
            assert desk.verdict(program, after).matched is same, ast.unparse(body[place])


def _changes(line: str) -> bool:
    words = (
        "Grid(",
        "Elements(",
        "Set(",
        "translate(",
        "rotate(",
        "mirror(",
        "Array(",
        "refine(",
        "Assignment(",
        "Fix(",
        "Force(",
        "Pressure(",
    )
    return any(word in line for word in words)


def test_what_a_program_does_not_touch_may_change_between_before_and_a_receipt_but_not_in_its_own_run():
    desk = furnished("load")
    program = desk.program(supported(side="xmin"))
    part, read = desk.after(program)
    softer(part)
    after = desk._observed(part, results={}, artifacts={})
    assert verify(program, desk.seen(), None, after).matched is False
    assert verify(program, desk.seen(), Receipt(read.footprint), after).matched is True


def test_a_read_back_without_figures_is_not_verified():
    desk = mixed()
    program = desk.program(transformed("translate", vector=[0, 0, 50], copy_elements=False))
    read = desk.after(program)[1]
    facts = {**read.facts, "detail": {name: value for name, value in read.facts["detail"].items() if name != "proof"}}
    assert verify(program, desk.seen(), None, Observation(facts, read.footprint)).differences == ("proof: None",)


def test_sums_of_duplicates_are_left_open_only_where_some_were_removed():
    desk = mixed()
    desk.do(
        ("edit_part", TRI_AWAY),
    )
    desk.do(("edit_part", TRI_AWAY))
    program = desk.do(("repair_part", {"remove_duplicate_elements": True}))
    assert program.evidence["moments"]["unless_fewer"] == 22
    assert len(desk.part.mesh.element_labels) == 21


def test_free_nodes_that_were_there_do_not_show_in_the_sums():
    desk = mixed()
    add_nodes(desk.part, [(500, 500, 500)])
    desk.do(transformed("mirror", point=[0, 0, 0], normal=[0, 1, 1], copy_elements=False))


def test_a_large_part_far_away_is_verified_by_its_sums():
    desk = Desk("analysis")
    grid = {"id": "P", "origin": [3e8, -7e8, 1.1], "u": [1234.5, 3.3, 0], "v": [0, 777.7, 1 / 3], "divisions": [97, 53]}
    desk.do(("build_part", {"nodes": [], "elements": [], "grids": [grid]}))
    desk.do(transformed("polar_array", point=[1e7, 2, 3], direction=[1, -2, 5], degrees=17.3, count=7))
    desk.do(("refine_mesh", {"levels": 1}))
    desk.do(DEFINED, ("assign_property", {"assignments": [{"section": "T2", "region": EVERYTHING}]}))
