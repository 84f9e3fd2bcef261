"""A program changes a part whole or not at all: run, read back, switch; whatever goes wrong leaves what is reachable as it was."""

import json

import pytest

from steadyhand.core.errors import Bug, OperatorRepairs, PersonDecides, StaleTarget
from steadyhand.domains.cae.shelf.locking import writing
from steadyhand.domains.cae.shelf.running import Bounds
from steadyhand.gate.contract import Applied, NotApplied, Refusal, Unclear
from trial_parts.stand import AUDIT, COPY, FIX, PLATE, STEEL, WRONG, Bench, program, run, script


def test_the_first_program_makes_the_part_and_what_is_observed_is_what_was_read_back(bench):
    assert bench.observe().facts["observation"]["target_exists"] is False
    made = program(
        PLATE, AUDIT, footprint=bench.observe().footprint, node_count=77, element_count=60, artifacts=["part_audit.json"]
    )
    receipt = bench.execute(made, rehearsed=bench.rehearse(made).evidence)
    assert (receipt.result["version"], receipt.result["base"]) == (1, 0)
    assert json.loads(receipt.artifacts["part_audit.json"])["counts"]["elements"] == 60
    assert bench.counts()["shape_counts"] == {"QUAD": 60, "TRI": 0, "BEAM": 0}
    seen, read = bench.observe(), bench.read_back(made)
    assert (seen.facts, seen.footprint) == (read.facts, read.footprint)
    assert dict(receipt.footprint_after) == dict(seen.footprint)


def test_a_version_stays_when_the_next_is_made_and_names_it_as_its_base(plate):
    first = (plate.folder.version(1) / "part.inp").read_bytes()
    plate.execute(program(COPY, element_count=120))
    assert plate.counts()["element_count"] == 120
    assert (plate.folder.version(1) / "part.inp").read_bytes() == first
    manifest = json.loads((plate.folder.version(2) / "manifest.json").read_bytes())
    assert (manifest["base"]["version"], manifest["change"], manifest["number"]) == (1, "chg_1", 1)
    assert manifest["created"] == "2026-09-07T01:00:00.000000Z"


def test_a_change_of_what_does_not_stand_in_the_deck_shares_the_deck_of_its_base(plate):
    plate.execute(program(AUDIT), rehearsed=plate.rehearse(program(AUDIT)).evidence)
    one, two = (plate.folder.version(number) / "part.inp" for number in (1, 2))
    assert one.samefile(two)
    assert plate.counts()["element_count"] == 60


def test_a_script_that_raises_leaves_the_part_as_it_was_and_says_where(plate):
    before, wrong = plate.reachable(), program(COPY, STEEL, WRONG)
    rehearsed = plate.rehearse(wrong)
    assert (rehearsed.ok, rehearsed.refusal) == (False, Refusal("unknown_element", {"label": 999999, "count": 1}))
    receipt = json.loads(rehearsed.artifacts["receipt.json"])
    assert receipt["status"] == "FAIL"
    assert receipt["traceback"][0].endswith(f": {WRONG}")
    with pytest.raises(PersonDecides) as raised:
        plate.execute(wrong)
    assert raised.value.code == "unknown_element"
    assert plate.reachable() == before
    assert list((plate.folder.path / "staging").iterdir()) == list((plate.folder.path / "shadow").iterdir()) == []
    assert plate.outcome(plate.submission(wrong, "chg_1")) == NotApplied()


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["part.Element(nodes=(1, 2, 3, 4), elemShape='QUAD')"], "script_failed"),
        (["part.pickElements(set='nowhere')"], "unknown_set"),
        (["model.importDeck(sha256='" + "0" * 64 + "')"], "deck_missing"),
        (["part.Grid(1)"], "script_failed"),
    ],
)
def test_each_failure_of_a_script_has_its_code(plate, lines, code):
    before = plate.reachable()
    assert plate.rehearse(program(*lines)).refusal.code == code
    assert plate.reachable() == before


