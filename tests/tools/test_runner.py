"""A call is run with the right to it, with arguments that fit, within its time, and always comes back as a result."""

import asyncio
import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from steadyhand.core.clock import FakeClock
from steadyhand.core.errors import OperatorRepairs, ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language, say
from steadyhand.tools.base import Tool, ToolContext
from steadyhand.tools.checking import HeldCall, ReadyCall, Unfit
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, async_result, error_result, silent_result, tool_result
from steadyhand.tools.runner import Runner
from tools.conftest import Everything, Nothing, call, echo

GOOD = '{"name": "a", "count": 1}'


def tool(body, *, name="post", effect="read", arguments=Nothing, **more):
    return Tool(name, effect, arguments, body, **more)


def runner(*tools, rules=(), hold=None):
    return Runner(Registry(tools), ToolPolicy(tuple(rules)), hold)


def answering(result):
    async def body(context, arguments):
        return result

    return body


def raising(error):
    async def body(context, arguments):
        raise error

    return body


async def unreached(context, arguments):
    raise AssertionError("must not run")


def test_a_call_that_fits_runs_with_its_context_and_checked_arguments(context, echo_tool):
    result = asyncio.run(runner(echo_tool).run(context, call("echo", '{"name": "ab", "count": 3, "moves": [{"day": 2}]}')))
    assert result.for_llm == "call_1 ab 3"
    assert result.data["moves"] == [{"day": 2, "mode": "keep"}]
    assert not result.is_error


def assert_says_what_was_expected(text: str, language: Language) -> None:
    assert text.startswith(say(language, "tools.not_called", tool="echo"))
    takes = text.rsplit("\n", maxsplit=1)[-1]
    assert all(name in takes for name in ("echo", "name", "count", "share", "sure", "moves", "first"))
    assert say(language, "tools.required", argument="count", kind=say(language, "tools.kind.integer")) in takes


@pytest.mark.parametrize("wrapper", ["arguments", "parameters", "input"])
@pytest.mark.parametrize("inner", [{"name": "ab", "count": 3}, '{"name": "ab", "count": 3}'])
def test_arguments_that_stand_one_level_too_deep_are_not_unwrapped_and_the_model_is_told(context, echo_tool, wrapper, inner):
    result = asyncio.run(runner(echo_tool).run(context, call("echo", json.dumps({wrapper: inner}))))
    assert result.code == "bad_argument"
    assert say("en", "tools.wrapped", tool="echo") in result.for_llm.split("\n")
    assert_says_what_was_expected(result.for_llm, "en")


@pytest.mark.parametrize(("asked", "near"), [("ecko", True), ("echo_text", True), ("get_weather", False)])
def test_a_tool_that_is_not_there_is_told_with_the_nearest_or_with_all(context, echo_tool, asked, near):
    result = asyncio.run(runner(echo_tool).run(context, call(asked, "{}")))
    assert result.code == "tool_unknown"
    assert result.for_llm.split("\n") == [
        say("en", "refusal.tool_unknown", tool=asked),
        say("en", "tools.nearest" if near else "tools.offered", tools="echo"),
    ]


# --- rights -----------------------------------------------------------------------------------------------------------


def test_a_tool_that_is_not_there_is_an_error_result(context):
    result = asyncio.run(runner().run(context, call("rm\x1b[2J")))
    assert (result.is_error, result.code) == (True, "tool_unknown")
    assert "\x1b" not in result.for_llm


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_what_policy_denies_does_not_run_and_the_model_is_told_to_leave_it(context, language):
    context = dataclasses.replace(context, language=language)
    result = asyncio.run(runner(tool(unreached, name="shell", effect="exec")).run(context, call("shell")))
    assert (result.is_error, result.code) == (True, "denied")
    assert say(language, "tools.denied_is_denied") in result.for_llm


def test_rights_come_before_arguments(context, echo_tool):
    denied = runner(echo_tool, rules=[Rule("deny", tool="echo")])
    assert asyncio.run(denied.run(context, call("echo", "no json"))).code == "denied"


class Desk:
    """Holds calls and remembers them."""

    def __init__(self):
        self.held = []

    async def hold(self, context, call):
        self.held.append((context.call_id, call))
        return ToolResult("waits", "please look", code="held")


def test_what_policy_asks_about_is_held_and_does_not_run(context):
    desk = Desk()
    asking = runner(tool(unreached, effect="external"), hold=desk.hold)
    assert isinstance(asking.consider(context, call("post")), HeldCall)
    result = asyncio.run(asking.run(context, call("post")))
    assert (result.code, result.for_user) == ("held", "please look")
    assert desk.held == [("call_1", call("post"))]


def test_nobody_is_asked_about_a_call_that_cannot_run_anyway(context):
    desk = Desk()
    asking = runner(tool(unreached, effect="external"), hold=desk.hold)
    assert asyncio.run(asking.run(context, call("post", '{"to": 1}'))).code == "bad_argument"
    assert desk.held == []


