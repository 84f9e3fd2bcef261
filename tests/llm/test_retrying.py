"""A request is made again only while nothing of it was handed out, after a drawn wait, and not without end."""

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.wire import Completion, Delta
from steadyhand.llm.failures import refused, retry_after
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.retrying import Retries, retrying

NOW = datetime(2026, 9, 7, 1, 0, tzinfo=UTC)


def busy(**more):
    return ProviderError("provider", "busy", **{"retryable": True, "status": 429, **more})


def run(*attempts, policy=None):
    """Run a script of attempts; return what came, the waits, and how many attempts were left."""
    left, waits = list(attempts), []

    async def attempt():
        for part in left.pop(0):
            if isinstance(part, Exception):
                raise part
            yield part

    async def pause(seconds):
        waits.append(seconds)

    async def scene():
        return [event async for event in retrying(attempt, policy or Retries(), pause)]

    try:
        return asyncio.run(scene()), waits, len(left)
    except ProviderError as error:
        return error, waits, len(left)


def test_a_busy_server_is_asked_again():
    came, waits, left = run([busy()], [busy()], [Completion("a")])
    assert (came, len(waits), left) == ([Completion("a")], 2, 0)


def test_after_so_many_attempts_the_failure_is_told():
    came, waits, left = run(*[[busy(status=500 + number)] for number in range(9)])
    assert (came.status, len(waits), left) == (503, 3, 5)


def test_after_a_piece_was_handed_out_nothing_is_asked_again():
    came, waits, left = run([Delta("a"), busy()], [Completion("b")])
    assert (came.status, waits, left) == (429, [], 1)


@pytest.mark.parametrize(
    "failure",
    [
        ProviderError("provider", "no", retryable=False, status=400),
        ProviderError("truncated", "cut", retryable=True),
        ProviderError("protocol", "bad", retryable=True),
        ProviderError("tool_call", "bad", retryable=True),
    ],
)
def test_other_failures_are_not_asked_again(failure):
    assert run([failure], [Completion("a")]) == (failure, [], 1)


def test_a_wait_that_the_server_asks_for_is_kept():
    _, waits, _ = run([busy(retry_after=7.0)], [Completion("a")])
    assert 7.0 <= waits[0] <= 7.5


def test_a_wait_that_is_too_long_is_told_at_once():
    came, waits, left = run([busy(retry_after=3600.0)], [Completion("a")])
    assert (came.retry_after, waits, left) == (3600.0, [], 1)


@given(failed=st.integers(1, 9))
def test_waits_are_drawn_below_a_bound_that_doubles(failed):
    policy = Retries(attempts=10, first=0.5, cap=8.0)
    wait = policy.wait(failed, None)
    assert 0 <= wait <= min(8.0, 0.5 * 2 ** (failed - 1))


def test_waits_are_not_all_the_same():
    policy = Retries(attempts=10)
    assert len({policy.wait(5, None) for _ in range(20)}) > 10


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "99999999999999"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, None),
        ({"retry-after": "Mon, 07 Sep 2026 01:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 07 Sep 2026 09:00:30 +0800"}, 30.0),
        ({"retry-after": "Mon, 07 Sep 2026 01:00:30 -0000"}, 30.0),
        ({"retry-after": "Mon, 07 Sep 2026 00:00:00 GMT"}, 0.0),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read_from_seconds_and_dates(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "body", "again"),
    [
        (408, b"", True),
        (425, b"", True),
        (429, b"", True),
        (500, b"", True),
        (529, b"", True),
        (400, b"", False),
        (401, b"", False),
        (413, b"", False),
        (302, b"", False),
        (429, b'{"error":{"code":"insufficient_quota"}}', False),
        (429, b'{"error":{"type":"insufficient_quota","message":"check your billing"}}', False),
    ],
)
def test_which_refusals_may_pass(status, body, again):
    assert refused(status, {}, body, NOW).retryable is again


@pytest.mark.parametrize(
    ("body", "about"),
    [
        (b'{"error":{"message":"no such model"}}', "400 no such model"),
        (b'{"error":"no such model"}', "400 no such model"),
        (b'{"message":"no\\nsuch\\u001b[31m model"}', "400 no such [31m model"),
        (b'[{"error":{"message":"no such model"}}]', "400 no such model"),
        (b'{"detail":"no such model"}', "400 no such model"),
        (b'"no such model"', "400 no such model"),
        (b"<html>no such model</html>", "400"),
        (b"\xff\xfe", "400"),
        (b"[" * 100_000, "400"),
        (b"", "400"),
    ],
)
def test_what_a_refusal_says_is_taken_from_json_alone(body, about):
    assert refused(400, {}, body, NOW).about == about


def test_a_long_refusal_is_cut():
    assert len(refused(400, {}, b'{"message":"' + b"a " * 5000 + b'"}', NOW).about) < 310
