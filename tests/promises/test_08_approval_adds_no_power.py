"""Promise 8, approval adds no power: rights and limits are checked at proposal and again at submission."""

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.gate.contract import Target
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.policy import Policy
from steadyhand.store.people import people
from trial_domains.stand import DESK, ME, OTHER, cut, me, run


def rights(stand, *domains):
    stand.store.write_now(lambda tx: people.change_user(tx, ME, rights=list(domains)))


def test_without_the_right_nothing_is_proposed(stand):
    rights(stand, "mailroom")
    with pytest.raises(DecisionRefused, match="no_right"):
        run(stand.sealed())
    rights(stand)
    with pytest.raises(DecisionRefused, match="no_right"):
        run(stand.drafting())


def test_a_right_taken_away_after_the_proposal_stops_the_submission_though_it_was_approved(stand):
    row = run(stand.sealed())
    rights(stand, "mailroom")
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("rejected", "no_right")
    assert stand.panel.executions == 0
    assert "execution_submitted" not in stand.events(row.number)


def test_a_right_taken_away_between_spec_and_calls_stops_the_preparation(stand):
    row = run(stand.collecting())
    rights(stand, "mailroom")
    from trial_domains.stand import good_calls

    back = run(stand.controller.offer_calls(ME, row.number, good_calls()))
    assert (back.state, back.reason["code"]) == ("in_review", "no_right")


def test_a_limit_lowered_after_the_proposal_holds_at_the_submission(stand):
    row = run(stand.open(cut("deck"), cut("roof")))
    stricter = Controller(stand.store, stand.controller.domains, Policy(max_operations=1))
    done = run(stricter.approve(me(), row.number, row.seal_digest))
    assert (done.state, done.reason["code"]) == ("rejected", "too_many_operations")
    assert stand.panel.executions == 0


def test_rights_given_later_help_a_new_proposal_and_not_an_old_refusal(stand):
    rights(stand)
    with pytest.raises(DecisionRefused):
        run(stand.sealed())
    rights(stand, "panel")
    assert run(stand.approve(run(stand.sealed()))).state == "verified"


def test_the_approval_of_a_policy_adds_no_power_either(stand):
    lenient = Controller(stand.store, stand.controller.domains, Policy(approve_sealed="within_confirmed_spec"))
    stand.controller = lenient
    row = run(stand.collecting())
    prepare = stand.panel.rehearse

    async def meanwhile(*given):
        rights(stand, "mailroom")
        return await prepare(*given)

    stand.panel.rehearse = meanwhile
    from trial_domains.stand import good_calls

    done = run(lenient.offer_calls(ME, row.number, good_calls()))
    assert (done.state, done.reason["code"]) == ("rejected", "no_right")
    assert stand.panel.executions == 0


def test_nobody_decides_the_change_of_another_person(stand):
    row = run(stand.sealed())
    for attempt in (
        stand.controller.approve(me(user=OTHER), row.number, row.seal_digest),
        stand.controller.deny(me(user=OTHER), row.number),
        stand.controller.withdraw(me(user=OTHER), row.number),
    ):
        with pytest.raises(DecisionRefused, match="change_unknown"):
            run(attempt)
    assert stand.row(row.number) == row


def test_a_target_of_another_person_cannot_be_named(stand):
    with pytest.raises(DecisionRefused, match="not_owner"):
        run(stand.controller.open(Proposal(ME, DESK, Target("panel", "main", OTHER), "cut deck")))


def test_a_domain_that_is_gone_at_the_submission_stops_it(stand):
    row = run(stand.sealed())
    poorer = Controller(stand.store, {"mailroom": stand.mailroom}, Policy())
    done = run(poorer.approve(me(), row.number, row.seal_digest))
    assert (done.state, done.reason["code"]) == ("rejected", "domain_unknown")
