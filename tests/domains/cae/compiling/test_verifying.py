"""A read-back that differs from what was promised in any one thing is not verified; and what is missing is not verified either."""

import copy
from typing import Any

import pytest

from domains.cae.compiling.desk import DEFINED, MIXED, Desk, furnished, mixed
from steadyhand.domains.cae.compiling import verify
from steadyhand.gate.contract import Observation, Receipt

SHEETS = {"all": True, "shapes": ["QUAD", "TRI"]}
WHOLE = (
    MIXED,
    DEFINED,
    (
        "assign_property",
        {
            "assignments": [
                {"section": "T2", "region": SHEETS},
                {"section": "Bar", "region": {"all": True, "shapes": ["BEAM"]}, "n1": [1, 0, 0]},
            ]
        },
    ),
    ("apply_boundary", {"supports": [{"kind": "fix", "name": "F", "region": {"side": "xmin"}, "dofs": [1, 2, 3]}]}),
    ("apply_load", {"loads": [{"kind": "pressure", "name": "P", "region": {"set": "PLATE"}, "magnitude": 0.1}]}),
    ("audit_part", {}),
    ("run_job", {}),
)
SOLVED = {
    "name": "static",
    "elements_as": "auto",
    "status": "solved",
    "displacement": {"max": 0.5},
    "von_mises": {"max": 80.0},
    "loads": [0.0, 0.0, -180.0],
    "reactions": [0.0, 0.0, 180.0],
    "supports": {"F": [0.0, 0.0, 180.0]},
    "unbalanced": 0.0,
}


def changed(after: Observation, *path: str | int, to: Any) -> Observation:
    facts = copy.deepcopy(dict(after.facts))
    place: Any = facts
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return Observation(facts, after.footprint)


@pytest.fixture(scope="module")
def whole():
    desk = Desk("analysis")
    program = desk.program(*WHOLE)
    return desk, program, desk.after(program)[1]


def test_what_comes_as_promised_is_verified_and_the_facts_are_the_evidence(whole):
    desk, program, after = whole
    verdict = verify(program, desk.seen(), None, after)
    assert (verdict.matched, verdict.differences) == (True, ())
    assert verdict.evidence == after.facts


@pytest.mark.parametrize(
    ("path", "to", "difference"),
    [
        (("observation", "target_exists"), False, "target: False, not True"),
        (("observation", "summary", "node_count"), 31, "node_count: 31, not 30"),
        (("observation", "summary", "element_count"), 21, "element_count: 21, not 20"),
        (("observation", "summary", "shape_counts", "TRI"), 0, "TRI: 0, not 1"),
        (("observation", "summary", "shape_counts", "BEAM"), None, "BEAM: None, not 1"),
        (("observation", "summary", "bounding_box", "maximum"), [80.0, 30.0, 41.0], "bounding_box: "),
        (("observation", "sets"), ["PLATE"], "set POST: 1, not 1"),
        (("observation", "sets"), ["PLATE", "POST", "X"], "set X: True, not False"),
        (("detail", "sets", 0, "count"), 17, "set PLATE: 17, not 18"),
        (("detail", "materials", "Steel", "youngs"), 21000.0, "materials Steel.youngs: 21000.0, not 210000.0"),
        (("detail", "sections", "T2"), None, "sections T2: None"),
        (("detail", "sections", "Bar", "dimensions"), [6.0, 4.0], "sections Bar.dimensions: [6.0, 4.0], not [4.0, 6.0]"),
        (("detail", "assignments", 0, "count"), 18, "assigned T2: 18, not 19"),
        (("detail", "unassigned", "count"), 2, "unassigned: 2, not 0"),
        (("detail", "loads", "P", "magnitude"), -0.1, "loads P.magnitude: -0.1, not 0.1"),
        (("detail", "loads", "P"), None, "loads P: None"),
        (("detail", "loads", "P", "count"), 0, "loads P: 0"),
        (("detail", "supports", "F", "dofs"), [1, 2], "supports F.dofs: [1, 2], not [1, 2, 3]"),
        (("artifacts", "part_audit.json"), None, "part_audit.json: None"),
        (("results", "static"), None, "job static: None"),
        (("results", "static", "elements_as"), "S8R", "job static.elements: S8R, not auto"),
        (("results", "static", "status"), "broken", "job static: broken, not solved"),
    ],
)
def test_one_thing_that_differs_is_named_and_nothing_else(whole, path, to, difference):
    desk, program, after = whole
    verdict = verify(program, desk.seen(), None, changed(after, *path, to=to))
    assert verdict.matched is False
    assert len(verdict.differences) == 1
    assert verdict.differences[0].startswith(difference)


def test_facts_that_say_nothing_cannot_be_told(whole):
    desk, program, after = whole
    assert verify(program, desk.seen(), None, Observation({}, after.footprint)).matched is None
    assert verify(program, desk.seen(), None, Observation(None, after.footprint)).matched is None


# ---- the job ---------------------------------------------------------------------------------------------------------


