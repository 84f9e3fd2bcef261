"""The scripts of every tool, and what a person reads of them, to the character; each passes the list of allowed forms and runs."""

from pathlib import Path

import pytest

from domains.cae.compiling.desk import (
    DEFINED,
    EVERYTHING,
    MIXED,
    SQUARE,
    Desk,
    element,
    furnished,
    mixed,
    node,
    plate,
)
from steadyhand.core.canonical import canonical, digest

GOLDEN = Path(__file__).parent / "golden"
SHEETS = {"all": True, "shapes": ["QUAD", "TRI"]}
PIPE = {"name": "Tube", "material": "Steel", "profile": "PIPE", "dimensions": [10, 1], "offset": [0.5, 0]}
TRANSFORMS = [
    {"kind": "translate", "region": EVERYTHING, "vector": [0, 0, 500], "copy_elements": True},
    {
        "kind": "rotate",
        "region": {"set": "POST"},
        "point": [0, 0, 0],
        "direction": [0, 0, 1],
        "degrees": 45,
        "copy_elements": True,
    },
    {
        "kind": "mirror",
        "region": {"box": {"minimum": [0, 0, 0], "maximum": [60, 30, 0]}},
        "point": [-5, 0, 0],
        "normal": [1, 0, 0],
        "copy_elements": True,
    },
    {"kind": "linear_array", "region": {"labels": [1]}, "vector": [10, 0, 0], "count": 3},
    {"kind": "polar_array", "region": {"labels": [1]}, "point": [9, 9, 0], "direction": [0, 0, 1], "degrees": 30, "count": 11},
]
SUPPORTS = [
    {"kind": "fix", "name": "Clamp", "region": {"side": "xmin"}},
    {"kind": "symmetry", "name": "Mirror", "region": {"plane": {"axis": "Y", "at": 0}}, "axis": "Y"},
]
LOADS = [
    {"kind": "force", "name": "Pull", "region": {"side": "xmax"}, "components": [0, 0, -100]},
    {"kind": "force", "name": "Push", "region": {"labels": [3, 4]}, "components": [1, 0, 0], "share": "each"},
    {"kind": "pressure", "name": "Wind", "region": {"set": "PLATE"}, "magnitude": 0.1},
    {"kind": "gravity", "name": "Weight", "components": [0, 0, -9810]},
]
EDIT = {
    "nodes": [node("n1", 0, 0), node("n2", 10, 0), node("n3", 5, 0, 10)],
    "add_elements": [element("e1", "TRI", "n1", "n2", "n3")],
    "grids": [plate("wall", 2, 1, origin=[0, 30, 0], u=[60, 0, 0], v=[0, 0, 20])],
    "delete_element_labels": [2],
    "delete_node_labels": [4],
    "delete_region": {"set": "POST"},
    "element_sets": [{"name": "WALL", "element_ids": ["wall", "e1"]}],
    "remove_sets": ["POST"],
}
CASES = {
    "build": (lambda: Desk("part"), [MIXED]),
    "build_one": (lambda: Desk("part"), [SQUARE]),
    "edit": (mixed, [("edit_part", EDIT)]),
    "clear": (mixed, [("edit_part", {"clear_all": True, "grids": [plate("new", 2, 2)]})]),
    "transform": (mixed, [("transform_part", {"operations": TRANSFORMS})]),
    "repair": (
        mixed,
        [
            ("transform_part", {"operations": TRANSFORMS[:1]}),
            ("repair_part", {"merge_tolerance": 0.01, "remove_duplicate_elements": True, "remove_free_nodes": True}),
            ("audit_part", {}),
        ],
    ),
    "refine": (lambda: mixed("mesh"), [("refine_mesh", {"levels": 2, "shapes": ["QUAD"]}), ("audit_mesh", {"tolerance": 0.01})]),
    "refine_region": (lambda: mixed("mesh"), [("refine_mesh", {"levels": 1, "region": {"set": "PLATE"}})]),
    "define": (lambda: mixed("property"), [("define_property", {**DEFINED[1], "beam_sections": [PIPE]})]),
    "assign": (
        furnished,
        [
            (
                "assign_property",
                {
                    "assignments": [
                        {"section": "T2", "region": SHEETS},
                        {"section": "Bar", "region": {"set": "POST"}, "n1": [1, 0, 0]},
                    ]
                },
            ),
            ("audit_property", {}),
        ],
    ),
    "cases": (
        lambda: furnished("load"),
        [("apply_boundary", {"supports": SUPPORTS}), ("apply_load", {"loads": LOADS}), ("run_job", {"elements": "s8r"})],
    ),
}


def golden(name, text):
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_script_of_each_tool_is_this_one_and_does_what_it_promises(name):
    make, items = CASES[name]
    desk = make()
    program = desk.program(*items)
    golden(f"{name}.script.txt", program.text)
    assert desk.verdict(program).matched


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_a_person_reads_every_operation_with_its_numbers_and_units(language):
    pages = []
    for name, (make, items) in CASES.items():
        desk = make()
        pages.append(f"== {name}\n{desk.shown(desk.program(*items), language).text}")
    golden(f"review.{language}.txt", "\n\n".join(pages) + "\n")


def test_a_target_stands_in_no_argument_and_no_script_but_is_put_in_by_the_host():
    for make, items in CASES.values():
        text = make().program(*items).text
        assert text.count("SAM_AGENT_TARGET['model_name']") == text.count("SAM_AGENT_TARGET['part_name']") == 1
        assert "hull" not in text
        assert text.endswith("\nmodel.finish(part)\n")


def test_the_same_operations_make_the_same_program_again():
    for make, items in CASES.values():
        one, other = make().program(*items), make().program(*items)
        assert one == other
        assert digest(one.evidence) == digest(other.evidence)
        assert canonical(one.evidence)
