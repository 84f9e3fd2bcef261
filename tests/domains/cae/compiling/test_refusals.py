"""Each thing that does not compile, with its own code: before a script exists, or by a preflight before anything is changed."""

from pathlib import Path

import pytest

from domains.cae.compiling.desk import (
    BAR,
    CORNERS,
    DEFINED,
    EVERYTHING,
    MIXED,
    STEEL,
    T2,
    Desk,
    element,
    furnished,
    mixed,
    node,
    plate,
)
from steadyhand.core.language import LANGUAGES
from steadyhand.domains.cae.engine.errors import EngineRefusal, PreflightRefusal
from steadyhand.domains.cae.engine.script import run
from steadyhand.domains.cae.engine.stage import Stage
from steadyhand.gate.contract import Program
from steadyhand.gate.lines import reason_text

SHEETS = {"all": True, "shapes": ["QUAD", "TRI"]}
BEAMS = {"all": True, "shapes": ["BEAM"]}


def build(nodes=CORNERS, elements=(), **more):
    return ("build_part", {"nodes": list(nodes), "elements": list(elements), **more})


def assign(*entries):
    return (
        "assign_property",
        {"assignments": [{"section": section, "region": region, **more} for section, region, more in entries]},
    )


def define(**more):
    return ("define_property", {"materials": [STEEL], **more})


def turn(**operation):
    return ("transform_part", {"operations": [{"region": EVERYTHING, **operation}]})


def loads(*entries, **more):
    return ("apply_load", {"loads": list(entries), **more})


def supports(*entries, **more):
    return ("apply_boundary", {"supports": list(entries), **more})


FORCE = {"kind": "force", "name": "P", "region": {"side": "xmax"}, "components": [0, 0, -1]}
FIX = {"kind": "fix", "name": "F", "region": {"side": "xmin"}}
POLAR = {"kind": "polar_array", "point": [0, 0, 0], "direction": [0, 0, 1]}

