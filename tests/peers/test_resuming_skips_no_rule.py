"""Complaint 32 (letta#3443): resuming after an approval skipped the rules that a fresh call would have met."""

from datetime import timedelta

import pytest

from steadyhand.core import owners
from steadyhand.gate.controller import Controller
from steadyhand.gate.policy import Policy
from steadyhand.gate.recovery import recover
from steadyhand.store.people import people
from trial_domains.stand import ME, me, note, run


@pytest.fixture
def approved(stand):
    """A change whose approval is stored and whose process died before it submitted."""
    row = run(stand.open(note("monday"), note("tuesday"), domain="notebook"))
    decide = stand.controller._decision(me(), "approve", row.seal_digest)
    stand.store.write_now(lambda tx: decide(tx, row))
    stand.set(row.number, state="approved", approved_at=row.updated_at, owner={**owners.myself(), "started": 1})
    return stand.row(row.number)


def resumed(stand, controller=None):
    [row] = run(recover(controller or stand.controller))
    return row


def test_where_nothing_changed_the_resumed_change_is_carried_out(stand, approved):
    assert resumed(stand).state == "verified"
    assert stand.notebook.effects_of(approved.id) == 1


def no_right(stand):
    stand.store.write_now(lambda tx: people.change_user(tx, ME, rights=["panel"]))
    return stand.controller


def lower_limit(stand):
    return Controller(stand.store, stand.controller.domains, Policy(max_operations=1))


def altered_operations(stand):
    stand.set(1, operations=[note("monday", "other")])
    return stand.controller


def later_expiry(stand):
    stand.set(1, expires_at="2099-01-01T00:00:00.000000Z")
    return stand.controller


def no_decision(stand):
    from sqlalchemy import delete

    from steadyhand.store.changes.tables import decisions

    stand.store.write_now(lambda tx: tx.execute(delete(decisions)))
    return stand.controller


RULES = {
    "rights": (no_right, "rejected", "no_right"),
    "limits": (lower_limit, "rejected", "too_many_operations"),
    "seal": (altered_operations, "rejected", "seal_broken"),
    "expiry in the seal": (later_expiry, "rejected", "seal_broken"),
    "decision": (no_decision, "rejected", "seal_broken"),
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_of_a_submission_holds_when_it_is_resumed(stand, approved, rule):
    break_it, state, code = RULES[rule]
    row = resumed(stand, break_it(stand))
    assert (row.state, row.reason["code"]) == (state, code)
    assert stand.notebook.effects_of(approved.id) == 0


def test_an_approval_too_old_is_not_resumed(stand, approved):
    stand.clock.advance(timedelta(minutes=6))
    row = resumed(stand)
    assert (row.state, row.reason["code"]) == ("expired", "approval_expired")
    assert stand.notebook.effects_of(approved.id) == 0


def test_a_target_that_changed_meanwhile_is_stale_when_resumed(stand, approved):
    from trial_domains.notebook import write_note

    stand.store.write_now(lambda tx: write_note(tx, ME, "main", "monday", "other"))
    row = resumed(stand)
    assert (row.state, row.reason["code"]) == ("stale", "footprint_differs")
    assert stand.notebook.effects_of(approved.id) == 0


def test_a_collection_that_is_resumed_still_wants_the_calls_in_order(stand):
    from trial_domains.stand import good_calls, over

    row = run(stand.collecting())
    run(stand.controller.offer_calls(ME, row.number, good_calls(stop=1)))
    again = over(str(stand.store.url), stand.folder, stand.clock)
    back = run(again.controller.offer_calls(ME, row.number, good_calls(start=2)))
    assert (back.state, back.reason["code"]) == ("in_review", "wrong_order")
    again.store.close()
