"""The adapter on the wire: what it sends, when it asks again, how long it waits, and that the key stays where it is."""

import asyncio
import traceback
from contextlib import aclosing

import pytest

from llm.server import DONE, HELLO, Server, after, broken, event, never, refusal
from steadyhand.core.clock import FakeClock
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.wire import Completion, Delta, Message, Request, ToolCall, ToolSpec, Usage
from steadyhand.llm.endpoint import Endpoint, KeySource, TimeLimits
from steadyhand.llm.openai_compat import OpenAICompat
from steadyhand.llm.provider import ProviderError, complete
from steadyhand.llm.retrying import Retries

SECRET = "sk-very-secret-0123456789"  # no real key
PLACE = ToolSpec("place", "puts it there", {"type": "object", "properties": {"x": {"type": "integer"}}})
ASK = Request((Message("system", "be brief"), Message("user", "hello")))
SHORT = TimeLimits(connect=5, first_byte=0.05, between=0.05, total=60)


class Scene:
    """A server with a script, and a provider that speaks to it; *waits* holds the pauses that it made."""

    def __init__(self, *script, retries=None, clock=None, **endpoint):
        self.server = Server(list(script))
        self.waits = []
        self._endpoint, self._retries, self._clock = endpoint, retries, clock or FakeClock()

    async def __aenter__(self):
        await self.server.__aenter__()

        async def pause(seconds):
            self.waits.append(seconds)

        endpoint = Endpoint(self.server.address, **{"model": "one", **self._endpoint})
        self.provider = OpenAICompat(endpoint, clock=self._clock, pause=pause, retries=self._retries)
        return self

    async def __aexit__(self, *_):
        await self.provider.aclose()
        await self.server.__aexit__()

    async def failure(self, request=ASK):
        with pytest.raises(ProviderError) as caught:
            await complete(self.provider, request)
        return caught.value


def scene(*script, request=ASK, **more):
    """Ask once and return the completion with the scene."""

    async def play():
        async with Scene(*script, **more) as stage:
            return await complete(stage.provider, request), stage

    return asyncio.run(play())


def failing(*script, request=ASK, **more):
    async def play():
        async with Scene(*script, **more) as stage:
            return await stage.failure(request), stage

    return asyncio.run(play())


# ---- what is sent ----------------------------------------------------------------------------------------------------


def test_pieces_come_as_they_are_and_the_whole_at_the_end():
    async def play():
        async with Scene(HELLO) as stage:
            return [one async for one in stage.provider.stream(ASK)]

    *deltas, last = asyncio.run(play())
    assert deltas == [Delta("hel"), Delta("lo")]
    assert last == Completion("hello", raw=b"".join(HELLO))


def test_a_request_without_tools_has_no_such_key_and_nothing_of_the_process():
    request = Request((Message("tool", "done", tool_call_id="c", data={"x": 1}),), context={"now": "2026"})
    _, stage = scene(HELLO, request=request, tool_choice="auto")
    assert stage.server.sent[0].body == {
        "model": "one",
        "stream": True,
        "messages": [{"role": "tool", "content": "done", "tool_call_id": "c"}],
        "stream_options": {"include_usage": True},
    }


def test_what_an_endpoint_is_set_to_is_sent():
    _, stage = scene(
        HELLO,
        request=Request(ASK.messages, (PLACE,), schema={"type": "object"}),
        max_tokens=10,
        temperature=0.0,
        tool_choice="required",
        stream_usage=False,
        extra={"enable_thinking": False},
    )
    body = stage.server.sent[0].body
    assert {key: body[key] for key in ("max_tokens", "temperature", "tool_choice", "enable_thinking")} == {
        "max_tokens": 10,
        "temperature": 0.0,
        "tool_choice": "required",
        "enable_thinking": False,
    }
    assert body["tools"][0]["function"]["name"] == "place"
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": {"type": "object"}},
    }
    assert "stream_options" not in body


def test_tool_choice_is_not_sent_unless_set():
    _, stage = scene(HELLO, request=Request(ASK.messages, (PLACE,)))
    assert "tool_choice" not in stage.server.sent[0].body


