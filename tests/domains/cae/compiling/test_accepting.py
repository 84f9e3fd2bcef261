"""What becomes an operation: valid, of the module, normalised, and within what the person asked for; what is left out is said."""

import subprocess
import sys

import pytest

from domains.cae.compiling.desk import DEFINED, MIXED, PLATE, SQUARE, STEEL, Desk, element, furnished, mixed, node
from steadyhand.domains.cae.compiling import operations
from steadyhand.gate.contract import DraftCopy, Given, Operations, Refusal

TOUCH = ("audit_part", {})
MOVE = (
    "transform_part",
    {"operations": [{"kind": "translate", "region": {"all": True}, "vector": [0, 0, 5], "copy_elements": True}]},
)
NAMED = ("build_part", {**SQUARE[1], "element_sets": [{"name": "A", "element_ids": ["E1"]}]})
CLEAR = ("edit_part", {"clear_all": True})


def codes(found):
    assert isinstance(found, Refusal), found
    return found.code, found.index


# ---- validity --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (("build_part", {"nodes": [], "elements": [], "model_name": "Other"}), "model_name"),
        (("build_part", {"nodes": [{"id": "N1", "coordinates": [0, 0]}], "elements": []}), "nodes[0].coordinates[2]"),
        (("build_part", {"nodes": [node("N1", float("inf"), 0)], "elements": []}), "nodes[0].coordinates[0]"),
        (("build_part", {"nodes": [node("N1", 0, 0)], "elements": [element("E", "HEX", "N1", "N1")]}), "elements[0].shape"),
        (("build_part", {"elements": []}), "nodes"),
        (("build_part", {"nodes": "none", "elements": []}), "nodes"),
        (("build_part", {"nodes": [], "elements": [], "grids": [{"id": "g"}]}), "grids[0].origin"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_their_place(item, path):
    found = Desk().called(item)
    code, index = codes(found)
    assert code.startswith("bad_argument")
    assert index == 0
    assert (found.params["tool"], found.params["path"]) == (item[0], path)


def test_a_region_is_said_in_exactly_one_way():
    for region in ({}, {"all": True, "side": "xmin"}):
        wrong = {"operations": [{"kind": "translate", "region": region, "vector": [0, 0, 1], "copy_elements": True}]}
        assert codes(mixed().called(("transform_part", wrong)))[0] == "bad_argument_region"


def test_what_is_given_may_hold_nothing_beside_a_tool_and_its_arguments():
    seen = Desk().seen()
    for item in (3, {"arguments": {}}, {"tool": 5}, {"tool": "build_part", "arguments": SQUARE[1], "notes": []}):
        assert codes(operations(Given((item,)), seen, "")) == ("operation_unreadable", 0)
    assert codes(operations(Given(()), seen, ""))[0] == "nothing_to_do"
    assert codes(operations(DraftCopy("d", 1, None), seen, ""))[0] == "cae_takes_no_draft"


def test_a_tool_that_nobody_knows_and_one_that_only_code_gives_are_refused_from_a_model():
    restore = ("restore_version", {"version": 1, "sha256": "0" * 64})
    assert codes(Desk().called(("delete_disk", {})))[0] == "cae_tool_unknown"
    assert codes(Desk().called(restore))[0] == "cae_tool_unknown"
    assert isinstance(Desk().given(restore), Operations)


def test_a_tool_outside_the_module_and_one_that_stands_twice_are_refused():
    assert codes(Desk("mesh").called(SQUARE)) == ("tool_not_in_module", 0)
    assert codes(mixed("part").called(TOUCH, MOVE, MOVE))[0] == "tool_twice"


def test_an_import_stands_alone_and_replaces_a_part_only_when_told_to():
    bring = {"sha256": "0" * 64, "file": "hull.inp"}
    assert codes(Desk().given(("import_deck", bring), SQUARE)) == ("stands_alone", 0)
    assert codes(mixed().given(("import_deck", bring))) == ("part_not_empty", 0)
    assert isinstance(mixed().given(("import_deck", {**bring, "replace": True})), Operations)


# ---- empty and not ---------------------------------------------------------------------------------------------------


def test_only_an_empty_part_is_built_and_only_one_with_geometry_is_changed():
    assert codes(mixed().called(SQUARE)) == ("part_not_empty", 0)
    for item in (MOVE, CLEAR, TOUCH, ("repair_part", {"remove_free_nodes": True})):
        assert codes(Desk().given(item)) == ("part_empty", 0)
    assert codes(Desk("mesh").given(("refine_mesh", {"levels": 1}))) == ("part_empty", 0)
    assert isinstance(Desk("property").given(DEFINED), Operations)


def test_building_makes_room_for_what_stands_on_it_and_not_for_edits():
    fix = ("apply_boundary", {"supports": [{"kind": "fix", "name": "F", "region": {"side": "xmin"}}]})
    assert isinstance(Desk("analysis").given(PLATE, fix, TOUCH), Operations)
    assert codes(Desk("analysis").given(PLATE, MOVE)) == ("part_empty", 1)


# ---- within what was asked -------------------------------------------------------------------------------------------


def test_sets_that_nobody_asked_for_are_left_out_and_that_is_said():
    taken = Desk().called(NAMED, request="建一块 60×60 的板")
    assert taken.items[0]["arguments"]["element_sets"] == []
    assert taken.items[0]["notes"] == [{"note": "sets_dropped", "params": {"names": "A"}}]


@pytest.mark.parametrize("request_", ["建一块板，建立集合 A", "build a plate and put it into a set named A"])
def test_sets_that_were_asked_for_stay(request_):
    taken = Desk().called(NAMED, request=request_)
    assert taken.items[0]["arguments"]["element_sets"] == [{"name": "A", "element_ids": ["E1"]}]
    assert "notes" not in taken.items[0]


def test_a_given_file_is_the_persons_own_word():
    assert Desk().given(NAMED).items[0]["arguments"]["element_sets"]
    assert mixed().given(CLEAR).items[0]["arguments"]["clear_all"] is True


def test_sets_go_from_a_models_call_only_when_that_was_asked_for():
    drop = ("edit_part", {"remove_sets": ["POST"], "delete_element_labels": [1]})
    kept = mixed().called(drop, request="删除单元 1")
    assert kept.items[0]["arguments"]["remove_sets"] == []
    assert kept.items[0]["notes"] == [{"note": "set_removal_dropped", "params": {"names": "POST"}}]
    assert mixed().called(drop, request="删除单元 1，删除集合 POST").items[0]["arguments"]["remove_sets"] == ["POST"]


def test_everything_is_deleted_only_when_the_request_says_so():
    assert codes(mixed().called(CLEAR, request="增加一个 TRI")) == ("clear_all_not_asked", 0)
    assert codes(mixed().called(CLEAR, request="不要全部删除")) == ("clear_all_not_asked", 0)
    assert isinstance(mixed().called(CLEAR, request="全部删除，重新建一块板"), Operations)
    assert isinstance(mixed().called(CLEAR, request="delete everything"), Operations)


# ---- normal form -----------------------------------------------------------------------------------------------------


FAR = {"minimum": [-1e12] * 3, "maximum": [1e12] * 3}
IN_DISGUISE = [
    {"delete_region": {"all": True}},
    {"delete_region": {"all": True, "shapes": ["QUAD", "TRI", "BEAM"]}},
    {"delete_region": {"box": FAR}},
    {"delete_region": {"labels": list(range(1, 21))}},
    {"delete_element_labels": list(range(1, 21))},
    {"delete_node_labels": list(range(1, 31))},
]


@pytest.mark.parametrize("edit", IN_DISGUISE)
@pytest.mark.parametrize("request_", ["把板加厚一点", "delete elements 1 and 2", "不要删除全部", "delete no element at all"])
def test_everything_is_not_deleted_in_other_words_either(edit, request_):
    assert codes(mixed().called(("edit_part", edit), request=request_)) == ("clear_all_not_asked", 0)


@pytest.mark.parametrize(
    ("edit", "request_"),
    [
        *((edit, "全部删除，然后重新建板") for edit in IN_DISGUISE),
        ({"delete_element_labels": list(range(1, 21))}, "删除单元 1 到 20"),
        ({"delete_region": {"box": {"minimum": [0, 0, 0], "maximum": [90, 90, 90]}}}, "remove what lies between 0 and 90 mm"),
        ({"delete_region": {"all": True, "shapes": ["QUAD"]}}, "add a beam"),
        ({"delete_element_labels": [1, 2]}, "add a beam"),
    ],
)
def test_what_was_asked_for_or_leaves_something_may_go(edit, request_):
    assert isinstance(mixed().called(("edit_part", edit), request=request_), Operations)


def test_a_set_or_a_shape_with_everything_in_it_goes_only_when_it_is_named():
    desk = Desk()
    desk.do(("build_part", {**PLATE[1], "element_sets": [{"name": "DECK", "element_ids": ["P"]}]}))
    for where, asked in (({"set": "DECK"}, "删除集合 DECK 的单元"), ({"all": True, "shapes": ["QUAD"]}, "delete the QUADs")):
        edit = ("edit_part", {"delete_region": where})
        assert codes(desk.called(edit, request="细化")) == ("clear_all_not_asked", 0)
        assert isinstance(desk.called(edit, request=asked), Operations)


@pytest.mark.parametrize("mark", ["\n2. Harmless", "\x1b[2K", "\u202e", "\x00", "\u2028"])
def test_a_name_of_a_call_cannot_forge_a_line_of_the_review(mark):
    made = {**PLATE[1], "grids": [{**PLATE[1]["grids"][0], "id": f"P{mark}"}]}
    found = Desk().compiled(("build_part", made))
    assert (found.code, found.params["path"]) == ("bad_argument_unprinted", "grids[0].id")


@pytest.mark.parametrize("number", [10**400, -(10**400), 1e13])
def test_a_number_beyond_all_bounds_is_refused_like_any_other(number):
    made = {**PLATE[1], "grids": [{**PLATE[1]["grids"][0], "u": [number, 0, 0]}]}
    assert Desk().compiled(("build_part", made)).params["path"] == "grids[0].u[0]"


def test_given_operations_run_in_the_one_order_and_a_changed_order_is_said():
    repair = ("repair_part", {"merge_tolerance": 0.01})
    taken = mixed().given(TOUCH, repair, MOVE)
    assert [item["tool"] for item in taken.items] == ["transform_part", "repair_part", "audit_part"]
    assert taken.items[0]["notes"] == [{"note": "reordered", "params": {"tools": "transform_part, repair_part, audit_part"}}]
    assert "notes" not in mixed().given(MOVE, repair, TOUCH).items[0]


def test_words_become_capitals_lists_lose_their_doubles_and_defaults_are_filled_in():
    region = {"labels": [3, 1, 3], "shapes": ["beam", "quad", "beam"]}
    taken = furnished("load").given(
        ("apply_boundary", {"supports": [{"kind": "fix", "name": "F", "region": region, "dofs": [3, 1, 3]}], "remove": []})
    )
    entry = taken.items[0]["arguments"]["supports"][0]
    assert entry == {"kind": "fix", "name": "F", "region": {"labels": [1, 3], "shapes": ["QUAD", "BEAM"]}, "dofs": [1, 3]}
    assert Desk("part").given(MIXED).items[0]["arguments"]["grids"][0]["origin"] == [0.0, 0.0, 0.0]


# ---- units -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "field", "meant"),
    [
        ({"youngs": 2.1e11}, "youngs", "210000"),
        ({"name": "Foam", "youngs": 2.1}, "youngs", "2100"),
        ({"youngs": 210}, "youngs", "210000"),
        ({"density": 7850}, "density", "7.85e-09"),
        ({"density": 7.85}, "density", "7.85e-09"),
        ({"density": 7.85e-6}, "density", "7.85e-09"),
    ],
)
def test_a_slip_of_units_is_refused_from_a_model_and_noted_of_a_file(change, field, meant):
    item = ("define_property", {"materials": [{**STEEL, **change}]})
    found = mixed("property").called(item, request="定义钢材")
    assert codes(found) == ("units_unlikely", 0)
    assert (found.params["field"], found.params["meant"]) == (field, meant)
    assert mixed("property").given(item).items[0]["notes"][0]["params"]["meant"] == meant


