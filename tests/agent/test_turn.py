"""The loop asks, runs, asks again, within bounds; whatever a provider or a tool does, there is an outcome that tells the truth."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from steadyhand.agent.events import AskedAgain, CallEnded, CallStarted
from steadyhand.agent.turn import NAME, Limits, Turn, TurnBrief, TurnOutcome, distinct
from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import say
from steadyhand.core.wire import Completion, Delta, Message, ToolCall, Usage
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.scripted import Scripted
from steadyhand.tools.base import Arguments, Outside, Tool, ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result, tool_result
from steadyhand.tools.runner import Runner


class Words(Arguments):
    text: str = ""


@dataclass
class Meanwhile:
    """A boundary: what the person says at each, and what was said to begin."""

    lines: list[Sequence[str]] = field(default_factory=list[Sequence[str]])
    begun: list[list[str]] = field(default_factory=list[list[str]])

    async def begin(self, calls: Sequence[ToolCall]) -> None:
        self.begun.append([call.name for call in calls])

    async def said(self) -> Sequence[str]:
        return self.lines.pop(0) if self.lines else ()


@dataclass
class Table:
    """A turn over a script and a few tools; *ran* are the calls that a tool saw."""

    provider: Scripted
    boundary: Meanwhile = field(default_factory=Meanwhile)
    ran: list[str] = field(default_factory=list[str])
    heard: list[Any] = field(default_factory=list[Any])
    hanging: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        tools = [self.tool("read", "read"), self.tool("write", "draft"), self.tool("ask", "say"), self.tool("hang", "read")]
        self.runner = Runner(Registry(tools), ToolPolicy())
        context = ToolContext(UserId("me"), SessionId("desk"), FakeClock(), "en", turn="turn_1")
        self.turn = Turn(self.provider, self.runner, context, self.boundary, self.heard.append)

    def tool(self, name: str, effect: Any) -> Tool[Words]:
        async def body(context: ToolContext, arguments: Words) -> ToolResult:
            self.ran.append(f"{name} {arguments.text}".strip())
            if name == "hang":
                self.hanging.set()
                await asyncio.Event().wait()
            if arguments.text == "bad":
                return error_result("that is bad", code="bad")
            if arguments.text == "raise":
                raise OSError("the line broke")
            return ToolResult("asked", "which one?", ends_turn=True) if name == "ask" else tool_result(f"{name} {arguments.text}")

        return Tool(name, effect, Words, body, 60.0, outside=Outside(lambda _: name, name))

    async def play(self, **limits: Any) -> TurnOutcome:
        return await self.turn.run(TurnBrief((Message("user", "go"),), (), {}, Limits(**limits)))


def made(name: str, arguments: str = "{}", call_id: str = "c1") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def answer(*calls: ToolCall, **more: Any) -> Completion:
    return Completion(tool_calls=calls, **more)


def play(*lines: Any, boundary: Meanwhile | None = None, **limits: Any) -> tuple[Table, TurnOutcome]:
    table = Table(Scripted(lines), boundary or Meanwhile())
    return table, asyncio.run(table.play(**limits))


def results(outcome: TurnOutcome) -> list[tuple[str, str]]:
    return [(message.tool_call_id or "", message.code) for message in outcome.messages if message.role == "tool"]


# ---- answers and calls --------------------------------------------------------------------------------------------------


def test_an_answer_without_calls_is_the_end():
    _, outcome = play(Completion("done thinking"))
    assert (outcome.end, outcome.text, outcome.rounds) == ("answered", "done thinking", 1)


def test_calls_run_in_their_order_after_it_is_durable_that_they_begin():
    table, outcome = play(answer(made("read"), made("write", '{"text":"x"}', "c2")), Completion("ok"))
    assert table.boundary.begun == [["read", "write"]]
    assert table.ran == ["read", "write x"]
    assert [type(event) for event in table.heard] == [CallStarted, CallEnded, CallStarted, CallEnded]
    assert results(outcome) == [("c1", "ok"), ("c2", "ok")]


def test_errors_go_back_as_results_and_the_turn_goes_on():
    calls = [made("read", '{"text":"bad"}', "a"), made("read", '{"text":"raise"}', "b"), made("nowhere", "{}", "c")]
    _table, outcome = play(answer(*calls, made("read", '{"wrong":1}', "d")), Completion("I see"))
    assert results(outcome) == [("a", "bad"), ("b", "tool_raised"), ("c", "tool_unknown"), ("d", "bad_argument")]
    assert outcome.text == "I see"


def test_arguments_that_cannot_be_read_are_not_repeated_to_the_model():
    _, outcome = play(answer(made("read", '{"text": "half')), Completion("sorry"))
    [shown] = outcome.messages[0].tool_calls
    assert shown.arguments == "{}"
    assert results(outcome) == [("c1", "bad_argument")]


def test_a_call_that_ends_the_turn_lets_no_further_one_run():
    table, outcome = play(answer(made("ask"), made("write", call_id="c2")))
    assert outcome.end == "asked"
    assert table.ran == ["ask"]
    assert results(outcome) == [("c1", "ok"), ("c2", "not_run")]


@pytest.mark.parametrize("ids", [["", ""], ["a", "a"], ["a", "a_1_1", "a"], ["\x00", "x" * 500], ["a\n", "a\n"]])
def test_every_call_has_an_id_of_its_own_that_can_be_kept(ids):
    found = [call.id for call in distinct([made("read", call_id=one) for one in ids])]
    assert len(set(found)) == len(ids)
    assert all(one.isprintable() and 0 < len(one) <= 100 for one in found)


# ---- the person speaks meanwhile -----------------------------------------------------------------------------------------


def test_what_the_person_says_meanwhile_is_read_after_the_round_of_calls():
    table, outcome = play(answer(made("read")), Completion("both"), boundary=Meanwhile([["also this"]]))
    assert [message.role for message in table.provider.requests[1].messages] == ["user", "assistant", "tool", "user"]
    assert outcome.text == "both"
    assert [message.role for message in outcome.messages] == ["assistant", "tool", "assistant"]


def test_what_the_person_says_while_the_last_words_are_written_is_for_a_turn_of_its_own():
    table, outcome = play(Completion("first"), boundary=Meanwhile([["and?"]]))
    assert [message.content for message in outcome.messages] == ["first"]
    assert table.boundary.lines == [["and?"]]


# ---- bounds --------------------------------------------------------------------------------------------------------------


def test_an_identical_call_is_stopped_and_at_last_the_turn_is():
    table, outcome = play(*[answer(made("read")) for _ in range(4)])
    assert outcome.end == "repeated"
    assert table.ran == ["read"]
    assert [code for _, code in results(outcome)] == ["ok", "repeated", "repeated", "repeated"]


def test_the_turn_ends_after_its_rounds():
    _, outcome = play(*[answer(made("write", f'{{"text":"{index}"}}')) for index in range(3)], rounds=3)
    assert (outcome.end, outcome.rounds) == ("rounds", 3)


def test_the_turn_ends_when_its_tokens_are_used():
    _, outcome = play(answer(made("read"), usage=Usage(60, 40, 10)), tokens=100)
    assert outcome.end == "tokens"
    assert outcome.usage == Usage(60, 40, 10)


def test_the_turn_ends_when_its_time_is_used_and_says_which_call_was_under_way():
    _table, outcome = play(answer(made("read"), made("hang", call_id="c2"), made("write", call_id="c3")), seconds=0.05)
    assert outcome.end == "seconds"
    assert [call.name for call in outcome.broken] == ["hang"]
    assert results(outcome) == [("c1", "ok"), ("c2", "broken_off"), ("c3", "not_run")]


def test_a_turn_that_is_cancelled_tells_what_it_had_come_to():
    table = Table(Scripted([answer(made("read"), made("hang", call_id="c2"))]))

    async def scene() -> TurnOutcome:
        running = asyncio.create_task(table.play())
        await table.hanging.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return table.turn.broken_off()

    outcome = asyncio.run(scene())
    assert (outcome.end, [call.name for call in outcome.broken]) == ("stopped", ["hang"])
    assert results(outcome) == [("c1", "ok"), ("c2", "broken_off")]


# ---- providers that go wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        ProviderError("provider", "gone"),
        [Delta("half")],
        Completion("cut", finish="content_filter"),
        Completion("", finish="length"),
        answer(made("write"), finish="length"),
        ProviderError("truncated", "cut_short", answer=Completion('<tool_call>{"name": "write"')),
        lambda request: 1 / 0,
    ],
)
def test_an_answer_that_is_none_ends_the_turn_and_runs_nothing(line):
    table, outcome = play(line)
    assert outcome.end == "provider"
    assert outcome.error is not None
    assert not table.ran


@pytest.mark.parametrize(
    "line", [Completion("as far as", finish="length"), ProviderError("truncated", "broken_off", answer=Completion("as far as"))]
)
def test_an_answer_that_was_cut_keeps_its_text_and_says_why(line):
    _table, outcome = play(line)
    assert (outcome.end, outcome.text) == ("cut", "as far as")
    assert outcome.error is not None
    assert [message.content for message in outcome.messages] == ["as far as"]


def unusable(*calls: ToolCall, reason: str = "arguments_unfit") -> ProviderError:
    return ProviderError("tool_call", reason, answer=Completion("let me see", tool_calls=calls))


def test_calls_of_which_one_cannot_be_used_are_all_answered_with_what_was_wrong_and_none_is_run():
    calls = [made("write", '{"text": 3}', "a"), made("reed", "{}", "b"), made("read", "{}", "c"), made("write", '{"tex', "d")]
    table, outcome = play(unusable(*calls), Completion("I see"))
    assert results(outcome) == [("a", "bad_argument"), ("b", "tool_unknown"), ("c", "not_run"), ("d", "bad_argument")]
    assert table.ran == []
    assert table.boundary.begun == []
    told = [message.content for message in table.provider.requests[1].messages if message.role == "tool"]
    assert "write" in told[0]
    assert "text must be text" in told[0]
    assert "reed" in told[1]
    assert "read" in told[1].split("\n")[1]
    assert told[2] == say("en", "tools.other_unfit", tool="read")
    assert "JSON" in told[3]
    assert outcome.text == "I see"


def test_a_name_that_no_server_takes_back_is_not_repeated_to_it():
    table, outcome = play(unusable(made("get weather\n!" + "x" * 90, "{}")), Completion("I see"))
    [call] = outcome.messages[0].tool_calls
    assert NAME.fullmatch(call.name)
    assert table.provider.requests[1].messages[1].tool_calls == (call,)


def test_an_answer_whose_calls_cannot_be_told_is_asked_for_again():
    table, outcome = play(ProviderError("tool_call", "a name is missing"), Completion("better"))
    assert outcome.text == "better"
    assert "a name is missing" in table.provider.requests[1].messages[-1].content
    assert [message.content for message in outcome.messages] == ["better"]
    assert isinstance(table.heard[0], AskedAgain)


@pytest.mark.parametrize(("limits", "asked"), [({}, 5), ({"rounds": 2}, 2)])
def test_calls_that_stay_unusable_end_the_turn(limits: dict[str, int], asked: int):
    table, outcome = play(*[ProviderError("tool_call", "no")] * asked, **limits)
    assert (outcome.end, len(table.provider.requests)) == ("provider", asked)


def test_the_same_unfit_call_again_and_again_ends_the_turn():
    table, outcome = play(*[unusable(made("write", '{"text": 3}'))] * 4)
    assert outcome.end == "repeated"
    assert [code for _, code in results(outcome)] == ["bad_argument", "repeated", "repeated", "repeated"]
    assert table.ran == []


# ---- calls that are written out ------------------------------------------------------------------------------------------

WRITTEN = '<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>'


def test_a_call_written_as_text_is_asked_for_again_once_and_neither_run_nor_kept():
    table, outcome = play(Completion(WRITTEN), answer(made("read")), Completion("It says so."))
    assert table.provider.requests[1].messages[-1].content == say("en", "agent.written_call")
    assert [message.content for message in outcome.messages if message.role == "assistant"] == ["", "It says so."]
    assert (outcome.end, outcome.text, table.ran) == ("answered", "It says so.", ["read"])
    assert AskedAgain("written_call") in table.heard


def test_a_call_written_as_text_twice_ends_the_turn_without_it():
    table, outcome = play(Completion(WRITTEN), Completion(WRITTEN))
    assert (outcome.end, outcome.text, outcome.messages, table.ran) == ("written_call", "", (), [])


# ---- a history that is too long ------------------------------------------------------------------------------------------

FULL = ProviderError("provider", "http_status", about="400 maximum context length is 8192 tokens", status=400)


def test_what_a_model_cannot_take_is_left_out_oldest_first_by_whole_exchanges_and_counted():
    table = Table(Scripted([FULL, FULL, Completion("shorter")]))
    history = [one for n in range(4) for one in (Message("user", f"q{n}"), Message("assistant", f"a{n}"))]
    brief = TurnBrief((Message("system", "be"), *history, Message("user", "go")), ())
    outcome = asyncio.run(table.turn.run(brief))
    read = [[message.content for message in request.messages] for request in table.provider.requests]
    assert read[0] == ["be", *(message.content for message in history), "go"]
    assert read[1] == ["be", "q2", "a2", "q3", "a3", "go"]
    assert read[2] == ["be", "q3", "a3", "go"]
    assert (outcome.text, outcome.left_out) == ("shorter", 6)


def test_a_request_that_is_too_long_without_any_history_is_told_as_that():
    _table, outcome = play(FULL)
    assert (outcome.end, outcome.error.case if outcome.error else "") == ("provider", "too_long")


def test_what_cannot_be_kept_of_an_answer_is_made_legible():
    _, outcome = play(answer(made("read"), text="a\x00b", reasoning="\x00"), Completion("c\x00"))
    assert [message.content for message in outcome.messages if message.role == "assistant"] == ["a\ufffdb", "c\ufffd"]
    assert outcome.messages[0].reasoning == "\ufffd"
