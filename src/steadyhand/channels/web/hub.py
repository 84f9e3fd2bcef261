"""Decides who hears what goes on in a session, live. It must not wait for anybody: whoever does not keep up is let go, and comes back by number."""

import asyncio
from collections.abc import Mapping

from steadyhand.agent.events import CallEnded, CallStarted, Listener, TurnEvent
from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.wire import Delta
from steadyhand.store.sessions.outbox import Owed

MOST_WAITING = 256
Event = Mapping[str, Json]
Key = tuple[UserId, SessionId]


class Hearer:
    """One who hears a session: a connection's queue of events. *left* is set once they do not hear any more."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.left = asyncio.Event()
        self._events: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)

    def tell(self, event: Event, *, provisional: bool) -> None:
        """Put an event in the queue; one that is provisional may fall away, any other that does not fit ends the hearing."""
        try:
            self._events.put_nowait(event)
        except asyncio.QueueFull:
            if not provisional:
                self.left.set()

    async def next(self) -> Event:
        """Return the next event, as soon as there is one."""
        return await self._events.get()


class Hub:
    """The hearers of all sessions, and the messages of which somebody waits to hear that they were seen."""

    def __init__(self) -> None:
        self._hearers: dict[Key, set[Hearer]] = {}
        self._unseen: dict[str, tuple[Key, asyncio.Future[bool]]] = {}

    def join(self, user: UserId, session: SessionId) -> Hearer:
        """Let one more hear a session."""
        hearer = Hearer((user, session))
        self._hearers.setdefault(hearer.key, set()).add(hearer)
        return hearer

    def leave(self, hearer: Hearer) -> None:
        """Let one hear no more; when that was the last, what they had not seen is not seen."""
        hearer.left.set()
        there = self._hearers.get(hearer.key, set())
        there.discard(hearer)
        if not there:
            self._hearers.pop(hearer.key, None)
            for key, seen in list(self._unseen.values()):
                if key == hearer.key and not seen.done():
                    seen.set_result(False)

    def hears(self, user: UserId, session: SessionId) -> bool:
        """Tell whether anybody hears the session."""
        return bool(self._hearers.get((user, session)))

    def publish(self, user: UserId, session: SessionId, event: Event, *, provisional: bool = False) -> None:
        """Tell everybody who hears the session."""
        for hearer in tuple(self._hearers.get((user, session), ())):
            hearer.tell(event, provisional=provisional)

    def listener(self, user: UserId, session: SessionId) -> Listener:
        """Return what tells those who hear the session of its turn while it runs."""

        def listen(event: TurnEvent) -> None:
            told = _event(event)
            if told is not None:
                self.publish(user, session, told, provisional=True)

        return listen

    def settled(self, user: UserId, session: SessionId) -> None:
        """Tell that nothing goes on in the session: what was streamed and is no message does not count."""
        self.publish(user, session, {"type": "settled"})

    async def show(self, owed: Owed, seconds: float) -> bool:
        """Show a message to those who hear its session; tell whether one of them said within *seconds* that they have it."""
        key = (owed.user_id, owed.session_id)
        if not self.hears(*key):
            return False
        seen: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._unseen[owed.id] = (key, seen)
        try:
            self.publish(*key, message_event(owed))
            return await asyncio.wait_for(seen, seconds)
        except TimeoutError:
            return False
        finally:
            del self._unseen[owed.id]

    def seen(self, hearer: Hearer, owed: str) -> bool:
        """Take that a message was seen; False when nobody waits to hear so."""
        waiting = self._unseen.get(owed)
        if waiting is None or waiting[0] != hearer.key or waiting[1].done():
            return False
        waiting[1].set_result(True)
        return True


def message_event(owed: Owed) -> Event:
    """Return a message as it is shown, and shown again."""
    return {
        "type": "message",
        "id": owed.id,
        "seq": owed.seq,
        "source": owed.source,
        "text": owed.content,
        "reply_to": owed.reply_to,
        "change": owed.shows,
        "view": owed.data,
        "at": owed.created_at,
    }


def _event(event: TurnEvent) -> Event | None:
    match event:
        case Delta(text=text):
            return {"type": "delta", "text": text} if text else None
        case CallStarted(call):
            return {"type": "call", "id": call.id, "tool": call.name}
        case CallEnded(call, result):
            text = "" if result.silent else result.for_user
            return {"type": "result", "id": call.id, "tool": call.name, "ok": not result.is_error, "text": text}
        case _:
            return {"type": "again"}
