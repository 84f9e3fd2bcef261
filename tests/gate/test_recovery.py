"""After a restart every change that was at work is brought to a state that tells the truth; nothing runs a second time."""

from datetime import timedelta

import pytest

from steadyhand.core import owners
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId
from steadyhand.gate.controller import Controller
from steadyhand.gate.policy import Policy
from steadyhand.gate.recovery import LOCK, recover
from steadyhand.store.database.locks import exclusive
from steadyhand.store.people import people
from trial_domains.panel import PowerCut
from trial_domains.stand import DESK, ME, good_calls, letter, me, note, over, run


def cut_off(stand, where, story):
    """Let *story* end as by a power cut at *where*; then only the clock tells that nobody works there any more."""
    stand.panel.power_cut_in = where
    with pytest.raises(PowerCut):
        run(story())
    stand.panel.power_cut_in = ""
    stand.clock.advance(timedelta(seconds=31))


def orphan(stand, number, state, **columns):
    """Leave a change in *state* as a process does that was killed there: its owner's number has long been another's."""
    stand.set(number, state=state, owner={**owners.myself(), "started": 1}, owner_token="own_gone", **columns)
    return stand.row(number)


def states(rows):
    return [row.state for row in rows]


def test_without_anything_at_work_nothing_happens(stand):
    run(stand.sealed())
    assert run(recover(stand.controller)) == []


def test_observing_is_done_again(stand):
    cut_off(stand, "observe", stand.sealed)
    assert stand.row(1).state == "observing"
    assert states(run(recover(stand.controller))) == ["sealed"]


@pytest.mark.parametrize("state", ["observing", "preparing", "sealed"])
def test_a_persons_own_act_that_was_broken_off_before_it_began_is_withdrawn_and_asks_nobody(stand, state):
    row = run(stand.sealed())
    orphan(stand, row.number, state, direct=True)
    assert states(run(recover(stand.controller))) == ["withdrawn"]
    assert stand.row(row.number).reason["code"] == "act_interrupted"
    assert stand.panel.executions == 0


def test_a_row_that_cannot_be_judged_does_not_stop_the_recovery_of_the_others(stand):
    bad, good = run(stand.sealed()), run(stand.open(note("monday"), domain="notebook"))
    orphan(stand, bad.number, "approved")
    stand.set(bad.number, owner={"host": "here"}, lease_until="not a moment")
    orphan(stand, good.number, "preparing")
    assert states(run(recover(stand.controller))) == ["sealed"]


def test_observing_for_a_spec_is_done_again_and_waits_for_the_model(stand):
    cut_off(stand, "observe", stand.drafting)
    assert states(run(recover(stand.controller))) == ["drafting"]
    assert stand.row(1).owner is None


def test_preparing_is_done_again_and_the_copy_that_was_left_is_removed(stand):
    cut_off(stand, "rehearse", stand.sealed_from_spec)
    assert stand.row(1).state == "preparing"
    [left] = stand.panel.leftovers("main")
    assert left.startswith("copy-")
    assert states(run(recover(stand.controller))) == ["sealed"]
    assert stand.panel.leftovers("main") == []


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
def test_what_waits_for_a_model_or_a_person_stands_untouched(stand, way):
    row = run(getattr(stand, way)())
    stand.clock.advance(timedelta(hours=1))
    assert run(recover(stand.controller)) == []
    assert stand.row(row.number) == row


def test_what_was_submitted_and_not_applied_failed_with_nothing_done(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), domain="notebook"))
    orphan(stand, row.number, "submitting", submission_id="sub_x")
    [found] = run(recover(stand.controller))
    assert (found.state, found.reason["code"]) == ("failed", "nothing_done")
    assert stand.notebook.effects_of(row.id) == 0


def test_what_was_executed_is_read_back(stand):
    cut_off(stand, "read_back", lambda: approve_new(stand))
    assert stand.row(1).state == "executed"
    assert states(run(recover(stand.controller))) == ["verified"]
    assert stand.panel.content("main")["switches"] == 1


async def approve_new(stand):
    return await stand.approve(await stand.sealed())


