"""Decides how values of a foreign JSON are taken: a value of another kind than wished is empty, never an error."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

Piece = Mapping[str, Any]
_DEEPEST = 6


def parsed(text: str) -> object | None:
    """Return what *text* is as JSON; None when it is none, or nests deeper than a reader can go."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def first_value(text: str, at: int) -> object | None:
    """Return the JSON value that begins at *at* of a text, whatever follows; None when there is none."""
    try:
        return cast("object", json.JSONDecoder().raw_decode(text, at)[0])
    except (ValueError, RecursionError):
        return None


def piece(value: object) -> Piece:
    """Return *value* when it is an object, else an empty one."""
    return cast("Piece", value) if isinstance(value, dict) else {}


def pieces(value: object) -> list[Piece]:
    """Return the objects of a list, without whatever else stands in it."""
    return [cast("Piece", one) for one in cast("list[object]", value) if isinstance(one, dict)] if isinstance(value, list) else []


def text_of(owner: Piece, *names: str) -> str:
    """Return the first of these values that is a text or a number and not empty, as text."""
    for name in names:
        value = owner.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9:
            return str(value)
    return ""


def number_of(owner: Piece, *names: str) -> int:
    """Return the first of these values that is a small whole number, written as one or as text; 0 when there is none."""
    for name in names:
        word = text_of(owner, name)
        if word.isascii() and word.isdigit() and len(word) <= 4:
            return int(word)
    return 0


def lists_within(value: object, depth: int = _DEEPEST) -> Iterator[list[Piece]]:
    """Yield every list of objects inside *value*, outer ones first, down to a few levels."""
    if depth == 0:
        return
    if isinstance(value, list):
        found = pieces(cast("object", value))
        if found:
            yield found
        for one in found:
            yield from lists_within(one, depth - 1)
    elif isinstance(value, dict):
        for inner in cast("Mapping[str, object]", value).values():
            yield from lists_within(inner, depth - 1)
