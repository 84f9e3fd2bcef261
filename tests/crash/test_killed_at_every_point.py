"""A child process is really killed at every named point of the gate; after a restart the record tells the truth."""

import contextlib
import functools
import re
from pathlib import Path

import pytest

import steadyhand.gate
from steadyhand.core import faults
from steadyhand.core.clock import SystemClock
from steadyhand.gate.recovery import recover
from trial_domains.stand import ME, good_calls, killed, me, over, run, start_child

pytestmark = pytest.mark.crash

PREPARATION = {
    # the point of death: what the restart finds, what it makes of it, how many effects took place at the end
    "gate.opened": ("observing", "sealed", 0),
    "gate.observed": ("preparing", "sealed", 0),
    "gate.compiled": ("preparing", "sealed", 0),
    "gate.rehearsed": ("preparing", "sealed", 0),
    "gate.sealed": ("sealed", "sealed", 0),
}
COLLECTION = {
    "gate.opened": ("observing", "drafting", 0),
    "gate.observed": ("drafting", "drafting", 0),
    "gate.spec_stored": ("in_review", "in_review", 0),
    "gate.confirmed": ("collecting", "collecting", 0),
    "gate.call_stored": ("collecting", "collecting", 0),
    "gate.call_stored:2": ("collecting", "collecting", 0),
    "gate.call_stored:3": ("preparing", "sealed", 0),
    "gate.compiled": ("preparing", "sealed", 0),
    "trial.in_rehearsal": ("preparing", "sealed", 0),
    "gate.rehearsed": ("preparing", "sealed", 0),
    "gate.sealed": ("sealed", "sealed", 0),
}
SUBMISSION = {
    "gate.before_decision": ("sealed", "sealed", 0),
    "gate.approved": ("approved", "verified", 1),
    "gate.before_intent": ("approved", "verified", 1),
    "gate.intent": ("submitting", "failed", 0),
    "gate.before_effect": ("submitting", "failed", 0),
    "gate.in_effect": ("submitting", "failed", 0),
    "gate.after_effect": ("submitting", "verified", 1),
    "gate.receipt": ("executed", "verified", 1),
    "gate.read_back": ("executed", "verified", 1),
    "gate.verified": ("verified", "verified", 1),
}
STEPS = {
    # five letters; one that was begun is looked for in the mailroom
    "gate.in_effect": ("submitting", "failed", 1),
    "gate.in_effect:3": ("submitting", "failed", 3),
    "gate.in_effect:5": ("submitting", "verified", 5),
    "gate.step_begun": ("submitting", "failed", 0),
    "gate.step_begun:3": ("submitting", "failed", 2),
    "gate.step_ended": ("submitting", "failed", 1),
    "gate.step_ended:3": ("submitting", "failed", 3),
    "gate.step_ended:5": ("submitting", "verified", 5),
}
UNTRACEABLE = {
    # a letter, a phone call that leaves no trace, a letter
    "gate.step_begun:2": ("submitting", "unknown", 1),
    "gate.in_effect:2": ("submitting", "unknown", 2),
    "gate.step_ended:2": ("submitting", "failed", 2),
}


AT_WORK = ("observing", "preparing", "approved", "submitting", "executed")


def times(table, effects):
    return {point: (found, told, made * effects) for point, (found, told, made) in table.items()}


STORIES = {
    "panel": COLLECTION | SUBMISSION,
    "notebook": PREPARATION | SUBMISSION,
    "mailroom": PREPARATION | times(SUBMISSION, 5) | STEPS,
    "calls": UNTRACEABLE,
}
ON_SQLITE = [(story, point, *expected) for story, table in STORIES.items() for point, expected in table.items()]
ON_POSTGRES = [("notebook", point, *expected) for point, expected in SUBMISSION.items()]


def plain(point):
    return point.partition(":")[0]


def effects(stand, story, row):
    if story == "panel":
        return stand.panel.content("main")["switches"]
    if story == "notebook":
        return stand.notebook.effects_of(row.id)
    return len(stand.mailroom.effects())


