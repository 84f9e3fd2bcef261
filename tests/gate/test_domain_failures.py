"""A domain may fail at any place and in any way; the gate then says what is true of the target and never hangs."""

from dataclasses import replace

import pytest

from steadyhand.core.errors import StaleTarget, ToolRefusal
from steadyhand.gate.contract import Observation, Receipt, Rehearsal, Verdict
from steadyhand.gate.lines import line, reason_text
from trial_domains.stand import ME, cut, letter, note, phone, run

NO_JSON = [float("nan"), float("inf"), 2**60, "\ud800", {1: 2}]


@pytest.mark.parametrize("value", NO_JSON, ids=repr)
@pytest.mark.parametrize("place", ["facts", "operations", "evidence", "text", "rehearsal"])
def test_what_has_no_canonical_bytes_cannot_be_sealed(stand, place, value):
    panel = stand.panel
    observe, operations, compile_ = panel.observe, panel.operations, panel.compile

    async def odd_observe(target, scope):
        seen = await observe(target, scope)
        return Observation({**seen.facts, "odd": value}, seen.footprint)

    async def odd_rehearse(program, change, target):
        return Rehearsal(ok=True, evidence=value)

    if place == "facts":
        panel.observe = odd_observe
    elif place == "operations":
        panel.operations = lambda source, seen, request: replace(
            operations(source, seen, request), items=({**cut(), "odd": value},)
        )
    elif place == "evidence":
        panel.compile = lambda *given: replace(compile_(*given), evidence=value)
    elif place == "text":
        panel.compile = lambda *given: replace(compile_(*given), text=value)
    else:
        panel.rehearse = odd_rehearse
    row = run(stand.sealed())
    assert row.state == "invalid"
    assert row.owner is None


@pytest.mark.parametrize("value", NO_JSON, ids=repr)
def test_a_result_that_cannot_be_stored_is_left_out_and_the_read_back_decides(stand, value):
    execute = stand.panel.execute

    async def odd(program, submission, log):
        receipt = await execute(program, submission, log)
        return Receipt(receipt.footprint_after, value, receipt.artifacts)

    stand.panel.execute = odd
    done = run(stand.approve(run(stand.sealed())))
    assert (done.state, done.receipt["result"]) == ("verified", None)


@pytest.mark.parametrize("value", NO_JSON, ids=repr)
def test_evidence_that_cannot_be_stored_proves_nothing(stand, value):
    stand.panel.verify = lambda *given: Verdict(matched=True, evidence=value)
    assert run(stand.approve(run(stand.sealed()))).state == "unknown"


def test_an_error_before_the_effect_is_failed_with_nothing_done(stand):
    stand.panel.mischief.add("before_effect")
    done = run(stand.approve(run(stand.sealed())))
    assert (done.state, done.reason["code"]) == ("failed", "nothing_done")
    assert stand.panel.content("main")["switches"] == 0


@pytest.mark.parametrize(("language", "joint"), [("en", ": "), ("zh-CN", "：")])
def test_what_a_run_said_before_it_failed_is_told_with_the_outcome(stand, language, joint):
    async def refuses(program, submission, log):
        raise ToolRefusal("not_found", name="main", text="main")

    stand.panel.execute = refuses
    done = run(stand.approve(run(stand.sealed())))
    assert (done.state, done.reason["code"]) == ("failed", "nothing_done")
    assert done.reason["cause"] == {"code": "not_found", "params": {"name": "main", "text": "main"}, "index": None}
    texts = [reason_text("nothing_done", {}, language), reason_text("not_found", {"name": "main", "text": "main"}, language)]
    assert line(done, language).endswith(joint.join(texts))


@pytest.mark.parametrize("value", NO_JSON[:4], ids=repr)
def test_a_cause_that_cannot_be_stored_is_left_out(stand, value):
    async def refuses(program, submission, log):
        raise ToolRefusal("not_found", name=value, text="main")

    stand.panel.execute = refuses
    done = run(stand.approve(run(stand.sealed())))
    assert (done.state, done.reason.get("cause")) == ("failed", None)


def test_an_error_after_the_effect_is_found_out_from_the_targets_own_record(stand):
    stand.panel.mischief.add("after_effect")
    done = run(stand.approve(run(stand.sealed())))
    assert done.state == "verified"
    assert stand.panel.content("main")["switches"] == 1


def test_a_target_that_reports_success_and_did_something_else_is_failed(stand):
    stand.panel.mischief.add("miswrite")
    done = run(stand.approve(run(stand.sealed())))
    assert (done.state, done.reason["code"]) == ("failed", "result_differs")
    assert "mud" in done.reason["params"]["differences"]


def test_an_audit_that_is_missing_from_the_receipt_is_no_success(stand):
    stand.panel.mischief.add("lose_audit")
    done = run(stand.approve(run(stand.sealed_from_spec())))
    assert (done.state, done.reason["code"]) == ("failed", "result_differs")
    assert "panel_audit.json is missing" in done.reason["params"]["differences"]


def test_a_target_that_cannot_be_read_back_is_unknown_until_it_can(stand):
    stand.panel.mischief.add("read_back")
    row = run(stand.approve(run(stand.sealed())))
    assert (row.state, row.reason["code"]) == ("unknown", "cannot_read_back")
    stand.panel.mischief.clear()
    assert run(stand.controller.recheck(ME, row.number)).state == "verified"
    assert stand.panel.executions == 1


