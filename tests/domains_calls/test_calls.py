"""A call that policy asks about becomes a change of one step: shown as it will run, run once when approved, its result read back."""

import asyncio
import dataclasses
import json
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains_calls.ground import DESK, ME, build
from steadyhand.core.canonical import canonical
from steadyhand.core.ids import SessionId
from steadyhand.core.language import say
from steadyhand.core.visible import visible
from steadyhand.core.wire import ToolCall
from steadyhand.domains.calls.module import CallsDomain
from steadyhand.gate.contract import Given, Observation, Operations, Refusal, Target
from steadyhand.gate.controller import Decider, Proposal
from steadyhand.gate.lines import line, target_label
from steadyhand.gate.machine import State
from steadyhand.session.decisions import Decided, Decisions
from steadyhand.store.changes import records
from steadyhand.tools.base import Arguments
from steadyhand.tools.policy import Rule, ToolPolicy

TARGET = Target("calls", "post:turn_1:call_1", ME)


def artifacts(desk, row):
    return desk.store.read_now(lambda tx: records.artifacts_of(tx, row.user_id, row.id))


def told(desk, row, language="en"):
    return asyncio.run(desk.holding.answer(row, language))


# --- held -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_held_call_waits_as_a_change_and_says_so(desk, language):
    result = asyncio.run(desk.runner.run(desk.context(language), ToolCall("call_1", "post", '{"to": "ann"}')))
    row = desk.row(1)
    assert (row.state, row.domain, row.session_id, row.target_name) == (State.SEALED, "calls", DESK, "post:turn_1:call_1")
    assert (result.code, result.is_error, result.data) == ("held", False, {"change": 1, "review": 1})
    assert "C-1" in result.for_llm
    assert result.for_user.endswith(f"{line(row, language)}\n{say(language, 'calls.decide', name='C-1')}")
    assert '"to": "ann"' in result.for_user
    assert desk.effects() == []


def test_the_review_shows_the_arguments_as_they_will_run(desk):
    row = asyncio.run(desk.held(json.dumps({"to": "ann\u202e\x9b\u0000", "text": "好\nno"})))
    view = desk.controller.view(row, "en")
    assert "ann\\u202e\\u009b\\u0000" in view.text
    assert "好\\nno" in view.text
    assert all(mark == "\n" or mark.isprintable() for mark in view.text)
    assert view.payload == {"tool": "post", "effect": "external", "arguments": {"to": "ann\u202e\x9b\u0000", "text": "好\nno"}}
    assert say("en", "calls.effect.external") in view.text


def test_while_one_call_of_a_session_waits_a_further_one_is_refused_at_once(desk):
    async def scene():
        first = await desk.held()
        refused = await desk.runner.run(desk.context(turn="turn_2"), ToolCall("call_2", "post", '{"to": "bob"}'))
        elsewhere = await desk.held(session=SessionId("another"))
        return first, refused, elsewhere

    first, refused, elsewhere = asyncio.run(scene())
    assert (refused.is_error, refused.code, refused.for_user) == (True, "held_already", "")
    assert "C-1" in refused.for_llm
    assert [desk.row(row.number).state for row in (first, elsewhere)] == [State.SEALED] * 2
    assert elsewhere.number == 2


def test_when_it_is_decided_the_next_one_may_be_asked_about(desk):
    async def scene():
        await desk.approve(await desk.held())
        return await desk.held(call_id="call_2")

    assert asyncio.run(scene()).state == State.SEALED


def test_one_that_has_expired_waits_no_more(desk, clock):
    asyncio.run(desk.held())
    clock.advance(timedelta(days=30))
    assert asyncio.run(desk.held(call_id="call_2")).state == State.SEALED


def test_after_a_no_nothing_more_of_that_turn_is_put_before_the_person(desk):
    async def scene():
        row = await desk.held()
        await desk.controller.deny(Decider(ME, DESK, "test"), row.number)
        same_turn = await desk.runner.run(desk.context(), ToolCall("call_2", "post", '{"to": "bob"}'))
        return same_turn, await desk.held(turn="turn_2")

    denied, later = asyncio.run(scene())
    assert (denied.is_error, denied.code) == (True, "denied")
    assert "final" in denied.for_llm
    assert later.state == State.SEALED


