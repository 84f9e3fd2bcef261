"""Parts at the gate, with the compiler that makes their scripts: build, change, undo, bring in, take out; one change at a time."""

import json
import subprocess
import sys

import pytest

from steadyhand.core.errors import DecisionRefused, ModelCanFix, ToolRefusal
from steadyhand.core.ids import SessionId
from steadyhand.domains.cae.shelf.places import part_name
from steadyhand.gate.contract import Collecting, DomainModule, Rehearsing, Undoable
from steadyhand.gate.dossier import export, verify
from steadyhand.store.changes import changes
from trial_domains.stand import ME, me, run
from trial_parts.desk import ASSIGN, AUDIT, BUILD, COPY, DEFINE, FIX, PLATE, PRESS, Desk
from trial_parts.stand import reachable


@pytest.fixture
def desk(tmp_path):
    stand = Desk(tmp_path)
    yield stand
    stand.store.close()


def test_the_domain_offers_everything_that_the_gate_can_ask_for(desk):
    for protocol in (Collecting, Rehearsing, Undoable):
        assert isinstance(desk.domain, protocol)
    taken: DomainModule = desk.domain
    assert (taken.name, taken.rollback) == ("cae", "switch")


def test_a_part_is_built_changed_taken_back_and_brought_to_nothing_again(desk):
    assert desk.change(BUILD, AUDIT).state == "verified"
    seen = desk.seen()
    second = desk.change(COPY, AUDIT)
    assert second.state == "verified"
    assert desk.seen().facts["observation"]["summary"]["element_count"] == 120
    with pytest.raises(DecisionRefused) as refused:
        desk.undo(1)
    assert refused.value.code == "part_changed_since"
    assert desk.undo(second.number).state == "verified"
    assert desk.seen().footprint == seen.footprint
    versions = desk.shelf.versions_of(ME, PLATE)
    assert [manifest.version for manifest in versions] == [3, 2, 1]
    assert versions[0].deck == versions[2].deck
    assert desk.undo(1).state == "verified"
    assert desk.seen().facts["observation"]["summary"]["node_count"] == 0


def test_a_change_that_only_looked_has_nothing_to_take_back(desk):
    desk.change(BUILD)
    looked = desk.change(AUDIT)
    with pytest.raises(DecisionRefused) as refused:
        desk.undo(looked.number)
    assert refused.value.code == "nothing_to_restore"


def test_from_the_shape_to_the_supports_in_one_change(desk):
    row = desk.change(BUILD, DEFINE, ASSIGN, FIX, PRESS, AUDIT, module="analysis")
    assert row.state == "verified"
    detail = desk.seen().facts["detail"]
    assert (detail["assignments"][0]["section"], detail["unassigned"]["count"]) == ("t2", 0)
    assert sorted(detail["supports"]) == ["edge"]
    dossier = run(export(desk.store, desk.store.read_now(lambda tx: changes.by_number(tx, ME, row.number))))
    assert verify(dossier).ok


def test_a_change_of_properties_leaves_the_geometry_alone_and_one_of_loads_does_not_spoil_it(desk):
    desk.change(BUILD)
    before = desk.seen().footprint
    waiting = desk.open(DEFINE, module="property", session=SessionId("another"))
    assert desk.change(FIX, module="load").state == "verified"
    assert run(desk.controller.approve(me(SessionId("another")), waiting.number, waiting.seal_digest)).state == "verified"
    after = desk.seen().footprint
    assert {name for name in before if before[name] != after[name]} == {"cases", "properties"}


def test_a_change_that_was_overtaken_where_it_looked_is_stale(desk):
    desk.change(BUILD)
    waiting = desk.open(DEFINE, module="property", session=SessionId("another"))
    desk.change(COPY)
    kept = reachable(desk.part)
    assert desk.store.read_now(lambda tx: changes.by_number(tx, ME, waiting.number)).state == "stale"
    assert reachable(desk.part) == kept


def test_what_cannot_be_is_refused_on_the_copy_and_the_part_stays(desk):
    desk.change(BUILD)
    kept = reachable(desk.part)
    row = desk.open(("edit_part", {"delete_element_labels": [999999]}))
    assert (row.state, row.reason["code"]) == ("invalid", "unknown_element")
    assert reachable(desk.part) == kept


