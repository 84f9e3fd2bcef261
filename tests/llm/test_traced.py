"""What is told of a provider's answers, and that the answers are the same with it."""

import asyncio
import contextlib
import json

import pytest

from steadyhand.core import tracing
from steadyhand.core.clock import FakeClock
from steadyhand.core.wire import Completion, Delta, Message, Request, ToolCall, Usage
from steadyhand.llm.provider import ProviderError, complete
from steadyhand.llm.scripted import Scripted
from steadyhand.llm.traced import TracedProvider

ASK = Request(
    (Message("system", "be brief"), Message("user", "the dentist on Friday", data={"secret": 1})), context={"now": "2026"}
)
CALLS = Completion("", tool_calls=(ToolCall("c1", "place", '{"slot":1}'),), finish="tool_calls", usage=Usage(9, 4, 2))


class Told:
    """A listener that keeps one record per span: its name, what was noted, and whether it has ended."""

    def __init__(self, *, content=False):
        self.content, self.spans = content, []

    @contextlib.contextmanager
    def span(self, name, attributes, *, outgoing=False):
        record = {"name": name, "outgoing": outgoing, "ended": False, "noted": dict(attributes), "failed": []}
        self.spans.append(record)

        class Span:
            def note(self, key, value):
                record["noted"][key] = value

            def failed(self, kind):
                record["failed"].append(kind)

        try:
            yield Span()
        finally:
            record["ended"] = True


def asked(told, *events, clock=None):
    provider = Scripted([list(events)])
    return TracedProvider(provider, told, clock or FakeClock(), name="models.example", model="small")


def answer(told, *events, **more):
    return asyncio.run(complete(asked(told, *events, **more), ASK))


def test_the_answer_is_the_same_and_the_span_says_who_was_asked():
    told = Told()

    async def play():
        return [one async for one in asked(told, Delta("hel"), Delta("lo"), CALLS).stream(ASK)]

    assert asyncio.run(play()) == [Delta("hel"), Delta("lo"), CALLS]
    (span,) = told.spans
    assert (span["name"], span["outgoing"], span["ended"], span["failed"]) == ("chat small", True, True, [])
    assert span["noted"] == {
        tracing.OPERATION: "chat",
        tracing.PROVIDER: "models.example",
        tracing.REQUEST_MODEL: "small",
        tracing.TIME_TO_FIRST_CHUNK: 0.0,
        tracing.FINISH_REASONS: ("tool_calls",),
        tracing.INPUT_TOKENS: 9,
        tracing.OUTPUT_TOKENS: 4,
        tracing.CACHED_TOKENS: 2,
    }


def test_the_time_to_the_first_piece_is_that_of_the_first_alone():
    class Slow(FakeClock):
        def monotonic(self):
            self.elapsed += 2.0
            return self.elapsed

    told = Told()
    answer(told, Delta("hel"), Delta("lo"), Completion("hello"), clock=Slow())
    assert told.spans[0]["noted"][tracing.TIME_TO_FIRST_CHUNK] == 2.0


def test_content_is_told_only_when_asked_for_and_never_what_stays_in_the_process():
    quiet, told = Told(), Told(content=True)
    for listener in (quiet, told):
        answer(listener, CALLS)
    assert not {tracing.INPUT_MESSAGES, tracing.OUTPUT_MESSAGES} & set(quiet.spans[0]["noted"])
    noted = told.spans[0]["noted"]
    assert json.loads(noted[tracing.INPUT_MESSAGES]) == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "the dentist on Friday"},
    ]
    calls = [{"name": "place", "arguments": '{"slot":1}'}]
    assert json.loads(noted[tracing.OUTPUT_MESSAGES]) == [{"role": "assistant", "content": "", "tool_calls": calls}]


def test_a_failure_is_told_by_its_code_and_raised_as_it_is():
    told, given = Told(), ProviderError("provider", "unreachable")
    with pytest.raises(ProviderError) as caught:
        answer(told, Delta("hel"), given)
    assert caught.value is given
    assert (told.spans[0]["failed"], told.spans[0]["ended"]) == (["provider_provider"], True)
    assert tracing.OUTPUT_TOKENS not in told.spans[0]["noted"]


def test_a_stream_that_is_left_ends_the_span_and_closes_the_providers():
    told, closed = Told(), []

    class Endless:
        async def stream(self, request):
            try:
                while True:
                    yield Delta("a")
            finally:
                closed.append(request)

    async def play():
        stream = TracedProvider(Endless(), told, FakeClock(), name="models.example", model="small").stream(ASK)
        assert await anext(stream) == Delta("a")
        assert not told.spans[0]["ended"]
        await stream.aclose()

    asyncio.run(play())
    assert (closed, told.spans[0]["ended"]) == ([ASK], True)
