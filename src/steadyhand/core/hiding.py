"""Decides which part of a text or a value is a secret and shows it blanked; it must not let one through in a value that it does not know."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

HIDDEN = "[hidden]"
_SECRET = re.compile(r"(key|token|secret|pas+w|pwd|passphrase|authorization|cookie)", re.IGNORECASE)
# a user may hold an @ and a password a blank, so that the last @ of the line ends it: rather too much is blanked than too little
_URL_PASSWORD = re.compile(r"(?P<head>\b[a-z][a-z0-9+.-]*://[^:/\n]*:).+@", re.IGNORECASE)
_URL_OPTIONS = re.compile(r"(?P<head>\boptions=)-c\S*", re.IGNORECASE)
_NAMED_SECRET = re.compile(r"(?P<head>\b\w*(key|token|secret|pas+w\w*|pwd|passphrase)=)[^&\s]+", re.IGNORECASE)


def speaks_of_a_secret(name: str) -> bool:
    """Tell whether a value of that name must not be shown."""
    return _SECRET.search(name) is not None


def hide(text: str) -> str:
    """Return *text* with the passwords of its URLs blanked, those in front of the host and those among the parameters."""
    text = _URL_PASSWORD.sub(rf"\g<head>{HIDDEN}@", text)
    return _NAMED_SECRET.sub(rf"\g<head>{HIDDEN}", _URL_OPTIONS.sub(rf"\g<head>{HIDDEN}", text))


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