def test_a_domain_that_cannot_say_what_became_of_it_leaves_it_unknown(stand):
    async def broken(program, submission, log):
        raise OSError("no answer")

    stand.panel.mischief.add("after_effect")
    stand.panel.outcome, outcome = broken, stand.panel.outcome
    row = run(stand.approve(run(stand.sealed())))
    assert (row.state, row.reason["params"]["why"]) == ("unknown", "outcome_unreadable")
    stand.panel.outcome = outcome
    assert run(stand.controller.recheck(ME, row.number)).state == "verified"


def test_a_footprint_that_differs_at_the_switch_is_stale_with_nothing_written(stand):
    row = run(stand.sealed())
    stand.panel.edit("main", "deck", {"size": [9, 9], "colour": None})
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("stale", "footprint_differs")
    assert stand.panel.content("main")["plates"] == {"deck": {"size": [9, 9], "colour": None}}


@pytest.mark.parametrize(
    ("items", "fail_at", "done", "missing"),
    [
        ("abcde", (4, "before"), "letter/a, letter/b, letter/c", "letter/d, letter/e"),
        ("abcde", (3, "after"), "letter/a, letter/b, letter/c", "letter/d, letter/e"),
        ("ab", (1, "after"), "letter/a", "letter/b"),
    ],
)
def test_a_foreign_target_that_breaks_off_is_itemised(stand, items, fail_at, done, missing):
    stand.mailroom.fail_at = fail_at
    row = run(stand.approve(run(stand.open(*(letter(to) for to in items), domain="mailroom"))))
    assert (row.state, row.reason["code"]) == ("failed", "partly_done")
    assert (row.reason["params"]["which"], row.reason["params"]["missing"]) == (done, missing)
    assert stand.mailroom.effects() == done.split(", ")


def test_a_foreign_target_that_broke_off_before_its_first_or_after_its_last_effect_is_told_as_what_it_is(stand):
    stand.mailroom.fail_at = (1, "before")
    row = run(stand.approve(run(stand.open(letter("a"), letter("b"), domain="mailroom"))))
    assert (row.state, row.reason["code"]) == ("failed", "nothing_done")
    stand.mailroom.fail_at = (2, "after")
    row = run(stand.approve(run(stand.open(letter("a"), letter("b"), domain="mailroom"))))
    assert row.state == "verified"


def test_an_effect_that_leaves_no_trace_is_unknown_and_says_what_to_look_at(stand):
    stand.mailroom.fail_at = (2, "before")
    row = run(stand.approve(run(stand.open(letter("a"), phone("b"), domain="mailroom"))))
    assert (row.state, row.reason["code"]) == ("unknown", "outcome_unclear")
    assert row.reason["params"]["check"] == "ask b whether the phone rang"
    assert row.evidence == {"fresh": {"letters": {"a": "hello"}}}


def test_a_recheck_only_looks_and_tells_when_it_can(stand):
    stand.mailroom.fail_at, stand.mailroom.closes_on_failure = (3, "before"), True
    row = run(stand.approve(run(stand.open(*(letter(to) for to in "abcd"), domain="mailroom"))))
    assert row.state == "unknown"
    assert row.evidence == {"fresh": None, "why": "LineDead"}
    assert run(stand.controller.recheck(ME, row.number)).state == "unknown"
    stand.mailroom.open()
    row = run(stand.controller.recheck(ME, row.number))
    assert (row.state, row.reason["code"]) == ("failed", "partly_done")
    assert row.reason["params"]["which"] == "letter/a, letter/b"
    assert stand.mailroom.effects() == ["letter/a", "letter/b"]


def test_a_recheck_of_what_took_place_verifies_it(stand):
    stand.mailroom.fail_at, stand.mailroom.closes_on_failure = (2, "after"), True
    row = run(stand.approve(run(stand.open(letter("a"), letter("b"), domain="mailroom"))))
    assert row.state == "unknown"
    stand.mailroom.open()
    assert run(stand.controller.recheck(ME, row.number)).state == "verified"


def test_a_domain_that_says_its_target_changed_vouches_that_nothing_was_written(stand):
    async def stale(program, submission, log):
        raise StaleTarget(("plate/deck",))

    stand.panel.execute = stale
    row = run(stand.approve(run(stand.sealed())))
    assert (row.state, row.reason["params"]) == ("stale", {"regions": "plate/deck"})


def test_what_a_step_began_with_stays_when_it_ends_without_more_to_say(stand):
    row = run(stand.approve(run(stand.open(letter("a"), domain="mailroom"))))
    [entry] = run(stand.controller.executor.steps(row).entries())
    assert (entry.name, entry.state, entry.detail) == ("letter/a", "ended", letter("a"))


def test_a_request_with_characters_that_no_database_can_hold_is_kept_as_near_as_can_be(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), domain="notebook", request="half \ud800 nothing \x00 ok"))
    assert row.state == "sealed"
    assert stand.row(row.number).request == row.request == "half ? nothing \ufffd ok"
    assert run(stand.approve(row)).state == "verified"
