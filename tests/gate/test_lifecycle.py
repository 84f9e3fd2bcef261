"""How long a change waits, what ends it, and what stands in its way on the same target."""

import asyncio
import threading
from datetime import timedelta

import pytest

from steadyhand.core.errors import DecisionRefused, StoreUnavailable
from steadyhand.core.ids import SessionId
from steadyhand.gate import recovery
from trial_domains.stand import ME, OTHER, REQUEST, cut, letter, me, note, paint, phone, run

ROOF = SessionId("roof")


def unknown(stand):
    """A change whose outcome nobody can tell: a phone call that broke off."""
    stand.mailroom.fail_at = (2, "after")
    row = run(stand.open(letter("a"), phone("b"), letter("c"), domain="mailroom"))
    row = run(stand.approve(row))
    stand.mailroom.fail_at = None
    return row


# --- opening -------------------------------------------------------------------------------------------------------------


def test_the_request_is_stored_before_anything_is_looked_at(stand):
    stand.panel.power_cut_in = "observe"
    with pytest.raises(BaseException, match="observe"):
        run(stand.sealed())
    assert stand.artifacts(1)["request.txt"] == REQUEST.encode()
    assert stand.events(1) == ["change_opened"]


def test_a_target_that_cannot_be_seen_makes_the_change_invalid(stand):
    missing = run(stand.sealed(name="nowhere"))
    assert (missing.state, missing.reason["code"]) == ("invalid", "not_found")
    stand.panel.mischief.add("observe")
    broken = run(stand.sealed())
    assert (broken.state, broken.reason["code"]) == ("invalid", "observation_failed")


def test_given_operations_that_cannot_be_prepared_make_the_change_invalid(stand):
    refused = run(stand.open(paint("deck")))
    assert (refused.state, refused.reason["code"]) == ("invalid", "no_such_plate")
    failed = run(stand.open(cut(), paint("deck", "mud")))
    assert (failed.state, failed.reason["code"]) == ("invalid", "rehearsal_failed")
    assert failed.rehearsal["ok"] is False


def test_a_domain_that_takes_no_model_needs_its_operations_given(stand):
    with pytest.raises(DecisionRefused, match="source_missing"):
        run(stand.open(domain="mailroom"))
    with pytest.raises(DecisionRefused, match="domain_unknown"):
        run(stand.open(cut(), domain="attic"))


def test_an_empty_target_can_be_changed_and_changed_again(stand):
    assert run(stand.approve(run(stand.sealed()))).state == "verified"
    assert run(stand.approve(run(stand.open(paint())))).state == "verified"
    assert stand.panel.content("main")["plates"] == {"deck": {"size": [3, 4], "colour": "red"}}


# --- superseding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
def test_proposing_again_in_the_same_session_for_the_same_target_withdraws_the_earlier_one(stand, way):
    first = run(getattr(stand, way)())
    second = run(stand.sealed())
    first = stand.row(first.number)
    assert (first.state, first.superseded_by) == ("withdrawn", second.number)
    assert first.reason == {"code": "superseded", "params": {"number": second.number}, "index": None}
    assert second.state == "sealed"


def test_another_session_another_target_and_another_person_supersede_nothing(stand):
    stand.panel.make("second")
    first = run(stand.sealed())
    run(stand.sealed(session=ROOF))
    run(stand.sealed(name="second"))
    run(stand.sealed(user=OTHER))
    assert stand.row(first.number).state == "sealed"


def test_what_was_submitted_or_ended_is_not_superseded(stand):
    blocked = unknown(stand)
    verified = run(stand.approve(run(stand.sealed())))
    run(stand.sealed())
    run(stand.open(letter("d"), domain="mailroom"))
    assert stand.row(blocked.number).state == "unknown"
    assert stand.row(verified.number).state == "verified"


# --- time ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
def test_what_waits_past_its_time_has_expired_whichever_door_asks(stand, way):
    row = run(getattr(stand, way)())
    stand.clock.advance(timedelta(hours=72) - timedelta(seconds=1))
    assert run(stand.controller.current(ME, row.number)).state == row.state
    assert run(recovery.expire(stand.controller)) == []
    stand.clock.advance(timedelta(seconds=1))
    for attempt in (
        lambda: stand.controller.confirm(me(), row.number, row.spec_digest or "0" * 8),
        lambda: stand.controller.approve(me(), row.number, row.seal_digest or "0" * 8),
        lambda: stand.controller.deny(me(), row.number),
    ):
        with pytest.raises(DecisionRefused):
            run(attempt())
    assert stand.row(row.number).state == "expired"
    assert stand.row(row.number).reason["code"] == "expired"
    assert stand.panel.executions == 0


