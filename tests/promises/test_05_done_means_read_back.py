"""Promise 5, done means read back: only what the target itself shows makes a change verified."""

from steadyhand.gate.contract import Receipt
from steadyhand.gate.lines import line
from trial_domains.stand import ME, note, run


def test_a_target_that_reports_success_without_doing_anything_is_not_verified(stand):
    async def liar(program, submission, log):
        return Receipt(dict.fromkeys(program.writes, "0" * 64), {"replaced": {}})

    stand.panel.execute = liar
    done = run(stand.approve(run(stand.sealed())))
    assert (done.state, done.reason["code"]) == ("failed", "result_differs")
    assert "readback_verified" not in stand.events(done.number)


def test_a_target_that_did_something_else_is_not_verified(stand):
    stand.panel.mischief.add("miswrite")
    done = run(stand.approve(run(stand.sealed())))
    assert done.state == "failed"
    assert done.evidence["matched"] is False
    assert done.evidence["evidence"] == {"plates": {"deck": {"size": [1, 1], "colour": "mud"}}}


def test_what_somebody_undid_between_the_effect_and_the_look_is_not_verified(stand):
    read_back = stand.panel.read_back

    async def undone_meanwhile(target, program):
        stand.panel.edit("main", "deck", None)
        return await read_back(target, program)

    stand.panel.read_back = undone_meanwhile
    assert run(stand.approve(run(stand.sealed()))).state == "failed"


def test_the_look_comes_after_the_receipt_and_its_evidence_is_kept(stand_anywhere):
    stand = stand_anywhere
    done = run(stand.approve(run(stand.open(note("monday", "work"), domain="notebook"))))
    assert done.state == "verified"
    assert done.evidence == {"matched": True, "differences": [], "evidence": {"notes": {"monday": "work"}}}
    events = stand.events(done.number)
    assert events.index("execution_completed") < events.index("readback_verified")


def test_between_report_and_look_nothing_says_done(stand):
    seen = []
    read_back = stand.panel.read_back

    async def watched(target, program):
        row = stand.row(1)
        seen.append((row.state, line(row, "en"), "readback_verified" in stand.events(1)))
        return await read_back(target, program)

    stand.panel.read_back = watched
    run(stand.approve(run(stand.sealed())))
    [(state, told, verified)] = seen
    assert (state, verified) == ("executed", False)
    assert "verified" not in told
    assert "done" not in told.lower()


def test_what_cannot_be_looked_at_is_unknown_and_not_done(stand):
    stand.panel.mischief.add("read_back")
    row = run(stand.approve(run(stand.sealed())))
    assert row.state == "unknown"
    assert run(stand.controller.recheck(ME, row.number)).state == "unknown"
    stand.panel.mischief.clear()
    assert run(stand.controller.recheck(ME, row.number)).state == "verified"


def test_a_promised_report_that_is_missing_makes_a_success_a_failure(stand):
    stand.panel.mischief.add("lose_audit")
    assert run(stand.approve(run(stand.sealed_from_spec()))).state == "failed"


def test_the_evidence_that_was_expected_stood_in_the_seal_before_anything_ran(stand):
    row = run(stand.sealed())
    assert row.program["evidence"] == {"plates": {"deck": {"size": [3, 4], "colour": None}}, "audit": False}
    run(stand.approve(row))
    assert stand.row(row.number).program == row.program
