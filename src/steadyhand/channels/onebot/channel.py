"""Decides how an owed message goes out over OneBot and what its fate is. It must not send one again whose fate it does not know.

The protocol has no key by which a message sent twice would be one: what went out and was not answered is *unknown*. An answer
that comes later than we wait settles it after all.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

from steadyhand.channels.onebot.addresses import CHANNEL, Peer, peer_of
from steadyhand.channels.onebot.events import Answer
from steadyhand.channels.onebot.link import Link, Links
from steadyhand.channels.onebot.segments import split, written
from steadyhand.core.canonical import Json
from steadyhand.core.ids import UserId
from steadyhand.core.logs import get_logger
from steadyhand.store import Store, Tx
from steadyhand.store.people import bindings
from steadyhand.store.sessions import conversations
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.ports import Delivered, NotSent, Queued, Sent, UnknownSent

ANSWER_SECONDS = 9.5
"""How long one message, all of its parts, may take: a little less than the outbox waits for a channel."""
MOST_LATE = 1000
TRY_AGAIN = frozenset({104, 201, 429, 1429, 1503})
"""Refusals after which nothing went out and another try can help: signed out, not ready, too fast, away for a while."""
KERNEL_FAILED = 1200
"""NapCat's answer when the client below it failed; where that only took too long, the message often arrives all the same."""

log = get_logger(__name__)

Arrived = Callable[[UserId, str, str], Awaitable[bool]]
"""Stores that a message has arrived after all; see `session.outbox.Outbox.arrived`."""


class OneBotChannel:
    """The way to people over OneBot; see `session.outbox.Channel`."""

    name = CHANNEL
    shows_again = False

    def __init__(self, store: Store, links: Links, seconds: float = ANSWER_SECONDS) -> None:
        self._store = store
        self._links = links
        self._seconds = seconds
        self._late: OrderedDict[str, tuple[str, UserId, str]] = OrderedDict()

    async def send(self, owed: Owed) -> Delivered:
        """Send one message, in as many parts as it needs, each after the answer to the one before."""
        peer = peer_of(owed.session_id)
        if peer is None:
            return NotSent("no_onebot_session")
        link = self._links.of(peer.self_id)
        if link is None:
            return Queued()
        quoted = await self._store.read(lambda tx: _quoted(tx, owed, peer))
        if isinstance(quoted, NotSent):
            return quoted
        return await self._send_parts(link, peer, owed, split(owed.content), quoted)

    async def _send_parts(self, link: Link, peer: Peer, owed: Owed, parts: list[str], quoted: str | None) -> Delivered:
        until = asyncio.get_running_loop().time() + self._seconds
        fate: Delivered = NotSent("empty")
        for index, part in enumerate(parts):
            left = until - asyncio.get_running_loop().time()
            is_last = index == len(parts) - 1
            fate = await self._send_part(link, peer, owed, written(part, quoted if index == 0 else None), left, is_last=is_last)
            if not isinstance(fate, Sent):
                if index:
                    log.warning("message_cut_short", session=owed.session_id, part=index + 1, parts=len(parts))
                return UnknownSent() if index else fate
        return fate

    async def _send_part(
        self, link: Link, peer: Peer, owed: Owed, message: Sequence[Json], seconds: float, *, is_last: bool
    ) -> Delivered:
        params = {"user_id": int(peer.account), "message": message}
        echo, answer = await link.ask("send_private_msg", params, seconds)
        if answer == "not_written":
            return Queued()
        if answer == "no_answer":
            if is_last:
                self._wait_longer(echo, link.self_id, owed)
            return UnknownSent()
        return fate_of(answer)

    def _wait_longer(self, echo: str, self_id: str, owed: Owed) -> None:
        self._late[echo] = (self_id, owed.user_id, owed.id)
        while len(self._late) > MOST_LATE:
            self._late.popitem(last=False)

    async def late(self, self_id: str, answer: Answer, arrived: Arrived) -> bool:
        """Take an answer that nobody waits for any more; tell whether it settled a message's fate after all."""
        waited = self._late.get(answer.echo)
        fate = fate_of(answer)
        if waited is None or waited[0] != self_id or not isinstance(fate, Sent):
            return False
        del self._late[answer.echo]
        _, user, owed = waited
        return await arrived(user, owed, fate.message_id)


def fate_of(answer: Answer) -> Delivered:
    """Return what an answer says of the message."""
    if answer.status == "ok" and answer.retcode == 0:
        return Sent(answer.message_id) if answer.message_id is not None else UnknownSent()
    if answer.status == "async":
        return UnknownSent()
    if answer.retcode in TRY_AGAIN:
        return Queued()
    if answer.retcode == KERNEL_FAILED and "timeout" in answer.words.lower():
        return UnknownSent()
    return NotSent(f"retcode {answer.retcode}: {answer.words}"[:200])


def _quoted(tx: Tx, owed: Owed, peer: Peer) -> str | NotSent | None:
    """Return the channel's id of the message that is quoted; nothing goes to an account that is no longer this person's."""
    account = bindings.find(tx, CHANNEL, peer.account)
    if account is None or account.user_id != owed.user_id:
        return NotSent("account_not_bound")
    if owed.reply_to is None:
        return None
    said = conversations.find(tx, owed.user_id, owed.session_id, owed.reply_to)
    said = said or conversations.by_channel_id(tx, owed.user_id, owed.session_id, owed.reply_to)
    return None if said is None else said.channel_message_id
