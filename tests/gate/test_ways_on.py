"""What a person can do after an end, repair or undo, and who may decide instead of them."""

import json

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId
from steadyhand.gate.contract import Target
from steadyhand.gate.controller import Controller, Decider, Proposal
from steadyhand.gate.machine import BEFORE_SUBMISSION
from steadyhand.gate.policy import Policy
from trial_domains.stand import DESK, ME, OTHER, REQUEST, cut, letter, me, note, run

ROOF = SessionId("roof")


@pytest.mark.parametrize("state", sorted(state.value for state in BEFORE_SUBMISSION))
def test_repair_is_offered_only_for_what_failed(stand, state):
    row = run(stand.sealed())
    stand.set(row.number, state=state, approved_at=row.updated_at)
    with pytest.raises(DecisionRefused, match="wrong_state"):
        run(stand.controller.repair(me(), row.number, "en"))


def test_a_repair_is_a_new_linked_change_that_starts_from_what_is_there_now(stand):
    stand.mailroom.fail_at = (4, "before")
    failed = run(stand.approve(run(stand.open(*(letter(to) for to in "abcde"), domain="mailroom"))))
    stand.mailroom.fail_at = None
    assert failed.state == "failed"
    repair = run(stand.controller.repair(me(), failed.number, "zh-CN"))
    assert (repair.state, repair.repair_of, repair.language) == ("sealed", failed.number, "zh-CN")
    assert [item["to"] for item in repair.operations] == ["d", "e"], "what was done is not done again"
    assert run(stand.approve(repair)).state == "verified"
    assert stand.mailroom.effects() == [f"letter/{to}" for to in "abcde"]
    assert stand.row(failed.number).state == "failed"


def test_a_repair_of_a_change_from_a_spec_starts_with_a_new_spec(stand):
    stand.panel.mischief.add("before_effect")
    failed = run(stand.approve(run(stand.sealed_from_spec())))
    stand.panel.mischief.clear()
    repair = run(stand.controller.repair(me(), failed.number, "en"))
    assert (repair.state, repair.repair_of, repair.request) == ("drafting", failed.number, REQUEST)


def test_an_undo_is_a_new_linked_change_that_is_decided_like_any_other(stand):
    done = run(stand.approve(run(stand.sealed_from_spec())))
    undo = run(stand.controller.undo(me(), done.number, "take it back", "en"))
    assert (undo.state, undo.undo_of) == ("sealed", done.number)
    assert stand.panel.content("main")["plates"] == {"deck": {"size": [3, 4], "colour": "red"}}, "nothing before the decision"
    assert run(stand.approve(undo)).state == "verified"
    assert stand.panel.content("main")["plates"] == {}
    assert stand.row(done.number).state == "verified"


def test_what_was_changed_since_cannot_be_undone(stand):
    done = run(stand.approve(run(stand.sealed())))
    stand.panel.edit("main", "deck", {"size": [9, 9], "colour": "blue"})
    with pytest.raises(DecisionRefused, match="changed_since"):
        run(stand.controller.undo(me(), done.number, "take it back", "en"))


def test_a_domain_that_cannot_state_the_inverse_has_no_undo(stand):
    done = run(stand.approve(run(stand.open(note("monday"), domain="notebook"))))
    with pytest.raises(DecisionRefused, match="not_undoable"):
        run(stand.controller.undo(me(), done.number, "take it back", "en"))
    open_one = run(stand.sealed())
    with pytest.raises(DecisionRefused, match="wrong_state"):
        run(stand.controller.undo(me(), open_one.number, "take it back", "en"))


def test_a_change_verified_by_a_recheck_has_its_receipt_and_can_be_undone(stand):
    stand.panel.mischief |= {"after_effect", "outcome"}
    row = run(stand.approve(run(stand.sealed_from_spec())))
    assert (row.state, row.receipt) == ("unknown", None)
    stand.panel.mischief.clear()
    waiting = run(stand.sealed("deck", session=ROOF))
    row = run(stand.controller.recheck(ME, row.number))
    assert row.state == "verified"
    assert row.receipt is not None
    assert "panel_audit.json" in stand.artifacts(row.number)
    assert stand.row(waiting.number).state == "stale"
    assert run(stand.controller.undo(me(), row.number, "take it back", "en")).state == "sealed"


# --- one decision instead of two ---------------------------------------------------------------------------------------------


def gate_with(stand, policy):
    return Controller(stand.store, stand.controller.domains, policy)


def test_within_a_confirmed_spec_the_policy_approves_and_the_decision_says_so(stand):
    stand.controller = gate_with(stand, Policy(approve_sealed="within_confirmed_spec"))
    row = run(stand.sealed_from_spec())
    assert row.state == "verified"
    assert [(one.kind, one.decided_by) for one in stand.decisions(row.number)] == [("confirm", "person"), ("approve", "policy")]


def test_the_policy_never_approves_what_was_not_confirmed_as_a_spec(stand):
    stand.controller = gate_with(stand, Policy(approve_sealed="within_confirmed_spec"))
    assert run(stand.sealed()).state == "sealed"
    assert stand.panel.executions == 0


def test_where_the_policy_cannot_approve_the_change_stays_sealed_for_a_person(stand):
    stand.controller = gate_with(stand, Policy(approve_sealed="within_confirmed_spec"))
    blocked = run(stand.sealed(session=ROOF))
    stand.set(blocked.number, state="unknown")
    row = run(stand.sealed_from_spec())
    assert row.state == "sealed"
    assert [one.kind for one in stand.decisions(row.number)] == ["confirm"]


def test_a_direct_act_is_recorded_as_decided_by_the_person(stand):
    row = run(stand.sealed())
    decider = Decider(ME, DESK, "command", "cut deck 3 by 4", by="direct")
    done = run(stand.controller.approve(decider, row.number, row.seal_digest))
    [decision] = stand.decisions(row.number)
    assert (done.state, decision.decided_by, decision.door, decision.words, decision.digest) == (
        "verified",
        "direct",
        "command",
        "cut deck 3 by 4",
        row.seal_digest,
    )


def test_what_a_person_reads_before_deciding_is_the_difference(stand):
    row = run(stand.sealed())
    view = stand.controller.view(row, "en")
    assert view.payload == [{"plate": "deck", "before": None, "after": {"size": [3, 4], "colour": None}}]
    assert stand.controller.view(run(stand.drafting(session=ROOF)), "en") is None


def test_a_change_too_large_is_refused_when_it_is_prepared(stand):
    stand.controller = gate_with(stand, Policy(max_operations=1))
    row = run(stand.open(cut("deck"), cut("roof")))
    assert (row.state, row.reason["code"]) == ("invalid", "too_many_operations")


def test_a_proposal_for_somebody_elses_target_is_refused_before_anything_is_stored(stand):
    with pytest.raises(DecisionRefused, match="not_owner"):
        run(stand.controller.open(Proposal(ME, DESK, Target("panel", "main", OTHER), "x")))
    assert run(stand.sealed()).number == 1


def test_entries_tell_the_state_in_which_a_change_ended(stand):
    row = run(stand.sealed())
    run(stand.controller.deny(me(), row.number))
    last = json.loads(stand.entries(row.number)[-1].entry)
    assert last["event"] == "change_ended"
    assert last["detail"]["state"] == "rejected"
