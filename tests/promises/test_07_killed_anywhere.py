"""Promise 7, killed anywhere, tells the truth: one kill for each kind of target; `tests/crash` has every point."""

import pytest

from steadyhand.core.clock import SystemClock
from steadyhand.gate.recovery import recover
from trial_domains.stand import killed, me, over, run, start_child

pytestmark = pytest.mark.crash

CASES = [
    # the change is untouched
    ("notebook", "gate.sealed", "sealed", None),
    ("notebook", "gate.in_effect", "failed", "nothing_done"),
    # finished and verified
    ("notebook", "gate.after_effect", "verified", None),
    ("panel", "gate.receipt", "verified", None),
    # told effect by effect
    ("mailroom", "gate.step_ended:3", "failed", "partly_done"),
    # nobody can tell: unknown, with a fresh observation
    ("calls", "gate.step_begun:2", "unknown", "outcome_unclear"),
]


@pytest.mark.parametrize(("story", "point", "state", "code"), CASES, ids=[f"{one[0]}-{one[1]}" for one in CASES])
def test_after_a_kill_and_a_restart_the_record_says_what_is_so(stand_here, story, point, state, code):
    assert killed(start_child(stand_here, story, fault=point))
    again = over(str(stand_here.store.url), stand_here.folder, SystemClock())
    run(recover(again.controller))
    row = again.row(1)
    assert row.state == state
    assert code is None or row.reason["code"] == code
    assert (row.evidence is not None) == (state in ("verified", "unknown"))
    assert again.chain_holds(1)
    if state == "unknown":
        assert row.evidence["fresh"] == {"letters": {"a": "hello", "c": None}}
        assert run(again.controller.recheck(row.user_id, 1)).state == "unknown"
        assert run(again.controller.close_as_failed(me(), 1)).state == "failed"
    again.store.close()


def test_a_submission_has_an_owner_with_process_start_and_lease_and_no_one_else_touches_it(stand_here):
    seen = []
    execute = stand_here.notebook.execute

    async def watched(program, submission, log):
        row = stand_here.row(1)
        other = over(str(stand_here.store.url), stand_here.folder, SystemClock())
        seen.append((row.state, set(row.owner), row.lease_until is not None, await recover(other.controller)))
        other.store.close()
        return await execute(program, submission, log)

    stand_here.notebook.execute = watched
    from trial_domains.stand import note

    done = run(stand_here.approve(run(stand_here.open(note("monday"), domain="notebook"))))
    assert seen == [("submitting", {"host", "pid", "started"}, True, [])]
    assert (done.state, done.owner, done.lease_until) == ("verified", None, None)