def test_a_string_where_an_enum_is_due_is_told_as_the_modelled_api_tells_it(plate):
    refusal = plate.rehearse(program("part.Element(nodes=(1, 2, 13, 12), elemShape='QUAD')")).refusal
    assert refusal.params["said"] == "TypeError: found str, expecting enum Shape"


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "from os import system",
        "from steadyhand.domains.cae.engine.script import run",
        "from steadyhand.domains.cae.engine.script import QUAD as part",
        "open('/etc/passwd')",
        "part.__class__",
        "part.data.mesh",
        "part.nodes.tofile('x')",
        "preflight.shortest_edge",
        "x = part.nodes[0:2]",
        "x = {'a': 1}",
        "preflight.np.load('x')",
        "model.part.audit",
        "x = [one for one in (1, 2)]",
        "x = lambda: 1",
        "while True: pass",
        "for x in (1, 2): pass",
        "def f(): pass",
        "x = f'{part}'",
        "part.nodes[0] = 1",
        "part = __builtins__",
        "open_model = len",
        "SAM_AGENT_TARGET = 1",
        "x = 9 ** 9 ** 9",
        "try: x = 1\nexcept Exception: pass",
        "raise RuntimeError",
        "if part: part.clear()",
        "del part",
        "with part: pass",
        "global x",
        "exec('1')",
        "x = getattr(part, 'data')",
        "model.finish(part)",
        "part.elements.sort()",
        "@len\nclass X: pass",
        "x = yield",
        "x: int = 1",
        "x += 1",
        "print(x)",
        "assert x",
        "x = (y := 1)",
    ],
)
def test_what_no_generated_script_says_is_not_run(plate, line):
    from steadyhand.domains.cae.shelf.allowed import require_allowed

    require_allowed(script(PLATE))
    with pytest.raises(Bug) as raised:
        require_allowed(script(line))
    assert raised.value.code == "script_not_allowed"


def test_the_words_that_may_be_said_are_those_that_there_are():
    import ast
    import inspect

    from steadyhand.domains.cae.engine import preflights, script
    from steadyhand.domains.cae.engine.script_part import ScriptPart
    from steadyhand.domains.cae.shelf import allowed

    def public(owner, *but):
        return {name for name in vars(owner) if not name.startswith("_") and name not in but}

    assert public(ScriptPart, "data") == allowed.PART_METHODS | allowed.PART_VALUES
    assert public(script.Model) == allowed.MODEL_METHODS
    assert set(script.__all__) - {"run"} == allowed.IMPORTED
    defined = [node for node in ast.parse(inspect.getsource(preflights)).body if isinstance(node, ast.FunctionDef)]
    assert {node.name for node in defined if not node.name.startswith("_")} == allowed.PREFLIGHTS


def test_the_list_of_forms_is_held_before_anything_runs(plate):
    before = plate.reachable()
    rehearsed = plate.rehearse(program(text=script("part.clear()", "open('/etc/passwd')")))
    assert rehearsed.refusal == Refusal("script_not_allowed", {"line": 9, "form": "Call"})
    assert plate.reachable() == before


@pytest.mark.parametrize("text", ["", "x = 1\n", script(PLATE).replace("model.finish(part)\n", ""), "x ="])
def test_a_script_without_its_last_line_is_not_run(plate, text):
    assert plate.rehearse(program(text=text)).refusal.code == "script_not_allowed"


def test_what_is_not_what_was_promised_is_thrown_away_before_the_switch(plate):
    before, wrong = plate.reachable(), program(COPY, element_count=61)
    rehearsed = plate.rehearse(wrong)
    assert rehearsed.refusal == Refusal("rehearsal_differs", {"differences": "element_count: 120"})
    with pytest.raises(PersonDecides) as raised:
        plate.execute(wrong)
    assert raised.value.code == "run_differs"
    assert plate.reachable() == before


