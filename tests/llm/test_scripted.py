"""The scripted provider says its lines in order and keeps what it was asked, to the byte."""

import asyncio
import json

import pytest

from steadyhand.core.errors import Bug
from steadyhand.core.wire import Completion, Delta, Message, Request, ToolCall, ToolSpec
from steadyhand.llm.body import body
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.scripted import Scripted

SPEC = ToolSpec("place", "puts it there", {"type": "object"})


def ask(text="hello", *tools):
    return Request((Message("system", "be brief"), Message("user", text)), tuple(tools), {"now": "2026"})


async def drain(provider, request):
    return [event async for event in provider.stream(request)]


def test_each_request_takes_the_next_line():
    provider = Scripted(
        [Completion("one"), [Delta("tw"), Completion("two")], lambda request: Completion(request.messages[1].content)]
    )
    assert asyncio.run(drain(provider, ask())) == [Completion("one")]
    assert asyncio.run(drain(provider, ask())) == [Delta("tw"), Completion("two")]
    assert provider.left == 1
    assert asyncio.run(drain(provider, ask("three"))) == [Completion("three")]
    assert provider.left == 0


def test_an_error_of_the_script_is_raised_where_it_stands():
    provider = Scripted([[Delta("a"), ProviderError("provider", "gone")]])

    async def scene():
        stream = provider.stream(ask())
        first = await anext(stream)
        with pytest.raises(ProviderError):
            await anext(stream)
        return first

    assert asyncio.run(scene()) == Delta("a")


def test_beyond_its_script_it_says_nothing():
    provider = Scripted([])
    with pytest.raises(Bug):
        asyncio.run(drain(provider, ask()))
    assert provider.requests == []


def test_it_keeps_every_request_and_its_bytes():
    provider = Scripted([Completion(), Completion()])
    asyncio.run(drain(provider, ask("a")))
    asyncio.run(drain(provider, ask("b", SPEC)))
    assert [request.messages[1].content for request in provider.requests] == ["a", "b"]
    assert json.loads(provider.bodies[0]) == body(ask("a"))
    assert b'"tools"' not in provider.bodies[0]
    assert b'"tools"' in provider.bodies[1]


def test_a_body_has_no_tools_key_when_there_are_none():
    assert set(body(ask())) == {"messages"}


def test_a_body_holds_tools_calls_and_results_as_a_server_reads_them():
    messages = (
        Message("user", "do it"),
        Message("assistant", "", (ToolCall("call_1", "place", '{"x":1}'),)),
        Message("tool", "placed", tool_call_id="call_1"),
    )
    assert body(Request(messages, (SPEC,))) == {
        "messages": [
            {"role": "user", "content": "do it"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "place", "arguments": '{"x":1}'}}],
            },
            {"role": "tool", "content": "placed", "tool_call_id": "call_1"},
        ],
        "tools": [
            {"type": "function", "function": {"name": "place", "description": "puts it there", "parameters": {"type": "object"}}}
        ],
    }


def test_the_context_of_a_request_is_never_sent():
    assert "2026" not in repr(body(ask()))
