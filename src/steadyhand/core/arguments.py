"""Decides whether the text of a call's arguments is one JSON object that means the same everywhere; and how a name in it is printed; it must not repair it."""

import json
from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical

MAX_ARGUMENT_BYTES = 1_000_000
MAX_SHOWN = 60


def parse_arguments(text: str) -> Mapping[str, Json] | None:
    """Parse strictly: one object, no key twice, only values that have canonical bytes, bounded; None when it is not that."""
    if len(text.encode("utf-8", "replace")) > MAX_ARGUMENT_BYTES:
        return None
    try:
        parsed = json.loads(text, object_pairs_hook=no_key_twice, parse_constant=no_constant)
        if not isinstance(parsed, dict):
            return None
        canonical(cast("dict[str, Json]", parsed))
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Json]", parsed)


class KeyTwice(ValueError):
    """One object has the same key twice: which value holds is nobody's to guess. *key* is that key."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of *pairs*, for a JSON reader's ``object_pairs_hook``. Raises `KeyTwice`."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise KeyTwice(key)
        found[key] = value
    return found


def no_constant(name: str) -> Any:
    """Refuse NaN and the infinities, for a JSON reader's ``parse_constant``: JSON has no such numbers. Raises `ValueError`."""
    raise ValueError(name)


def shown(text: str) -> str:
    """Return a name that a model gave as it can be printed: bounded, and without marks that a terminal obeys."""
    return "".join(mark if mark.isprintable() else "?" for mark in text[:MAX_SHOWN])