@pytest.mark.parametrize(("back", "key"), [("no", None), ("reasoning_content", "reasoning_content"), ("reasoning", "reasoning")])
def test_thoughts_go_back_where_the_server_wants_them(back, key):
    said = Message("assistant", "", (ToolCall("c", "place", "{}"),), reasoning="hm")
    _, stage = scene(HELLO, request=Request((said, Message("user", "x", reasoning="y"))), reasoning_back=back)
    first, second = stage.server.sent[0].body["messages"]
    assert [name for name in ("reasoning_content", "reasoning") if name in first] == ([key] if key else [])
    assert key is None or first[key] == "hm"
    assert set(second) == {"role", "content"}


def test_half_a_character_in_a_message_does_not_stop_the_request():
    _, stage = scene(HELLO, request=Request((Message("user", "a\ud800b"),)))
    assert stage.server.sent[0].body["messages"][0]["content"] == "a?b"


def test_one_connection_serves_one_request_after_the_other():
    async def play():
        async with Scene(HELLO, HELLO, HELLO) as stage:
            for _ in range(3):
                await complete(stage.provider, ASK)
            return stage.server.connections

    assert asyncio.run(play()) == 1


def test_many_requests_at_once_get_each_their_own_answer():
    async def play():
        answers = [[event({"content": f"{number}"}), event({}, "stop"), DONE] for number in range(20)]
        async with Scene(*answers) as stage:
            found = await asyncio.gather(*(complete(stage.provider, ASK) for _ in range(20)))
            return sorted(int(one.text) for one in found)

    assert asyncio.run(play()) == list(range(20))


def test_calls_thoughts_and_tokens_are_read():
    call = {"index": 0, "id": "c", "function": {"name": "place", "arguments": '{"x":1}'}}
    stream = [
        event({"reasoning_content": "hm"}),
        event({"tool_calls": [call]}, "tool_calls"),
        event({}, usage={"prompt_tokens": 3}),
        DONE,
    ]
    found, _ = scene(stream, request=Request(ASK.messages, (PLACE,)))
    assert (found.tool_calls, found.reasoning, found.usage) == ((ToolCall("c", "place", '{"x":1}'),), "hm", Usage(3))


# ---- the environment -------------------------------------------------------------------------------------------------


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert scene(HELLO)[0].text == "hello"


