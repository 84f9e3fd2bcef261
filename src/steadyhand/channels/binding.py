"""Decides how an account of a channel comes to be a person's: by a code that the person was given and says there. It must not keep the code.

A code is good once, for ten minutes, and only until five wrong ones were said on its channel.
"""

import asyncio
import hashlib
import hmac
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from steadyhand.core.clock import to_text
from steadyhand.core.ids import READABLE, UserId, new_code, new_id
from steadyhand.session.reading import WIDE
from steadyhand.store import Store, Tx
from steadyhand.store.people import bindings
from steadyhand.store.people.bindings import Account
from steadyhand.store.sessions import pairings
from steadyhand.store.sessions.pairings import Waiting

GOOD_FOR = timedelta(minutes=10)
MOST_WRONG = 5
COST = 2**14
"""Work of one look at a code: whoever gets hold of the database cannot try all codes while one is good."""

_CODE = re.compile(rf"(?:/pair\s+)?([{READABLE}]{{4}})[- ]?([{READABLE}]{{4}})", re.IGNORECASE)

Refusal: TypeAlias = Literal["wrong", "locked", "none"]


@dataclass(frozen=True, slots=True)
class Invitation:
    """A code as it is shown to its person, once."""

    code: str
    until: datetime


def code_in(text: str) -> str | None:
    """Return the code that a message is, and nothing else; None when it is something else."""
    found = _CODE.fullmatch(text.translate(WIDE).strip())
    return None if found is None else "".join(found.groups()).upper()


class Pairing:
    """The codes of all channels."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def invite(self, user: UserId, channel: str, *, may_decide: bool) -> Invitation:
        """Make a code for the person; an earlier one for this channel is void."""
        code, salt = new_code(), new_id("salt")
        hashed = await asyncio.to_thread(_hash, code, salt)
        until = self._store.clock.now() + GOOD_FOR
        waiting = Waiting(user, channel, salt, hashed, may_decide, 0, to_text(until))
        await self._store.write(lambda tx: pairings.put(tx, waiting))
        return Invitation(f"{code[:4]}-{code[4:]}", until)

    async def redeem(self, channel: str, account: str, code: str) -> Account | Refusal:
        """Bind the account to the person whose code this is.

        Else ``none``: no code waits there; ``wrong``; ``locked``: it was wrong once too often, and what waited is void.
        """
        waiting = await self._store.read(lambda tx: pairings.of_channel(tx, channel))
        if not waiting:
            return "none"
        hashes = {one.salt: await asyncio.to_thread(_hash, code, one.salt) for one in waiting}
        return await self._store.write(lambda tx: _redeem(tx, channel, account, hashes))


def _redeem(tx: Tx, channel: str, account: str, hashes: dict[str, str]) -> Account | Refusal:
    """Look again at what waits: only what was looked at and is still there counts."""
    waiting = [one for one in pairings.of_channel(tx, channel, hold_them=True) if one.salt in hashes]
    for one in waiting:
        if hmac.compare_digest(one.hashed, hashes[one.salt]):
            pairings.drop(tx, one.user_id, channel)
            bindings.bind(tx, channel, account, one.user_id, may_decide=one.may_decide)
            return Account(channel, account, one.user_id, one.may_decide, tx.now())
    for one in waiting:
        if one.wrong + 1 >= MOST_WRONG:
            pairings.drop(tx, one.user_id, channel)
        else:
            pairings.put(tx, replace(one, wrong=one.wrong + 1))
    if not waiting:
        return "none"
    return "locked" if all(one.wrong + 1 >= MOST_WRONG for one in waiting) else "wrong"


def _hash(code: str, salt: str) -> str:
    return hashlib.scrypt(code.encode(), salt=salt.encode(), n=COST, r=8, p=1, dklen=32).hex()
