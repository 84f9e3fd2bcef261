"""What a person reads before deciding: what happens, what comes of it, what was found, left out and remarked."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from domains.cae.compiling.desk import DEFINED, EVERYTHING, MIXED, Desk, furnished, mixed, plate
from steadyhand.core.canonical import canonical
from steadyhand.domains.cae.compiling import compile as compile_operations
from steadyhand.domains.cae.compiling import present
from steadyhand.domains.cae.engine.auditing import report
from steadyhand.domains.cae.engine.part import Kept, Part
from steadyhand.domains.cae.engine.properties import Gravity, Material
from steadyhand.gate.contract import Rehearsal

COPY = (
    "transform_part",
    {"operations": [{"kind": "translate", "region": EVERYTHING, "vector": [0, 0, 500], "copy_elements": True}]},
)
AUDIT = ("audit_part", {})


def test_counts_are_told_before_and_after_from_the_rehearsal_with_the_picture():
    desk = mixed()
    view = desk.shown(desk.program(COPY, AUDIT), "en")
    assert "copy all elements by (0, 0, 500) mm" in view.text
    assert "nodes: 30 → 60" in view.text
    assert "elements: 20 → 40" in view.text
    assert "before_after.svg" not in view.text, "the command that shows the picture is named where the review stands"
    assert view.payload["picture"] == "before_after.svg"
    assert view.payload["counts"]["element_count"] == [20, 40]
    assert view.payload["rehearsed"] is True
    assert canonical(view.payload)


def test_what_was_not_rehearsed_is_called_a_forecast_with_ranges():
    desk = mixed()
    view = desk.shown(desk.program(("repair_part", {"merge_tolerance": 0.01})), "zh-CN", rehearsed=False)
    assert "尚未预演" in view.text
    assert "节点：30 → 1 到 30" in view.text
    assert view.payload["counts"]["node_count"] == [30, [1, 30]]


def test_findings_of_an_audit_and_remarks_of_a_job_are_told_in_the_persons_language():
    desk = mixed()
    program = desk.program(AUDIT)
    audit = {"part_audit.json": report(desk.part, "part", 1e-3)}
    remarks = [{"code": "solve_tri", "count": 1}]
    for language, finding, remark in (("en", "free edges", "1 TRI is"), ("zh-CN", "自由边", "TRI")):
        text = desk.shown(program, language, audit=audit, warnings=remarks).text
        assert finding in text
        assert remark in text


def test_every_finding_of_an_audit_has_its_words():
    desk = mixed()
    found = report(desk.part, "part", 1e-3)
    for one in found["findings"].values():
        one["count"] = 7
    for language in ("en", "zh-CN"):
        text = desk.shown(desk.program(AUDIT), language, audit={"part_audit.json": found}).text
        assert text.count(" 7") == len(found["findings"])


def test_a_clean_audit_and_one_of_properties_are_told():
    desk = furnished()
    desk.do(("define_property", {"materials": [{"name": "Spare", "youngs": 70000, "poisson": 0.3}]}))
    program = desk.program(("audit_property", {}))
    text = desk.shown(program, "en", audit={"property_audit.json": report(desk.part, "property", 1e-3)}).text
    assert "20 elements without a section; unused sections: Bar, T2; unused materials: Spare" in text
    assert "Nodes and elements stay exactly as they are." in text
    clean = {"part_audit.json": {"findings": {"free_edges": {"count": 0}}}}
    assert "nothing found" in mixed().shown(mixed().program(AUDIT), "en", audit=clean).text


def test_what_was_left_out_is_told():
    desk = Desk("part")
    taken = desk.called(MIXED, request="建一块板")
    program = compile_operations(taken, desk, desk.seen())
    view = present(program, desk.seen(), None, "zh-CN")
    assert "没有要求建集合，以下集合不建立：PLATE, POST" in view.text
    assert view.payload["notes"] == [{"operation": 0, "note": "sets_dropped", "params": {"names": "PLATE, POST"}}]


def test_a_hint_of_the_units_in_a_persons_own_file_is_told_and_not_in_the_way():
    desk = mixed("property")
    program = desk.program(
        ("define_property", {"materials": [{"name": "Lead", "youngs": 16000, "poisson": 0.44, "density": 11340}]})
    )
    assert "Lead: density = 11340 is unlikely" in desk.shown(program, "en").text


def test_many_labels_are_told_by_the_first_of_them():
    desk = Desk("part")
    desk.do(("build_part", {"nodes": [], "elements": [], "grids": [plate(along=10, across=10)]}))
    program = desk.program(("edit_part", {"delete_element_labels": list(range(1, 51))}))
    text = desk.shown(program, "en").text
    assert "delete elements 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 … (50 in all)" in text


def test_sections_and_who_has_them_are_told():
    desk = furnished()
    sheets = {"section": "T2", "region": {"all": True, "shapes": ["QUAD", "TRI"]}}
    text = desk.shown(desk.program(DEFINED, ("assign_property", {"assignments": [sheets]})), "en").text
    assert "shell section T2 (material Steel, thickness 2 mm, offset 0)" in text
    assert "Section T2: 19 elements" in text
    assert "1 element has no section" in text


def test_an_undo_an_import_and_the_way_back_to_nothing_are_told():
    desk = mixed()
    digests = dict(desk.seen().footprint)
    for arguments, words in (
        ({"version": 3, "sha256": "0" * 64, "digests": digests}, "what version 3 holds"),
        ({"version": 0, "sha256": ""}, "becomes empty again"),
    ):
        program = desk.program(("restore_version", arguments))
        assert words in present(program, desk.seen(), None, "en").text
    program = Desk().program(("import_deck", {"sha256": "0" * 64, "file": "hull.inp"}))
    assert "what hull.inp holds becomes the part" in present(program, Desk().seen(), None, "en").text


def thicker(part: Part, thickness: float) -> Part:
    """*part* with its plate that thick."""
    other = copy.deepcopy(part)
    other.sections["T2"] = replace(other.sections["T2"], thickness=thickness)
    return other


def given() -> Part:
    """A part whose plate has section T2 and whose post has none."""
    desk = furnished()
    desk.do(("assign_property", {"assignments": [{"section": "T2", "region": {"all": True, "shapes": ["QUAD", "TRI"]}}]}))
    return desk.part


@pytest.mark.parametrize(
    ("language", "words"), [("en", "  Section T2: thickness 3 mm → 2 mm"), ("zh-CN", "  截面 T2：厚度 3 mm → 2 mm")]
)
def test_an_undo_shows_the_property_that_it_takes_back_before_and_after(language, words):
    now, then = Desk("property", thicker(given(), 3.0)), Desk("property", given())
    program = now.program(("restore_version", {"version": 1, "sha256": "0" * 64, "digests": dict(then.seen().footprint)}))
    evidence = {"before": now.seen().facts, "after": then.seen().facts, "warnings": []}
    view = present(program, now.seen(), Rehearsal(ok=True, evidence=evidence), language)
    assert words in view.text.split("\n")
    (row,) = view.payload["altered"]
    assert (row["what"], row["name"], row["before"]["thickness"], row["after"]["thickness"]) == ("sections", "T2", 3.0, 2.0)
    assert canonical(view.payload)


def test_a_change_of_a_property_shows_it_before_and_after_whether_it_is_altered_or_given_anew():
    desk = Desk("property", given())
    t2 = {**DEFINED[1]["shell_sections"][0], "thickness": 3.0}
    altered = desk.shown(desk.program(("define_property", {"shell_sections": [t2]})), "en")
    assert "  Section T2: thickness 2 mm → 3 mm" in altered.text.split("\n")
    anew = (
        ("define_property", {"shell_sections": [{**t2, "name": "T3"}]}),
        ("assign_property", {"assignments": [{"section": "T3", "region": {"all": True, "shapes": ["QUAD", "TRI"]}}]}),
    )
    given_anew = desk.shown(desk.program(*anew), "en")
    assert (
        "19 elements: section T2 (shell, material Steel, thickness 2 mm) → T3 (shell, material Steel, thickness 3 mm)"
        in given_anew.text
    )
    assert given_anew.payload["regiven"] == {"T2": [19, 0], "T3": [0, 19]}


def test_loads_and_supports_that_become_others_or_go_are_shown_with_what_they_were():
    desk = Desk("load", held())
    pull = {"kind": "force", "name": "PULL", "region": {"side": "xmax"}, "components": [0, 0, -8], "share": "total"}
    text = desk.shown(desk.program(("apply_load", {"loads": [pull]}), ("apply_boundary", {"remove": ["WALL"]})), "en").text
    assert "  Load PULL: force (0, 0, -5) N → (0, 0, -8) N" in text.split("\n")
    assert "  Support goes: WALL (holds Ux, Uy, Uz, 5 nodes)" in text.split("\n")


def imported(part: Part, language: str) -> str:
    """The review of a deck that holds *part* and comes into an empty one."""
    desk, after = Desk("part"), Desk("part", part)
    program = desk.program(("import_deck", {"sha256": "0" * 64, "file": "hull.inp"}))
    evidence = {"before": desk.seen().facts, "after": after.seen().facts, "warnings": []}
    return present(program, desk.seen(), Rehearsal(ok=True, evidence=evidence), language).text


def held() -> Part:
    """A part with a set, properties, a support and a load."""
    desk = furnished("load")
    fix: dict[str, Any] = {"kind": "fix", "name": "WALL", "region": {"side": "xmin"}, "dofs": [1, 2, 3]}
    pull = {"kind": "force", "name": "PULL", "region": {"side": "xmax"}, "components": [0, 0, -5], "share": "total"}
    desk.do(("apply_boundary", {"supports": [fix]}), ("apply_load", {"loads": [pull]}))
    return desk.part


def test_a_deck_that_comes_in_is_told_with_all_that_it_holds():
    text = imported(held(), "en")
    for line in (
        "Element sets: PLATE (18), POST (1)",
        "Materials: Steel (E 210000 MPa, ν 0.3, density 7.85e-09 t/mm³)",
        "T2 (shell, material Steel, thickness 2 mm)",
        "Bar (beam, material Steel, RECT (4, 6) mm)",
        "Supports: WALL (holds Ux, Uy, Uz, 5 nodes)",
        "Loads: PULL (force (0, 0, -5) N in all on 1 node)",
    ):
        assert line in text
    assert "约束：WALL（固定 Ux, Uy, Uz，5 个节点）" in imported(held(), "zh-CN")
    assert "Remarks:" not in text


def test_a_deck_in_metres_is_remarked_when_it_comes_in_and_when_it_is_solved():
    part = held()
    part.materials["Steel"] = Material("Steel", 2.1e11, 0.3, 7850.0)
    part.loads["WEIGHT"] = Gravity("WEIGHT", (0.0, 0.0, -9.81))
    desk = Desk("analysis", part)
    for text in (imported(part, "en"), desk.shown(desk.program(("run_job", {})), "en")):
        shown = text if isinstance(text, str) else text.text
        assert "Steel: youngs = 2.1e+11 is unlikely in N-mm-MPa-t; 210000 was perhaps meant" in shown
        assert "Steel: density = 7850 is unlikely" in shown
        assert "WEIGHT: components = -9.81 is unlikely in N-mm-MPa-t; -9810 was perhaps meant" in shown


def test_a_deck_without_an_element_of_ours_says_that_nothing_can_be_worked_on():
    part = Part(kept=[Kept("model", "ELEMENT", "*ELEMENT, TYPE=C3D8\n1, 1, 2, 3, 4, 5, 6, 7, 8")])
    assert "no element that can be worked on" in imported(part, "en")
    mixture = copy.deepcopy(held())
    mixture.kept = list(part.kept)
    assert "Some elements of the deck are of types that cannot be worked on" in imported(mixture, "en")


def test_copies_on_what_is_there_and_cases_that_are_not_copied_are_remarked():
    desk = Desk("part", held())
    onto = {"kind": "translate", "region": EVERYTHING, "vector": [0, 0, 0.0000001], "copy_elements": True}
    view = desk.shown(desk.program(("transform_part", {"operations": [onto]})), "en")
    assert "20 elements lie exactly on others (before: 0)" in view.text
    assert "Supports and loads are not copied (the part has 2)" in view.text
    assert [one["remark"] for one in view.payload["remarks"]] == ["stacked_elements", "cases_stay"]
    beside = {"kind": "linear_array", "region": EVERYTHING, "vector": [0, 0, 500], "count": 2}
    apart = desk.shown(desk.program(("transform_part", {"operations": [beside]})), "en")
    assert [one["remark"] for one in apart.payload["remarks"]] == ["cases_stay"]
    assert mixed().shown(mixed().program(COPY), "en").payload["remarks"] == []


def test_copies_that_only_touch_tell_of_nodes_that_are_not_joined():
    desk = Desk("part")
    desk.do(("build_part", {"nodes": [], "elements": [], "grids": [plate()]}))
    beside = {"kind": "linear_array", "region": EVERYTHING, "vector": [60, 0, 0], "count": 1}
    text = desk.shown(desk.program(("transform_part", {"operations": [beside]})), "en").text
    assert "4 nodes lie in the place of others (before: 0)" in text
