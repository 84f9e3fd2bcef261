"""A room whose people sit on other channels: the real server on a real port of this machine, and what tests of it need."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from onebot_simulator.simulator import Simulator
from session.ground import ME, Room, scripted
from steadyhand.channels.app import Channels, Entrance, make_app
from steadyhand.channels.serving import listen, names_of, serve
from steadyhand.core.clock import Clock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.session.conversation import Conversations
from steadyhand.session.outbox import Channel
from steadyhand.store import Store
from steadyhand.store.people import bindings
from steadyhand.store.sessions import conversations, outbox
from steadyhand.store.sessions.outbox import Owed
from trial_domains import stand as trial

SELF, FRIEND, STRANGER = 10001, 20002, 30003
TOKEN = "a-token-for-onebot-tests"
WEB_TOKEN = "a-token-for-web-tests"
HERE = SessionId(f"onebot-{SELF}-{FRIEND}")
SECONDS = 60.0


class ChannelRoom(Room):
    """A room that is reached over channels alone."""

    ways: Channels

    def __post_init__(self) -> None:
        self.ways = Channels(self.store, answer_seconds=self.answer_seconds, seen_seconds=self.answer_seconds)
        self.spoke: list[tuple[str, str, str]] = []
        super().__post_init__()
        self.parts = replace(self.parts, spoke=lambda *who: self.spoke.append(who))
        self.talk = Conversations(self.parts)

    answer_seconds = 5.0

    def attached(self, user: UserId, session: SessionId) -> Channel | None:  # type: ignore[override]  # the room's own channel is another
        return self.ways.attached(user, session)

    def bind(self, account: int = FRIEND, user: UserId = ME, *, may_decide: bool = True) -> None:
        self.store.write_now(lambda tx: bindings.bind(tx, "onebot", str(account), user, may_decide=may_decide))

    def rows(self, session: SessionId = HERE, user: UserId = ME) -> list[Owed]:
        return self.store.read_now(lambda tx: outbox.after(tx, user, session, 0, 1000))

    def states(self, session: SessionId = HERE, user: UserId = ME) -> list[str]:
        return [row.state for row in self.rows(session, user)]

    def owe(self, text: str, session: SessionId = HERE, user: UserId = ME, turn: str = "turn_x", **more: Any) -> Owed:
        """Store a message that is owed to a person, as a turn would."""

        def work(tx: Any) -> Owed | None:
            from steadyhand.store.people import people

            people.ensure_session(tx, user, session, "onebot")
            row = outbox.owe(tx, user, session, turn, text, source="reply", **more)
            if row is not None:
                said = conversations.Said(row.id, "assistant", text, "reply", turn)
                conversations.add(tx, user, session, [said])
            return row

        row = self.store.write_now(work)
        assert row is not None
        return row

    async def deliver(self, session: SessionId = HERE, user: UserId = ME) -> None:
        """Send what is owed, and wait for whoever does so already."""
        await self.parts.outbox.deliver(user, session)
        await until(lambda: (user, session) not in self.parts.outbox._delivering)


def channel_room(
    url: str, folder: Path, clock: Clock | None, *lines: Any, answer_seconds: float = 5.0, **more: Any
) -> ChannelRoom:
    """Lay the database with its two persons, and stand a room on it."""
    trial.build(url, folder, clock).store.close()
    made = type("Made", (ChannelRoom,), {"answer_seconds": answer_seconds})
    return made(Store(url, clock), folder, more.pop("provider", None) or scripted(*lines), **more)


@dataclass
class Place:
    """The server while it runs."""

    room: ChannelRoom
    port: int
    simulators: list[Simulator] = field(default_factory=list[Simulator])

    @property
    def onebot(self) -> str:
        return f"ws://127.0.0.1:{self.port}/onebot/v11/ws"

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def simulator(self, self_id: int = SELF, form: str = "array", wrong: int = 0) -> Simulator:
        """Return an implementation that has connected, once the server has it; its clock is *wrong* by so many seconds."""
        made = Simulator(self.onebot, TOKEN, self_id, form)
        made.wrong = wrong
        self.simulators.append(made)
        await made.connect()
        await until(lambda: self.room.ways.links.of(str(self_id)) is not None)
        return made


@contextlib.asynccontextmanager
async def serving(room: ChannelRoom, **more: Any) -> AsyncGenerator[Place]:
    """Serve the room's channels."""
    bound = listen("127.0.0.1", 0)
    port = bound.getsockname()[1]
    entrance = Entrance(
        user=ME,
        language="en",
        web_token=WEB_TOKEN,
        names=names_of("127.0.0.1", port, ()),
        **{"onebot_token": TOKEN, **more},
    )
    stop = asyncio.Event()
    running = asyncio.create_task(serve(make_app(room.talk, room.ways, entrance), bound, stop))
    place = Place(room, port)
    try:
        yield place
    finally:
        for simulator in place.simulators:
            await simulator.drop()
        stop.set()
        await asyncio.wait_for(running, SECONDS)
        bound.close()


async def until(holds: Callable[[], Any], seconds: float = SECONDS) -> None:
    """Wait until something holds, looking again and again."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110  # what is waited for is in a database or in the server, and tells nobody
            await asyncio.sleep(0.01)
