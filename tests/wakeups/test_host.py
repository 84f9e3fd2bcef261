"""The host takes up what is due, what waits and what dead processes left; a failure of one thing ends no other, and a stop ends all in order."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from session.ground import DESK, ME, OTHER, Shown, said
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.ids import SessionId
from steadyhand.core.wire import Completion, Request
from steadyhand.store.later import wakeups
from steadyhand.store.people import people
from steadyhand.store.sessions import inbox, outbox, turns
from steadyhand.store.sessions.turns import TurnRow
from steadyhand.wakeups import ticking
from steadyhand.wakeups.host import Host
from steadyhand.wakeups.ticking import Duties
from store.ground import a_turn, a_wakeup

HALL = SessionId("hall")


class Counting:
    """A taker that counts how often it is asked, and answers with what it is told to."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def tick(self, limit: int) -> int:
        self.asked += 1
        answer = self.answers.pop(0) if self.answers else 0
        if isinstance(answer, Exception):
            raise answer
        return min(answer, limit)


class Answering:
    """A provider that answers everything with its own words, once a gate is open."""

    def __init__(self, gate: asyncio.Event | None = None) -> None:
        self.gate = gate
        self.asked: list[str] = []

    async def stream(self, request: Request) -> AsyncIterator[Completion]:
        self.asked.append(request.messages[-1].content)
        if self.gate is not None:
            await self.gate.wait()
        yield Completion(f"answer to {request.messages[-1].content}")


def host(room: Any, *takers: Any, **more: Any) -> Host:
    closing = more.pop("closing", ())
    grace = more.pop("grace", 0.2)
    return Host(Duties(room.talk, takers, more.pop("attached", room.attached), **more), closing, grace=grace)


async def ticked(one: Host) -> None:
    await one.tick()
    await one.running.settled()


async def until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.005)


# ---- what is taken up --------------------------------------------------------------------------------------------------


def test_what_waits_in_a_session_is_run_and_sent(room_anywhere, clock):
    room = room_anywhere(provider=Answering())

    async def story() -> None:
        await room.say("hello")
        clock.advance(timedelta(seconds=3))
        await ticked(host(room))

    asyncio.run(story())
    assert room.channel.texts == ["answer to hello"]


def test_what_a_person_has_just_said_is_left_to_the_process_that_they_said_it_to(room, clock):
    made = room(provider=Answering())

    async def story() -> None:
        one = host(made)
        await made.say("hello")
        await ticked(one)
        assert made.channel.texts == []
        clock.advance(timedelta(seconds=3))
        await ticked(one)
        assert made.channel.texts == ["answer to hello"]

    asyncio.run(story())


def test_what_comes_by_itself_is_run_at_once(room):
    made = room()
    taken: list[str] = []

    async def take(held: Any, inbound: Any, _language: Any, _listener: Any) -> None:
        taken.append(inbound.body["text"])
        made.store.write_now(lambda tx: (inbox.start(tx, ME, [inbound.id], "t"), inbox.settle(tx, ME, "t")))

    made.talk.takes("job", take)
    made.store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))
    made.store.write_now(lambda tx: inbox.accept(tx, ME, DESK, "job", {"text": "it is done"}))
    asyncio.run(ticked(host(made)))
    assert taken == ["it is done"]


def test_sessions_that_somebody_here_has_open_are_left_to_them(room, clock):
    made = room(provider=Answering())

    async def story() -> None:
        for session in (DESK, HALL):
            await made.say("hello", session)
        clock.advance(timedelta(seconds=3))
        await ticked(host(made, elsewhere=lambda _user, session: session == DESK))

    asyncio.run(story())
    assert (len(made.waiting(DESK)), len(made.waiting(HALL))) == (1, 0)


def test_a_turn_that_a_dead_process_left_is_taken_over(room_anywhere, clock):
    room = room_anywhere(provider=Answering())
    gone = {"host": "another machine", "pid": 1, "started": 1}

    def leave(tx: Any) -> None:
        people.ensure_session(tx, ME, DESK, "terminal")
        inbound, _ = inbox.accept(tx, ME, DESK, "person", {"text": "hello", "channel": "terminal"})
        turns.take_lane(tx, ME, DESK, turns.Claim(gone, "lost", to_text(clock.now() + timedelta(seconds=30))), None)
        row: TurnRow = a_turn(
            "turn_left", ME, session_id=DESK, lane_token="lost", calls_begun=[], detail={"said": "hello", "answered": None}
        )
        turns.insert_turn(tx, row)
        inbox.start(tx, ME, [inbound.id], "turn_left")

    room.store.write_now(leave)
    one = host(room)
    asyncio.run(ticked(one))
    assert room.channel.texts == []
    clock.advance(timedelta(seconds=31))
    asyncio.run(ticked(one))
    assert room.channel.texts == ["answer to hello"]


def owe(room: Any, text: str, session: SessionId = DESK, user: Any = ME) -> None:
    def work(tx: Any) -> None:
        people.ensure_session(tx, user, session, "terminal")
        outbox.owe(tx, user, session, f"turn {text}", text, source="reply")

    room.store.write_now(work)


