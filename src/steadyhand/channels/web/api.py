"""Decides what a page or a program may ask for over HTTP; it must not decide a change but by a message, as everywhere."""

from datetime import datetime, timedelta

from fastapi import APIRouter

from steadyhand.channels.running import Running
from steadyhand.channels.web.channel import CHANNEL
from steadyhand.channels.web.history import history
from steadyhand.channels.web.shapes import Health, History, Limit, Sending, SessionItem, SessionName, Sessions, Stopping, Taken
from steadyhand.core.canonical import legible
from steadyhand.core.clock import from_text
from steadyhand.core.errors import DecisionRefused, ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.session.conversation import Conversations
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, outbox

EVER_SO_LITTLE = timedelta(microseconds=1)
OTHERS = ("onebot-", "sub-")
"""Sessions so named begin elsewhere; here they can only be gone on with."""


class Api:
    """The routes over HTTP, for one person."""

    def __init__(self, talk: Conversations, user: UserId, running: Running) -> None:
        self._talk = talk
        self._store = talk.parts.store
        self._user = user
        self._running = running

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter()
        router.add_api_route("/healthz", self.healthz, methods=["GET"])
        router.add_api_route("/readyz", self.readyz, methods=["GET"])
        router.add_api_route("/api/sessions", self.sessions, methods=["GET"])
        router.add_api_route("/api/sessions/{session}/history", self.history, methods=["GET"])
        router.add_api_route("/api/sessions/{session}/messages", self.send, methods=["POST"], status_code=202)
        router.add_api_route("/api/sessions/{session}/stop", self.stop, methods=["POST"])
        return router

    async def healthz(self) -> Health:
        """Tell that the program answers."""
        return Health()

    async def readyz(self) -> Health:
        """Tell that the database answers too."""
        await self._store.read(lambda tx: people.require_user(tx, self._user))
        return Health()

    async def sessions(self) -> Sessions:
        """List the person's sessions."""
        rows = await self._store.read(lambda tx: conversations.sessions_of(tx, self._user))
        items = [
            SessionItem(
                id=row.id,
                channel=row.channel,
                name=row.name,
                said=row.said,
                created_at=row.created_at,
                used_at=row.updated_at,
            )
            for row in rows
        ]
        return Sessions(sessions=items)

    async def history(self, session: SessionName, limit: Limit = 200) -> History:
        """Return what was said in a session."""
        here = SessionId(session)
        if await self._store.read(lambda tx: conversations.find_session(tx, self._user, here)) is None:
            raise DecisionRefused("session_unknown", session=session)
        return await self._store.read(lambda tx: history(tx, self._user, here, limit))

    async def send(self, session: SessionName, sending: Sending) -> Taken:
        """Store a message of the person, and let it be taken up."""
        here = SessionId(session)
        if session.startswith(OTHERS) and await self._store.read(
            lambda tx: conversations.find_session(tx, self._user, here) is None
        ):
            raise ToolRefusal("web_not_found", what=session)
        inbound = await self._talk.accept(
            self._user,
            here,
            sending.text,
            channel=CHANNEL,
            message_id=sending.id,
            quotes=None if sending.quotes is None else legible(sending.quotes),
            begun=await self._begun(here, sending.behind),
        )
        if inbound is not None:
            self._running.wake(self._user, here)
        return Taken(new=inbound is not None)

    async def _begun(self, session: SessionId, behind: int | None) -> datetime | None:
        """Return a moment before which a message was begun: the next one after what stood there was not even made."""
        if behind is None:
            return None
        rows = await self._store.read(lambda tx: outbox.after(tx, self._user, session, behind, 1))
        return from_text(rows[0].created_at) - EVER_SO_LITTLE if rows else None

    async def stop(self, session: SessionName) -> Stopping:
        """Ask the turn that runs in a session to stop."""
        return Stopping(stopped=await self._talk.stop(self._user, SessionId(session)))
