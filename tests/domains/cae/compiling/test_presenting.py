"""What a person reads before deciding: what happens, what comes of it, what was found, left out and remarked."""

from domains.cae.compiling.desk import DEFINED, EVERYTHING, MIXED, Desk, furnished, mixed, plate
from steadyhand.core.canonical import canonical
from steadyhand.domains.cae.compiling import compile as compile_operations
from steadyhand.domains.cae.compiling import present
from steadyhand.domains.cae.engine.auditing import report

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
    assert "before_after.svg" in view.text
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
    for language, finding, remark in (("en", "free edges", "1 TRI was"), ("zh-CN", "自由边", "TRI")):
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
