"""Four of the reference's seven failures (part 12) that compiling decides: no free Python, reused nodes, no set unasked, enumerations."""

import ast

import pytest

from domains.cae.compiling.desk import TARGET, Desk, element, mixed, node
from steadyhand.domains.cae.compiling import compile as compile_operations
from steadyhand.domains.cae.engine.script import run
from steadyhand.domains.cae.engine.stage import Stage
from steadyhand.gate.contract import Operations, Program, Refusal

TRI = ("edit_part", {"nodes": [], "add_elements": []})


def compiled(desk, taken):
    assert isinstance(taken, Operations), taken
    program = compile_operations(taken, TARGET, desk.seen())
    assert isinstance(program, Program), program
    return program


# ---- 12.1 free Python ------------------------------------------------------------------------------------------------

HOSTILE = "N1'); import os; os.system('true') #"


def test_a_script_is_never_a_models_an_argument_that_holds_code_is_refused_or_stays_out_of_it():
    for extra in ({"script": "part.clear()"}, {"model_name": "Other"}, {"part_name": "Other"}, {"python": "import os"}):
        found = Desk().called(("build_part", {"nodes": [], "elements": [], **extra}))
        assert isinstance(found, Refusal)
        assert found.code.startswith("bad_argument_")
    named = {"materials": [{"name": HOSTILE, "youngs": 210000, "poisson": 0.3}]}
    found = mixed("property").called(("define_property", named))
    assert isinstance(found, Refusal)
    assert (found.code, found.params["path"]) == ("bad_argument_name", "materials[0].name")


def test_local_names_of_any_kind_are_no_part_of_the_script():
    nodes = [node(HOSTILE, 0, 0), node("长", 60, 0), node("N3", 60, 60)]
    desk = Desk()
    program = compiled(
        desk, desk.called(("build_part", {"nodes": nodes, "elements": [element("单元", "TRI", HOSTILE, "长", "N3")]}))
    )
    assert "import os" not in program.text
    assert program.text.isascii()
    assert desk.verdict(program).matched


def test_a_script_has_one_import_and_calls_nothing_but_the_words_of_the_part():
    program = mixed().program(("edit_part", {"delete_element_labels": [1]}))
    tree = ast.parse(program.text)
    assert [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)] == [
        "steadyhand.domains.cae.engine.script"
    ]
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert called == {"open_model", "model.part", "preflight.elements", "part.deleteElement", "model.finish"}


# ---- 12.2 edit reuses nodes ------------------------------------------------------------------------------------------

LOWER = (
    "build_part",
    {
        "nodes": [node("a", 0, 0, 500), node("b", 1000, 0, 500), node("c", 500, -500, 500)],
        "elements": [element("e", "TRI", "a", "c", "b")],
    },
)
ON_TOP = {
    "nodes": [node("n1", 0, 0, 500), node("n2", 1000, 0, 500), node("n3", 500, 500, 500)],
    "add_elements": [element("e1", "TRI", "n1", "n2", "n3")],
}


def test_a_coordinate_that_is_there_is_used_again_and_one_that_is_not_is_made_once():
    desk = Desk()
    desk.do(LOWER)
    desk.do(("edit_part", ON_TOP))
    assert (desk.part.mesh.node_count, desk.part.mesh.element_count) == (4, 2)
    assert desk.part.mesh.node_labels[desk.part.mesh.conn[1, :3]].tolist() == [1, 2, 4]


def test_a_deleted_node_is_not_used_again_for_the_same_coordinate():
    desk = Desk()
    desk.do(LOWER)
    desk.do(("edit_part", {**ON_TOP, "delete_node_labels": [1]}))
    assert desk.part.mesh.node_labels.tolist() == [2, 3, 4, 5]
    assert desk.part.mesh.element_count == 1


def test_an_element_over_a_node_that_the_call_does_not_list_is_refused_by_its_name():
    desk = Desk()
    desk.do(LOWER)
    found = desk.refusal(("edit_part", {**ON_TOP, "nodes": ON_TOP["nodes"][2:]}))
    assert (found.code, dict(found.params)) == ("node_id_unknown", {"element": "e1", "id": "n1"})


# ---- 12.3 sets that nobody asked for ---------------------------------------------------------------------------------


def with_a_set(name="NEW", members=("e1",)):
    return ("edit_part", {**ON_TOP, "element_sets": [{"name": name, "element_ids": list(members)}]})


@pytest.mark.parametrize("request_", ["利用已有坐标增加一个 TRI", "add one TRI over these points", "加一个 TRI，不要建集合"])
def test_a_set_that_nobody_asked_for_is_not_made(request_):
    desk = Desk()
    desk.do(LOWER)
    program = compiled(desk, desk.called(with_a_set(), request=request_))
    assert "part.Set" not in program.text
    assert program.evidence["sets"]["names"] == []
    assert program.evidence["notes"][0]["note"] == "sets_dropped"
    part, after = desk.after(program)
    assert part.element_sets == {}
    assert desk.verdict(program, after).matched


def test_a_set_over_elements_that_are_not_of_the_call_does_not_even_matter_when_nobody_asked_for_it():
    desk = Desk()
    desk.do(LOWER)
    strange = with_a_set(members=("e1", "42"))
    assert compiled(desk, desk.called(strange, request="增加一个 TRI"))
    asked = desk.called(strange, request="增加一个 TRI，建集合 NEW")
    found = compile_operations(asked, TARGET, desk.seen())
    assert isinstance(found, Refusal)
    assert (found.code, dict(found.params)) == ("set_element_unknown", {"name": "NEW", "id": "42"})


def test_a_set_that_was_asked_for_is_made_and_proven():
    desk = Desk()
    desk.do(LOWER)
    program = compiled(desk, desk.called(with_a_set(), request="增加一个 TRI，并放入集合 NEW"))
    part, after = desk.after(program)
    assert part.element_sets["NEW"].tolist() == [2]
    assert desk.verdict(program, after).matched


# ---- 12.7 enumerations -----------------------------------------------------------------------------------------------


def test_the_word_of_a_call_becomes_the_enumeration_and_never_a_string():
    desk = mixed("mesh")
    program = compiled(desk, desk.called(("refine_mesh", {"levels": 1, "shapes": ["quad", "TRI"]})))
    assert "part.refine(levels=1, elemShapes=(QUAD, TRI))" in program.text
    strings = {
        node.value for node in ast.walk(ast.parse(program.text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert strings == {"model_name", "part_name"}
    assert desk.verdict(program).matched


def test_a_string_in_the_place_of_an_enumeration_raises_and_changes_nothing(tmp_path):
    desk = mixed("mesh")
    wrong = desk.program(("refine_mesh", {"levels": 1, "shapes": ["QUAD"]})).text.replace(
        "elemShapes=(QUAD,)", "elemShapes=('QUAD',)"
    )
    before = desk.seen()
    with pytest.raises(TypeError, match="found str, expecting enum"):
        run(wrong, Stage("ship", "hull", desk.part, tmp_path))
    assert desk.seen() == before
