"""Connections of OneBot implementations: who is let in, what is taken of them, and what none of them can do to another."""

import asyncio
import contextlib
import json

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from channels.ground import FRIEND, HERE, SELF, TOKEN, serving, until
from onebot_simulator.simulator import Simulator
from session.ground import ME, OTHER, said
from steadyhand.channels.onebot.endpoint import MOST_CHARACTERS, MOST_WAITING

GOOD = {"X-Self-ID": str(SELF), "X-Client-Role": "Universal", "Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {**GOOD, "Authorization": "Bearer wrong"},
        {**GOOD, "Authorization": TOKEN},
        {**GOOD, "Authorization": f"Bearer {TOKEN} "[:-2]},
        {name: value for name, value in GOOD.items() if name != "Authorization"},
        {name: value for name, value in GOOD.items() if name != "X-Self-ID"},
        {**GOOD, "X-Self-ID": "somebody"},
        {**GOOD, "X-Client-Role": "Event"},
    ],
)
def test_without_the_token_an_account_and_its_role_nobody_gets_in(room, headers):
    here = room()

    async def scene():
        async with serving(here) as place:
            with pytest.raises(InvalidStatus) as refused:
                await Simulator(place.onebot, TOKEN).connect(headers)
            return refused.value.response.status_code, here.ways.links.all()

    assert asyncio.run(scene()) == (403, [])


def test_the_token_may_stand_in_the_address_but_two_that_differ_may_not(room):
    here = room()
    bare = {name: value for name, value in GOOD.items() if name != "Authorization"}

    async def scene():
        async with serving(here) as place:
            napcat = await Simulator(f"{place.onebot}?access_token={TOKEN}", TOKEN).connect(bare)
            await until(here.ways.links.all)
            await napcat.close()
            with pytest.raises(InvalidStatus):
                await Simulator(f"{place.onebot}?access_token=wrong", TOKEN).connect(GOOD)

    asyncio.run(scene())


def test_without_a_token_of_ours_the_door_is_not_there(room):
    here = room()

    async def scene():
        async with serving(here, onebot_token=None) as place:
            with pytest.raises(InvalidStatus):
                await Simulator(place.onebot, TOKEN).connect()

    asyncio.run(scene())


def test_what_is_no_frame_is_passed_over_and_the_connection_stays(room):
    here = room(said("still here"))
    here.bind()
    private = Simulator("", TOKEN).private(FRIEND, "x")
    odd = [
        "",
        "no json",
        "[1,2]",
        '"text"',
        "[" * 100_000,
        '{"post_type": 7}',
        '{"post_type": "message"}',
        '{"post_type": "message", "message_type": "private"}',
        '{"post_type": "meta_event"}',
        '{"status": "ok", "retcode": 0, "echo": "nobody asked"}',
        '{"status": "ok", "retcode": true, "echo": 7}',
        json.dumps({**private, "user_id": -3}),
        json.dumps({**private, "user_id": 10**30}),
        json.dumps({**private, "user_id": True}),
        json.dumps({**private, "message": None, "raw_message": None}),
        json.dumps({**private, "message": [], "raw_message": ""}),
        json.dumps({**private, "message": [None, 7, {"type": 7}, {"type": "text"}, {"type": "text", "data": {"text": 7}}]}),
        json.dumps(private)[:-5],
        "x" * (MOST_CHARACTERS + 1),
        b"\x00\x01 bytes",
    ]

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            for frame in odd:
                await napcat.raw(frame)
            await napcat.says(FRIEND, "are you still there?")
            return await napcat.gets(1), napcat.is_open

    assert asyncio.run(scene()) == (["still here"], True)
    assert [text for role, text in here.entries(HERE) if role == "user"] == ["are you still there?"]


