"""The web channel over HTTP: only with the token, by our own name, from our own page; a message is stored once; a change is decided by a message."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from channels.ground import HERE, SECONDS, WEB_TOKEN, serving, until
from session.ground import DESK, ME, call, said
from steadyhand.channels.web.guard import MOST_BYTES
from steadyhand.session.conversation import MOST_CHARACTERS
from steadyhand.tools.result import ToolResult

AUTHORISED = {"Authorization": f"Bearer {WEB_TOKEN}"}


def ask(here, *requests: tuple[str, str, Any], headers: Any = AUTHORISED, **more: Any) -> list[httpx.Response]:
    """Serve the room and send requests, each a method, a path and a body."""

    async def scene():
        async with (
            serving(here, **more) as place,
            httpx.AsyncClient(base_url=place.http, headers=headers, timeout=SECONDS, trust_env=False) as client,
        ):
            return [await client.request(method, path, json=body) for method, path, body in requests]

    return asyncio.run(scene())


def test_a_message_is_stored_once_and_answered(room_anywhere):
    here = room_anywhere(said("good morning"))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            body = {"id": "m-1", "text": "hello"}
            first, second = [(await client.post("/api/sessions/desk/messages", json=body)) for _ in range(2)]
            await until(lambda: here.rows(DESK))
            past = (await client.get("/api/sessions/desk/history")).json()
            listed = (await client.get("/api/sessions")).json()
            return first, second, past, listed

    first, second, past, listed = asyncio.run(scene())
    assert (first.status_code, first.json()) == (202, {"accepted": True, "new": True})
    assert second.json() == {"accepted": True, "new": False}
    assert [(item["role"], item["text"]) for item in past["items"]] == [("person", "hello"), ("steadyhand", "good morning")]
    assert past["last_seq"] == max(item["seq"] for item in past["items"])
    assert [(one["id"], one["channel"], one["said"]) for one in listed["sessions"]] == [("desk", "web", 2)]
    assert here.spoke[0] == (ME, "desk", "web")
    assert here.states(DESK) == ["queued"]


def test_a_hundred_equal_messages_at_once_are_one(room_anywhere):
    here = room_anywhere(said("once"))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            sends = [client.post("/api/sessions/desk/messages", json={"id": "m", "text": "hello"}) for _ in range(50)]
            answers = [answer.json()["new"] for answer in await asyncio.gather(*sends)]
            await until(lambda: here.rows(DESK))
            return answers

    assert asyncio.run(scene()).count(True) == 1
    assert [text for role, text in here.entries(DESK) if role == "user"] == ["hello"]


def test_the_history_holds_what_a_person_saw_and_nothing_between_model_and_tools(room):
    here = room(call("jot", text="milk"), call("peek", text="secret"), said("as you wished"))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            await client.post("/api/sessions/desk/messages", json={"id": "1", "text": "jot milk"})
            await until(lambda: len(here.rows(DESK)) == 2)
            return (await client.get("/api/sessions/desk/history")).json()["items"]

    assert [(item["role"], item["source"], item["text"]) for item in asyncio.run(scene())] == [
        ("person", "person", "jot milk"),
        ("steadyhand", "tool", "jotted milk"),
        ("steadyhand", "reply", "as you wished"),
    ]


def test_the_history_holds_the_message_whose_turn_runs_and_those_that_wait(room):
    reached = asyncio.Event()
    go_on = asyncio.Event()
    here = room(call("listen"), said("first"), said("second"))

    async def listen(context, arguments):
        reached.set()
        await go_on.wait()
        return ToolResult("listened")

    here.registry.register(here.tool("listen", "read", listen))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            await client.post("/api/sessions/desk/messages", json={"id": "1", "text": "one"})
            await reached.wait()
            await client.post("/api/sessions/desk/messages", json={"id": "2", "text": "two"})
            running = (await client.get("/api/sessions/desk/history")).json()["items"]
            go_on.set()
            await until(lambda: len(here.rows(DESK)) == 2)
            return running, (await client.get("/api/sessions/desk/history")).json()["items"]

    running, ended = ([(item["role"], item["text"]) for item in items] for items in asyncio.run(scene()))
    assert running == [("person", "one"), ("person", "two")]
    assert ended == [("person", "one"), ("steadyhand", "first"), ("person", "two"), ("steadyhand", "second")]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": WEB_TOKEN}, 401),
        ({"Authorization": "Basic Og=="}, 401),
        ({**AUTHORISED, "Host": "evil.example"}, 421),
        ({**AUTHORISED, "Host": "127.0.0.1:1"}, 421),
        ({**AUTHORISED, "Origin": "https://evil.example"}, 403),
        ({**AUTHORISED, "Origin": "null"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/api/sessions", "/api/openapi.json", "/nothing"])
def test_nobody_gets_in_without_the_token_by_another_name_or_from_another_page(room, headers, status, path):
    answer = ask(room(), ("GET", path, None), headers=headers)[0]
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == "web_refused"
    assert WEB_TOKEN not in answer.text


def test_our_own_page_gets_in(room):
    here = room()

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            return await client.get("/api/sessions", headers={"Origin": place.http})

    assert asyncio.run(scene()).status_code == 200


def test_health_needs_no_token_but_our_own_name(room):
    here = room()
    well = ask(here, ("GET", "/healthz", None), ("GET", "/readyz", None), headers={})
    assert [(answer.status_code, answer.json()) for answer in well] == [(200, {"ok": True})] * 2
    assert ask(here, ("GET", "/healthz", None), headers={"Host": "evil.example"})[0].status_code == 421


def test_without_its_database_it_lives_but_is_not_ready(room, monkeypatch):
    from steadyhand.core.errors import StoreUnavailable

    here = room()

    async def down(_work):
        raise StoreUnavailable("store_unreachable", reason="gone")

    monkeypatch.setattr(here.store, "read", down)
    live, ready = ask(here, ("GET", "/healthz", None), ("GET", "/readyz", None))
    assert (live.status_code, ready.status_code) == (200, 503)
    assert ready.json()["error"]["code"] == "store_unreachable"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"text": "x"}, 422),
        ({"id": "", "text": "x"}, 422),
        ({"id": "a b", "text": "x"}, 422),
        ({"id": "x" * 65, "text": "x"}, 422),
        ({"id": "1", "text": ""}, 422),
        ({"id": "1", "text": "x" * (MOST_CHARACTERS + 1)}, 422),
        ({"id": "1", "text": "x", "more": 1}, 422),
        ([], 422),
        ({"id": "1", "text": "x" * (MOST_BYTES + 1)}, 413),
    ],
)
def test_what_cannot_be_used_is_refused_in_words_and_stored_nowhere(room, body, status):
    here = room()
    answer = ask(here, ("POST", "/api/sessions/desk/messages", body))[0]
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "summary", "detail", "next"}
    assert here.waiting(DESK) == []


def test_a_body_without_a_length_is_bounded_too(room):
    here = room()

    async def endless():
        for _ in range(50):
            yield b"x" * 10_000

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            return await client.post("/api/sessions/desk/messages", content=endless())

    assert asyncio.run(scene()).status_code == 413


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/sessions/nowhere/history"),
        ("GET", "/nothing/here"),
        ("POST", f"/api/sessions/{HERE}/messages"),
        ("POST", "/api/sessions/sub-job_1/messages"),
    ],
)
def test_what_is_not_there_is_not_made_up(room, method, path):
    answer = ask(room(), (method, path, {"id": "1", "text": "x"} if method == "POST" else None))[0]
    assert answer.status_code == 404
    assert "error" in answer.json()


def test_a_change_is_decided_by_a_message_and_by_no_other_way(room):
    here = room(call("note", text="milk"), said("Please look at it."))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            await client.post("/api/sessions/desk/messages", json={"id": "1", "text": "note milk"})
            await until(lambda: len(here.rows(DESK)) == 2)
            await client.post("/api/sessions/desk/messages", json={"id": "2", "text": "/approve C-1"})
            await until(lambda: len(here.rows(DESK)) == 3)
            unseen = here.change(1).state
            digest = here.change(1).seal_digest
            await client.post("/api/sessions/desk/messages", json={"id": "3", "text": f"/approve C-1 {digest}"})
            await until(lambda: len(here.rows(DESK)) == 4)
            schema = (await client.get("/api/openapi.json")).json()
            return unseen, schema

    unseen, schema = asyncio.run(scene())
    assert unseen == "sealed"  # no page has said that it showed the review
    assert here.change(1).state == "verified"
    assert sorted(schema["paths"]) == [
        "/api/sessions",
        "/api/sessions/{session}/history",
        "/api/sessions/{session}/messages",
        "/api/sessions/{session}/stop",
        "/healthz",
        "/readyz",
    ]


def test_a_turn_is_stopped(room):
    here = room(call("hang"))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            idle = (await client.post("/api/sessions/desk/stop")).json()
            await client.post("/api/sessions/desk/messages", json={"id": "1", "text": "hang"})
            await until(here.hanging.is_set)
            stopped = (await client.post("/api/sessions/desk/stop")).json()
            await until(lambda: here.turn(DESK).state == "stopped")
            return idle, stopped

    assert asyncio.run(scene()) == ({"stopped": False}, {"stopped": True})


def test_nothing_of_another_person_is_listed_or_shown(room):
    from session.ground import OTHER

    here = room(said("theirs"))
    here.owe("a secret of theirs", session=DESK, user=OTHER)
    listed, past = ask(here, ("GET", "/api/sessions", None), ("GET", "/api/sessions/desk/history", None))
    assert listed.json() == {"sessions": []}
    assert past.status_code == 404
    assert json.dumps(here.entries(DESK, ME)) == "[]"


@pytest.mark.parametrize("body", [b"{", b'{"id": "1", "text": ', b"\xff\xfe", b'{"id": "1", "text": "\xff"}', b"[" * 2000, b""])
def test_a_body_that_is_no_json_is_told_as_that_and_not_as_a_session_that_is_not_there(room, body):
    here = room(said("no"))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            return await client.post(f"/api/sessions/{DESK}/messages", content=body, headers={"Content-Type": "application/json"})

    answer = asyncio.run(scene())
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["code"] == "web_bad_request"


def test_half_a_surrogate_pair_is_refused_from_a_page_and_breaks_nothing_from_a_model(room):
    here = room(said("good \ud83d morning"))

    async def scene():
        async with (
            serving(here) as place,
            httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client,
        ):
            path, kind = f"/api/sessions/{DESK}/messages", {"Content-Type": "application/json"}
            refused = [
                await client.post(path, content=body, headers=kind)
                for body in (b'{"id": "m", "text": "hi \\ud83d"}', b'{"id": "m", "text": "hi", "quotes": "\\ud83d"}')
            ]
            taken = await client.post(path, json={"id": "m", "text": "hi"})
            await until(lambda: here.rows(DESK))
            return refused, taken, await client.get(f"/api/sessions/{DESK}/history")

    refused, taken, past = asyncio.run(scene())
    assert [answer.json()["error"]["code"] for answer in refused] == ["web_bad_request"] * 2
    assert (taken.status_code, past.status_code) == (202, 200)
    assert [item["role"] for item in past.json()["items"]] == ["person", "steadyhand"]


def test_whoever_is_not_let_in_holds_no_place(room):
    [answer] = ask(room(), ("GET", "/api/sessions", None), headers={})
    assert (answer.status_code, answer.headers["connection"]) == (401, "close")
