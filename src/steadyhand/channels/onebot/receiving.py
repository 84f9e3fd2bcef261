"""Decides what becomes of a private message: a bound account's goes into its session, a stranger's nowhere. It must not read what it means."""

from datetime import datetime
from typing import Literal

from steadyhand.channels.binding import Pairing, code_in
from steadyhand.channels.onebot.addresses import CHANNEL, Peer
from steadyhand.channels.onebot.events import Private
from steadyhand.channels.onebot.link import Link
from steadyhand.channels.onebot.segments import Heard, read, written
from steadyhand.channels.onebot.strangers import Strangers
from steadyhand.channels.running import Running
from steadyhand.core.clock import Clock
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language, say
from steadyhand.core.logs import get_logger
from steadyhand.session.conversation import Conversations
from steadyhand.store import Tx
from steadyhand.store.people import bindings, people
from steadyhand.store.people.bindings import Account
from steadyhand.store.sessions import conversations

STRANGER_SECONDS = 5.0

log = get_logger(__name__)


class Receiver:
    """Takes private messages, one after the other for each connection."""

    def __init__(self, talk: Conversations, language: Language, running: Running) -> None:
        self._talk = talk
        self._store = talk.parts.store
        self._language: Language = language
        self._running = running
        self._pairing = Pairing(self._store)
        self._strangers = Strangers(self._store.clock)

    @property
    def clock(self) -> Clock:
        """The clock by which the moments of messages are told."""
        return self._store.clock

    async def take(self, link: Link, private: Private, begun: datetime) -> None:
        """Take one message, written at the moment *begun*; when it returns, a bound account's message is stored."""
        if private.peer.self_id != link.self_id:
            log.warning("onebot_other_account", self_id=link.self_id)
            return
        account = await self._store.read(lambda tx: bindings.find(tx, CHANNEL, private.peer.account))
        if account is None:
            await self._stranger(link, private)
            return
        heard = read(private.message, await self._language_of(account))
        if heard.text:
            await self._accept(account, private, heard, begun)

    async def _accept(self, account: Account, private: Private, heard: Heard, begun: datetime) -> None:
        user, session = account.user_id, private.peer.session
        there = await self._store.read(lambda tx: conversations.find_session(tx, user, session))
        if there is None or there.address is None:
            await self._store.write(lambda tx: _address(tx, user, private.peer))
        inbound = await self._talk.accept(
            user,
            session,
            heard.text,
            channel=CHANNEL,
            message_id=private.message_id,
            quotes=heard.quotes,
            origin_id=private.message_id and f"{CHANNEL}:{private.peer.self_id}:{private.message_id}",
            begun=begun,
            may_decide=account.may_decide,
        )
        if inbound is not None:
            self._running.wake(user, session)

    async def _language_of(self, account: Account) -> Language:
        person = await self._store.read(lambda tx: people.find_user(tx, account.user_id))
        return self._language if person is None else person.language

    async def _stranger(self, link: Link, private: Private) -> None:
        """Answer a stranger with one line; what they wrote is looked at for a code, and kept nowhere."""
        peer = private.peer
        code = code_in(read(private.message, self._language).text)
        if code is not None:
            came = await self._pairing.redeem(CHANNEL, peer.account, code)
            if came != "none":
                self._running.start(self._tell(link, peer, _line(came)))
                return
        if self._strangers.to_be_told(peer.self_id, peer.account):
            self._running.start(self._tell(link, peer, "invitation"))

    async def _tell(self, link: Link, peer: Peer, line: str) -> None:
        message = written(say(self._language, f"channels.stranger.{line}"))
        await link.ask("send_private_msg", {"user_id": int(peer.account), "message": message}, STRANGER_SECONDS)


def _line(came: "Account | Literal['wrong', 'locked']") -> str:
    if isinstance(came, Account):
        log.warning("account_bound", channel=CHANNEL, may_decide=came.may_decide)
        return "bound_decides" if came.may_decide else "bound_talks"
    return came


def _address(tx: Tx, user: UserId, peer: Peer) -> None:
    people.ensure_session(tx, user, peer.session, CHANNEL)
    address = {"self_id": peer.self_id, "account": peer.account}
    conversations.change_session(tx, user, peer.session, address=address)