BUILT = {
    "quad_needs_four_points": [
        build(elements=[element("E", "QUAD", "N1", "N2", "N3")]),
        build(elements=[element("E", "QUAD", "N1", "N2", "N3", "N3")]),
        build([*CORNERS, node("N5", 0, 60 + 1e-7)], [element("E", "QUAD", "N1", "N3", "N4", "N5")]),
    ],
    "tri_needs_three_points": [build(elements=[element("E", "TRI", "N1", "N2")])],
    "beam_needs_two_points": [build(elements=[element("E", "BEAM", "N1", "N1")])],
    "element_without_area": [build([*CORNERS, node("N5", 30, 0)], [element("E", "TRI", "N1", "N5", "N2")])],
    "quad_crosses_itself": [build(elements=[element("E", "QUAD", "N1", "N2", "N4", "N3")])],
    "node_id_unknown": [build(elements=[element("E", "TRI", "N1", "N2", "N9")])],
    "node_id_twice": [build([*CORNERS, node("N1", 5, 5)])],
    "element_id_twice": [
        build(elements=[element("E", "TRI", "N1", "N2", "N3"), element("E", "TRI", "N1", "N3", "N4")]),
        build(elements=[element("P", "TRI", "N1", "N2", "N3")], grids=[plate("P")]),
    ],
    "set_element_unknown": [build(grids=[plate()], element_sets=[{"name": "A", "element_ids": ["P", "E7"]}])],
    "set_name_taken": [
        build(grids=[plate()], element_sets=[{"name": "A", "element_ids": ["P"]}, {"name": "A", "element_ids": ["P"]}])
    ],
    "nothing_to_do": [build([])],
    "zero_vector": [build([], grids=[plate(u=[0, 0, 0])])],
    "grid_flat": [build([], grids=[plate(u=[0, 2, 0])])],
    "too_many_elements": [build([], grids=[plate(f"P{row}", 2000, 2000, origin=[0, 0, 9 * row]) for row in range(3)])],
}
RESHAPED = {
    "nothing_to_do": [("edit_part", {}), ("repair_part", {})],
    "unknown_set": [
        ("edit_part", {"remove_sets": ["NOWHERE"]}),
        ("edit_part", {"delete_region": {"set": "NOWHERE"}}),
        turn(kind="translate", region={"set": "NOWHERE"}, vector=[0, 0, 1], copy_elements=True),
    ],
    "set_name_taken": [
        (
            "edit_part",
            {"nodes": [], "grids": [plate(origin=[0, 0, 9])], "element_sets": [{"name": "PLATE", "element_ids": ["P"]}]},
        )
    ],
    "clear_all_alone": [("edit_part", {"clear_all": True, "delete_node_labels": [1]})],
    "region_box": [("edit_part", {"delete_region": {"box": {"minimum": [1, 0, 0], "maximum": [0, 9, 9]}}})],
    "zero_vector": [
        turn(kind="translate", vector=[0, 0, 0], copy_elements=True),
        turn(kind="rotate", point=[0, 0, 0], direction=[0, 0, 0], degrees=9, copy_elements=False),
        turn(kind="mirror", point=[0, 0, 0], normal=[0, 0, 0], copy_elements=True),
        turn(kind="linear_array", vector=[0, 0, 0], count=2),
        turn(**POLAR | {"direction": [0, 0, 0]}, degrees=30, count=2),
    ],
    "turns_nowhere": [turn(kind="rotate", point=[0, 0, 0], direction=[0, 0, 1], degrees=360, copy_elements=True)],
    "array_overlaps": [turn(**POLAR, degrees=30, count=12), turn(**POLAR, degrees=0, count=2)],
    "region_needs_merge": [("repair_part", {"region": EVERYTHING, "remove_free_nodes": True})],
}
GIVEN = {
    "nothing_to_do": [("define_property", {})],
    "defined_twice": [
        define(shell_sections=[T2, T2]),
        define(shell_sections=[{**T2, "name": "Bar2"}], beam_sections=[{**BAR, "name": "Bar2"}]),
    ],
    "material_missing": [("define_property", {"shell_sections": [{**T2, "material": "Gold"}]})],
    "section_of_other_kind": [define(shell_sections=[{**T2, "name": "Bar"}])],
    "beam_dimensions": [
        define(beam_sections=[{**BAR, "profile": profile, "dimensions": sizes}])
        for profile, sizes in (("RECT", [1]), ("CIRC", [1, 2]), ("PIPE", [5]), ("BOX", [9, 9, 1]))
    ],
    "pipe_wall": [define(beam_sections=[{**BAR, "profile": "PIPE", "dimensions": [5, 5]}])],
    "box_walls": [define(beam_sections=[{**BAR, "profile": "BOX", "dimensions": [10, 20, 5, 1, 5, 1]}])],
    "section_missing": [assign(("T9", SHEETS, {}))],
    "section_does_not_fit": [
        assign(("T2", EVERYTHING, {})),
        assign(("T2", {"set": "POST"}, {})),
        assign(("Bar", {"set": "PLATE"}, {"n1": [1, 0, 0]})),
        assign(("T2", {"side": "zmin", "shapes": ["BEAM"]}, {})),
    ],
    "n1_missing": [assign(("Bar", BEAMS, {}))],
    "n1_zero": [assign(("Bar", BEAMS, {"n1": [0, 0, 0]}))],
    "n1_not_for_shells": [assign(("T2", SHEETS, {"n1": [1, 0, 0]}))],
    "selections_conflict": [
        assign(("T2", {"side": "zmin", "shapes": ["QUAD"]}, {}), ("T2", {"side": "zmin", "shapes": ["QUAD"]}, {})),
        assign(("T2", {"labels": [5, 6]}, {}), ("T2", {"labels": [6, 7]}, {})),
    ],
}
CASES = {
    "nothing_to_do": [loads(), supports()],
    "zero_vector": [loads({**FORCE, "components": [0, 0, 0]}), loads({"kind": "gravity", "name": "G", "components": [0, 0, 0]})],
    "pressure_zero": [loads({"kind": "pressure", "name": "Q", "region": SHEETS, "magnitude": 0})],
    "pressure_needs_faces": [
        loads({"kind": "pressure", "name": "Q", "region": where, "magnitude": 1}) for where in (EVERYTHING, {"set": "POST"})
    ],
    "unknown_load": [loads(remove=["X"])],
    "unknown_support": [supports(remove=["X"])],
    "unknown_set": [loads({**FORCE, "region": {"set": "NOWHERE"}})],
    "case_name_taken": [
        loads(FORCE, FORCE),
        loads({**FORCE, "name": "Held"}),
        loads({"kind": "gravity", "name": "Pull", "components": [0, 0, -1]}),
        supports({**FIX, "name": "Pull"}),
        supports({"kind": "symmetry", "name": "Held", "region": {"side": "xmin"}, "axis": "X"}),
    ],
}


def listed(table):
    return [(code, item) for code, items in table.items() for item in items]


def refused(desk, item, code):
    found = desk.refusal(item)
    assert (found.code, found.index) == (code, 0)
    for language in LANGUAGES:
        text = reason_text(found.code, found.params, language)
        assert text
        assert code not in text
    return found


@pytest.mark.parametrize(("code", "item"), listed(BUILT))
def test_what_cannot_be_built_is_refused(code, item):
    refused(Desk("part"), item, code)


@pytest.mark.parametrize(("code", "item"), listed(RESHAPED))
def test_what_cannot_be_reshaped_is_refused(code, item):
    refused(mixed(), item, code)


@pytest.mark.parametrize(("code", "item"), listed(GIVEN))
def test_what_cannot_be_defined_or_given_is_refused(code, item):
    refused(furnished(), item, code)


@pytest.mark.parametrize(("code", "item"), listed(CASES))
def test_what_cannot_be_loaded_or_held_is_refused(code, item):
    desk = furnished("load")
    desk.do(supports({**FIX, "name": "Held"}), loads({**FORCE, "name": "Pull"}))
    refused(desk, item, code)


