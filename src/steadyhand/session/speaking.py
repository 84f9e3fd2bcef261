"""Decides how a tool of a turn speaks to the person of its session: stored first, then sent. It must not send past the outbox."""

from collections.abc import Callable

from steadyhand.core.canonical import Json
from steadyhand.session.lane import Held
from steadyhand.session.outbox import Outbox
from steadyhand.session.truth import Ground, told
from steadyhand.store import Store, Tx
from steadyhand.store.sessions import conversations, outbox
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.ports import Delivered, NotSent, Queued, Sent, UnknownSent

PROACTIVE = "proactive_send"
"""The source of a message that nobody asked for just then."""
NOT_NOW = "quiet_hours_or_too_many_today"
"""Why something is not said that nobody asked for."""


class Speaking:
    """The outbox of one turn; see `tools.ports.Outbox`. *said* holds what was sent, by the text as it was given.

    What a tool says is held against the same *ground* as the turn's own words. *trigger* is kept with what is sent unasked,
    and *lead* is said before the first of it. Nothing is said that is not *allowed* just then.
    """

    def __init__(
        self,
        sends: Outbox,
        store: Store,
        held: Held,
        turn: str,
        ground: Ground,
        trigger: Json = None,
        lead: str = "",
        allowed: "Callable[[Tx], bool] | None" = None,
    ) -> None:
        self._sends = sends
        self._store = store
        self._held = held
        self._turn = turn
        self._ground = ground
        self._trigger = trigger
        self._lead = lead
        self._allowed = allowed
        self.said: dict[str, str] = {}

    async def send(self, text: str, *, source: str, reply_to: str | None = None) -> Delivered:
        """Store *text* as owed, then let the channel have it, after what was owed before it.

        The same text twice in one turn is one message: its first fate is told again.
        """
        owed = await self._store.write(lambda tx: self._owe(tx, text, source, reply_to))
        if owed is None:
            return NotSent(NOT_NOW)
        await self._sends.deliver(self._held.user, self._held.session)
        return _fate(await self._store.read(lambda tx: outbox.find(tx, self._held.user, owed)))

    def _owe(self, tx: Tx, text: str, source: str, reply_to: str | None) -> str | None:
        user, session, said = self._held.user, self._held.session, text.strip()
        if reply_to is None and said in self.said:
            return self.said[said]
        if self._allowed is not None and not self._allowed(tx):
            return None
        text = told(tx, user, session, text, self._ground)
        data = self._trigger if source == PROACTIVE else None
        if self._lead:
            self._say(tx, self._lead, PROACTIVE, self._trigger)
        row = outbox.owe(tx, user, session, self._turn, text, source=source, reply_to=reply_to, data=data)
        if row is None:
            same = [one for one in outbox.of_turn(tx, user, self._turn) if one.content == text and one.reply_to == reply_to]
            return same[0].id
        self.said[said] = row.id
        conversations.add(tx, user, session, [Said(row.id, "assistant", text, source, self._turn, data=data)])
        return row.id

    def _say(self, tx: Tx, text: str, source: str, data: Json) -> None:
        """Owe what code says, once in a turn."""
        user, session = self._held.user, self._held.session
        row = outbox.owe(tx, user, session, self._turn, text, source=source, data=data)
        if row is not None:
            conversations.add(tx, user, session, [Said(row.id, "assistant", text, source, self._turn, data=data)])


def _fate(row: Owed | None) -> Delivered:
    if row is None:
        return NotSent("gone")
    match row.state:
        case "sent":
            return Sent(row.sent_message_id or row.id)
        case "failed":
            return NotSent(row.reason)
        case "unknown":
            return UnknownSent()
        case "queued" | "sending":
            return Queued()