def test_what_was_executed_and_differs_now_failed(stand):
    cut_off(stand, "read_back", lambda: approve_new(stand))
    stand.panel.edit("main", "deck", None)
    [found] = run(recover(stand.controller))
    assert (found.state, found.reason["code"]) == ("failed", "result_differs")


def test_what_cannot_be_told_is_unknown_with_a_fresh_observation(stand):
    cut_off(stand, "execute", lambda: approve_new(stand))
    stand.panel.mischief.add("outcome")
    [found] = run(recover(stand.controller))
    assert (found.state, found.reason["code"]) == ("unknown", "outcome_unclear")
    assert found.evidence == {"fresh": {"plates": {"deck": None}}}
    assert (found.owner, found.owner_token) == (None, None)


def test_a_recovered_submission_is_never_run_again(stand):
    cut_off(stand, "execute", lambda: approve_new(stand))
    run(recover(stand.controller))
    run(recover(stand.controller))
    assert stand.panel.executions == 1
    assert stand.row(1).state == "failed"


def test_work_whose_process_lives_is_left_alone(stand):
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.set(row.number, state="submitting", **stand.controller.ledger.ownership())
    assert run(recover(stand.controller)) == []
    assert stand.row(row.number).state == "submitting"


def test_recovery_during_the_work_leaves_it_alone(stand):
    row = run(stand.sealed())
    seen = []
    execute = stand.panel.execute

    async def execute_while_others_recover(program, submission, log):
        stand.clock.advance(timedelta(hours=1))
        seen.append(await recover(stand.controller))
        return await execute(program, submission, log)

    stand.panel.execute = execute_while_others_recover
    assert run(stand.approve(row)).state == "verified"
    assert seen == [[]]


def test_only_one_process_recovers_at_a_time(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), domain="notebook"))
    orphan(stand, row.number, "submitting")
    with exclusive(stand.store, LOCK) as got:
        assert got
        assert run(recover(stand.controller)) == []
    assert stand.row(row.number).state == "submitting"
    assert states(run(recover(stand.controller))) == ["failed"]


def test_what_stops_one_change_does_not_stop_the_recovery_of_the_others(stand):
    cut_off(stand, "rehearse", stand.sealed_from_spec)
    second = run(stand.open(note("monday"), domain="notebook"))
    orphan(stand, second.number, "submitting")

    async def broken(change):
        raise OSError("the copy cannot be removed")

    stand.panel.discard_rehearsal = broken
    assert states(run(recover(stand.controller))) == ["failed"]
    assert stand.row(1).state == "preparing"


def test_a_change_of_a_domain_that_this_program_lacks_is_left_to_one_that_has_it(stand):
    row = run(stand.open(note("monday"), domain="notebook"))
    before = orphan(stand, row.number, "submitting")
    poor = Controller(stand.store, {"panel": stand.panel}, Policy())
    assert run(recover(poor)) == []
    assert stand.row(row.number) == before
    assert states(run(recover(stand.controller))) == ["failed"]


def test_rights_that_were_taken_away_meanwhile_stop_an_approved_change_at_recovery(stand):
    row = run(stand.open(note("monday"), domain="notebook"))
    decide = stand.controller._decision(me(), "approve", row.seal_digest)
    stand.store.write_now(lambda tx: decide(tx, row))
    orphan(stand, row.number, "approved", approved_at=row.updated_at)
    stand.store.write_now(lambda tx: people.change_user(tx, ME, rights=["panel"]))
    [found] = run(recover(stand.controller))
    assert (found.state, found.reason["code"]) == ("rejected", "no_right")
    assert stand.notebook.effects_of(row.id) == 0


def test_an_approved_change_without_a_stored_approval_of_its_seal_is_not_submitted(stand):
    row = run(stand.open(note("monday"), domain="notebook"))
    orphan(stand, row.number, "approved", approved_at=row.updated_at)
    [found] = run(recover(stand.controller))
    assert (found.state, found.reason["code"]) == ("rejected", "seal_broken")


