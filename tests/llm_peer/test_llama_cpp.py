"""The adapter against a real server, llama.cpp's own: what it streams, counts, constrains, refuses, and that it stops when left."""

import asyncio
import json
from contextlib import aclosing, asynccontextmanager

import httpx
import pytest
from jsonschema import validate

from steadyhand.cli.main import run
from steadyhand.core import logs
from steadyhand.core.clock import SystemClock
from steadyhand.core.language import LANGUAGES
from steadyhand.core.wire import Completion, Delta, Message, Request, ToolCall, ToolSpec, Usage
from steadyhand.llm.endpoint import Endpoint, KeySource
from steadyhand.llm.openai_compat import OpenAICompat
from steadyhand.llm.provider import ProviderError, complete
from steadyhand.llm.retrying import Retries

ASK = Request((Message("system", "You are brief."), Message("user", "Count from one to five.")))
PLACE = ToolSpec(
    "place",
    "Puts a task at a slot.",
    {
        "type": "object",
        "properties": {"slot": {"type": "integer"}},
        "required": ["slot"],
        "additionalProperties": False,
    },
)
WITHOUT_END = 1500
"""So many tokens are asked for, with no end before, that whoever waits for them would be seen waiting."""


@pytest.fixture(autouse=True)
def _key(monkeypatch, peer):
    monkeypatch.setenv("PEER_KEY", peer.key)


def provider(peer, *, address=None, **endpoint):
    known = {"model": "small", "key": KeySource("PEER_KEY"), "max_tokens": 16, "temperature": 0.0}
    return OpenAICompat(Endpoint(address or peer.address, **{**known, **endpoint}), clock=SystemClock(), retries=Retries(1))


def events(peer, request=ASK, **endpoint):
    async def play():
        asked = provider(peer, **endpoint)
        try:
            return [one async for one in asked.stream(request)]
        finally:
            await asked.aclose()

    return asyncio.run(play())


def failure(peer, request=ASK, **endpoint):
    with pytest.raises(ProviderError) as caught:
        events(peer, request, **endpoint)
    return caught.value


# ---- what it answers -------------------------------------------------------------------------------------------------


def test_text_comes_piece_by_piece_and_is_whole_at_the_end(peer):
    *pieces, last = events(peer)
    assert isinstance(last, Completion)
    assert len(pieces) > 3
    assert all(isinstance(piece, Delta) for piece in pieces)
    assert "".join(piece.text for piece in pieces) == last.text != ""
    assert last.raw.rstrip().endswith(b"data: [DONE]")


def test_a_second_asking_with_nothing_left_to_chance_says_the_same(peer):
    assert events(peer)[-1].text == events(peer)[-1].text


def test_the_tokens_stand_in_the_last_event_because_they_were_asked_for(peer):
    last = events(peer)[-1]
    assert last.usage.input_tokens > 5
    assert 0 < last.usage.output_tokens <= 16
    assert json.loads(last.raw.split(b"data: ")[-2])["usage"]["completion_tokens"] == last.usage.output_tokens
    assert events(peer, stream_usage=False)[-1].usage == Usage()


def test_an_answer_that_reaches_its_limit_says_so(peer):
    last = events(peer, max_tokens=3, extra={"ignore_eos": True})[-1]
    assert (last.finish, last.usage.output_tokens) == ("length", 3)


def test_an_answer_is_of_the_form_that_was_asked_for(peer):
    schema = {
        "type": "object",
        "properties": {"word": {"enum": ["quoin", "xylem"]}, "sure": {"type": "boolean"}},
        "required": ["word", "sure"],
        "additionalProperties": False,
    }
    last = events(peer, Request(ASK.messages, schema=schema), max_tokens=64)[-1]
    assert last.finish == "stop"
    validate(json.loads(last.text), schema)


def test_one_question_after_the_other_is_answered_though_the_server_drops_the_connection_between(peer):
    async def play():
        asked = provider(peer, max_tokens=2)
        try:
            return [await complete(asked, ASK) for _ in range(6)]
        finally:
            await asked.aclose()

    assert len(asyncio.run(play())) == 6


def test_many_at_once_are_all_answered(peer):
    async def play():
        asked = provider(peer, max_tokens=4)
        requests = [Request((Message("user", f"Say {number}"),)) for number in range(4)]
        try:
            return await asyncio.gather(*(complete(asked, request) for request in requests))
        finally:
            await asked.aclose()

    assert [isinstance(one, Completion) for one in asyncio.run(play())] == [True] * 4


# ---- tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [None, "auto"])
def test_a_request_with_tools_is_answered_in_words_or_with_calls_of_them(peer, choice):
    last = events(peer, Request(ASK.messages, (PLACE,)), max_tokens=64, tool_choice=choice)[-1]
    assert last.text or last.tool_calls
    assert {call.name for call in last.tool_calls} <= {"place"}