def test_what_is_owed_is_sent_where_the_person_can_be_reached(room_anywhere):
    room = room_anywhere()
    owe(room, "for the desk")
    owe(room, "for the hall", HALL)
    owe(room, "for somebody else", DESK, OTHER)
    shown = Shown()
    reach = {(ME, HALL): shown}
    asyncio.run(ticked(host(room, attached=lambda user, session: reach.get((user, session)))))
    room.channels.update(reach)
    assert shown.texts == []  # the room's own outbox goes by the room's own channels
    assert [row.content for row in room.unsent(HALL)] == []
    assert [row.content for row in room.unsent(DESK)] == ["for the desk"]
    assert room.channel.texts == ["for the hall"]


def test_what_a_dead_process_was_sending_is_settled_when_the_person_can_be_reached(room, clock):
    made = room()
    made.channel.shows_again = False
    owe(made, "half sent")
    owe(made, "behind it")
    (row, _) = made.unsent()
    gone = '{"host":"another machine","pid":1,"started":1}'
    made.store.write_now(lambda tx: outbox.move(tx, row, "sending", attempts=1, reason=gone))
    clock.advance(timedelta(minutes=2))
    asyncio.run(ticked(host(made)))
    found = made.store.read_now(lambda tx: outbox.find(tx, ME, row.id))
    assert found.state == "unknown"
    assert made.channel.texts == ["behind it"]


def test_the_next_wake_up_is_known(room, clock):
    made = room()
    due = to_text(clock.now() + timedelta(hours=1))
    made.store.write_now(lambda tx: wakeups.insert_wakeup(tx, a_wakeup("w", ME, due_at=due)))
    assert asyncio.run(host(made).tick()).next_due == due


def test_a_full_hand_is_followed_by_another_at_once(room):
    assert asyncio.run(host(room(), Counting(ticking.BATCH)).tick()).more
    assert not asyncio.run(host(room(), Counting(ticking.BATCH - 1)).tick()).more


# ---- what fails --------------------------------------------------------------------------------------------------------


def test_one_part_that_breaks_keeps_no_other_from_its_work(room, clock):
    made = room(provider=Answering())
    broken, well = Counting(LookupError("broken"), LookupError("broken")), Counting()

    async def story() -> None:
        await made.say("hello")
        clock.advance(timedelta(seconds=3))
        await ticked(host(made, broken, well))

    asyncio.run(story())
    assert well.asked == 1
    assert made.channel.texts == ["answer to hello"]


def test_a_part_that_breaks_again_and_again_does_not_fill_the_log(room, clock, capsys):
    one = host(room(), Counting(*[LookupError("broken")] * 100))

    async def story() -> None:
        for _ in range(100):
            await ticked(one)
            clock.advance(timedelta(seconds=0.5))

    asyncio.run(story())
    assert capsys.readouterr().err.count("host_part_failed") == 1


def test_a_session_that_fails_is_tried_again_later_and_ever_later(room, clock):
    made = room()
    tries: list[float] = []

    async def run(_user: Any, _session: Any, **_more: Any) -> bool:
        tries.append(clock.monotonic())
        raise LookupError("it breaks")

    made.talk.run = run
    made.store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))
    made.store.write_now(lambda tx: inbox.accept(tx, ME, DESK, "job", {}))

    async def story() -> None:
        one = host(made)
        for _ in range(400):
            await ticked(one)
            clock.advance(timedelta(seconds=0.5))

    asyncio.run(story())
    gaps = [after - before for before, after in itertools.pairwise(tries)]
    assert gaps[:6] == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    assert max(gaps) == 60.0


def test_a_database_that_fails_is_waited_for_and_the_host_goes_on(room_now, monkeypatch):
    room = room_now(provider=Answering())
    monkeypatch.setattr("steadyhand.wakeups.host.FIRST_WAIT", 0.001)
    monkeypatch.setattr("steadyhand.wakeups.host.LONGEST_WAIT", 0.01)
    taker = Counting(*[StoreUnavailable("store_busy", reason="busy")] * 5)

    async def story() -> None:
        stop = asyncio.Event()
        serving = asyncio.create_task(host(room, taker).serve(stop))
        await until(lambda: taker.asked >= 6)
        stop.set()
        await serving

    asyncio.run(story())


# ---- the loop ----------------------------------------------------------------------------------------------------------


async def _served(one: Host, story: Callable[[], Awaitable[None]]) -> None:
    stop = asyncio.Event()
    serving = asyncio.create_task(one.serve(stop))
    try:
        await story()
    finally:
        stop.set()
        await serving


