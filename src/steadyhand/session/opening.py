"""Decides what is done in the transaction that takes a session's lane: how it stands is read, and plain talk begins its turn. It must not answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.session import reading
from steadyhand.session.lane import Held
from steadyhand.session.questions import KEY
from steadyhand.session.turns import Asked, Begun, Known, begin
from steadyhand.store import Tx
from steadyhand.store.sessions import inbox, remembered
from steadyhand.store.sessions.inbox import Inbound
from steadyhand.store.sessions.standing import Standing, standing


@dataclass(frozen=True, slots=True)
class Talk:
    """Words that are for a turn and nothing else, and the turn that has begun about them."""

    asked: Asked
    begun: Begun


@dataclass(frozen=True, slots=True)
class Opened:
    """How a session stands as its lane is taken, what comes next, and the turn that has begun with that."""

    standing: Standing
    foremost: Inbound | None
    talk: Talk | None


def open_session(tx: Tx, held: Held) -> Opened:
    """Read how the session stands; where nothing is left over from before, what comes next begins its turn if it is talk."""
    there = standing(tx, held.user, held.session)
    foremost = inbox.foremost(tx, held.user, held.session)
    left_over = there.left_running or there.owes
    talk = None if left_over or foremost is None else _talk(tx, held, foremost, there)
    return Opened(there, foremost, talk)


def _talk(tx: Tx, held: Held, inbound: Inbound, there: Standing) -> Talk | None:
    body = cast("Mapping[str, Any]", inbound.body)
    if inbound.source != "person" or "cut" in body or not reading.is_talk(body["text"]):
        return None
    memory = remembered.held(tx, held.user, held.session)
    if KEY in memory:  # it may be the answer
        return None
    asked = Asked([inbound], body["text"])
    return Talk(asked, begin(tx, held, asked, Known(there.user, memory)))
