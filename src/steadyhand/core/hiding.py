"""Decides which part of a text or a value is a secret and shows it blanked; it must not let one through in a value that it does not know."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

HIDDEN = "[hidden]"
_SECRET = re.compile(r"(key|token|secret|pas+w|pwd|passphrase|authorization|cookie)", re.IGNORECASE)
_URL_USER = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[^:/]*:", re.IGNORECASE)
_URL_OPTIONS = re.compile(r"(?P<head>\boptions=)-c\S*", re.IGNORECASE)
_VALUE = re.compile(r"=[^&\s]+")
_NAMES_A_SECRET = re.compile(r"(?:pas{1,9}w\w{0,40}|key|token|secret|pwd|passphrase)$", re.IGNORECASE)
LONGEST_NAME = 80
"""So much is looked at of what stands before a value, for a name that speaks of a secret."""


def speaks_of_a_secret(name: str) -> bool:
    """Tell whether a value of that name must not be shown."""
    return _SECRET.search(name) is not None


def hide(text: str) -> str:
    """Return *text* with the passwords of its URLs blanked, those in front of the host and those among the parameters."""
    text = "\n".join(map(_without_password, text.split("\n")))
    return _VALUE.sub(_without_secret, _URL_OPTIONS.sub(rf"\g<head>{HIDDEN}", text))


def _without_password(line: str) -> str:
    """Blank what stands between the user of a URL and the last @ of the line: a user may hold an @, and a password a blank."""
    end = line.rfind("@")
    user = _URL_USER.search(line, 0, end) if end > 0 else None
    return line if user is None or user.end() >= end else f"{line[: user.end()]}{HIDDEN}{line[end:]}"


def _without_secret(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - LONGEST_NAME, 0) : found.start()]
    return f"={HIDDEN}" if _NAMES_A_SECRET.search(before) else found[0]


def hide_in(name: str, value: object) -> object:
    """Return *value*, which is called *name*, with every secret in it blanked, however deep it lies."""
    if speaks_of_a_secret(name):
        return HIDDEN
    if isinstance(value, Mapping):
        return {key: hide_in(str(key), inner) for key, inner in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [hide_in("", inner) for inner in cast("Sequence[object]", value)]
    if value is None or isinstance(value, bool | int | float):
        return value
    return hide(value if isinstance(value, str) else repr(value))