def test_what_another_process_commits_is_noticed(room_now):
    room = room_now()
    taken: list[str] = []

    async def take(_held: Any, inbound: Any, _language: Any, _listener: Any) -> None:
        taken.append(inbound.id)
        room.store.write_now(lambda tx: (inbox.start(tx, ME, [inbound.id], "t"), inbox.settle(tx, ME, "t")))

    room.talk.takes("job", take)
    other = room.again(room.provider)

    async def story() -> None:
        await asyncio.sleep(0)
        other.store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))
        other.store.write_now(lambda tx: inbox.accept(tx, ME, DESK, "job", {}))
        await until(lambda: bool(taken))

    asyncio.run(_served(host(room), story))


def test_an_idle_host_looks_rarely(room_now):
    room = room_now()
    taker = Counting()

    async def story() -> None:
        await until(lambda: taker.asked >= 1)
        await asyncio.sleep(1.2)
        if room.store.on_sqlite:  # a server tells of the commits in its other databases too
            assert taker.asked <= 3

    asyncio.run(_served(host(room, taker), story))


def test_a_wake_up_that_is_due_soon_is_not_overslept(room_now):
    room = room_now()

    class Claiming(Counting):
        async def tick(self, limit: int) -> int:
            await super().tick(limit)
            claimed = room.store.write_now(lambda tx: wakeups.claim_due(tx, turns.Claim(None, "t", None), limit, [(ME, DESK)]))
            late.extend(room.store.clock.now() - from_text(row.due_at) for row in claimed)
            return len(claimed)

    late: list[timedelta] = []
    due = room.store.clock.now() + timedelta(seconds=1)
    room.store.write_now(lambda tx: wakeups.insert_wakeup(tx, a_wakeup("w", ME, due_at=to_text(due))))

    async def story() -> None:
        await until(lambda: bool(late))

    asyncio.run(_served(host(room, Claiming()), story))
    assert len(late) == 1


@pytest.fixture
def at_once(monkeypatch):
    """Leave what a person says to no other process first."""
    monkeypatch.setattr(ticking, "OWN_SECONDS", -1.0)


# ---- the end -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("at_once")
def test_a_stop_lets_a_running_turn_settle(room_now):
    gate = asyncio.Event()
    room = room_now(provider=Answering(gate))
    closed: list[float] = []

    async def close(grace: float) -> None:
        closed.append(grace)

    async def story() -> None:
        await room.say("hello")
        stop = asyncio.Event()
        one = host(room, grace=20.0, closing=(close,))
        serving = asyncio.create_task(one.serve(stop))
        await until(lambda: bool(room.provider.asked))
        stop.set()
        await asyncio.sleep(0.05)
        assert not serving.done()
        gate.set()
        await serving

    asyncio.run(story())
    assert room.channel.texts == ["answer to hello"]
    assert closed == [20.0]


@pytest.mark.usefixtures("at_once")
def test_a_turn_that_does_not_end_in_time_is_stopped_and_says_so(room_now):
    room = room_now(provider=Answering(asyncio.Event()))

    async def story() -> None:
        await room.say("hello")
        stop = asyncio.Event()
        serving = asyncio.create_task(host(room, grace=0.01).serve(stop))
        await until(lambda: bool(room.provider.asked))
        stop.set()
        await serving

    asyncio.run(story())
    assert room.turn().state == "stopped"


def test_after_a_stop_nothing_more_is_taken_up(room_now):
    room = room_now()
    taker = Counting()

    async def story() -> None:
        await until(lambda: taker.asked >= 1)

    asyncio.run(_served(host(room, taker), story))
    asked = taker.asked
    room.store.write_now(lambda tx: people.ensure_session(tx, ME, HALL, "terminal"))
    assert taker.asked == asked


@pytest.mark.usefixtures("at_once")
def test_a_host_that_is_cancelled_breaks_off_what_runs(room_now):
    room = room_now(provider=Answering(asyncio.Event()))

    async def story() -> None:
        await room.say("hello")
        serving = asyncio.create_task(host(room, grace=60.0).serve(asyncio.Event()))
        await until(lambda: bool(room.provider.asked))
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving

    asyncio.run(story())
    assert room.turn().state == "stopped"


def test_what_ends_badly_keeps_nothing_else_from_ending(room_now):
    room = room_now(said("unused"))
    ended: list[str] = []

    async def broken(_grace: float) -> None:
        raise LookupError

    async def well(_grace: float) -> None:
        ended.append("well")

    async def story() -> None:
        await asyncio.sleep(0)

    asyncio.run(_served(host(room, closing=(broken, well)), story))
    assert ended == ["well"]


# ---- sweeping ----------------------------------------------------------------------------------------------------------


def test_what_is_old_is_removed_now_and_then_but_not_where_a_wake_up_will_come(room, clock, monkeypatch):
    made = room(provider=Answering())

    async def story() -> None:
        one = host(made)
        for session in (DESK, HALL):
            await made.hear("hello", session)
        due = to_text(clock.now() + timedelta(days=90))
        made.store.write_now(lambda tx: wakeups.insert_wakeup(tx, a_wakeup("w", ME, session_id=HALL, due_at=due)))
        clock.advance(timedelta(days=30))
        await ticked(one)

    asyncio.run(story())
    assert made.history(DESK) == []
    assert len(made.history(HALL)) == 2
