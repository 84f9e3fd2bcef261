"""Complaints 2, 3, 4, 5, 8 and 16: background work that ends in silence, that is called done when it is not, or that wakes whom it should not."""

import asyncio
from typing import Any

import pytest

from agent.conftest import workshop
from agent.workshop import Workshop
from session.ground import DESK, ME, call, said
from steadyhand.agent.turn import Limits
from steadyhand.jobs.book import Start
from steadyhand.llm.provider import ProviderError
from steadyhand.session.turns import Asked
from steadyhand.store.sessions import inbox, turns

__all__ = ["workshop"]

SENT = [call("spawn", task="look at monday"), said("sent")]


async def _ask(room: Workshop) -> list[str]:
    """Let the person ask, and everything that follows come to its end; return what they are shown after the turn."""
    await room.hear("have a look")
    before = len(room.channel.rows)
    await room.work()
    return room.channel.texts[before:]


@pytest.mark.parametrize(
    ("sub", "own"),
    [
        ([call("peek", text=str(number)) for number in range(2)], Limits(2, 30.0, 10_000)),
        ([ProviderError("provider", "the line is dead")], Limits(9, 30.0, 10_000)),
        ([call("hang")], Limits(9, 0.2, 10_000)),
        ([said("")], Limits(9, 30.0, 10_000)),
    ],
)
def test_2_and_16_work_that_has_no_answer_is_never_told_as_done(workshop: Any, sub: Any, own: Limits) -> None:
    room = workshop(SENT, sub, own=own)
    (told,) = asyncio.run(_ask(room))
    assert room.job().state in ("failed", "timed_out")
    assert "done" not in told
    assert "failed: " in told or "was ended: " in told


def test_2_a_child_that_dies_is_never_told_as_done(workshop: Any) -> None:
    room = workshop()

    async def story() -> None:
        await room.say("hello")
        await room.book.start(Start(ME, DESK, "body", "count", "steadyhand.nowhere:at_all"))
        while await room.worker.tick():
            await room.worker.drain()

    asyncio.run(story())
    assert room.job().state == "failed"
    assert "failed" in room.unsent()[0].content


def test_3_work_in_the_background_has_a_status_and_its_end_is_told(workshop: Any) -> None:
    room = workshop([*SENT, call("job_status", number=1), said("it waits")], [said("It is free.")])

    async def story() -> list[str]:
        await room.hear("have a look")
        assert await room.hear("how is it?") == ["it waits"]
        before = len(room.channel.rows)
        await room.work()
        return room.channel.texts[before:]

    assert asyncio.run(story()) == ["Job 1, look at monday: done.\nIt is free."]
    assert "waiting" in room.provider.agent.requests[3].messages[-1].content


@pytest.mark.parametrize("origin", ["cron", "heartbeat", "wake"])
def test_4_and_5_what_a_woken_turn_has_sent_out_reports_back_after_that_turn(workshop: Any, origin: Any) -> None:
    room = workshop([*SENT], [said("It is free.")])

    async def story() -> None:
        await room.say("hello")
        async with room.parts.lanes.hold(ME, DESK) as held:
            waiting = room.store.read_now(lambda tx: inbox.waiting(tx, ME, DESK))
            room.store.write_now(lambda tx: inbox.start(tx, ME, [waiting[0].id], "taken"))
            await room.talk.turns.run(held, Asked((), "", origin=origin, reminder="look"), "en")
        assert room.turn().state == "done", "the turn did not wait"
        await room.work()

    asyncio.run(story())
    assert room.channel.texts[-1] == "Job 1, look at monday: done.\nIt is free."


@pytest.mark.parametrize("ending", ["done", "failed", "cancelled", "timed_out"])
def test_5_no_end_is_silent(workshop: Any, ending: str) -> None:
    sub = {"done": [said("free")], "failed": [said("")], "cancelled": [], "timed_out": [call("hang")]}[ending]
    room = workshop(SENT, sub, own=Limits(9, 0.3, 10_000))

    async def story() -> list[str]:
        await room.hear("have a look")
        before = len(room.channel.rows)
        if ending == "cancelled":
            await room.book.cancel(ME, 1)
        await room.work()
        return room.channel.texts[before:]

    told = asyncio.run(story())
    assert room.job().state == ending
    assert len(told) == 1


@pytest.mark.parametrize("sub", [[said("It is free.")], [said("")], [ProviderError("provider", "dead")]])
def test_8_work_for_nobody_wakes_nobody_however_it_ends(workshop: Any, sub: Any) -> None:
    room = workshop([call("spawn", task="look", delivery="none"), said("sent")], sub)
    assert asyncio.run(_ask(room)) == []
    assert len(room.provider.agent.requests) == 2, "the model was asked for the person's message alone"
    assert room.store.read_now(inbox.sessions_waiting) == []
    assert room.unsent() == []
    assert room.store.read_now(lambda tx: turns.latest(tx, ME, DESK)).origin == "person"