def test_a_call_whose_arguments_do_not_fit_opens_no_change(desk):
    result = asyncio.run(desk.runner.run(desk.context(), ToolCall("call_1", "post", '{"to": 1}')))
    assert result.code == "bad_argument"
    assert desk.row(1) is None


def test_a_person_without_the_right_to_calls_is_not_asked(data_dir, clock):
    desk = build(f"sqlite:///{data_dir / 'steadyhand.db'}", data_dir, clock, rights=("schedule",))
    result = asyncio.run(desk.runner.run(desk.context(), ToolCall("call_1", "post", '{"to": "ann"}')))
    assert (result.is_error, result.code) == (True, "denied")
    assert say("en", "tools.denied_is_denied") in result.for_llm
    assert desk.row(1) is None
    desk.store.close()


def test_what_the_gate_cannot_seal_is_denied(desk):
    desk.wire(max_operations=0)
    result = asyncio.run(desk.runner.run(desk.context(), ToolCall("call_1", "post", '{"to": "ann"}')))
    assert (result.is_error, result.code, result.data) == (True, "denied", {"change": 1})
    assert desk.row(1).state == State.INVALID


# --- approved ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_an_approved_call_runs_once_and_is_verified_by_its_stored_result(desk, language):
    async def scene():
        return await desk.approve(await desk.held(language=language))

    row = asyncio.run(scene())
    assert row.state == State.VERIFIED
    assert desk.effects() == ["post ann"]
    assert line(row, language) == say(
        language,
        "calls.line.verified",
        name="C-1",
        target=say(language, "target.calls", kind=row.target_name.partition(":")[0]),
        digest="",
        k=0,
        n=0,
    )
    result = told(desk, row)
    assert (result.for_user, result.data, result.is_error) == ("sent to ann", {"id": 7}, False)
    assert json.loads(artifacts(desk, row)["tool_result.json"])["for_user"] == "sent to ann"
    assert row.evidence["evidence"]["outside"] == "not_checked"


def test_the_call_runs_for_the_person_in_the_session_that_asked(desk):
    async def scene():
        return await desk.approve(await desk.held(session=SessionId("elsewhere"), language="zh-CN"))

    row = asyncio.run(scene())
    (context,) = desk.contexts
    assert (context.user, context.session, context.language) == (ME, SessionId("elsewhere"), "zh-CN")
    assert context.call_id == row.id


def test_through_the_ordinary_door_a_yes_after_the_review_runs_it(desk):
    decisions = Decisions(desk.controller)

    async def scene():
        row = await desk.held()
        await decisions.showed(ME, DESK, row)
        return await decisions.message(ME, DESK, "yes", "terminal")

    decided = asyncio.run(scene())
    assert isinstance(decided, Decided)
    assert decided.row.state == State.VERIFIED
    assert "what it did outside is not checked" in decided.line


def test_pressing_approve_many_times_calls_once(desk):
    async def scene():
        row = await desk.held()
        return await asyncio.gather(*(desk.approve(row) for _ in range(5)), return_exceptions=True)

    asyncio.run(scene())
    assert desk.effects() == ["post ann"]
    assert desk.row(1).state == State.VERIFIED


# --- not approved -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_denied_is_denied_and_the_model_is_told_to_leave_it(desk, language):
    async def scene():
        row = await desk.held()
        return await desk.controller.deny(Decider(ME, DESK, "test"), row.number)

    row = asyncio.run(scene())
    result = told(desk, row, language)
    assert (row.state, result.is_error, result.code) == (State.REJECTED, True, "denied")
    assert result.for_llm == f"{line(row, language)}\n{say(language, 'tools.denied_is_denied')}"
    assert desk.effects() == []


def test_silence_is_a_no_as_well(desk, clock):
    from datetime import timedelta

    row = asyncio.run(desk.held())
    clock.advance(timedelta(hours=73))
    row = asyncio.run(desk.controller.current(ME, row.number))
    assert (row.state, told(desk, row).code) == (State.EXPIRED, "denied")