def test_a_history_with_calls_and_their_results_is_read(peer):
    said = (
        *ASK.messages,
        Message("assistant", "", (ToolCall("c1", "place", '{"slot":3}'),)),
        Message("tool", "Placed at slot 3.", tool_call_id="c1"),
        Message("user", "Thank you."),
    )
    assert events(peer, Request(said, (PLACE,)))[-1].text


# ---- leaving early ---------------------------------------------------------------------------------------------------


async def busy(peer):
    """Tell whether the server's one place is at work."""
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {peer.key}"}) as client:
        (slot,) = (await client.get(f"{peer.root}/slots")).json()
        return slot["is_processing"]


async def written(peer):
    """Return how many tokens the server has written since it began."""
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {peer.key}"}) as client:
        lines = (await client.get(f"{peer.root}/metrics")).text.splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("llamacpp:tokens_predicted_total "))


async def idle_again(peer):
    async with asyncio.timeout(60):
        while await busy(peer):
            pass


@asynccontextmanager
async def closed(asked):
    """A stream of which one piece was read; it is closed at the end."""
    async with aclosing(asked.stream(ASK)) as pieces:
        assert isinstance(await anext(pieces), Delta)
        yield


@asynccontextmanager
async def cancelled(asked):
    """An answer that has begun to come; who waits for it is stopped at the end."""
    begun = asyncio.Event()
    task = asyncio.create_task(complete(asked, ASK, lambda _: begun.set()))
    await begun.wait()
    try:
        yield
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("left", [closed, cancelled])
def test_a_stream_that_is_left_leaves_the_server_idle(peer, left):
    async def play():
        asked = provider(peer, max_tokens=WITHOUT_END, extra={"ignore_eos": True})
        before = await written(peer)
        try:
            async with left(asked):
                assert await busy(peer)
            await idle_again(peer)
            assert await written(peer) - before < WITHOUT_END, "it was read to its end"
        finally:
            await asked.aclose()

    asyncio.run(play())
    assert events(peer)[-1].text


# ---- refusals --------------------------------------------------------------------------------------------------------


def test_an_address_that_leads_nowhere_is_an_error_of_the_provider(peer):
    error = failure(peer, address=f"{peer.root}/v9")
    assert (error.kind, error.reason, error.status, error.retryable) == ("provider", "http_status", 404, False)
    assert "Not Found" in error.about


def test_a_wrong_key_is_an_error_of_the_provider_that_does_not_show_it(peer, monkeypatch):
    monkeypatch.setenv("PEER_KEY", "some-other-key")
    error = failure(peer)
    assert (error.kind, error.status, error.retryable) == ("provider", 401, False)
    assert "some-other-key" not in repr(error.params)


def test_more_than_the_model_can_read_is_an_error_of_the_provider(peer):
    error = failure(peer, Request((Message("user", "word " * 4000),)))
    assert (error.kind, error.status, error.retryable) == ("provider", 400, False)


def test_a_server_that_is_gone_is_an_error_of_the_provider(peer):
    error = failure(peer, address="http://127.0.0.1:9/v1")
    assert (error.kind, error.reason) == ("provider", "unreachable")


# ---- as a person looks at it -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_doctor_finds_what_this_server_can_do_and_what_its_model_cannot(peer, data_dir, monkeypatch, capsys, language):
    settings = {
        "data_dir": data_dir,
        "model_base_url": peer.address,
        "model_name": "small",
        "model_key_env": "PEER_KEY",
        "model_max_tokens": 24,
        "model_temperature": 0,
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"STEADYHAND_{name.upper()}", str(value))
    code = run(["--lang", language, "doctor", "--provider", "--json"])
    logs.reset()
    out = capsys.readouterr().out
    found = {look["code"]: look["level"] for look in json.loads(out)["looks"] if look["topic"] == "model"}
    calls = found.keys() & {"model_calls", "model_no_call", "model_call_unusable", "model_unusable"}
    assert {one: found.pop(one) for one in ("model_reached", "model_streams", "model_usage")} == {
        "model_reached": "ok",
        "model_streams": "ok",
        "model_usage": "ok",
    }
    assert len(calls) == 1, "so small a model may call or not; it is said which"
    assert code == ("fail" in found.values())
    assert peer.key not in out


def test_the_doctor_names_a_wrong_key_and_a_wrong_address(peer, data_dir, monkeypatch, capsys):
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    monkeypatch.setenv("STEADYHAND_MODEL_NAME", "small")
    monkeypatch.setenv("STEADYHAND_MODEL_KEY_ENV", "PEER_KEY")
    for address, key, expected in [
        (peer.address, "some-other-key", "model_key_refused"),
        (f"{peer.root}/v9", peer.key, "model_not_found"),
        (peer.root.replace("http:", "https:"), peer.key, "model_unreachable"),
    ]:
        monkeypatch.setenv("STEADYHAND_MODEL_BASE_URL", address)
        monkeypatch.setenv("PEER_KEY", key)
        assert run(["doctor", "--provider", "--json"]) == 1
        logs.reset()
        looks = json.loads(capsys.readouterr().out)["looks"]
        assert [look["code"] for look in looks if look["level"] == "fail"] == [expected]
