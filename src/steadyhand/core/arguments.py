"""Decides whether the text of a call's arguments is one JSON object that means the same everywhere; it must not repair or interpret it."""

import json
from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical

MAX_ARGUMENT_BYTES = 1_000_000


def parse_arguments(text: str) -> Mapping[str, Json] | None:
    """Parse strictly: one object, no key twice, only values that have canonical bytes, bounded; None when it is not that."""
    if len(text.encode("utf-8", "replace")) > MAX_ARGUMENT_BYTES:
        return None
    try:
        parsed = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
        if not isinstance(parsed, dict):
            return None
        canonical(cast("dict[str, Json]", parsed))
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Json]", parsed)


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)
