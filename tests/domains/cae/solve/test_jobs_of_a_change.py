"""A job of a change is checked on the copy and solved when it runs; what it left belongs to that version."""

import json
import shutil

import pytest

from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.cae.shelf.jobs import ARRAYS, PICTURE_DATA
from trial_domains.stand import ME
from trial_parts.desk import ASSIGN, BUILD, DEFINE, FIX, PLATE, PRESS, Desk

JOB = ("run_job", {"name": "static", "elements": "S4"})


@pytest.fixture
def desk(tmp_path):
    stand = Desk(tmp_path)
    yield stand
    stand.store.close()


def test_a_job_without_supports_is_refused_on_the_copy(desk):
    desk.change(BUILD, DEFINE, ASSIGN, module="analysis")
    row = desk.open(PRESS, JOB, module="load")
    assert row.state == "invalid"
    assert row.reason["code"].startswith("solve_"), row.reason


def test_a_job_is_checked_on_the_copy_and_solved_when_it_runs(desk, ccx):
    row = desk.change(BUILD, DEFINE, ASSIGN, FIX, PRESS, JOB, module="analysis")
    assert row.state == "verified", row.reason
    assert row.rehearsal["evidence"]["after"]["results"]["static"]["status"] == "checked"
    found = desk.shelf.results_of(ME, PLATE, "static")
    assert (found.version, found.current, found.summary["status"]) == (1, True, "solved")
    assert json.loads((found.folder / "summary.json").read_bytes()) == found.summary
    assert {ARRAYS, PICTURE_DATA} <= {path.name for path in found.folder.iterdir()}
    with pytest.raises(ToolRefusal) as other:
        desk.shelf.results_of(ME, PLATE, "modes")
    assert (other.value.code, other.value.params["jobs"]) == ("job_results_others", "static")
    assert desk.seen("load").facts["results"]["static"] == found.summary
    assert desk.change(("apply_load", {"remove": ["face"]}), module="load").state == "verified"
    old = desk.shelf.results_of(ME, PLATE, "static")
    assert (old.version, old.current) == (1, False)


def test_results_that_were_touched_are_told(desk, ccx):
    from steadyhand.core.errors import OperatorRepairs
    from steadyhand.domains.cae.module import target
    from steadyhand.gate.sealing import program_of
    from trial_domains.stand import run

    row = desk.change(BUILD, DEFINE, ASSIGN, FIX, PRESS, JOB, module="analysis")
    folder = desk.shelf.results_of(ME, PLATE, "static").folder
    shutil.copyfile(folder / "summary.json", folder / ARRAYS)
    with pytest.raises(OperatorRepairs) as raised:
        run(desk.domain.read_back(target(ME, "panel/plate"), program_of(row)))
    assert raised.value.code == "part_damaged"
