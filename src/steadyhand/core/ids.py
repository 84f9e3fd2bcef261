"""Decides what an identity looks like; the only place that draws random values. It must not know what an id names."""

import secrets
from typing import NewType

UserId = NewType("UserId", str)
SessionId = NewType("SessionId", str)
ChangeId = NewType("ChangeId", str)
DraftId = NewType("DraftId", str)
JobId = NewType("JobId", str)

LOCAL_USER = UserId("local")
LOCAL_SESSION = SessionId("terminal")
READABLE = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


def new_id(prefix: str) -> str:
    """Return a fresh text id, ``prefix_`` and 20 hexadecimal digits (80 random bits)."""
    return f"{prefix}_{secrets.token_hex(10)}"


def new_number() -> int:
    """Return a fresh positive row number of at most 52 bits, exact in JSON and in every database."""
    return secrets.randbits(52) | 1


def new_secret() -> str:
    """Return a fresh text that nobody can guess (256 random bits), for a file that only its owner may read."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """Return eight random letters and digits that people can read out and type: none of them looks like another."""
    return "".join(secrets.choice(READABLE) for _ in range(8))


def change_name(number: int) -> str:
    """Return the name that people say, ``C-42``."""
    return f"C-{number}"


def parse_change_name(text: str) -> int | None:
    """Read ``C-42``, ``c-42`` or ``42``; anything else is None, never a guess."""
    digits = text.strip().upper().removeprefix("C-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return None
    return int(digits)