def test_without_a_desk_there_is_nobody_to_ask(context):
    assert asyncio.run(runner(tool(unreached, effect="external")).run(context, call("post"))).code == "denied"


@pytest.mark.parametrize("origin", ["wake", "cron", "heartbeat", "job", "subagent"])
def test_a_turn_that_no_person_began_has_nobody_to_ask(context, origin):
    desk = Desk()
    asking = runner(tool(unreached, effect="external"), hold=desk.hold)
    result = asyncio.run(asking.run(dataclasses.replace(context, origin=origin), call("post")))
    assert (result.code, desk.held) == ("denied", [])


def test_a_decided_call_runs_though_policy_asks(context):
    ran = asyncio.run(runner(tool(answering(tool_result("sent")), effect="external")).run_decided(context, call("post")))
    assert (ran.answered, ran.result.for_llm) == (True, "sent")


def test_a_decision_adds_no_power_where_policy_denies(context):
    ran = asyncio.run(runner(tool(unreached, effect="exec")).run_decided(context, call("post")))
    assert (ran.answered, ran.result.code) == (True, "denied")


def test_a_desk_that_cannot_hold_is_an_error_result(context):
    async def broken(context, call):
        raise OperatorRepairs("store_busy", reason="locked")

    result = asyncio.run(runner(tool(unreached, effect="external"), hold=broken).run(context, call("post")))
    assert (result.is_error, result.code) == (True, "store_busy")


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ('{"name": "a"}', "count", "argument_missing"),
        ('{"name": "a", "count": 1, "colour": 1}', "colour", "argument_unknown"),
        ('{"name": "a", "count": "1"}', "count", "argument_integer"),
        ('{"name": "a", "count": 1.5}', "count", "argument_integer"),
        ('{"name": "a", "count": true}', "count", "argument_integer"),
        ('{"name": 1, "count": 1}', "name", "argument_text"),
        ('{"name": null, "count": 1}', "name", "argument_text"),
        ('{"name": "a", "count": 1, "share": "half"}', "share", "argument_number"),
        ('{"name": "a", "count": 1, "sure": 1}', "sure", "argument_boolean"),
        ('{"name": "a", "count": 1, "moves": {}}', "moves", "argument_list"),
        ('{"name": "a", "count": 1, "first": []}', "first", "argument_object"),
        ('{"name": "a", "count": 1, "moves": [{"day": 1}, {"day": "x"}]}', "moves[1].day", "argument_integer"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_an_argument_that_does_not_fit_is_named_with_its_tool_and_what_was_expected(
    context, echo_tool, language, arguments, named, message
):
    result = asyncio.run(runner(echo_tool).run(dataclasses.replace(context, language=language), call("echo", arguments)))
    assert (result.is_error, result.code) == (True, "bad_argument")
    assert say(language, f"refusal.{message}", argument=named) in result.for_llm.split("\n")
    assert_says_what_was_expected(result.for_llm, language)


@pytest.mark.parametrize(
    ("arguments", "named", "bound", "message"),
    [
        ('{"name": "", "count": 1}', "name", 1, "argument_too_short"),
        ('{"name": "abcdef", "count": 1}', "name", 5, "argument_too_long"),
        ('{"name": "a", "count": 0}', "count", 0, "argument_above"),
        ('{"name": "a", "count": 10}', "count", 10, "argument_below"),
        ('{"name": "a", "count": 1, "first": {"day": 0}}', "first.day", 1, "argument_at_least"),
        ('{"name": "a", "count": 1, "first": {"day": 8}}', "first.day", 7, "argument_at_most"),
        ('{"name": "a", "count": 1, "first": {"day": 1, "mode": "x"}}', "first.mode", "'keep', 'swap'", "argument_choice"),
        ('{"name": "a", "count": 1, "moves": [{"day": 1}, {"day": 1}, {"day": 1}]}', "moves", 2, "argument_too_long"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_an_argument_out_of_bounds_is_named_with_its_bound(context, echo_tool, language, arguments, named, bound, message):
    result = asyncio.run(runner(echo_tool).run(dataclasses.replace(context, language=language), call("echo", arguments)))
    assert result.code == "bad_argument"
    assert say(language, f"refusal.{message}", argument=named, bound=bound) in result.for_llm.split("\n")
    assert_says_what_was_expected(result.for_llm, language)


def test_every_argument_that_does_not_fit_is_named_at_once(context, echo_tool):
    result = asyncio.run(runner(echo_tool).run(context, call("echo", '{"name": 1, "colour": 2}')))
    _head, *reasons, _takes = result.for_llm.splitlines()
    assert [named for reason in reasons for named in ("name", "count", "colour") if f" {named} " in reason] == [
        "name",
        "count",
        "colour",
    ]


def test_the_name_of_an_argument_is_printed_without_what_a_terminal_obeys(context, echo_tool):
    result = asyncio.run(runner(echo_tool).run(context, call("echo", '{"\\u001b[2J\\u202e": 1, "name": "a", "count": 1}')))
    assert result.code == "bad_argument"
    assert result.for_llm.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "arguments",
    ["", "null", "[]", '"text"', "{", '{"name": "a", "name": "b", "count": 1}', '{"name": "a", "count": 1, "share": NaN}'],
)
def test_arguments_that_are_not_one_plain_object_are_refused(context, echo_tool, arguments):
    result = asyncio.run(runner(echo_tool).run(context, call("echo", arguments)))
    assert result.code == "bad_argument"
    assert say("en", "refusal.arguments_unreadable", tool="echo") in result.for_llm.split("\n")
    assert_says_what_was_expected(result.for_llm, "en")


@given(st.text(max_size=40) | st.sampled_from(["{", "[", "}", GOOD]).flatmap(lambda head: st.text(max_size=20).map(head.__add__)))
@settings(max_examples=200)
def test_whatever_the_arguments_are_there_is_a_result(arguments):
    made = runner(Tool("echo", "read", Everything, echo))
    context = ToolContext(UserId("person"), SessionId("desk"), FakeClock(), "en")
    result = asyncio.run(made.run(context, call("echo", arguments)))
    assert isinstance(result, ToolResult)
    assert result.is_error == (result.code != "ok")


# --- what a body does -------------------------------------------------------------------------------------------------


def test_a_call_that_takes_too_long_is_ended_and_says_that_it_cannot_tell(context, forever_tool):
    ran = asyncio.run(runner(forever_tool).run_decided(context, call("forever")))
    assert (ran.result.is_error, ran.result.code, ran.answered) == (True, "timed_out", False)
    assert isinstance(ran.result.err, TimeoutError)


def test_a_refusal_of_a_tool_is_its_answer_in_words(context):
    ran = asyncio.run(runner(tool(raising(ToolRefusal("draft_moved_on", revision=3)))).run_decided(context, call("post")))
    assert (ran.result.code, ran.answered) == ("draft_moved_on", True)
    assert say("en", "error.draft_moved_on.summary") in ran.result.for_llm


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("sk-secret"), "tool_raised"),
        (TimeoutError("its own"), "tool_raised"),
        (asyncio.CancelledError(), "tool_raised"),
        (OperatorRepairs("store_busy", reason="locked"), "store_busy"),
        (OperatorRepairs("a_code_without_text"), "a_code_without_text"),
    ],
)
def test_whatever_a_body_raises_is_an_error_result_that_cannot_tell(context, error, code):
    with capture_logs() as lines:
        ran = asyncio.run(runner(tool(raising(error))).run_decided(context, call("post")))
    assert (ran.result.is_error, ran.result.code, ran.answered) == (True, code, False)
    assert ran.result.err is error
    assert "sk-secret" not in ran.result.for_llm
    assert [line["event"] for line in lines] == ["failed"]