def test_a_deck_is_taken_in_by_a_child_and_becomes_the_part_by_a_change(desk, tmp_path):
    deck = tmp_path / "foreign.inp"
    deck.write_text("*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n*ELEMENT,TYPE=S4R\n7,1,2,3,4\n", encoding="utf-8")
    taken = run(desk.shelf.take_deck(ME, PLATE, deck))
    assert (taken.file, taken.facts["observation"]["summary"]["element_count"]) == ("foreign.inp", 1)
    assert desk.shelf.parts_of(ME) == ()
    operation = taken.operation(replace=False)
    row = desk.change((operation["tool"], operation["arguments"]))
    assert row.state == "verified"
    assert desk.shelf.parts_of(ME) == (PLATE,)
    assert desk.seen().facts["detail"]["types"] == {"S4R": 1}


def test_a_deck_that_cannot_be_read_leaves_nothing_behind(desk, tmp_path):
    bad = tmp_path / "bad.inp"
    bad.write_text("*NODE\n1,zero,0,0\n", encoding="utf-8")
    with pytest.raises(ModelCanFix) as raised:
        run(desk.shelf.take_deck(ME, PLATE, bad))
    assert raised.value.code.startswith("deck_")
    assert list((desk.part / "decks").iterdir()) == []
    with pytest.raises(ToolRefusal) as missing:
        run(desk.shelf.take_deck(ME, PLATE, tmp_path / "none.inp"))
    assert missing.value.code == "deck_unreadable"


def test_a_part_is_taken_out_in_each_form(desk, tmp_path):
    desk.change(BUILD)
    for form, head in (("inp", b"**"), ("vtu", b"<"), ("glb", b"glTF")):
        place = tmp_path / f"plate.{form}"
        place.write_bytes(b"old")
        assert run(desk.shelf.export(ME, PLATE, place, form)).version == 1
        assert place.read_bytes().lstrip().startswith(head)
    assert sorted(path.name for path in tmp_path.iterdir() if "new" in path.name) == []
    assert (tmp_path / "plate.inp").read_bytes() == (desk.part / "versions" / "1" / "part.inp").read_bytes()


def test_what_is_not_there_is_said(desk):
    with pytest.raises(ToolRefusal) as raised:
        desk.shelf.versions_of(ME, PLATE)
    assert raised.value.code == "part_unknown"
    desk.change(BUILD)
    for look, code in (
        (lambda: desk.shelf.version(ME, PLATE, 9), "version_unknown"),
        (lambda: desk.shelf.results_of(ME, PLATE, "static"), "job_results_missing"),
    ):
        with pytest.raises(ToolRefusal) as raised:
            look()
        assert raised.value.code == code


@pytest.mark.parametrize(
    "name", ["", "plate", "a/b/c", "../x", "a/..", "a/.b", "-a/b", "a/b c", "a/b\n", "ä/b", "a/" + "b" * 65, "/a", "a/"]
)
def test_a_name_that_could_lead_elsewhere_is_none(name):
    with pytest.raises(ToolRefusal) as raised:
        part_name(name)
    assert raised.value.code == "part_name_bad"


def test_looking_at_a_part_loads_no_numpy(desk, tmp_path):
    desk.change(BUILD)
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from steadyhand.core.config import Settings\n"
        "from steadyhand.core.ids import UserId\n"
        "from steadyhand.domains.cae.module import CaeDomain, target\n"
        f"domain = CaeDomain(Settings(data_dir=Path({str(tmp_path)!r})))\n"
        f"seen = asyncio.run(domain.observe(target(UserId({ME!r}), 'panel/plate'), {{'module': 'part'}}))\n"
        "assert seen.facts['observation']['summary']['element_count'] == 60\n"
        "print(sorted({'numpy', 'scipy'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_what_is_known_of_an_absent_part_is_what_the_engine_says_of_an_empty_one(desk):
    from steadyhand.domains.cae.engine.digests import regions
    from steadyhand.domains.cae.engine.observe import part_facts
    from steadyhand.domains.cae.engine.part import Part

    seen = desk.seen()
    facts = json.loads(json.dumps(part_facts(Part())))
    assert seen.footprint == regions(Part())
    assert seen.facts["observation"] == {**facts["observation"], "target_exists": False}
    assert seen.facts["detail"] == {**facts["detail"], "version": 0, "results": []}
    assert seen.facts["target"] == {"model_name": "panel", "part_name": "plate", "exists": False}
