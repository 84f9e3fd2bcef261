"""Complaint 31 (lettabot#127): an approval that nobody gave never timed out, and the conversation was stuck for good."""

from datetime import timedelta

import pytest

from steadyhand.core import owners
from steadyhand.core.ids import SessionId
from steadyhand.gate import recovery
from steadyhand.session.decisions import Decided, Decisions, NotADecision
from trial_domains.stand import DESK, ME, note, run


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
def test_what_nobody_answers_ends_by_itself_and_the_target_is_free_again(stand, way):
    run(getattr(stand, way)())
    stand.clock.advance(timedelta(hours=72))
    assert [row.state for row in run(recovery.expire(stand.controller))] == ["expired"]
    assert run(stand.approve(run(stand.sealed()))).state == "verified"


@pytest.mark.parametrize("state", ["observing", "preparing", "approved", "submitting", "executed"])
def test_no_process_that_died_keeps_a_target_for_good(stand, state):
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.set(row.number, state=state, owner={**owners.myself(), "started": 1}, approved_at=row.updated_at)
    run(recovery.recover(stand.controller))
    ended = stand.row(row.number).state
    assert ended in ("sealed", "rejected", "failed"), "looked at, and told as what it is"
    second = run(stand.open(note("monday", "again"), domain="notebook", session=SessionId("roof")))
    assert run(stand.approve(second)).state == "verified"


def test_work_that_an_error_broke_off_in_a_process_that_lives_on_is_taken_up_again(stand):
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.set(row.number, state="submitting", **stand.controller.ledger.ownership())
    assert run(recovery.recover(stand.controller)) == []
    stand.clock.advance(timedelta(seconds=31))
    assert [found.state for found in run(recovery.recover(stand.controller))] == ["failed"]


def test_a_conversation_goes_on_while_a_review_waits(stand):
    """Nothing is blocked by a waiting review: talk is talk, another change of another target is decided, and the first still waits."""
    door = Decisions(stand.controller)
    first = run(stand.sealed())
    run(door.showed(ME, DESK, first))
    assert isinstance(run(door.message(ME, DESK, "tell me about plates", "terminal")), NotADecision)
    other = run(stand.open(note("monday"), domain="notebook"))
    run(door.showed(ME, DESK, other))
    done = run(door.message(ME, DESK, f"/approve C-{other.number}", "terminal"))
    assert isinstance(done, Decided)
    assert done.row.state == "verified"
    assert stand.row(first.number).state == "sealed"


def test_an_outcome_that_nobody_can_tell_can_be_closed_by_the_person(stand):
    from trial_domains.stand import letter, me, phone

    stand.mailroom.fail_at = (1, "after")
    row = run(stand.approve(run(stand.open(phone("a"), letter("b"), domain="mailroom"))))
    assert row.state == "unknown"
    stand.clock.advance(timedelta(days=365))
    assert run(recovery.expire(stand.controller)) == [], "what may have happened does not expire"
    assert run(stand.controller.close_as_failed(me(), row.number)).state == "failed"
