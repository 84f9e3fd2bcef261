"""An answer counts when it ended in exactly one whole completion; all else is a typed error."""

import asyncio

import pytest

from steadyhand.core.errors import Bug, OperatorRepairs
from steadyhand.core.explain import explain
from steadyhand.core.wire import Completion, Delta, Message, Request, ToolCall
from steadyhand.llm.provider import ProviderError, complete
from steadyhand.llm.scripted import Scripted

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