def test_a_load_in_pascal_or_metres_is_a_slip_too():
    gravity = ("apply_load", {"loads": [{"kind": "gravity", "name": "G", "components": [0, 0, -9.81]}]})
    pascal = ("apply_load", {"loads": [{"kind": "pressure", "name": "P", "region": {"all": True}, "magnitude": 1e5}]})
    assert mixed("load").called(gravity).params["meant"] == "-9810"
    assert mixed("load").called(pascal).params["meant"] == "0.1"


def test_a_value_that_the_person_states_with_our_unit_is_meant():
    soft = ("define_property", {"materials": [{"name": "Foam", "youngs": 5, "poisson": 0.3}]})
    assert isinstance(mixed("property").called(soft, request="泡沫，弹性模量 5 MPa"), Operations)
    assert codes(mixed("property").called(soft, request="泡沫，弹性模量 5 GPa"))[0] == "units_unlikely"
    heavy = ("define_property", {"materials": [{**STEEL, "density": 7850}]})
    assert codes(mixed("property").called(heavy, request="steel with 7850 kg/m³"))[0] == "units_unlikely"


def test_usual_materials_are_no_slip():
    usual = [
        STEEL,
        {"name": "Aluminium", "youngs": 70000, "poisson": 0.33, "density": 2.7e-9},
        {"name": "PE", "youngs": 800, "poisson": 0.4},
    ]
    assert isinstance(mixed("property").called(("define_property", {"materials": usual})), Operations)


def test_compiling_needs_no_numerical_library_in_this_process():
    looks = "import sys, steadyhand.domains.cae.compiling; print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", looks], capture_output=True, text=True, check=True).stdout.strip() == "[]"