def test_a_missing_report_is_not_what_was_promised(plate):
    assert plate.rehearse(program(COPY, artifacts=["part_audit.json"])).refusal.code == "rehearsal_differs"


def test_a_rehearsal_has_its_evidence_and_leaves_nothing_behind(plate):
    before, files = plate.reachable(), sorted(plate.folder.path.rglob("*"))
    rehearsed = plate.rehearse(program(COPY, AUDIT, element_count=120))
    evidence = rehearsed.evidence
    assert rehearsed.ok
    assert evidence["before"]["observation"]["summary"]["element_count"] == 60
    assert evidence["after"]["observation"]["summary"]["element_count"] == 120
    assert evidence["receipt"]["status"] == "PASS"
    assert evidence["checked"] == {"matched": True, "differences": []}
    assert evidence["audit"]["part_audit.json"]["counts"]["elements"] == 120
    assert evidence["picture"] == "before_after.svg"
    assert sorted(rehearsed.artifacts) == ["before_after.svg", "part_audit.json", "readback.json", "receipt.json"]
    assert rehearsed.artifacts["before_after.svg"].startswith(b"<svg")
    assert plate.reachable() == before
    assert sorted({*plate.folder.path.rglob("*")} - {plate.folder.path / "rehearsed" / "chg_r"}) == files


def test_what_changes_nothing_is_drawn_once_and_what_changes_something_before_and_after(plate):
    panels = [plate.rehearse(program(line)).artifacts["before_after.svg"].count(b"data-panel=") for line in (AUDIT, COPY)]
    assert panels == [0, 2]


def test_what_is_rehearsed_is_what_is_executed(plate):
    wanted = program(COPY, STEEL, AUDIT)
    rehearsed = plate.rehearse(wanted)
    receipt = plate.execute(wanted, rehearsed=rehearsed.evidence)
    assert dict(receipt.footprint_after) == rehearsed.evidence["digests"]
    assert receipt.artifacts["part_audit.json"] == rehearsed.artifacts["part_audit.json"]


def test_a_stale_footprint_writes_nothing_and_an_edit_elsewhere_spoils_nothing(plate):
    seen = plate.observe().footprint
    plate.execute(program(STEEL))
    before = plate.reachable()
    with pytest.raises(StaleTarget) as raised:
        plate.execute(program(STEEL.replace("steel", "iron"), footprint=seen))
    assert raised.value.regions == ("properties",)
    assert plate.reachable() == before
    geometry = {name: seen[name] for name in ("geometry", "sets", "cases")}
    plate.execute(program(COPY, footprint=geometry, element_count=120))
    assert plate.observe().facts["detail"]["materials"] == {"steel": {"youngs": 210000.0, "poisson": 0.3, "density": 7.85e-09}}


def test_each_region_has_a_digest_that_changes_elsewhere_leave_alone(plate):
    steps = {
        "properties": STEEL,
        "cases": FIX,
        "sets": "part.Set(name='half', elements=(1, 2, 3))",
        "geometry": "part.Node((0.0, 0.0, 9.0))",
    }
    for region, line in steps.items():
        before = plate.observe().footprint
        after = plate.execute(program(line)).footprint_after
        assert [name for name in before if before[name] != after[name]] == [region]


def test_a_place_of_the_machine_does_not_stand_in_what_a_person_sees():
    from steadyhand.domains.cae.shelf.traces import trace_of

    try:
        exec(compile("x = 1\nopen('/srv/of/nowhere.inp')", "generated_script.py", "exec"), {"open": open})  # noqa: S102  # the test
    except OSError as error:
        told = trace_of(error, "x = 1\nopen('/srv/of/nowhere.inp')")
    assert told == [
        "generated_script.py:2: open('nowhere.inp')",
        "FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.inp'",
    ]


