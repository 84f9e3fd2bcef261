"""One turn at a time runs in a session, whichever process runs it; a wish to stop ends the turn that runs, and no later one."""

import asyncio
import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from session.ground import DESK, LEASE, ME, OTHER, call, calls, over, said
from steadyhand.core import owners
from steadyhand.core.ids import SessionId
from steadyhand.core.owners import Claim
from steadyhand.session.lane import LaneLost
from steadyhand.store.people import people
from steadyhand.store.sessions import turns

run = asyncio.run
GONE = {"started": 1}


class Ticks:
    """A pause that ends when the test says so."""

    def __init__(self):
        self.asked = asyncio.Event()
        self.over = asyncio.Event()

    async def __call__(self, seconds):
        self.over = asyncio.Event()
        self.asked.set()
        await self.over.wait()

    async def tick(self):
        """Let the pause that is waited for be over."""
        await self.asked.wait()
        self.asked.clear()
        self.over.set()

    async def until(self, talking):
        """Tick until the talk has ended."""
        ticking = asyncio.create_task(self._for_ever())
        try:
            return await talking
        finally:
            ticking.cancel()

    async def _for_ever(self):
        while True:
            await self.tick()


def take_for_another(room, **owner):
    def work(tx):
        people.ensure_session(tx, ME, DESK, "terminal")
        there = turns.lane(tx, ME, DESK)
        claim = Claim({**owners.myself(), **owner}, "theirs", "2026-09-07T01:00:30.000000Z")
        turns.take_lane(tx, ME, DESK, claim, None if there is None else there.token)

    room.store.write_now(work)


def test_a_lane_that_is_held_is_not_taken_and_what_waits_is_kept(room_anywhere):
    room = room_anywhere(said("now it is"))

    async def scene():
        await room.say("hello")
        async with room.parts.lanes.hold(ME, DESK) as held:
            assert held is not None
            assert not await room.talk.run(ME, DESK, "en")
            async with room.parts.lanes.hold(ME, SessionId("next")) as other, room.parts.lanes.hold(OTHER, DESK) as theirs:
                assert other is not None
                assert theirs is not None
        assert room.waiting() == ["hello"]
        assert await room.talk.run(ME, DESK, "en")

    run(scene())
    assert room.channel.texts == ["now it is"]


def test_the_lane_of_a_process_that_is_gone_is_taken(room_anywhere):
    room = room_anywhere(said("here"))
    take_for_another(room, **GONE)
    assert run(room.hear("hello")) == ["here"]


def test_the_lane_of_another_machine_is_taken_when_its_lease_has_run_out(room_anywhere, clock):
    room = room_anywhere(said("here"))
    take_for_another(room, host="elsewhere")
    assert run(room.hear("hello")) == []
    clock.advance(timedelta(seconds=31))
    assert run(room.talk.run(ME, DESK, "en"))
    assert room.channel.texts == ["here"]


def test_a_lane_is_free_again_however_its_block_ends(room):
    room = room()

    async def held_until(error):
        async with room.parts.lanes.hold(ME, DESK) as held:
            assert held is not None
            raise error

    async def scene():
        await room.say("hello")
        for error in (KeyError, asyncio.CancelledError, LaneLost):
            with pytest.raises(error):
                await held_until(error)

    run(scene())
    assert room.store.read_now(lambda tx: turns.lane(tx, ME, DESK)) is None


def test_the_holder_renews_its_lease_while_it_works(room, clock):
    ticks = Ticks()
    room = room(pause=ticks)

    def lease():
        return room.store.read_now(lambda tx: turns.lane(tx, ME, DESK)).claim.lease_until

    async def scene():
        await room.say("hello")
        async with room.parts.lanes.hold(ME, DESK):
            before = lease()
            clock.advance(timedelta(seconds=LEASE / 2))
            for _ in range(int(LEASE / 3)):
                await ticks.tick()
            await ticks.asked.wait()
            assert lease() > before

    run(scene())


def test_a_turn_whose_lane_was_lost_writes_nothing_more(room_anywhere):
    ticks = Ticks()
    room = room_anywhere(call("hang"), pause=ticks)
    another = room.again(room.provider, pause=asyncio.sleep)

    async def scene():
        await room.say("hello")
        talking = asyncio.create_task(room.talk.run(ME, DESK, "en"))
        await room.hanging.wait()
        take_for_another(room, **GONE)
        assert await another.talk.run(ME, DESK, "en")
        assert await ticks.until(talking) is False

    run(scene())
    [told] = room.channel.texts
    assert "may have run: hang" in told
    assert room.entries() == [("user", "hello"), ("assistant", told)]
    assert room.turn().state == "interrupted"


def stop_while_hanging(room, stop):
    async def scene():
        await room.say("hello")
        talking = asyncio.create_task(room.talk.run(ME, DESK, "en"))
        await room.hanging.wait()
        await stop(talking)
        return await asyncio.gather(talking, return_exceptions=True)

    return run(scene())