def test_the_sweep_ends_what_expired_and_leaves_the_rest(stand):
    old = run(stand.sealed())
    stand.clock.advance(timedelta(hours=71))
    young = run(stand.sealed(session=ROOF))
    stand.clock.advance(timedelta(hours=2))
    assert [row.number for row in run(recovery.expire(stand.controller))] == [old.number]
    assert stand.row(young.number).state == "sealed"


def test_a_change_that_somebody_moves_on_meanwhile_does_not_stop_the_sweep(stand, monkeypatch):
    rows = [run(stand.sealed(session=SessionId(name))) for name in ("one", "two")]
    stand.clock.advance(timedelta(hours=73))
    current = stand.controller.current

    async def overtaken(user, number):
        if number == rows[0].number:
            raise DecisionRefused("change_moved_on", name="C-1")
        return await current(user, number)

    monkeypatch.setattr(stand.controller, "current", overtaken)
    assert [row.number for row in run(recovery.expire(stand.controller))] == [rows[1].number]


def approved_but_not_submitted(stand, **columns):
    """As a process leaves it that was cut off between the decision and the submission."""
    row = run(stand.open(note("monday"), domain="notebook"))
    decide = stand.controller._decision(me(), "approve", row.seal_digest)
    from steadyhand.core.clock import to_text
    from steadyhand.gate.machine import Event

    run(
        stand.controller.ledger.move(
            row, Event.APPROVED, extra=decide, approved_at=to_text(stand.clock.now()), **stand.controller.ledger.ownership()
        )
    )
    if columns:
        stand.set(row.number, **columns)
    return stand.row(row.number)


def test_an_approval_that_was_not_submitted_within_five_minutes_has_expired(stand):
    row = approved_but_not_submitted(stand)
    stand.clock.advance(timedelta(minutes=5, seconds=1))
    assert [ended.reason["code"] for ended in run(recovery.expire(stand.controller))] == ["approval_expired"]
    assert stand.row(row.number).state == "expired"
    assert stand.notebook.effects_of(row.id) == 0


def test_an_approval_of_less_than_five_minutes_is_submitted_after_a_restart(stand):
    row = approved_but_not_submitted(stand)
    stand.clock.advance(timedelta(minutes=4, seconds=59))
    assert [ended.state for ended in run(recovery.recover(stand.controller))] == ["verified"]
    assert stand.notebook.effects_of(row.id) == 1


@pytest.mark.parametrize("minutes", [4, 6])
def test_an_approval_does_not_outlive_the_expiry_of_its_change(stand, minutes):
    stand.controller._expiry = timedelta(minutes=3)
    row = approved_but_not_submitted(stand)
    stand.clock.advance(timedelta(minutes=minutes))
    run(recovery.recover(stand.controller))
    assert stand.row(row.number).state == "expired"
    assert stand.notebook.effects_of(row.id) == 0


# --- one on its way --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["approved", "submitting", "executed", "unknown"])
def test_while_one_change_of_a_target_is_on_its_way_no_other_can_be_approved(stand_anywhere, state):
    stand = stand_anywhere
    first = run(stand.open(note("monday"), domain="notebook"))
    second = run(stand.open(note("tuesday"), domain="notebook", session=ROOF))
    stand.set(first.number, state=state, approved_at=first.updated_at)
    with pytest.raises(DecisionRefused, match="target_busy"):
        run(stand.approve(second))
    assert stand.row(second.number).state == "sealed"
    assert stand.decisions(second.number) == []


def test_on_a_shared_target_the_changes_of_two_persons_meet(stand):
    mine = run(stand.sealed(shared=True))
    theirs = run(stand.sealed("roof", shared=True, user=OTHER))
    stand.set(mine.number, state="unknown")
    with pytest.raises(DecisionRefused, match="target_busy"):
        run(stand.approve(theirs))


def test_changes_of_different_targets_do_not_meet(stand):
    stand.panel.make("second")
    first = run(stand.sealed())
    stand.set(first.number, state="unknown")
    assert run(stand.approve(run(stand.sealed(name="second")))).state == "verified"


def test_an_unknown_outcome_blocks_its_target_until_it_is_rechecked_or_closed(stand):
    row = unknown(stand)
    second = run(stand.open(letter("z"), domain="mailroom", session=ROOF))
    with pytest.raises(DecisionRefused, match="target_busy"):
        run(stand.approve(second))
    assert run(stand.controller.recheck(ME, row.number)).state == "unknown", "still nobody can tell"
    assert run(stand.controller.close_as_failed(me(), row.number)).state == "failed"
    assert run(stand.approve(second)).state == "verified"


