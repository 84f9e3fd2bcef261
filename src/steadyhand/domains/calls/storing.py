"""Decides how the result of a call is kept and read again, and how foreign text is made visible; it must not judge a result."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.tools.result import ToolResult


def as_stored(result: ToolResult) -> Json:
    """Return *result* as JSON that can be stored: text that is no Unicode is replaced, data that is no JSON is left out."""
    stored = {key: _unicode(value) if isinstance(value, str) else value for key, value in result.to_json().items()}
    try:
        canonical(stored)
    except (ValueError, TypeError, RecursionError):
        stored["data"] = None
    return stored


def from_stored(stored: Json) -> ToolResult:
    """Read a result back; its cause is not part of the record."""
    values = dict(cast("Mapping[str, Any]", stored))
    return ToolResult(is_async=values.pop("async"), **values)


def _unicode(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def visible(text: str) -> str:
    """Return *text* with every mark that does not print written out: what is read is all that is there."""
    return "".join(mark if mark == "\n" or mark.isprintable() else _written(mark) for mark in text)


def _written(mark: str) -> str:
    return f"\\u{ord(mark):04x}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08x}"
