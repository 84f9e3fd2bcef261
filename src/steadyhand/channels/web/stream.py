"""Decides what a connection that hears a session is sent: what it missed, by number, then what happens. It must not hold up a turn.

A message counts as sent when the connection says ``{"type": "ack", "id": …}``; it is shown again until then.
"""

import asyncio
import json
from typing import Any, cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from steadyhand.channels.running import Running
from steadyhand.channels.web.guard import PROTOCOL
from steadyhand.channels.web.hub import Event, Hearer, Hub, message_event
from steadyhand.channels.web.shapes import Behind, SessionName
from steadyhand.core.canonical import legible
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.logs import get_logger
from steadyhand.session.conversation import Conversations
from steadyhand.store import Tx
from steadyhand.store.sessions import outbox

MOST_AT_ONCE = 200
LONGEST_FRAME = 4096
SECONDS_TO_TAKE = 20.0
"""So long one event may take to go out; whoever does not take it has gone."""
WAITING = ("queued", "sending")
"""These come by themselves, in their turn."""

log = get_logger(__name__)


class Streams:
    """The connections that hear sessions."""

    def __init__(self, talk: Conversations, user: UserId, hub: Hub, running: Running) -> None:
        self._store = talk.parts.store
        self._outbox = talk.parts.outbox
        self._user = user
        self._hub = hub
        self._running = running

    async def serve(self, websocket: WebSocket, session: SessionName, after: Behind = 0) -> None:
        """Serve one connection to its end."""
        await websocket.accept(PROTOCOL if PROTOCOL in websocket.scope.get("subprotocols", ()) else None)
        here = SessionId(session)
        hearer = self._hub.join(self._user, here)
        telling = asyncio.create_task(self._tell(websocket, hearer, here, after))
        hearing = asyncio.create_task(self._hear(websocket, hearer))
        leaving = asyncio.create_task(hearer.left.wait())
        try:
            await asyncio.wait({telling, hearing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._hub.leave(hearer)
            for task in (telling, hearing, leaving):
                task.cancel()
            await asyncio.gather(telling, hearing, leaving, return_exceptions=True)
        await _close(websocket)

    async def _tell(self, websocket: WebSocket, hearer: Hearer, session: SessionId, after: int) -> None:
        """Send what was missed, then what happens."""
        while rows := await self._store.read(lambda tx, after=after: _missed(tx, self._user, session, after)):
            for row in rows:
                if row.state not in WAITING:
                    await _send(websocket, message_event(row))
            after = rows[-1].seq
        await _send(websocket, {"type": "ready", "seq": after})
        self._running.deliver(self._user, session)
        while True:
            await _send(websocket, await hearer.next())

    async def _hear(self, websocket: WebSocket, hearer: Hearer) -> None:
        """Take what the connection says it has, until it ends."""
        while True:
            message = await websocket.receive()
            if message["type"] != "websocket.receive":
                return
            owed = _acknowledged(message.get("text"))
            if owed is not None and not self._hub.seen(hearer, owed):
                await self._seen_late(hearer, owed)

    async def _seen_late(self, hearer: Hearer, owed: str) -> None:
        user, session = hearer.key
        row = await self._store.read(lambda tx: outbox.find(tx, user, owed))
        if row is not None and row.session_id == session:
            await self._outbox.arrived(user, owed, owed)


def _missed(tx: Tx, user: UserId, session: SessionId, after: int) -> list[outbox.Owed]:
    return outbox.after(tx, user, session, after, MOST_AT_ONCE)


async def _send(websocket: WebSocket, event: Event) -> None:
    async with asyncio.timeout(SECONDS_TO_TAKE):
        await websocket.send_text(legible(json.dumps(event, ensure_ascii=False)))


def _acknowledged(text: str | None) -> str | None:
    """Return the id of the message that a frame says was seen; None for any other frame."""
    if text is None or len(text) > LONGEST_FRAME:
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    frame = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    owed = frame.get("id")
    return legible(owed) if frame.get("type") == "ack" and isinstance(owed, str) else None


async def _close(websocket: WebSocket) -> None:
    try:
        await websocket.close()
    except (WebSocketDisconnect, RuntimeError, OSError):
        return
