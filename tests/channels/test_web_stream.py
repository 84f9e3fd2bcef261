"""The stream of a session: what happens as it happens, what was missed by number, and a message is sent once a page says that it has it."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedOK, InvalidStatus

from channels.ground import SECONDS, WEB_TOKEN, Place, serving, until
from session.ground import DESK, ME, call, said
from steadyhand.channels.web import stream
from steadyhand.channels.web.hub import MOST_WAITING, Hub
from steadyhand.core.wire import Completion, Delta

AUTHORISED = {"Authorization": f"Bearer {WEB_TOKEN}"}


class Page:
    """A page that has a session open. *keen* says that it acknowledges what it gets."""

    def __init__(self, connection: ClientConnection, *, keen: bool) -> None:
        self.connection = connection
        self.keen = keen
        self.events: list[dict[str, Any]] = []
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for frame in self.connection:
            event = json.loads(frame)
            self.events.append(event)
            if self.keen and event["type"] == "message":
                with contextlib.suppress(ConnectionClosedOK):  # a scene may end while its last message is on the way
                    await self.ack(event["id"])

    async def ack(self, owed: str) -> None:
        await self.connection.send(json.dumps({"type": "ack", "id": owed}))

    def messages(self) -> list[str]:
        return [event["text"] for event in self.events if event["type"] == "message"]

    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]


@contextlib.asynccontextmanager
async def page(place: Place, after: int = 0, session: str = DESK, *, keen: bool = True) -> AsyncGenerator[Page]:
    url = f"ws://127.0.0.1:{place.port}/api/sessions/{session}/stream?after={after}"
    async with connect(url, additional_headers=AUTHORISED, proxy=None) as connection:
        made = Page(connection, keen=keen)
        await until(lambda: "ready" in made.kinds())
        yield made
    await asyncio.wait_for(made.reading, SECONDS)


async def say(place: Place, text: str, name: str = "1", **more: Any) -> None:
    async with httpx.AsyncClient(base_url=place.http, headers=AUTHORISED, timeout=SECONDS, trust_env=False) as client:
        answer = await client.post(f"/api/sessions/{DESK}/messages", json={"id": name, "text": text, **more})
        assert answer.status_code == 202


def test_a_page_sees_a_turn_while_it_runs_and_its_message_is_sent_when_it_says_so(room_anywhere):
    here = room_anywhere(call("jot", text="milk"), [Delta("One jug, "), Delta("then."), Completion("One jug, then.")])

    async def scene():
        async with serving(here) as place, page(place) as mine:
            await say(place, "jot milk")
            await until(lambda: here.states(DESK) == ["sent", "sent"] and "settled" in mine.kinds())
            return mine.events

    events = asyncio.run(scene())
    told = [event for event in events if event["type"] not in {"ready", "settled"}]
    assert [event["type"] for event in told] == ["call", "result", "delta", "delta", "message", "message"]
    assert told[0]["tool"] == "jot"
    assert (told[1]["ok"], told[1]["text"]) == (True, "jotted milk")
    assert "".join(event["text"] for event in told[2:4]) == "One jug, then."
    assert [(event["source"], event["text"]) for event in told[4:]] == [("tool", "jotted milk"), ("reply", "One jug, then.")]
    assert [row.sent_message_id for row in here.rows(DESK)] == [event["id"] for event in told[4:]]


def test_what_is_silent_is_silent_here_too(room):
    here = room(call("peek", text="secret"), said("nothing to say"))

    async def scene():
        async with serving(here) as place, page(place) as mine:
            await say(place, "peek")
            await until(lambda: here.states(DESK) == ["sent"])
            return json.dumps(mine.events)

    assert "secret is 7" not in asyncio.run(scene())


def test_a_page_that_comes_later_gets_what_waits_and_what_it_missed_by_number(room):
    here = room(said("one"), said("two"), said("three"))

    async def scene():
        async with serving(here) as place:
            await say(place, "a", "1")
            await until(lambda: here.states(DESK) == ["queued"])
            async with page(place) as first:
                await until(lambda: here.states(DESK) == ["sent"])
                await say(place, "b", "2")
                await until(lambda: here.states(DESK) == ["sent", "sent"])
                seq = [event["seq"] for event in first.events if event["type"] == "message"]
            await say(place, "c", "3")
            await until(lambda: len(here.rows(DESK)) == 3)
            async with page(place, after=seq[0]) as again:
                await until(lambda: here.states(DESK) == ["sent"] * 3)
                return first.messages(), again.messages()

    assert asyncio.run(scene()) == (["one", "two"], ["two", "three"])


def test_a_message_that_no_page_says_it_has_stays_owed_and_is_shown_again(room):
    here = room(said("are you there?"), answer_seconds=0.2)

    async def scene():
        async with serving(here) as place:
            async with page(place, keen=False) as deaf:
                await say(place, "hi")
                await until(lambda: "settled" in deaf.kinds())
                missed = deaf.messages()
                before = here.states(DESK)
            here.store.clock.advance(timedelta(minutes=1))
            async with page(place) as keen:
                await until(lambda: here.states(DESK) == ["sent"])
                return before, missed, keen.messages()

    assert asyncio.run(scene()) == (["queued"], ["are you there?"], ["are you there?"])


def test_a_page_that_says_so_late_says_so_all_the_same(room):
    here = room(said("slow"), answer_seconds=0.2)

    async def scene():
        async with serving(here) as place, page(place, keen=False) as mine:
            await say(place, "hi")
            await until(lambda: "settled" in mine.kinds())
            before = here.states(DESK)
            await mine.ack(here.rows(DESK)[0].id)
            await until(lambda: here.states(DESK) == ["sent"])
            return before

    assert asyncio.run(scene()) == ["queued"]


def test_what_another_session_is_owed_is_not_acknowledged_here(room):
    here = room()
    elsewhere = here.owe("elsewhere", session="other")
    mine = here.owe("mine", session=DESK, turn="t")

    async def scene():
        async with serving(here) as place, page(place, keen=False) as one:
            lone = json.dumps({"type": "ack", "id": "\ud800"})
            for frame in ("no json", "[]", "{}", json.dumps({"type": "ack"}), "[" * 4000, "x" * 5000, b"bytes", lone):
                await one.connection.send(frame)
            await one.ack(elsewhere.id)
            await one.ack("nothing")
            await one.ack(mine.id)
            await until(lambda: here.states(DESK) == ["sent"])

    asyncio.run(scene())
    assert here.states("other") == ["queued"]


def test_a_page_that_goes_while_a_message_is_shown_leaves_it_owed_at_once(room):
    here = room(said("wait for me"), answer_seconds=60.0)

    async def scene():
        async with serving(here) as place:
            async with page(place, keen=False) as mine:
                await say(place, "hi")
                await until(lambda: bool(mine.messages()))
            await until(lambda: here.states(DESK) == ["queued"])

    asyncio.run(scene())


def test_two_pages_see_the_same_and_one_of_them_is_enough(room):
    here = room(said("for both"))

    async def scene():
        async with serving(here) as place, page(place) as keen, page(place, keen=False) as deaf:
            await say(place, "hi")
            await until(lambda: here.states(DESK) == ["sent"] and deaf.messages() and keen.messages())
            return keen.messages(), deaf.messages()

    assert asyncio.run(scene()) == (["for both"], ["for both"])


def test_a_review_that_a_page_has_shown_can_be_approved_by_a_bare_yes(room):
    here = room(call("note", text="milk"), said("Please look at it."))

    async def scene():
        async with serving(here) as place, page(place) as mine:
            await say(place, "note milk", "1")
            await until(lambda: here.states(DESK) == ["sent", "sent"])
            await say(place, "好的", "2")
            await until(lambda: here.change(1).state == "verified")
            return [event["change"] for event in mine.events if event["type"] == "message"][:2]

    assert 1 in asyncio.run(scene())


@pytest.mark.parametrize(
    ("headers", "protocols"),
    [
        ({}, None),
        ({"Authorization": "Bearer wrong"}, None),
        ({}, ["steadyhand", "bearer.wrong"]),
        ({**AUTHORISED, "Origin": "https://evil.example"}, None),
        (AUTHORISED, ["steadyhand", f"bearer.{WEB_TOKEN}"]),
    ],
)
def test_nobody_hears_a_session_without_the_token(room, headers, protocols):
    here = room()

    async def scene():
        async with serving(here) as place:
            url = f"ws://127.0.0.1:{place.port}/api/sessions/{DESK}/stream"
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, additional_headers=headers, subprotocols=protocols, proxy=None)
            return refused.value.response.status_code

    assert asyncio.run(scene()) == 403


def test_a_page_brings_the_token_as_a_protocol(room):
    here = room()

    async def scene():
        async with serving(here) as place:
            url = f"ws://127.0.0.1:{place.port}/api/sessions/{DESK}/stream"
            async with connect(
                url, subprotocols=["steadyhand", f"bearer.{WEB_TOKEN}"], origin=place.http, proxy=None
            ) as connection:
                return connection.subprotocol, json.loads(await connection.recv())["type"]

    assert asyncio.run(scene()) == ("steadyhand", "ready")


def test_a_page_that_does_not_read_is_let_go_and_holds_up_nobody(room, monkeypatch):
    monkeypatch.setattr(stream, "SECONDS_TO_TAKE", 0.3)
    here = room()
    hearers = here.ways.hub._hearers

    async def scene():
        async with serving(here) as place, page(place, keen=False) as reader:
            url = f"ws://127.0.0.1:{place.port}/api/sessions/{DESK}/stream"
            async with connect(url, additional_headers=AUTHORISED, proxy=None, max_queue=1, compression=None, close_timeout=0.1):
                await until(lambda: len(hearers[ME, DESK]) == 2)
                shown = 0
                while len(hearers[ME, DESK]) == 2 and shown < 500:
                    here.ways.hub.publish(ME, DESK, {"type": "message", "text": "y" * 200_000})
                    shown += 1
                    await until(lambda shown=shown: len(reader.messages()) == shown)
                return shown, len(reader.messages()), len(hearers[ME, DESK])

    shown, read, left = asyncio.run(scene())
    assert (read, left) == (shown, 1)


def test_a_hearer_that_is_behind_loses_what_is_provisional_first():
    async def scene():
        hub = Hub()
        hearer = hub.join("me", DESK)
        for number in range(MOST_WAITING + 10):
            hub.publish("me", DESK, {"type": "delta", "text": str(number)}, provisional=True)
        still = not hearer.left.is_set()
        hub.publish("me", DESK, {"type": "message"})
        return still, hearer.left.is_set()

    assert asyncio.run(scene()) == (True, True)


@pytest.mark.parametrize(("behind", "ends"), [("the review", "verified"), ("what stood before it", "sealed"), ("", "verified")])
def test_a_yes_of_a_page_that_had_not_got_the_review_yet_is_not_about_it(room, behind, ends):
    here = room(call("note", text="milk"), said("Please look at it."), said("I see."))

    async def scene():
        async with serving(here) as place, page(place) as mine:
            await say(place, "note milk")
            await until(
                lambda: here.states(DESK) == ["sent"] * len(here.rows(DESK)) and any(row.shows for row in here.rows(DESK))
            )
            (review,) = [row.seq for row in here.rows(DESK) if row.shows]
            seq = {"the review": review, "what stood before it": review - 1}.get(behind)
            before = len(mine.messages())
            await say(place, "yes", "2", behind=seq)
            await until(lambda: len(mine.messages()) > before and not here.waiting(DESK))

    asyncio.run(scene())
    assert here.change(1).state == ends
