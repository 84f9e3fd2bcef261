"""Decides who may connect as a OneBot implementation and how its frames are taken: in order, bounded, none of them fatal. It must not read messages.

Events wait in a short queue: while it is full nothing more is read from that connection, and the others do not notice.
"""

import asyncio
import hmac
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from starlette.websockets import WebSocket, WebSocketDisconnect

from steadyhand.channels.onebot.addresses import account_id, peer_of
from steadyhand.channels.onebot.channel import Arrived, OneBotChannel
from steadyhand.channels.onebot.events import Alive, Answer, Ignored, Malformed, Private, read_frame
from steadyhand.channels.onebot.link import Link, Links
from steadyhand.channels.onebot.receiving import Receiver
from steadyhand.channels.running import Running
from steadyhand.core.errors import OperatorRepairs
from steadyhand.core.ids import SessionId
from steadyhand.core.logs import get_logger

PATH = "/onebot/v11/ws"
MOST_CHARACTERS = 1_000_000
"""Of one frame; pictures come as addresses, not inside of it."""
MOST_WAITING = 64
TRIES = 6
FIRST_PAUSE = 0.1
REPLACED = 4000

Came: TypeAlias = tuple[Private, datetime]
"""A message with the moment at which it was written, by our clock."""

log = get_logger(__name__)


class Endpoint:
    """Where implementations connect."""

    def __init__(
        self, token: str, links: Links, channel: OneBotChannel, receiver: Receiver, arrived: Arrived, running: Running
    ) -> None:
        self._token = f"Bearer {token}".encode()
        self._links = links
        self._channel = channel
        self._receiver = receiver
        self._clock = receiver.clock
        self._arrived = arrived
        self._running = running
        self._seen: Counter[str] = Counter()

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one connection to its end; one that does not bring the token, its account or its role is refused before it is made."""
        self_id = account_id(websocket.headers.get("x-self-id"))
        role = websocket.headers.get("x-client-role", "universal").lower()
        if not self._brings_token(websocket) or self_id is None or role != "universal":
            log.warning("onebot_refused", role=role[:20], has_account=self_id is not None)
            await websocket.close()
            return
        await websocket.accept()
        link = _link(self_id, websocket)
        old = self._links.join(link)
        log.info("onebot_connected", self_id=self_id, replaces=old is not None)
        if old is not None:
            self._running.start(old.hang_up())
        self._running.start(self._running.deliver_where(_is_of(self_id)))
        try:
            await self._read(websocket, link)
        finally:
            self._links.leave(link)
            log.info("onebot_disconnected", self_id=self_id)

    def _brings_token(self, websocket: WebSocket) -> bool:
        given = websocket.headers.getlist("authorization")
        given += [f"Bearer {token}" for token in websocket.query_params.getlist("access_token")]
        matches = [hmac.compare_digest(one.encode("utf-8", "replace"), self._token) for one in given]
        return bool(matches) and all(matches)

    async def _read(self, websocket: WebSocket, link: Link) -> None:
        waiting: asyncio.Queue[Came | None] = asyncio.Queue(MOST_WAITING)
        worker = self._running.start(self._work(waiting, link))
        try:
            while True:
                message = await websocket.receive()
                if message["type"] != "websocket.receive":
                    break
                await self._frame(message.get("text"), waiting, link)
        except WebSocketDisconnect:
            pass
        finally:
            link.lose()
            await waiting.put(None)  # what has come is still taken: it will not come again
            await worker

    async def _frame(self, text: str | None, waiting: "asyncio.Queue[Came | None]", link: Link) -> None:
        if text is None or len(text) > MOST_CHARACTERS:
            self._note("onebot_malformed", "binary" if text is None else "too_long", link)
            return
        match read_frame(text):
            case Answer() as answer:
                if not link.answered(answer) and not await self._channel.late(link.self_id, answer, self._arrived):
                    self._note("onebot_ignored", "answer", link)
            case Private() as private:
                await waiting.put((private, link.written_at(private.at, self._clock.now())))
            case Alive(kind, good, at):
                link.told_at(at, self._clock.now())
                log.debug("onebot_alive", self_id=link.self_id, kind=kind[:20], good=good)
            case Ignored(what):
                self._note("onebot_ignored", what, link)
            case Malformed(why):
                self._note("onebot_malformed", why, link)

    def _note(self, event: str, what: str, link: Link) -> None:
        """Log what is not taken: the first of each kind, then each thousandth."""
        key = f"{link.self_id} {event} {what}"
        self._seen[key] += 1
        if self._seen[key] % 1000 == 1:
            log.warning(event, self_id=link.self_id, what=what, times=self._seen[key])

    async def _work(self, waiting: "asyncio.Queue[Came | None]", link: Link) -> None:
        while (came := await waiting.get()) is not None:
            try:
                await self._take(link, *came)
            except Exception:  # one message that breaks us must not end the connection
                log.exception("onebot_message_lost", self_id=link.self_id)

    async def _take(self, link: Link, private: Private, begun: datetime) -> None:
        """Take a message, again while the database cannot be written: it will not come a second time."""
        for attempt in range(TRIES):
            try:
                await self._receiver.take(link, private, begun)
            except OperatorRepairs as error:
                if attempt == TRIES - 1:
                    raise
                log.warning("onebot_message_waits", self_id=link.self_id, code=error.code)
                await asyncio.sleep(FIRST_PAUSE * 2**attempt)
            else:
                return


def _is_of(self_id: str) -> Callable[[SessionId], bool]:
    """Return what tells whether a session is a conversation of one of our accounts."""

    def is_of(session: SessionId) -> bool:
        peer = peer_of(session)
        return peer is not None and peer.self_id == self_id

    return is_of


def _link(self_id: str, websocket: WebSocket) -> Link:
    async def write(text: str) -> None:
        try:
            await websocket.send_text(text)
        except (WebSocketDisconnect, RuntimeError, OSError) as error:
            raise ConnectionError from error

    async def hang_up() -> None:
        try:
            await websocket.close(REPLACED)
        except (WebSocketDisconnect, RuntimeError, OSError):
            return

    return Link(self_id, write, hang_up)