def test_nothing_is_refined_where_there_is_none_of_the_shape():
    desk = Desk("part")
    desk.do(build([], grids=[plate()]))
    desk.module = "mesh"
    refused(desk, ("refine_mesh", {"levels": 1, "shapes": ["TRI"]}), "region_empty")


def test_an_array_that_no_part_holds_is_refused_with_how_many():
    desk = Desk("part")
    desk.do(build([], grids=[plate(along=100, across=100)]))
    found = refused(desk, turn(kind="linear_array", vector=[0, 0, 1], count=900), "array_too_large")
    assert found.params == {"count": 900, "elements": 10_000, "limit": 8_000_000}


# ---- what the same program builds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "entries"),
    [
        ("section_does_not_fit", [("T2", {"side": "xmin"}, {})]),
        ("n1_parallel", [("Bar", BEAMS, {"n1": [0, 0, -3]})]),
        ("selections_conflict", [("T2", {"set": "PLATE"}, {}), ("T2", {"plane": {"axis": "z", "at": 0}}, {})]),
        ("region_empty_for", [("T2", {"plane": {"axis": "z", "at": 7}}, {})]),
    ],
)
def test_what_is_given_to_elements_of_the_same_program_is_checked_against_them(code, entries):
    found = Desk("analysis").refusal(MIXED, DEFINED, assign(*entries))
    assert (found.code, found.index) == (code, 2)


def test_sections_for_all_that_was_built_are_counted_exactly():
    whole = Desk("analysis").program(MIXED, DEFINED, assign(("T2", SHEETS, {}), ("Bar", BEAMS, {"n1": [1, 0, 0]})))
    assert whole.evidence["properties"]["assigned"] == {"T2": [19, 19], "Bar": [1, 1]}
    assert whole.evidence["properties"]["unassigned"] == 0


# ---- preflights ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "item"),
    [
        ("section_does_not_fit", assign(("T2", {"labels": [1]}, {}))),
        ("n1_parallel", assign(("Bar", {"side": "xmin", "shapes": ["BEAM"]}, {"n1": [0, 0, 2]}))),
        ("selections_conflict", assign(("T2", {"labels": [5]}, {}), ("T2", {"plane": {"axis": "z", "at": 0}}, {}))),
        ("region_empty", assign(("T2", {"plane": {"axis": "z", "at": 7}}, {}))),
        ("unknown_element", assign(("T2", {"labels": [99]}, {}))),
        ("unknown_node", ("edit_part", {"delete_node_labels": [99]})),
        ("selections_conflict", ("edit_part", {"delete_element_labels": [3], "delete_region": {"set": "PLATE"}})),
        ("tolerance_too_large", ("repair_part", {"merge_tolerance": 6})),
        ("tolerance_too_large", ("repair_part", {"merge_tolerance": 6, "region": {"set": "PLATE"}})),
        ("region_empty", turn(kind="linear_array", region={"side": "zmax"}, vector=[0, 0, 1], count=2)),
        ("region_empty", supports({**FIX, "region": {"plane": {"axis": "x", "at": -4}}})),
        ("pressure_on_beam", loads({"kind": "pressure", "name": "Q", "region": {"labels": [1]}, "magnitude": 1})),
    ],
)
def test_what_only_the_mesh_can_tell_is_refused_by_a_preflight_before_any_change(code, item):
    desk = furnished("analysis")
    desk.module = {"edit_part": "part", "transform_part": "part", "repair_part": "part", "assign_property": "property"}.get(
        item[0], "load"
    )
    program = desk.program(item)
    stage = Stage("ship", "hull", desk.part, Path())
    before = desk.seen()
    with pytest.raises(PreflightRefusal) as raised:
        run(program.text, stage)
    assert raised.value.code == code
    assert desk.seen() == before


def test_all_preflights_of_a_program_come_before_its_first_mutation():
    desk = furnished("load")
    good, bad = {**FIX, "name": "A"}, {**FIX, "name": "B", "region": {"plane": {"axis": "x", "at": -4}}}
    program = desk.program(supports(good, bad), loads(FORCE))
    with pytest.raises(PreflightRefusal):
        desk.after(program)
    lines = program.text.splitlines()
    last_look = max(place for place, line in enumerate(lines) if "preflight." in line and not line.startswith("from"))
    first_change = min(place for place, line in enumerate(lines) if line.startswith("part.") or " = part.pick" in line)
    assert last_look < first_change


def test_what_stands_on_an_earlier_operation_of_the_program_is_refused_on_the_copy():
    desk = mixed()
    program = desk.program(
        (
            "transform_part",
            {"operations": [{"kind": "translate", "region": EVERYTHING, "vector": [0, 0, 5], "copy_elements": True}]},
        ),
        ("repair_part", {"merge_tolerance": 1e6}),
    )
    assert isinstance(program, Program)
    assert "tolerance_fits" not in program.text
    with pytest.raises(EngineRefusal) as raised:
        desk.after(program)
    assert raised.value.code == "tolerance_too_large"
