"""An answer counts when it ended in exactly one whole completion; all else is a typed error."""

import asyncio

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.errors import Bug, OperatorRepairs
from steadyhand.core.explain import explain
from steadyhand.core.tracing import NoTracing
from steadyhand.core.wire import Completion, Delta, Message, Request, ToolCall
from steadyhand.llm.provider import ProviderError, complete, let_go
from steadyhand.llm.scripted import Scripted
from steadyhand.llm.traced import TracedProvider

REQUEST = Request((Message("user", "hello"),))
CALL = ToolCall("call_1", "place", "{}")


def answer(*parts):
    return asyncio.run(complete(Scripted([list(parts)]), REQUEST))


def failure(*parts):
    with pytest.raises(ProviderError) as caught:
        answer(*parts)
    return caught.value


def test_the_completion_that_ends_a_stream_is_the_answer():
    whole = Completion("hello", tool_calls=(CALL,), finish="tool_calls", raw=b"data")
    assert answer(Delta("hel"), Delta("lo"), whole) is whole


def test_a_stream_without_a_completion_broke_off():
    error = failure(Delta("hel"))
    assert (error.kind, error.code, error.retryable) == ("truncated", "provider_truncated", True)
    assert failure().kind == "truncated"


def test_a_second_completion_makes_both_void():
    assert failure(Completion("a"), Completion("a")).kind == "protocol"


def test_text_after_the_completion_makes_it_void():
    assert failure(Completion("a"), Delta("b")).kind == "protocol"


def test_an_error_after_the_completion_makes_it_void():
    assert failure(Completion("a"), ProviderError("truncated", "no end")).kind == "truncated"


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_calls_of_an_answer_that_was_cut_off_are_void(finish):
    assert failure(Completion(tool_calls=(CALL,), finish=finish)).kind == "truncated"


@pytest.mark.parametrize(
    "broken",
    [
        Completion("\ud800"),
        Completion(reasoning="\ud800"),
        Completion(tool_calls=(ToolCall("\ud800", "place", "{}"),)),
        Completion(tool_calls=(ToolCall("1", "\ud800", "{}"),)),
        Completion(tool_calls=(ToolCall("1", "place", '{"a": "\ud800"}'),)),
    ],
)
def test_text_that_cannot_be_stored_is_a_protocol_error(broken):
    assert failure(broken).kind == "protocol"


def test_a_typed_error_comes_through_as_it_is():
    given = ProviderError("provider", "busy", retryable=True, retry_after=3.0, status=429)
    assert failure(given) is given


def test_whatever_else_a_provider_raises_becomes_a_typed_error():
    def broken(request):
        raise KeyError("choices")

    with pytest.raises(ProviderError) as caught:
        asyncio.run(complete(Scripted([broken]), REQUEST))
    assert (caught.value.kind, caught.value.retryable) == ("provider", False)
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_error_of_our_own_stays_what_it_is():
    with pytest.raises(Bug):
        asyncio.run(complete(Scripted([]), REQUEST))


@pytest.mark.parametrize("kind", ["protocol", "truncated", "provider", "tool_call"])
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_kind_of_error_has_words_in_both_languages(kind, language):
    error = ProviderError(kind, "the reason")
    words = explain(error, language)
    assert isinstance(error, OperatorRepairs)
    assert words.code == error.code
    assert "the reason" in words.detail


# ---- a stream that is left holds nothing -----------------------------------------------------------------------------


class Held:
    """A provider whose stream holds something until it is closed; what *then* does comes after the first piece."""

    def __init__(self, then):
        self.then, self.held = then, False

    async def stream(self, request):
        self.held = True
        try:
            yield Delta("a")
            async for event in self.then():
                yield event
        finally:
            self.held = False


async def _fails():
    raise ProviderError("truncated", "broken_off")
    yield


async def _breaks():
    raise ValueError("not ours")
    yield


async def _goes_on_after_the_end():
    yield Completion("a")
    yield Completion("a")


@pytest.mark.parametrize("then", [_fails, _breaks, _goes_on_after_the_end])
def test_however_an_answer_fails_its_stream_is_closed_before_the_failure_is_told(then):
    async def play():
        provider = Held(then)
        with pytest.raises(ProviderError):
            await complete(provider, REQUEST)
        return provider.held

    assert asyncio.run(play()) is False


def test_who_is_shown_the_pieces_may_fail_and_the_stream_is_closed():
    def broken(_delta):
        raise OperatorRepairs("store_full")

    async def play():
        provider = Held(_goes_on_after_the_end)
        with pytest.raises(OperatorRepairs):
            await complete(provider, REQUEST, broken)
        return provider.held

    assert asyncio.run(play()) is False


def test_a_stop_closes_the_stream_before_it_goes_on():
    async def waits():
        await asyncio.Event().wait()
        yield Completion("never")

    async def play():
        provider, begun = Held(waits), asyncio.Event()
        task = asyncio.create_task(complete(provider, REQUEST, lambda _: begun.set()))
        await begun.wait()
        assert provider.held
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return provider.held

    assert asyncio.run(play()) is False


def test_a_provider_that_is_no_generator_needs_no_closing():
    class Plain:
        def __init__(self):
            self.left = [Delta("a"), Completion("a")]

        def __aiter__(self):
            return self

        async def __anext__(self):
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop(0)

        def stream(self, request):
            return self

    assert asyncio.run(complete(Plain(), REQUEST)) == Completion("a")


def test_letting_go_closes_what_is_open_however_it_is_wrapped():
    class Open(Held):
        async def aclose(self):
            self.held = False

    provider = Open(_fails)
    provider.held = True
    wrapped = TracedProvider(provider, NoTracing(), FakeClock(), name="x", model="m")
    asyncio.run(let_go(wrapped))
    assert provider.held is False
    asyncio.run(let_go(Scripted([])))
