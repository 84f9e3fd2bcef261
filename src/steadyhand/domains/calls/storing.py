"""Decides how the result of a call is kept and read again; it must not judge a result."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.tools.result import ToolResult, storable


def as_stored(result: ToolResult) -> Json:
    """Return *result* as JSON that can be stored."""
    return storable(result).to_json()


def from_stored(stored: Json) -> ToolResult:
    """Read a result back; its cause is not part of the record."""
    values = dict(cast("Mapping[str, Any]", stored))
    return ToolResult(is_async=values.pop("async"), **values)