def test_a_foreign_target_is_itemised_from_its_step_log(stand):
    row = run(stand.open(*(letter(to) for to in "abcde"), domain="mailroom"))
    stand.mailroom.fail_at = (4, "before")
    halted = []

    async def halt(program, submission, log):
        halted.append(True)
        raise PowerCut("outcome")

    stand.mailroom.outcome, outcome = halt, stand.mailroom.outcome
    with pytest.raises(PowerCut):
        run(stand.approve(row))
    stand.mailroom.outcome = outcome
    stand.clock.advance(timedelta(seconds=31))
    [found] = run(recover(stand.controller))
    assert (found.state, found.reason["code"]) == ("failed", "partly_done")
    assert found.reason["params"]["done"] == 3
    assert found.reason["params"]["total"] == 5
    assert found.reason["params"]["which"] == "letter/a, letter/b, letter/c"
    assert found.reason["params"]["missing"] == "letter/d, letter/e"
    assert halted == [True]


def test_one_that_was_taken_over_cannot_write_after_all(stand_anywhere):
    """The process that was given up wakes between taking the intent and writing: its transaction is fenced."""
    stand = stand_anywhere
    row = run(stand.open(note("monday"), domain="notebook"))
    found = []

    def taken_over_meanwhile():
        orphaned = {**owners.myself(), "started": 1}
        stand.set(row.number, owner=orphaned)
        with_another_gate = over(stand.store.url.render_as_string(hide_password=False), stand.folder, stand.clock)
        found.extend(run(recover(with_another_gate.controller)))
        with_another_gate.store.close()

    stand.notebook.before_write = taken_over_meanwhile
    told = run(stand.approve(row))
    assert states(found) == ["failed"]
    assert told.state == "failed", "the one that woke tells what the record says"
    assert stand.notebook.effects_of(row.id) == 0
    assert stand.events(row.number).count("execution_submitted") == 1
    assert stand.chain_holds(row.number)


def test_while_the_new_owner_still_looks_the_old_one_cannot_write_either(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.notebook.before_write = lambda: stand.set(row.number, owner_token="own_another")
    assert run(stand.approve(row)).state == "submitting", "it is the new owner's to tell"
    assert stand.notebook.effects_of(row.id) == 0
    letters = run(stand.open(letter("a"), domain="mailroom"))
    begin = type(stand.controller.executor.steps(row)).begin

    async def begin_and_lose(self, name, detail=None):
        stand.set(letters.number, owner_token="own_another")
        return await begin(self, name, detail)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("steadyhand.gate.steplog.StoredSteps.begin", begin_and_lose)
        assert run(stand.approve(letters)).state == "submitting"
    assert stand.mailroom.effects() == []


def test_the_step_log_of_one_that_was_taken_over_takes_no_new_step(stand):
    row = run(stand.open(*(letter(to) for to in "abc"), domain="mailroom"))
    taken = []
    begin = type(stand.controller.executor.steps(row)).begin

    async def begin_and_lose(self, name, detail=None):
        if name == "letter/b":
            stand.set(row.number, owner={**owners.myself(), "started": 1})
            taken.extend(await recover(stand.controller))
        return await begin(self, name, detail)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("steadyhand.gate.steplog.StoredSteps.begin", begin_and_lose)
        told = run(stand.approve(row))
    assert states(taken) == ["failed"]
    assert taken[0].reason["params"]["which"] == "letter/a"
    assert told.state == "failed"
    assert stand.mailroom.effects() == ["letter/a"]


def test_a_change_can_be_proposed_and_approved_after_recovery_freed_its_target(stand):
    cut_off(stand, "execute", lambda: approve_new(stand))
    second = run(stand.sealed("roof", session=SessionId("roof")))
    with pytest.raises(DecisionRefused, match="target_busy"):
        run(stand.approve(second))
    run(recover(stand.controller))
    assert run(stand.approve(second)).state == "verified"


def test_calls_that_were_collected_survive_a_restart(stand):
    row = run(stand.collecting())
    run(stand.controller.offer_calls(ME, row.number, good_calls(stop=2)))
    again = over(stand.store.url.render_as_string(hide_password=False), stand.folder, stand.clock)
    assert [tool.name for tool in again.controller.need(again.row(row.number)).brief.tools] == ["inspect_panel"]
    done = run(again.controller.offer_calls(ME, row.number, good_calls(start=2)))
    assert done.state == "sealed"
    assert run(again.controller.approve(me(DESK), row.number, done.seal_digest)).state == "verified"
    again.store.close()