def test_text_that_no_database_can_keep_is_kept_as_far_as_it_goes(room_anywhere):
    here = room_anywhere(said("well"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.raw(json.dumps(napcat.private(FRIEND, "half \ud83d and \x00 nothing")))
            await napcat.gets(1)

    asyncio.run(scene())
    assert here.entries(HERE)[0] == ("user", "half ? and \ufffd nothing")


def test_a_frame_beyond_all_bounds_ends_that_connection_alone(room):
    here = room(said("fine"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            huge, napcat = await place.simulator(10009), await place.simulator()
            with contextlib.suppress(ConnectionClosed):
                await huge.raw("x" * 5 * MOST_CHARACTERS)
            await huge.ended()
            await napcat.says(FRIEND, "and you?")
            return await napcat.gets(1), here.ways.links.of("10009")

    assert asyncio.run(scene()) == (["fine"], None)


def test_a_new_connection_of_the_same_account_takes_the_place_of_the_old(room):
    here = room(said("over the new one"))
    here.bind()

    async def scene():
        async with serving(here) as place:
            old = await place.simulator()
            first = here.ways.links.of(str(SELF))
            new = await place.simulator()
            await until(lambda: here.ways.links.of(str(SELF)) is not first)
            await old.ended()
            await new.says(FRIEND, "which one?")
            return await new.gets(1), old.people, here.ways.links.of(str(SELF)) is not None

    assert asyncio.run(scene()) == (["over the new one"], [], True)


def test_a_flood_from_one_is_taken_bounded_and_another_is_heard_meanwhile(room):
    here = room(said("I hear you"))
    here.bind(20003, ME)
    flood = 4 * MOST_WAITING

    async def scene():
        async with serving(here) as place:
            loud, quiet = await place.simulator(10009), await place.simulator()
            sending = asyncio.gather(*(loud.says(30009, f"spam {number}") for number in range(flood)))
            await quiet.says(20003, "hello?")
            got = await quiet.gets(1)
            await sending
            return got, loud.people

    got, loud = asyncio.run(scene())
    assert got == ["I hear you"]
    assert len(loud) <= 1


def test_one_that_does_not_read_holds_up_nobody_else(room):
    here = room(*[said("word " * 3000)] * 3, answer_seconds=1.0)
    here.bind(FRIEND)
    here.bind(20003, OTHER)

    async def scene():
        async with serving(here) as place:
            deaf, napcat = await place.simulator(10009), await place.simulator()
            deaf.reads = False
            await deaf.says(20003, "tell me everything")
            await napcat.says(FRIEND, "and me")
            await napcat.until(lambda: bool(napcat.people))
            await until(lambda: here.states("onebot-10009-20003", OTHER) == ["unknown"])
            await deaf.read_again()

    asyncio.run(scene())
    assert here.states()[0] in {"sent", "sending"}


def test_what_had_come_before_the_connection_was_lost_is_still_taken(room):
    here = room(*[said("late but sure")] * 30)
    here.bind()

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            for number in range(20):
                await napcat.says(FRIEND, f"line {number}")
            await napcat.close()
            await until(lambda: len(said_lines(here)) == 20)

    asyncio.run(scene())
    assert said_lines(here) == [f"line {number}" for number in range(20)]


def said_lines(here):
    return [line for role, text in here.entries(HERE) if role == "user" for line in text.split("\n")]


def test_a_database_that_is_busy_for_a_moment_loses_no_message(room, monkeypatch):
    from steadyhand.core.errors import StoreUnavailable

    here = room(said("got it"))
    here.bind()
    real, failures = here.talk.accept, [StoreUnavailable("store_busy", reason="x")] * 2

    async def accept(*arguments, **more):
        if failures:
            raise failures.pop()
        return await real(*arguments, **more)

    monkeypatch.setattr(here.talk, "accept", accept)

    async def scene():
        async with serving(here) as place:
            napcat = await place.simulator()
            await napcat.says(FRIEND, "please keep this")
            return await napcat.gets(1)

    assert asyncio.run(scene()) == ["got it"]