def test_while_it_waits_the_model_hears_that_it_waits(desk):
    result = told(desk, asyncio.run(desk.held()))
    assert (result.code, result.is_error) == ("held", False)
    assert "C-1" in result.for_llm


# --- rights and tools that change meanwhile -----------------------------------------------------------------------------


def test_what_policy_denies_by_now_is_refused_at_submission(desk):
    row = asyncio.run(desk.held())
    desk.rules.append(Rule("deny", tool="post"))
    desk.wire()
    row = asyncio.run(desk.approve(row))
    assert (row.state, row.reason["code"]) == (State.REJECTED, "tool_denied_by_setting")
    assert desk.effects() == []
    assert "post" in line(row, "en")


def test_what_policy_allows_by_now_still_runs_as_approved(desk):
    row = asyncio.run(desk.held())
    desk.rules.append(Rule("allow", tool="post"))
    desk.wire()
    assert asyncio.run(desk.approve(row)).state == State.VERIFIED


def test_a_tool_that_is_gone_is_refused_at_submission(desk):
    row = asyncio.run(desk.held())
    desk.registry._tools.pop("post")
    row = asyncio.run(desk.approve(row))
    assert (row.state, row.reason["code"]) == (State.REJECTED, "tool_unknown")


def test_a_tool_that_means_something_else_by_now_is_not_called(desk):
    class Wider(Arguments):
        to: str
        text: str = "hello"
        everybody: bool = True

    row = asyncio.run(desk.held())
    desk.registry._tools["post"] = desk.tool("post", "external", Wider)
    row = asyncio.run(desk.approve(row))
    assert row.state == State.STALE
    assert desk.effects() == []


# --- what a tool does -------------------------------------------------------------------------------------------------


def test_what_a_call_answers_is_its_result_an_error_too(desk):
    desk.mood = "failing"

    async def scene():
        return await desk.approve(await desk.held())

    row = asyncio.run(scene())
    assert row.state == State.VERIFIED
    assert line(row, "en") == say("en", "calls.line.verified", name="C-1", target=target_label(row, "en"))
    result = told(desk, row)
    assert (result.for_llm, result.is_error, result.code) == ("exit code 3", True, "exit_3")
    assert result.for_user == "exit code 3"
    assert desk.effects() == ["post ann"]


@pytest.mark.parametrize("how", ["timed_out", "too_much_output", "stopped", "vanished"])
def test_what_was_ended_before_it_was_done_is_told_as_that(desk, how):
    desk.mood = how

    async def scene():
        return await desk.approve(await desk.held())

    row = asyncio.run(scene())
    assert (row.state, row.reason["code"]) == (State.FAILED, "result_differs")
    assert f"command_{how}" in line(row, "en")


def test_a_call_that_the_tool_itself_refuses_was_not_run_and_no_line_says_that_it_was(desk):
    desk.mood = "refusing"

    async def scene():
        return await desk.approve(await desk.held())

    row = asyncio.run(scene())
    assert (row.state, row.reason["code"], told(desk, row).code) == (State.FAILED, "nothing_done", "draft_moved_on")
    assert say("en", "calls.refusal.nothing_done") in line(row, "en")
    assert desk.effects() == []
    again = asyncio.run(desk.controller.recheck(ME, row.number)) if row.state == State.UNKNOWN else row
    assert again.state == State.FAILED


@pytest.mark.parametrize("mood", ["hanging", "raising"])
def test_a_call_that_breaks_off_is_unknown_and_looking_again_calls_nothing(desk, mood):
    desk.mood = mood

    async def scene():
        row = await desk.approve(await desk.held())
        return row, await desk.controller.recheck(ME, row.number)

    row, again = asyncio.run(scene())
    assert (row.state, again.state) == (State.UNKNOWN, State.UNKNOWN)
    assert row.reason["params"]["why"] == "call_unanswered"
    assert desk.effects() == ["post ann"]
    result = told(desk, row)
    assert (result.is_error, result.code) == (True, "unknown")