def test_a_job_is_verified_when_it_was_solved_and_its_reactions_carry_the_loads(whole):
    desk, program, after = whole
    receipt = Receipt(after.footprint, {}, {"part_audit.json": b"{}"})
    assert verify(program, desk.seen(), receipt, changed(after, "results", "static", to=SOLVED)).matched is True
    assert verify(program, desk.seen(), receipt, after).differences == ("job static: checked, not solved",)


@pytest.mark.parametrize(
    ("field", "value", "difference"),
    [
        ("reactions", [0.0, 0.0, 90.0], "job static.reactions"),
        ("reactions", [], "job static.reactions"),
        ("loads", ["a", 0.0, 0.0], "job static.reactions"),
        ("unbalanced", 0.2, "job static.reactions"),
        ("displacement", {"max": float("nan")}, "job static.displacement: nan"),
        ("von_mises", {}, "job static.von_mises: None"),
    ],
)
def test_a_job_whose_figures_do_not_stand_is_not_verified(whole, field, value, difference):
    desk, program, after = whole
    receipt = Receipt(after.footprint, {}, {"part_audit.json": b"{}"})
    verdict = verify(program, desk.seen(), receipt, changed(after, "results", "static", to={**SOLVED, field: value}))
    assert verdict.matched is False
    assert len(verdict.differences) == 1
    assert verdict.differences[0].startswith(difference)


def test_loads_that_cancel_out_are_balanced_on_the_scale_of_the_forces(whole):
    desk, program, after = whole
    rounded = {**SOLVED, "loads": [0.0, 0.0, 0.0], "reactions": [0.0, 0.0, 1e-9], "supports": {"F": [5.0, 0.0, 0.0]}}
    receipt = Receipt(after.footprint, {}, {"part_audit.json": b"{}"})
    assert verify(program, desk.seen(), receipt, changed(after, "results", "static", to=rounded)).matched is True


# ---- what may not change ---------------------------------------------------------------------------------------------


def test_a_missing_report_is_not_verified_even_when_the_read_back_lists_it(whole):
    desk, program, after = whole
    solved = changed(after, "results", "static", to=SOLVED)
    assert verify(program, desk.seen(), Receipt(after.footprint), solved).differences == ("part_audit.json: None",)


@pytest.mark.parametrize(
    ("item", "module", "spared"),
    [
        (("assign_property", {"assignments": [{"section": "T2", "region": SHEETS}]}), "property", ("geometry", "sets")),
        (
            ("apply_boundary", {"supports": [{"kind": "symmetry", "name": "S", "region": {"side": "xmin"}, "axis": "X"}]}),
            "load",
            ("geometry", "sets"),
        ),
        (("audit_property", {}), "property", ("geometry", "sets", "properties")),
    ],
)
def test_what_a_program_only_reads_must_be_as_it_was(item, module, spared):
    desk = furnished(module)
    program = desk.program(item)
    assert program.evidence["geometry_unchanged"] is True
    after = desk.after(program)[1]
    assert desk.verdict(program, after).matched
    for name in spared:
        other = Observation(after.facts, {**after.footprint, name: "0" * 64})
        assert desk.verdict(program, other).differences == (f"{name}: changed",)


def test_a_property_program_counts_the_geometry_before_and_after_itself():
    text = furnished("property").program(("assign_property", {"assignments": [{"section": "T2", "region": SHEETS}]})).text
    lines = text.splitlines()
    counted = lines.index("before_nodes = len(part.nodes)")
    checked = lines.index("if len(part.nodes) != before_nodes or len(part.elements) != before_elements:")
    given = next(place for place, line in enumerate(lines) if line.startswith("part.SectionAssignment"))
    assert counted < given < checked


def test_a_restored_version_is_proven_by_its_digests():
    desk = mixed()
    now = desk.seen()
    summary = {name: now.facts["observation"]["summary"][name] for name in ("node_count", "element_count", "shape_counts")}
    restore = {"version": 1, "sha256": "0" * 64, "digests": dict(now.footprint), "summary": summary}
    program = desk.program(("restore_version", restore))
    assert program.evidence["needs"] == [{"kind": "version", "version": 1, "sha256": "0" * 64}]
    assert "model.restoreVersion(version=1" in program.text
    assert verify(program, now, None, now).matched is True
    other = Observation(now.facts, {**now.footprint, "cases": "0" * 64})
    assert verify(program, now, None, other).differences == ("cases: differs",)


def test_an_import_needs_its_deck_and_promises_what_was_counted_in_it():
    summary = {"node_count": 30, "element_count": 20, "shape_counts": {"QUAD": 18, "TRI": 1, "BEAM": 1}}
    desk = Desk("part")
    program = desk.program(("import_deck", {"sha256": "a" * 64, "file": "hull.inp", "summary": summary}))
    assert program.evidence["needs"] == [{"kind": "deck", "sha256": "a" * 64}]
    assert program.writes == ("geometry", "sets", "properties", "cases")
    assert verify(program, desk.seen(), None, mixed().seen()).matched is True
    assert verify(program, desk.seen(), None, desk.seen()).matched is False
