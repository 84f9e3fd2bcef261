"""A provider's failure is told by its kind, with what to mend: in both languages, and by the names of the settings that are meant."""

import asyncio
import json

import pytest

from llm.server import DONE, event, never, refusal
from llm.test_openai_compat import ASK, SECRET, Scene
from steadyhand.core.clock import FakeClock
from steadyhand.core.explain import explain
from steadyhand.llm.endpoint import Endpoint, KeySource, TimeLimits
from steadyhand.llm.openai_compat import OpenAICompat
from steadyhand.llm.provider import ProviderError, complete
from steadyhand.llm.retrying import Retries

ONCE = Retries(attempts=1)


def said(message, **more):
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", **more}}).encode()


LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
LLAMA = "the request exceeds the available context size, try increasing it"
CASES = {
    "401": (refusal(401, said("Incorrect API key provided")), "key_refused", "MY_KEY"),
    "403": (refusal(403, said("forbidden")), "key_refused", "MY_KEY"),
    "400 key": (refusal(400, said("API key not valid. Please pass a valid API key. Invalid API key")), "key_refused", "MY_KEY"),
    "404 model": (refusal(404, said("The model `one` does not exist")), "model_unknown", "model_name"),
    "404 path": (refusal(404, b"404 page not found"), "model_unknown", "http://127.0.0.1"),
    "400 model": (refusal(400, said("model 'one' not found")), "model_unknown", "model_name"),
    "400 long": (refusal(400, said(LONG, code="context_length_exceeded")), "too_long", "--new"),
    "400 llama": (refusal(400, said(LLAMA, type="exceed_context_size_error")), "too_long", "--new"),
    "413": (refusal(413, b"too large"), "too_long", "--new"),
    "event long": ([b'data: {"error": {"message": "prompt is too long: 210000 tokens > 200000"}}\n\n'], "too_long", "--new"),
    "429": (refusal(429, said("Rate limit reached for requests")), "too_many", ""),
    "429 quota": (refusal(429, said("You exceeded your current quota", code="insufficient_quota")), "payment", ""),
    "402": (refusal(402, said("Insufficient Balance")), "payment", ""),
    "500": (refusal(500, b"oops"), "server_failed", ""),
    "503": (refusal(503, b"<html>down</html>"), "server_failed", ""),
    "silent": (never, "silent", "model_timeout_seconds"),
    "filter": ([event({"content": "I"}), event({}, "content_filter"), DONE], "withheld", ""),
    "empty": ([DONE], "empty", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_a_failure_is_told_by_its_kind_with_the_next_step(name, monkeypatch):
    line, case, names = CASES[name]
    monkeypatch.setenv("MY_KEY", SECRET)

    async def play():
        limits = TimeLimits(connect=5, first_byte=0.05 if case == "silent" else 5, between=5, total=60)
        async with Scene(line, retries=ONCE, key=KeySource("MY_KEY"), limits=limits) as stage:
            return await stage.failure()

    error = asyncio.run(play())
    assert error.case == case
    for language in ("en", "zh-CN"):
        told = explain(error, language)
        assert told.code == error.code
        assert names in told.next_step
        assert told.next_step
        assert "{" not in told.text()
        assert SECRET not in told.text()


def test_a_server_that_is_not_there_is_told_with_its_address():
    address = "http://127.0.0.1:1/v1"

    async def play():
        provider = OpenAICompat(Endpoint(address, "one", limits=TimeLimits(connect=3)), clock=FakeClock(), retries=ONCE)
        try:
            with pytest.raises(ProviderError) as caught:
                await complete(provider, ASK)
            return caught.value
        finally:
            await provider.aclose()

    error = asyncio.run(play())
    assert error.case == "unreachable"
    assert all(address in explain(error, language).next_step for language in ("en", "zh-CN"))


def test_every_case_tells_something_else():
    found = {case for _, case, _ in CASES.values()} | {"unreachable"}
    texts = {
        explain(ProviderError("provider", "http_status", status=status), "en").summary
        for status in (401, 404, 429, 500, 402, 413)
    }
    assert len(found) == 10
    assert len(texts) == 6