def test_when_one_commits_the_sealed_ones_that_it_touched_turn_stale_and_the_others_stay(stand_anywhere):
    stand = stand_anywhere
    first = run(stand.sealed("deck"))
    touched = run(stand.sealed("deck", session=ROOF))
    apart = run(stand.sealed("roof", session=SessionId("cellar")))
    run(stand.approve(first))
    stale = stand.row(touched.number)
    assert (stale.state, stale.reason["code"]) == ("stale", "touched_by")
    assert stale.reason["params"] == {"number": first.number, "regions": "plate/deck"}
    assert stand.row(apart.number).state == "sealed"
    assert run(stand.approve(apart)).state == "verified"


# --- stopping --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
@pytest.mark.parametrize("door", ["withdraw", "deny"])
def test_before_submission_a_stop_ends_it_without_effect(stand, way, door):
    row = run(getattr(stand, way)())
    ended = run(getattr(stand.controller, door)(me(), row.number))
    assert ended.state in ("withdrawn", "rejected")
    assert (ended.state == "rejected") == (door == "deny" and way in ("in_review", "sealed"))
    assert not ended.stop_noted
    assert [decision.kind for decision in stand.decisions(row.number)][-1] in ("withdraw", "deny")
    assert stand.panel.content("main")["switches"] == 0


def test_an_approval_can_be_taken_back_until_it_is_submitted(stand):
    row = approved_but_not_submitted(stand)
    assert run(stand.controller.deny(me(), row.number)).state == "rejected"
    assert run(recovery.recover(stand.controller)) == []
    assert stand.notebook.effects_of(row.id) == 0


def test_a_stop_while_the_effect_runs_is_noted_as_too_late_and_the_work_is_finished(stand):
    row = run(stand.sealed())
    noted = []
    execute = stand.panel.execute

    async def execute_and_stop(program, submission, log):
        noted.append(await stand.controller.withdraw(me(words="stop!"), row.number))
        return await execute(program, submission, log)

    stand.panel.execute = execute_and_stop
    done = run(stand.approve(row))
    assert (noted[0].state, noted[0].stop_noted) == ("submitting", True)
    assert (done.state, done.stop_noted) == ("verified", True)
    assert stand.events(row.number).count("stop_noted") == 1
    assert [decision.kind for decision in stand.decisions(row.number)] == ["approve", "withdraw"]
    assert stand.chain_holds(row.number)


def test_an_interrupt_of_whoever_approved_is_noted_and_the_work_is_finished_and_read_back(stand):
    row = run(stand.sealed())

    async def interrupted():
        execute = stand.panel.execute

        async def execute_slowly(program, submission, log):
            task.cancel()
            await asyncio.sleep(0)
            return await execute(program, submission, log)

        stand.panel.execute = execute_slowly
        task = asyncio.create_task(stand.approve(row))
        return await task

    done = run(interrupted())
    assert (done.state, done.stop_noted) == ("verified", True)
    assert "stop_noted" in stand.events(row.number)


def test_a_failed_lease_renewal_does_not_disturb_the_work(stand, monkeypatch):
    from steadyhand.gate import ledger

    tried = threading.Semaphore(0)

    def renew(*_):
        tried.release()
        raise StoreUnavailable("store_busy", reason="locked")

    monkeypatch.setattr(ledger.changes, "renew_lease", renew)
    row = run(stand.sealed())
    stand.controller.ledger.lease = timedelta(seconds=0.01)
    execute = stand.panel.execute

    async def execute_slowly(program, submission, log):
        for _ in range(2):
            assert await asyncio.to_thread(tried.acquire, timeout=30)
        return await execute(program, submission, log)

    stand.panel.execute = execute_slowly
    assert run(stand.approve(row)).state == "verified"


def test_the_lease_of_what_runs_is_renewed(stand, monkeypatch):
    from steadyhand.gate import ledger

    renewed, renew = threading.Semaphore(0), ledger.changes.renew_lease

    def watched(tx, user, change, token, until):
        held = renew(tx, user, change, token, until)
        renewed.release()
        return held

    monkeypatch.setattr(ledger.changes, "renew_lease", watched)
    row = run(stand.sealed())
    stand.controller.ledger.lease = timedelta(seconds=0.03)
    execute = stand.panel.execute

    async def execute_slowly(program, submission, log):
        first = stand.row(row.number).lease_until
        stand.clock.advance(timedelta(minutes=1))
        for _ in range(3):  # one may have been made before the clock moved, one may be under way
            assert await asyncio.to_thread(renewed.acquire, timeout=30)
        assert stand.row(row.number).lease_until > first
        return await execute(program, submission, log)

    stand.panel.execute = execute_slowly
    assert run(stand.approve(row)).state == "verified"
