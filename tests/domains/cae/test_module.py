"""Parts at the gate, with the compiler that makes their scripts: build, change, undo, bring in, take out; one change at a time."""

import json
import subprocess
import sys

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.cae.module import CaeDomain, target
from steadyhand.domains.cae.shelf.doors import Shelf
from steadyhand.domains.cae.shelf.places import PartName, part_name
from steadyhand.gate.contract import Collecting, DomainModule, Given, Rehearsing, Undoable
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.dossier import export, verify
from steadyhand.gate.policy import Policy
from steadyhand.store import Store, changes, people, schema
from steadyhand.store.people import User
from trial_domains.stand import DESK, ME, me, run
from trial_parts.stand import reachable

GRID = {"id": "plate", "origin": [0, 0, 0], "u": [100, 0, 0], "v": [0, 60, 0], "divisions": [10, 6]}
BUILD = ("build_part", {"nodes": [], "elements": [], "grids": [GRID]})
MOVE = {"kind": "translate", "region": {"all": True}, "vector": [0, 0, 500], "copy_elements": True}
COPY = ("transform_part", {"operations": [MOVE]})
AUDIT = ("audit_part", {})
STEEL = {"name": "steel", "youngs": 210000, "poisson": 0.3, "density": 7.85e-9}
DEFINE = ("define_property", {"materials": [STEEL], "shell_sections": [{"name": "t2", "material": "steel", "thickness": 2}]})
ASSIGN = ("assign_property", {"assignments": [{"section": "t2", "region": {"all": True}}]})
FIX = ("apply_boundary", {"supports": [{"kind": "fix", "name": "edge", "region": {"side": "xmin"}}]})
PRESS = ("apply_load", {"loads": [{"kind": "pressure", "name": "face", "region": {"all": True}, "magnitude": 0.1}]})
PLATE = PartName("panel", "plate")


class Desk:
    """A gate over a folder, with the real domain."""

    def __init__(self, folder):
        self.store = Store(f"sqlite:///{folder / 'gate.db'}", FakeClock())
        schema.ensure(self.store)
        self.store.write_now(lambda tx: people.add_user(tx, User(ME, "person", "UTC", "en", ("*",))))
        settings = Settings(data_dir=folder)
        self.domain = CaeDomain(settings, clock=FakeClock(), language="en", pictures=("svg",))
        self.controller = Controller(self.store, {"cae": self.domain}, Policy())
        self.shelf = Shelf(folder / "cae")

    def open(self, *operations, module="part", name="panel/plate", request="as the file says"):
        source = Given(tuple({"tool": tool, "arguments": arguments} for tool, arguments in operations))
        return run(self.controller.open(Proposal(ME, DESK, target(ME, name), request, source, {"module": module})))

    def change(self, *operations, **more):
        row = self.open(*operations, **more)
        assert row.state == "sealed", row.reason
        return run(self.controller.approve(me(), row.number, row.seal_digest))

    def seen(self, module="part"):
        return run(self.domain.observe(target(ME, "panel/plate"), {"module": module}))

    @property
    def part(self):
        return self.shelf.folder(ME, PLATE).path


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
    undo = run(desk.controller.undo(me(), second.number))
    assert undo.state == "sealed", undo.reason
    assert run(desk.controller.approve(me(), undo.number, undo.seal_digest)).state == "verified"
    assert desk.seen().footprint == seen.footprint
    refused = run(desk.controller.open_undo(me(), 1)) if hasattr(desk.controller, "open_undo") else None
    assert refused is None or refused.state == "invalid"
    versions = desk.shelf.versions_of(ME, PLATE)
    assert [manifest.version for manifest in versions] == [3, 2, 1]
    assert versions[0].deck == versions[2].deck


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
    waiting = desk.open(DEFINE, module="property")
    assert desk.change(FIX, module="load").state == "verified"
    assert run(desk.controller.approve(me(), waiting.number, waiting.seal_digest)).state == "verified"
    after = desk.seen().footprint
    assert [name for name in before if before[name] != after[name]] == ["properties", "cases"]


def test_a_change_that_was_overtaken_where_it_looked_is_stale(desk):
    desk.change(BUILD)
    waiting = desk.open(DEFINE, module="property")
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
    with pytest.raises(ToolRefusal) as raised:
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


@pytest.mark.parametrize("name", ["", "plate", "a/b/c", "../x", "a/..", "a/.b", "-a/b", "a/b c", "a/b\n", "ä/b", "a/" + "b" * 65, "/a", "a/"])
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