def stopped_cleanly(room):
    turn = room.turn()
    assert turn.state == "stopped"
    [noted, row] = room.owed(turn.id)
    assert noted.content == "jotted a"
    assert "Stopped, as you asked." in row.content
    assert "may have run: hang" in row.content
    assert "Tools that ran: jot" in row.content
    assert not room.waiting()
    assert [entry.role for entry in room.history()] == ["user", "assistant", "tool", "tool", "assistant"]
    assert room.store.read_now(lambda tx: turns.lane(tx, ME, DESK)) is None


HANGS = calls(("jot", {"text": "a"}), ("hang", {})), said("and on we go")


def test_a_stop_from_the_same_process_ends_the_turn_at_once(room_anywhere):
    room = room_anywhere(*HANGS)

    async def stop(talking):
        assert await room.say("／STOP") is None

    assert stop_while_hanging(room, stop) == [True]
    stopped_cleanly(room)
    assert run(room.hear("next")) == ["and on we go"]


def test_a_stop_from_another_process_ends_the_turn_at_the_next_look(room_anywhere):
    ticks = Ticks()
    room = room_anywhere(*HANGS, pause=ticks)
    another = room.again(room.provider)

    async def stop(talking):
        assert await another.say("/stop") is None
        await ticks.until(talking)

    assert stop_while_hanging(room, stop) == [True]
    stopped_cleanly(room)


def test_a_cancellation_ends_the_turn_settles_it_and_goes_on_outwards(room_anywhere):
    room = room_anywhere(*HANGS)

    async def stop(talking):
        talking.cancel()

    [ended] = stop_while_hanging(room, stop)
    assert isinstance(ended, asyncio.CancelledError)
    stopped_cleanly(room)
    assert run(room.hear("next"))[-1] == "and on we go"


def test_a_cancellation_while_the_provider_answers_is_no_reason_to_ask_again(room):
    asked = asyncio.Event()

    class Slow:
        async def stream(self, request):
            asked.set()
            await asyncio.Event().wait()
            yield said("never")

    room = room(provider=Slow())

    async def scene():
        await room.say("hello")
        talking = asyncio.create_task(room.talk.run(ME, DESK, "en"))
        await asked.wait()
        talking.cancel()
        await asyncio.gather(talking, return_exceptions=True)

    run(scene())
    assert room.turn().state == "stopped"
    room = room.again(over(str(room.store.url), room.folder, None, said("new")).provider)
    assert run(room.hear("hi"))[-1] == "new"


@pytest.mark.parametrize("step", range(0, 60, 4))
def test_a_cancellation_at_any_moment_loses_nothing_and_runs_nothing_again(room, step):
    """The task is cancelled after *step* passes of the loop: wherever that is, the message is settled or still waits."""
    room = room(call("jot", text="a"), said("noted"), call("jot", text="b"), said("noted"))

    async def scene():
        await room.say("hello")
        talking = asyncio.create_task(room.talk.run(ME, DESK, "en"))
        for _ in range(step):
            await asyncio.sleep(0)
        talking.cancel()
        await asyncio.gather(talking, return_exceptions=True)

    run(scene())
    assert room.store.read_now(lambda tx: turns.lane(tx, ME, DESK)) is None
    assert not room.store.read_now(turns.all_running)
    before = room.entries()
    if room.waiting():
        assert before == []
    run(room.talk.run(ME, DESK, "en"))
    assert not room.waiting()
    assert [entry for entry in room.entries() if entry[0] == "user"] == [("user", "hello")]
    assert len(room.effects()) <= 1


def test_a_stop_is_about_the_turn_that_runs_and_no_later_one(room):
    room = room(call("hang"), said("two is answered"))

    async def stop(talking):
        await room.say("two")
        await room.say("/stop")

    stop_while_hanging(room, stop)
    assert room.channel.texts[-1] == "two is answered"


def test_a_stop_where_nothing_runs_is_said_so(room):
    room = room()
    assert "Nothing is running" in run(room.hear("/stop"))[0]


def test_several_processes_run_one_turn_at_a_time(room_now, tmp_path):
    room = room_now()
    url = room.store.url.render_as_string(hide_password=False)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "session.child", url, str(room.folder), "talk_all"],
            env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for child in children:
        child.communicate(timeout=120)
    assert [child.returncode for child in children] == [0, 0, 0]
    assert not room.waiting()
    begun = [json.loads(line) for line in (room.folder / "turns.log").read_text(encoding="utf-8").splitlines()]
    assert {entry["mark"] for entry in begun[::2]} == {"begin"}
    assert all((end["mark"], end["pid"]) == ("end", begin["pid"]) for begin, end in zip(begun[::2], begun[1::2], strict=True))
    heard = [entry.content for entry in room.history() if entry.role == "user"]
    assert len(heard) == len(set(heard)) == 12