@contextlib.contextmanager
def killed_and_restarted(stand, story, point, found, told, made):
    assert killed(start_child(stand, story, fault=point)), f"the child did not pass {point}"
    row = stand.row(1)
    assert row.state == found
    assert stand.chain_holds(1)
    again = over(stand.store.url.render_as_string(hide_password=False), stand.folder, SystemClock())
    try:
        recovered = run(recover(again.controller))
        assert [one.number for one in recovered] == ([1] if found in AT_WORK else [])
        row = again.row(1)
        assert row.state == told
        assert effects(again, story, row) == made
        assert again.chain_holds(1)
        assert again.events(1).count("execution_submitted") == (told in ("verified", "failed", "unknown"))
        assert run(recover(again.controller)) == [], "a second restart finds nothing to do"
        assert effects(again, story, row) == made
        yield again
    finally:
        again.store.close()


def tell_the_truth(stand, story, row):
    if row.state == "verified":
        assert stand.events(1).count("readback_verified") == 1
    elif row.state == "unknown":
        assert row.evidence["fresh"] is not None
        assert row.reason["params"]["check"]
    elif row.state == "failed":
        done = effects(stand, story, row)
        assert row.reason["code"] == ("nothing_done" if done == 0 else "partly_done")
        assert row.reason["params"].get("done", 0) == done
    else:
        assert effects(stand, story, row) == 0
    assert stand.panel.leftovers("main") == [], "no copy and no half-made file is left"


@pytest.mark.parametrize(("story", "point", "found", "told", "made"), ON_SQLITE, ids=[f"{one[0]}-{one[1]}" for one in ON_SQLITE])
def test_killed_there_and_started_again_the_record_tells_the_truth(stand_here, story, point, found, told, made):
    with killed_and_restarted(stand_here, story, point, found, told, made) as again:
        tell_the_truth(again, story, again.row(1))


@pytest.mark.parametrize(("story", "point", "found", "told", "made"), ON_POSTGRES, ids=[one[1] for one in ON_POSTGRES])
def test_killed_there_on_postgresql_the_record_tells_the_truth(stand_on_postgres, story, point, found, told, made):
    with killed_and_restarted(stand_on_postgres, story, point, found, told, made) as again:
        tell_the_truth(again, story, again.row(1))


@pytest.mark.parametrize("point", ["gate.spec_stored", "gate.call_stored", "gate.compiled", "gate.sealed"])
def test_what_was_cut_off_before_a_decision_can_be_carried_on_to_its_end(stand_here, point):
    with killed_and_restarted(stand_here, "panel", point, *STORIES["panel"][point]) as again:
        row = again.row(1)
        if row.state == "in_review":
            row = run(again.controller.confirm(me(), 1, row.spec_digest))
        if row.state == "collecting":
            row = run(again.controller.offer_calls(ME, 1, good_calls(start=len(row.calls))))
        assert run(again.approve(row)).state == "verified"
        assert again.panel.content("main")["switches"] == 1


def test_the_matrix_passes_every_point_that_the_gate_names():
    exercised = {plain(point) for table in STORIES.values() for point in table if point.startswith("gate.")}
    assert exercised == {point for point in faults.POINTS if point.startswith("gate.")}


def test_the_submission_points_are_those_from_the_decision_to_the_end():
    named = [point for point in faults.POINTS if point.startswith("gate.")]
    first, last = named.index("gate.before_decision"), named.index("gate.verified")
    assert list(SUBMISSION) == named[first : last + 1]


@functools.cache
def reached():
    folder = Path(steadyhand.gate.__file__).parent
    return {name for file in folder.glob("*.py") for name in re.findall(r'reach\("([^"]+)"\)', file.read_text(encoding="utf-8"))}


def test_the_gate_reaches_every_point_that_it_names_but_the_one_inside_a_domains_effect():
    named = {point for point in faults.POINTS if point.startswith("gate.")}
    assert reached() == named - {"gate.in_effect"}


def test_without_a_fault_the_children_come_to_the_end(stand_here):
    for story in ("panel", "notebook", "mailroom"):
        assert not killed(start_child(stand_here, story))
    assert [stand_here.row(number).state for number in (1, 2, 3)] == ["verified"] * 3
