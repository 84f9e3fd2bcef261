"""Promise 1, bound: what was approved is, byte for byte, what runs."""

import dataclasses

import pytest

from steadyhand.core.canonical import short
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId
from steadyhand.gate import sealing
from steadyhand.session.decisions import Decided, Decisions, Refused
from trial_domains.stand import DESK, ME, SPEC, call, good_calls, me, note, run

ELSEWHERE = SessionId("elsewhere")


@pytest.fixture
def door(stand):
    return Decisions(stand.controller)


def say(door, text, session=DESK):
    return run(door.message(ME, session, text, "terminal"))


def test_confirming_accepts_the_digest_of_the_spec_and_opens_collection(stand):
    row = run(stand.in_review())
    with pytest.raises(DecisionRefused, match="digest_differs"):
        run(stand.controller.confirm(me(), row.number, "0" * 64))
    confirmed = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    assert confirmed.state == "collecting"
    assert [(one.kind, one.digest) for one in stand.decisions(row.number)] == [("confirm", row.spec_digest)]


def test_approving_accepts_the_seal_and_no_other_digest(stand):
    row = run(stand.sealed_from_spec())
    for wrong in (row.spec_digest, row.program_digest, "0" * 64, row.seal_digest[:7], ""):
        with pytest.raises(DecisionRefused, match="digest_differs"):
            run(stand.controller.approve(me(), row.number, wrong))
    assert stand.panel.executions == 0
    assert run(stand.controller.approve(me(), row.number, short(row.seal_digest))).state == "verified"
    assert [(one.kind, one.digest) for one in stand.decisions(row.number)][-1] == ("approve", row.seal_digest)


def test_the_seal_of_one_change_does_not_approve_another(stand):
    stand.panel.make("second")
    first, second = run(stand.sealed()), run(stand.sealed(name="second"))
    with pytest.raises(DecisionRefused, match="digest_differs"):
        run(stand.controller.approve(me(), second.number, first.seal_digest))


def test_a_change_is_sealed_once_and_every_correction_after_that_is_a_new_change(stand):
    row = run(stand.sealed_from_spec())
    for door in (
        lambda: stand.controller.correct(me(), row.number, "another"),
        lambda: stand.controller.offer_spec(ME, row.number, SPEC),
        lambda: stand.controller.offer_calls(ME, row.number, good_calls()),
        lambda: stand.controller.confirm(me(), row.number, row.spec_digest),
    ):
        with pytest.raises(DecisionRefused, match="wrong_state"):
            run(door())
    assert stand.row(row.number) == row
    assert stand.events(row.number).count("change_sealed") == 1
    corrected = run(stand.sealed_from_spec())
    assert corrected.number != row.number
    assert stand.row(row.number).state == "withdrawn"


def test_what_runs_is_the_text_that_was_sealed(stand):
    row = run(stand.sealed_from_spec())
    ran = []
    execute = stand.panel.execute

    async def watched(program, submission, log):
        ran.append((program.text, submission.program_digest, submission.seal_digest))
        return await execute(program, submission, log)

    stand.panel.execute = watched
    run(stand.approve(row))
    assert ran == [(row.program["text"], row.program_digest, row.seal_digest)]


TAMPERED = {
    "program text": {"program": lambda row: {**row.program, "text": row.program["text"].replace("red", "blue")}},
    "program footprint": {"program": lambda row: {**row.program, "footprint": {}}},
    "program gone": {"program": lambda row: None},
    "operations": {"operations": lambda row: row.operations[:1]},
    "target": {"target_name": lambda row: "second"},
    "target is shared": {"target_shared": lambda row: True},
    "request": {"request": lambda row: "something else"},
    "what was observed": {"observation": lambda row: {**row.observation, "facts": None}},
    "session": {"session_id": lambda row: "elsewhere"},
    "expiry": {"expires_at": lambda row: "2099-01-01T00:00:00.000000Z"},
    "policy": {"policy": lambda row: "0" * 64},
    "rehearsal": {"rehearsal": lambda row: {**row.rehearsal, "evidence": None}},
    "spec digest": {"spec_digest": lambda row: "0" * 64},
    "program digest": {"program_digest": lambda row: "0" * 64},
    "seal text": {"seal": lambda row: row.seal.replace("red", "blue")},
}


@pytest.mark.parametrize("what", TAMPERED)
def test_the_executor_recomputes_from_the_stored_bytes_and_refuses_any_difference(stand, what):
    stand.panel.make("second")
    row = run(stand.sealed_from_spec())
    stand.set(row.number, **{column: make(row) for column, make in TAMPERED[what].items()})
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("rejected", "seal_broken")
    assert stand.panel.executions == 0
    assert "execution_submitted" not in stand.events(row.number)


def test_even_a_seal_forged_to_fit_does_not_run_without_a_decision_on_it(stand):
    row = run(stand.sealed_from_spec())
    forged = dataclasses.replace(row, program={**row.program, "text": row.program["text"].replace("red", "blue")})
    text = sealing.seal_text(dataclasses.replace(forged, program_digest=sealing.program_digest(sealing.program_of(forged))))
    seal_digest = sealing.seal_digest(text)
    reach_before = stand.controller.executor._refusal

    async def forge_meanwhile(approved):
        stand.set(
            row.number,
            program=forged.program,
            program_digest=sealing.program_digest(sealing.program_of(forged)),
            seal=text,
            seal_digest=seal_digest,
        )
        return await reach_before(stand.row(row.number))

    stand.controller.executor._refusal = forge_meanwhile
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("rejected", "seal_broken")
    assert stand.panel.content("main")["plates"] == {}


def test_a_door_uses_the_digest_last_displayed_in_its_session(stand, door):
    row = run(stand.sealed_from_spec())
    run(door.showed(ME, DESK, row))
    done = say(door, f"/approve C-{row.number}")
    assert isinstance(done, Decided)
    assert done.row.state == "verified"


def test_a_door_that_displayed_nothing_refuses(stand, door):
    row = run(stand.sealed_from_spec())
    run(door.showed(ME, ELSEWHERE, row))
    refused = say(door, f"/approve C-{row.number}")
    assert isinstance(refused, Refused)
    assert refused.code == "not_displayed"
    assert stand.row(row.number).state == "sealed"
    assert isinstance(say(door, f"/approve C-{row.number}", ELSEWHERE), Decided)


def test_what_was_displayed_before_a_correction_does_not_confirm_what_came_after(stand, door):
    row = run(stand.in_review())
    run(door.showed(ME, DESK, row))
    run(stand.controller.correct(me(), row.number, "cut deck 9 by 9"))
    run(stand.controller.offer_spec(ME, row.number, SPEC))
    refused = say(door, f"/confirm C-{row.number}")
    assert isinstance(refused, Refused)
    assert refused.code == "digest_differs"
    assert stand.row(row.number).state == "in_review"


def test_a_call_after_the_seal_cannot_slip_in(stand):
    row = run(stand.sealed_from_spec())
    with pytest.raises(DecisionRefused):
        run(stand.controller.offer_calls(ME, row.number, [call("paint_plate", {"plate": "deck", "colour": "blue"})]))
    assert run(stand.approve(row)).state == "verified"
    assert stand.panel.content("main")["plates"]["deck"]["colour"] == "red"


def test_it_holds_in_our_own_database_as_well(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday", "work"), domain="notebook"))
    stand.set(row.number, program={**row.program, "text": row.program["text"].replace("work", "rest")})
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("rejected", "seal_broken")
    assert stand.notebook.effects_of(row.id) == 0
