"""Decides how a conversation over OneBot is named: by our own account and the person's. It must not know who the person is."""

import re
from dataclasses import dataclass

from steadyhand.core.ids import SessionId

CHANNEL = "onebot"
_ID = re.compile(r"[1-9][0-9]{0,19}")
_SESSION = re.compile(rf"onebot-({_ID.pattern})-({_ID.pattern})")


@dataclass(frozen=True, slots=True)
class Peer:
    """The two ends of a private conversation: *self_id* is ours."""

    self_id: str
    account: str

    @property
    def session(self) -> SessionId:
        """The session of this conversation."""
        return SessionId(f"onebot-{self.self_id}-{self.account}")


def peer_of(session: SessionId) -> Peer | None:
    """Return whose conversation a session is; None when it is none over OneBot."""
    found = _SESSION.fullmatch(session)
    return None if found is None else Peer(*found.groups())


def account_id(value: object) -> str | None:
    """Return an account's number as a text, from the number or the text that came; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value) if isinstance(value, str) or abs(value) < 10**20 else ""
    return text if _ID.fullmatch(text) else None