def test_a_proxy_that_cannot_be_used_is_told_without_its_password(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", f"unknown://user:{SECRET}@127.0.0.1:9")
    provider = OpenAICompat(Endpoint("https://models.example/v1", "one"), clock=FakeClock())
    with pytest.raises(ProviderError) as caught:
        asyncio.run(complete(provider, ASK))
    assert caught.value.reason == "proxy_unusable"
    assert SECRET not in "".join(traceback.format_exception(caught.value))


# ---- asking again ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [refusal(429), refusal(503), refusal(529), None])
def test_a_busy_server_is_asked_again(line):
    found, stage = scene(line, line, HELLO)
    assert found.text == "hello"
    assert len(stage.waits) == 2


def test_a_kept_connection_that_the_server_has_closed_costs_no_wait():
    async def play():
        async with Scene(HELLO, None, HELLO) as stage:
            texts = [(await complete(stage.provider, ASK)).text for _ in range(2)]
            return texts, stage.waits, stage.server.connections

    assert asyncio.run(play()) == (["hello", "hello"], [], 2)


def test_a_server_that_hangs_up_on_a_new_connection_too_is_waited_for():
    async def play():
        async with Scene(HELLO, None, None, HELLO) as stage:
            texts = [(await complete(stage.provider, ASK)).text for _ in range(2)]
            return texts, len(stage.waits)

    assert asyncio.run(play()) == (["hello", "hello"], 1)


def test_a_server_that_is_not_there_is_asked_again_and_then_told():
    async def play():
        async with Scene() as stage:
            await stage.server.__aexit__()
            return await stage.failure(), stage.waits

    error, waits = asyncio.run(play())
    assert (error.kind, error.reason, error.retryable, len(waits)) == ("provider", "unreachable", True, 3)


def test_the_wait_that_a_server_asks_for_is_kept():
    _, stage = scene(refusal(429, retry_after=20), HELLO)
    assert 20 <= stage.waits[0] < 21


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_repeated(status):
    error, stage = failing(refusal(status, b'{"error":{"message":"no"}}'), HELLO)
    assert (error.kind, error.status, error.about, stage.waits) == ("provider", status, f"{status} no", [])


def test_a_redirect_is_not_followed():
    error, stage = failing(refusal(307, location="http://127.0.0.1:9/"), HELLO)
    assert (error.status, len(stage.server.sent)) == (307, 1)


def test_once_a_piece_was_shown_nothing_is_asked_again():
    failure = b'data: {"error":{"message":"overloaded","code":503}}\n\n'
    error, stage = failing([event({"content": "a"}), failure, DONE], HELLO)
    assert (error.kind, error.retryable, stage.waits) == ("provider", True, [])


def test_a_failure_that_comes_first_in_the_stream_is_asked_again():
    failure = b'data: {"error":{"message":"overloaded","code":503}}\n\n'
    found, stage = scene([failure, DONE], HELLO)
    assert (found.text, len(stage.waits)) == ("hello", 1)


def test_a_stream_that_breaks_off_is_told_and_not_repeated():
    error, stage = failing(broken(event({"content": "a"})), HELLO)
    assert (error.kind, error.reason, len(stage.server.sent)) == ("truncated", "broken_off", 1)


# ---- waiting ---------------------------------------------------------------------------------------------------------


def test_a_server_that_never_begins_is_given_up():
    error, _ = failing(never, limits=TimeLimits(connect=5, first_byte=0.05, between=60, total=60), retries=Retries(1))
    assert (error.kind, error.reason) == ("provider", "silent")


def test_a_server_that_falls_silent_is_given_up():
    error, _ = failing(after(event({"content": "a"})), limits=SHORT)
    assert (error.kind, error.reason) == ("truncated", "silent")


def test_an_answer_that_takes_too_long_is_given_up_though_pieces_come():
    class Hurried(FakeClock):
        def monotonic(self):
            self.elapsed += 1.0
            return self.elapsed

    pieces = [event({"content": "a"})] * 50
    error, _ = failing(after(*pieces), clock=Hurried(), limits=TimeLimits(total=3))
    assert (error.kind, error.reason) == ("truncated", "silent")


def test_after_the_end_mark_an_open_connection_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("steadyhand.llm.openai_compat.GRACE_SECONDS", 0.01)
    found, _ = scene(after(*HELLO), limits=TimeLimits(between=60))
    assert found.text == "hello"


def test_a_stream_that_is_left_closes_the_connection():
    async def play():
        async with Scene(after(event({"content": "a"}))) as stage:
            async with aclosing(stage.provider.stream(ASK)) as events:
                assert await anext(events) == Delta("a")
            await asyncio.wait_for(stage.server.gone.wait(), 60)

    asyncio.run(play())


def test_a_stream_that_is_cancelled_closes_the_connection():
    async def play():
        async with Scene(after(event({"content": "a"}))) as stage:
            begun = asyncio.Event()
            task = asyncio.create_task(complete(stage.provider, ASK, lambda _: begun.set()))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(stage.server.gone.wait(), 60)

    asyncio.run(play())


# ---- the key ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("MODEL_KEY", SECRET)
    return KeySource("MODEL_KEY")


def test_the_key_is_sent_in_its_header_alone(key):
    _, stage = scene(HELLO, key=key)
    sent = stage.server.sent[0]
    assert sent.headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr(sent.body)


def test_without_a_key_there_is_no_such_header():
    assert "authorization" not in scene(HELLO)[1].server.sent[0].headers


@pytest.mark.parametrize(
    "line",
    [
        refusal(401, b'{"error":{"message":"Incorrect key: %s."}}' % SECRET.encode()),
        [b'data: {"error":{"message":"bad key %s"}}\n\n' % SECRET.encode()],
        refusal(400, SECRET.encode()),
        None,
    ],
)
def test_the_key_is_in_no_error_log_or_trace(key, line, capsys):
    error, stage = failing(line, key=key, retries=Retries(1))
    told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.params) + repr(stage.provider.endpoint)
    captured = capsys.readouterr()
    assert SECRET not in told + captured.out + captured.err


@pytest.mark.parametrize("before", range(270, 302, 3))
def test_a_key_in_the_middle_of_which_a_long_message_is_cut_is_not_shown_either(key, before):
    told = b'{"error":{"message":"%s"}}' % (b"." * before + SECRET.encode() + b"." * 50)
    error, _ = failing(refusal(400, told), key=key)
    assert SECRET[:4] not in error.about


def test_a_key_that_is_not_there_stops_the_request_before_it_is_sent():
    async def play():
        async with Scene(HELLO, key=KeySource("MODEL_KEY")) as stage:
            with pytest.raises(SettingsInvalid):
                await complete(stage.provider, ASK)
            return stage.server.sent

    assert asyncio.run(play()) == []