def test_a_second_writer_waits_and_is_then_refused(plate):
    async def both():
        async with writing(plate.folder):
            with pytest.raises(PersonDecides) as raised:
                async with writing(plate.folder, ticks=2):
                    pass
        async with writing(plate.folder, ticks=1):
            return raised.value.code

    assert run(both()) == "part_busy"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("steadyhand.domains.cae.shelf.locking.TICK_SECONDS", 0.0)


def asked_beside(bench, writer, submission):
    from steadyhand.domains.cae.shelf import executing

    async def asked():
        async with writing(bench.folder, writer):
            return await executing.outcome(bench.folder, submission)

    return run(asked())


@pytest.mark.usefixtures("impatient")
def test_while_a_submission_writes_its_outcome_is_unclear(plate):
    submission = plate.submission(program(COPY))
    assert asked_beside(plate, submission.id, submission) == Unclear("part_busy", "current")


@pytest.mark.usefixtures("impatient")
def test_while_another_writes_the_outcome_is_told_and_stays_so(plate):
    wanted = program(COPY)
    receipt = plate.execute(wanted, "chg_mine")
    assert asked_beside(plate, "sub_other", plate.submission(wanted, "chg_mine")) == Applied(receipt)
    assert asked_beside(plate, "sub_other", plate.submission(wanted, "chg_late")) == NotApplied("part_busy")
    with pytest.raises(PersonDecides) as raised:
        plate.execute(wanted, "chg_late")
    assert raised.value.code == "submission_ended"


def test_the_outcome_is_told_from_the_chain_however_many_versions_came_since(plate):
    wanted = program(COPY)
    receipt = plate.execute(wanted, "chg_mine")
    plate.execute(program(STEEL))
    submission = plate.submission(wanted, "chg_mine")
    assert plate.outcome(submission) == Applied(receipt)
    assert isinstance(plate.outcome(plate.submission(program(STEEL), "chg_mine")), Unclear)
    assert plate.outcome(plate.submission(wanted, "chg_other")) == NotApplied()


def test_a_submission_that_was_told_as_not_done_can_never_be_done(plate):
    wanted, before = program(COPY), plate.reachable()
    assert plate.outcome(plate.submission(wanted, "chg_late")) == NotApplied()
    with pytest.raises(PersonDecides) as raised:
        plate.execute(wanted, "chg_late")
    assert raised.value.code == "submission_ended"
    assert plate.reachable() == before


def test_the_outcome_of_a_part_that_nobody_made_is_that_nothing_was_done(bench):
    assert bench.outcome(bench.submission(program(PLATE), "chg_late")) == NotApplied()
    with pytest.raises(PersonDecides) as raised:
        bench.execute(program(PLATE), "chg_late")
    assert raised.value.code == "submission_ended"
    assert not bench.folder.current.exists()


@pytest.mark.parametrize(
    ("bounds", "code"),
    [(Bounds(seconds=0.05), "run_timed_out"), (Bounds(memory_mib=400), "run_out_of_memory")],
)
def test_a_run_that_takes_too_much_is_ended_and_changes_nothing(plate, bounds, code):
    before, narrow = plate.reachable(), Bench(plate.folder.root.parent, bounds=bounds)
    big = "part.Grid(origin=(0.0, 0.0, 9.0), u=(1.0, 0.0, 0.0), v=(0.0, 1.0, 0.0), divisions=(2000, 2000))"
    assert narrow.rehearse(program(big)).refusal.code == code
    with pytest.raises(PersonDecides):
        narrow.execute(program(big))
    assert plate.reachable() == before


def test_a_run_without_a_receipt_or_without_a_part_counts_as_none(tmp_path):
    from steadyhand.domains.cae.shelf.running import receipt_in

    assert receipt_in(tmp_path).refusal == Refusal("run_without_receipt")
    for content, code in (
        ("{", "run_without_receipt"),
        ("[]", "run_without_receipt"),
        ('{"status": "PASS"}', "not_finished"),
        ('{"status": "PASS", "finished": true}', "run_without_deck"),
        ('{"status": "FAIL", "code": "script_failed", "params": {"said": "x"}}', "script_failed"),
    ):
        (tmp_path / "receipt.json").write_text(content, encoding="utf-8")
        assert receipt_in(tmp_path).refusal.code == code