@pytest.mark.parametrize("returned", ["text", None, {"for_llm": "x"}])
def test_what_is_no_result_becomes_an_error_result(context, returned):
    ran = asyncio.run(runner(tool(answering(returned))).run_decided(context, call("post")))
    assert (ran.result.is_error, ran.result.code, ran.answered) == (True, "bad_result", False)


def test_a_turn_that_is_stopped_stops_its_call(context):
    begun = asyncio.Event()
    ended = []

    async def body(context, arguments):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def scene():
        task = asyncio.create_task(runner(tool(body)).run(context, call("post")))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with capture_logs() as lines:
        asyncio.run(scene())
    assert ended == [True]
    assert [(line["event"], line["code"]) for line in lines] == [("failed", "cancelled")]


# --- the journal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "event"),
    [
        (tool_result("found"), "completed"),
        (silent_result("sent"), "completed"),
        (async_result("begun", job_id="job_1"), "started"),
        (error_result("no", err=ValueError("the cause")), "failed"),
    ],
)
def test_the_journal_tells_completed_started_and_failed_apart(context, result, event):
    with capture_logs() as lines:
        returned = asyncio.run(runner(tool(answering(result))).run(context, call("post")))
    assert returned is result
    (line,) = lines
    assert (line["event"], line["tool"], line["call"], line["turn"]) == (event, "post", "call_1", "turn_1")
    if event == "failed":
        assert line["err"] == "ValueError: the cause"
    if event == "started":
        assert line["job"] == "job_1"


def test_the_journal_holds_no_argument_and_no_content(context, echo_tool):
    with capture_logs() as lines:
        asyncio.run(runner(echo_tool).run(context, call("echo", '{"name": "zebra", "count": 3}')))
    assert "zebra" not in repr(lines)


def test_what_would_become_of_a_call_is_said_without_running_it(context, echo_tool):
    made = runner(echo_tool, tool(unreached, name="shell", effect="exec"))
    assert isinstance(made.consider(context, call("echo", GOOD)), ReadyCall)
    unfit = made.consider(context, call("shell"))
    assert isinstance(unfit, Unfit)
    assert unfit.code == "denied"
