"""Decides what counts as JSON from outside: one meaning or none, whole characters, no key that looks like damage; it must not repair anything."""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from steadyhand.core.arguments import no_constant, no_key_twice
from steadyhand.core.canonical import Json
from steadyhand.llm.provider import ProviderError

Object = Mapping[str, Json]
EMPTY: Object = {}


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=no_key_twice, parse_constant=no_constant, parse_float=_finite)


def load(text: str) -> Json:
    """Return the value of *text*; raises `ValueError` for what is no JSON, has a key twice, a number without end, or is nested so."""
    try:
        return cast("Json", _DECODER.decode(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def load_arguments(text: str) -> Object | None:
    """Return the one object that *text* is, with numbers as exact as they came; None when it is anything else."""
    try:
        value = load(text)
        if not isinstance(value, Mapping):
            return None
        if "\\u" in text:  # it may be half a character
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return value


def paired(text: str) -> str:
    """Return *text* with the halves of its characters joined; half a character alone raises `ProviderError`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise ProviderError("protocol", "half_character") from None
    return text


class Text:
    """A text that comes in pieces, which may be cut in the middle of a character that JSON wrote as two halves."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._half = ""

    def add(self, piece: str) -> str:
        """Take the next piece; return what of it, and of the one before, can be shown now."""
        piece = self._half + piece
        self._half = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            self._half, piece = piece[-1], piece[:-1]
        piece = paired(piece)
        if piece:
            self._pieces.append(piece)
        return piece

    def so_far(self) -> str:
        """Return what came, without half a character at its end."""
        return "".join(self._pieces)

    def whole(self) -> str:
        """Return everything; raises `ProviderError` when the last character never came whole."""
        if self._half:
            raise ProviderError("protocol", "half_character")
        return "".join(self._pieces)


KNOWN: Mapping[str, frozenset[str]] = {
    "chunk": frozenset({"choices", "error", "errors", "base_resp", "usage", "error_code", "error_msg"}),
    "choice": frozenset({"index", "delta", "finish_reason", "message", "error"}),
    "delta": frozenset({"content", "refusal", "tool_calls", "function_call", "reasoning_content", "reasoning"}),
    "call": frozenset({"index", "id", "function", "type"}),
    "function": frozenset({"name", "arguments"}),
}
"""The keys, by where they stand, whose loss would change what an answer means."""


def check_keys(place: str, node: Object) -> None:
    """Refuse a key that is one letter off a known one, or no word: passing over it as unknown would lose what it carries."""
    for key in node:
        if key not in KNOWN[place] and _near_miss(place, key):
            raise ProviderError("protocol", "key_damaged", about=key)


ASIDE = frozenset(
    {"type", "event", "id", "object", "created", "model", "timestamp", "provider", "system_fingerprint", "service_tier"}
)
"""What an event may hold that is neither a piece of an answer nor a failure, such as a sign of life."""


def check_chunk(chunk: Object) -> None:
    """Refuse an event without choices of which it is not certain that it says nothing: it may be a failure that was damaged."""
    if "choices" in chunk or "usage" in chunk or chunk.get("object") == "chat.completion.chunk":
        return
    if any(chunk[key] is not None and key not in ASIDE for key in chunk):
        raise ProviderError("protocol", "not_an_event")


def tells_of_failure(kind: str) -> bool:
    """Tell whether an event of *kind* reports a failure, even when one letter of the word was damaged."""
    kind = kind.strip().lower()
    return "error" in kind or _differ_in_one(kind, "error")


@lru_cache(maxsize=1024)
def _near_miss(place: str, key: str) -> bool:
    return not key.isprintable() or any(_differ_in_one(key, known) for known in KNOWN[place])


def _differ_in_one(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1