def test_every_way_that_a_child_can_end_has_its_own_code():
    from steadyhand.domains.cae.shelf.running import refusal_of
    from steadyhand.jobs import outcomes

    ends = {
        outcomes.TimedOut(1.0): "run_timed_out",
        outcomes.OutOfMemory(1): "run_out_of_memory",
        outcomes.TooMuchOutput(1): "run_too_much_output",
        outcomes.Cancelled(): "run_cancelled",
        outcomes.Killed(9, 0): "run_killed",
        outcomes.Killed(24, 0): "run_out_of_processor_time",
    }
    assert {ended: refusal_of(ended).code for ended in ends} == ends
    assert refusal_of(outcomes.Failed("job_failed", "", params={"kind": "KeyError"})) == Refusal(
        "run_broke", {"kind": "KeyError"}
    )
    assert refusal_of(outcomes.Failed("part_damaged", "")).code == "part_damaged"


def test_a_damaged_cache_falls_back_to_the_deck(plate):
    (plate.folder.version(1) / "part.npz").write_bytes(b"PK garbage")
    assert plate.execute(program(COPY)).result["version"] == 2
    assert plate.counts()["element_count"] == 120


@pytest.mark.parametrize("file", ["current", "versions/1/manifest.json", "versions/1/summary.json"])
def test_a_damaged_record_is_told_by_its_name(plate, file):
    place = plate.folder.path / file
    for data in (b"", b"{", place.read_bytes().replace(b"1", b"2"), b"[1]"):
        place.write_bytes(data)
        with pytest.raises(OperatorRepairs) as raised:
            plate.observe()
        assert raised.value.code == "part_damaged"


def test_a_damaged_deck_is_neither_run_on_nor_read_back(plate):
    deck = plate.folder.version(1) / "part.inp"
    deck.write_bytes(deck.read_bytes().replace(b"60.0", b"61.0"))
    assert plate.rehearse(program(COPY)).refusal.code == "part_damaged"
    with pytest.raises(PersonDecides) as raised:
        plate.execute(program(COPY))
    assert raised.value.params == {"name": "panel/plate", "file": "part.inp"}
    with pytest.raises(OperatorRepairs) as told:
        plate.read_back(program())
    assert told.value.code == "part_damaged"
    deck.unlink()
    with pytest.raises(OperatorRepairs):
        plate.observe()


@pytest.mark.parametrize("place", ["current", "lock", "versions", "staging", "decks", "versions/1/manifest.json"])
def test_a_link_in_the_data_folder_is_not_followed(plate, place, tmp_path):
    path = plate.folder.path / place
    away = tmp_path / "elsewhere"
    if path.exists():
        path.rename(away)
    path.symlink_to(away)
    with pytest.raises(OperatorRepairs):
        plate.execute(program(COPY))
    with pytest.raises(OperatorRepairs):
        plate.observe()


def test_every_code_of_the_shelf_has_its_text_in_both_languages():
    import ast
    from pathlib import Path

    from steadyhand.core.language import LANGUAGES, has
    from steadyhand.domains.cae import shelf

    errors, refusals = set(), set()
    for path in Path(shelf.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = ast.unparse(node.func)
                if name == "Refusal":
                    refusals.add(node.args[0].value)
                elif name in ("ToolRefusal", "OperatorRepairs", "PersonDecides", "Bug"):
                    errors.add(node.args[0].value)
    assert len(errors) > 5
    assert len(refusals) > 5
    for language in LANGUAGES:
        assert [code for code in refusals if not has(language, f"refusal.{code}")] == []
        assert [
            code for code in errors for half in ("summary", "detail", "next") if not has(language, f"error.{code}.{half}")
        ] == []
