"""What is executed is what was rehearsed, in its own folder and limits; what a dead writer left goes."""

import json
import resource

import pytest

from steadyhand.core.errors import PersonDecides
from steadyhand.domains.cae.shelf import bodies
from trial_parts.stand import AUDIT, COPY, FIX, STEEL, program


@pytest.mark.parametrize("shown", [None, {}, {"digests": {}}, {"digests": {"geometry": "0" * 64}}])
def test_a_run_that_is_not_what_was_rehearsed_is_thrown_away(plate, shown):
    before = plate.reachable()
    with pytest.raises(PersonDecides) as raised:
        plate.execute(program(COPY, writes=("geometry",)), rehearsed=shown)
    assert (raised.value.code, raised.value.params) == ("run_differs", {"differences": "geometry: differs"})
    assert plate.reachable() == before
    assert list((plate.folder.path / "staging").iterdir()) == []


def test_a_report_that_is_not_the_one_that_was_shown_is_thrown_away_with_its_run(plate):
    before, looks = plate.reachable(), program(AUDIT, writes=("geometry",))
    shown = plate.rehearse(looks).evidence
    with pytest.raises(PersonDecides) as raised:
        plate.execute(program(AUDIT.replace("0.001", "20.0"), writes=("geometry",)), rehearsed=shown)
    assert raised.value.params == {"differences": "part_audit.json: differs"}
    assert plate.reachable() == before
    assert json.loads(plate.execute(looks, rehearsed=shown).artifacts["part_audit.json"]) == shown["audit"]["part_audit.json"]


def test_a_rehearsal_holds_what_its_program_writes_and_what_changed_elsewhere_meanwhile_does_not_count(plate):
    steel = program(STEEL, writes=("properties",))
    shown = plate.rehearse(steel, "chg_steel")
    plate.execute(program(FIX))
    plate.execute(steel, "chg_steel", shown.evidence)
    assert sorted(plate.observe().facts["detail"]["materials"]) == ["steel"]


def test_what_a_writer_that_is_gone_left_half_made_goes_with_the_next_execution(plate):
    left = plate.folder.path / "staging" / "sub_gone" / "results"
    left.mkdir(parents=True)
    (left / "part.inp").write_bytes(b"half")
    plate.execute(program(STEEL))
    assert list((plate.folder.path / "staging").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../../beside_audit.json", "/beside_audit.json", "receipt.json", "part.inp", "a/b_audit.json", "_audit.json"]
)
def test_a_report_is_written_beside_the_deck_and_nowhere_else(plate, name):
    files = sorted(plate.folder.path.rglob("*"))
    refusal = plate.rehearse(program(f"part.audit(report={name!r}, kind='part', tolerance=0.001)")).refusal
    assert (refusal.code, refusal.params["name"]) == ("bad_name", name)
    assert sorted(plate.folder.path.rglob("*")) == files


@pytest.mark.parametrize("name", ["../../beside", "/beside", "..", "a/b"])
def test_the_results_of_a_job_lie_below_the_version_and_nowhere_else(plate, name):
    files = sorted(plate.folder.path.rglob("*"))
    assert plate.rehearse(program(f"model.StaticJob(name={name!r}, elements='S4').submit()")).refusal.code == "bad_name"
    assert sorted(plate.folder.path.rglob("*")) == files


def test_a_picture_that_is_too_large_stops_no_rehearsal(plate, monkeypatch):
    monkeypatch.setattr("steadyhand.domains.cae.shelf.drawing.MOST_BYTES", 10)
    found = plate.rehearse(program(COPY))
    assert (found.ok, found.evidence["picture"]) == (True, None)


def test_a_child_keeps_a_limit_that_is_lower_than_its_own(monkeypatch):
    made = []
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (5, 5 if limit == resource.RLIMIT_CPU else resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda limit, pair: made.append((limit, pair)))
    monkeypatch.setattr(bodies.os, "chdir", lambda folder: None)
    monkeypatch.setattr(bodies.os, "environ", {})
    bodies.settle({"threads": 1, "path": "/bin", "cpu_seconds": 60.0, "folder": "/nowhere"})
    assert made == [(resource.RLIMIT_CPU, (5, 5)), (resource.RLIMIT_FSIZE, (bodies.MOST_FILE_BYTES,) * 2)]