def test_a_result_that_cannot_be_stored_as_it_is_is_stored_as_near_as_can_be(desk):
    desk.mood = "strange"

    async def scene():
        return await desk.approve(await desk.held())

    row = asyncio.run(scene())
    result = told(desk, row)
    assert (row.state, result.for_user, result.data) == (State.VERIFIED, "odd ?", None)


def test_a_stored_result_that_somebody_changed_is_not_called_verified(desk):
    from sqlalchemy import update

    from steadyhand.store.changes.tables import call_results

    class Tampering(CallsDomain):
        async def read_back(self, target, program):
            forged = {"for_llm": "sent to bob", "is_error": False, "code": "ok"}
            await desk.store.write(lambda tx: tx.execute(update(call_results).values(result=forged)))
            return await super().read_back(target, program)

    desk.controller.domains["calls"] = Tampering(desk.store, desk.registry, ToolPolicy())

    async def scene():
        return await desk.approve(await desk.held())

    assert asyncio.run(scene()).state == State.FAILED


# --- compiling --------------------------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
SEEN = Observation({"tool": "post", "effect": "external"}, {"tool:post": "a", "call:x": "b"})


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
@settings(max_examples=100)
def test_the_same_call_compiles_to_the_same_bytes_whatever_the_order_of_its_keys(arguments):
    domain = CallsDomain.__new__(CallsDomain)
    try:
        canonical(arguments)
    except ValueError:
        return
    turned = dict(reversed(arguments.items()))
    one = domain.compile(Operations(({"tool": "post", "arguments": arguments},)), TARGET, SEEN)
    two = domain.compile(Operations(({"arguments": turned, "tool": "post"},)), TARGET, SEEN)
    assert one == two
    assert one.text.encode() == canonical({"tool": "post", "arguments": arguments})


@pytest.mark.parametrize(
    ("operations", "code"),
    [
        ((), "call_malformed"),
        (({"tool": "post", "arguments": {"to": "a"}},) * 2, "call_malformed"),
        (({"tool": "post"},), "call_malformed"),
        (("post",), "call_malformed"),
        (({"tool": "post", "arguments": {"to": 1}},), "argument_text"),
        (({"tool": "post", "arguments": None},), "arguments_unreadable"),
        (({"tool": "shell", "arguments": {"to": "a"}},), "tool_denied_by_setting"),
        (({"tool": "none", "arguments": {}},), "tool_unknown"),
    ],
)
def test_what_is_not_one_call_that_may_run_is_refused(desk, operations, code):
    refusal = desk.controller.domains["calls"].operations(Given(operations), SEEN, "")
    assert isinstance(refusal, Refusal)
    assert refusal.code == code


def test_a_tool_that_is_not_there_makes_the_change_invalid(desk):
    proposal = Proposal(ME, DESK, TARGET, "call", Given(({"tool": "none", "arguments": {}},)), {"tool": "none"})
    row = asyncio.run(desk.controller.open(proposal))
    assert (row.state, row.reason["code"]) == (State.INVALID, "tool_unknown")
    assert "none" in line(row, "en")


@given(st.text(max_size=30))
@settings(max_examples=200)
def test_what_is_shown_prints_and_differs_when_the_text_differs_in_what_does_not(text):
    seen = visible(text)
    assert all(mark == "\n" or mark.isprintable() for mark in seen)
    assert seen == text or any(not mark.isprintable() for mark in text)


def test_the_declared_tool_is_part_of_the_footprint(desk):
    domain = desk.controller.domains["calls"]
    before = asyncio.run(domain.observe(TARGET, {"tool": "post"}))
    desk.registry._tools["post"] = dataclasses.replace(desk.registry.find("post"), effect="exec")
    after = asyncio.run(domain.observe(TARGET, {"tool": "post"}))
    assert before.footprint["tool:post"] != after.footprint["tool:post"]
    assert before.footprint["call:post:turn_1:call_1"] == after.footprint["call:post:turn_1:call_1"]
