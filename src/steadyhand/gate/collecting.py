"""Decides whether calls that a provider gave are the ones the route wants next: name, order, count, JSON. It must not compile or run them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.wire import ToolCall
from steadyhand.gate.contract import CollectedCall, Refusal

MAX_REFUSALS = 3
ROUNDS_PER_TOOL = 2
MAX_ARGUMENT_BYTES = 1_000_000


def check(
    route: Sequence[str], stored: int, calls: Sequence[ToolCall], provider_round: int
) -> tuple[CollectedCall, ...] | Refusal:
    """Check the calls of one round against what remains of *route* after *stored* calls.

    All of a round are taken or none is; a refusal names the first call that does not fit.
    """
    remaining = len(route) - stored
    if not calls:
        return Refusal("no_calls", {"expected": route[stored]})
    if len(calls) > remaining:
        return Refusal("too_many_calls", {"count": len(calls), "remaining": remaining})
    if provider_round > ROUNDS_PER_TOOL * len(route):
        return Refusal("too_many_rounds", {"limit": ROUNDS_PER_TOOL * len(route)})
    taken: list[CollectedCall] = []
    for offset, call in enumerate(calls):
        index = stored + offset
        if call.name not in route:
            return Refusal("tool_not_in_route", {"tool": call.name}, index)
        if call.name != route[index]:
            return Refusal("wrong_order", {"tool": call.name, "expected": route[index]}, index)
        arguments = parse_arguments(call.arguments)
        if arguments is None:
            return Refusal("arguments_not_json", {"tool": call.name}, index)
        taken.append(CollectedCall(index, provider_round, call.name, arguments))
    return tuple(taken)


def parse_arguments(text: str) -> Mapping[str, Json] | None:
    """Parse the arguments of a call strictly: one JSON object, no key twice, no NaN, bounded; None when they are not that."""
    if len(text.encode("utf-8", "replace")) > MAX_ARGUMENT_BYTES:
        return None
    try:
        parsed = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Json]", parsed) if isinstance(parsed, dict) else None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def call_json(call: CollectedCall) -> Json:
    """Return a collected call as it is stored."""
    return {"index": call.index, "round": call.round, "name": call.name, "arguments": call.arguments}


def calls_of(stored: Json) -> tuple[CollectedCall, ...]:
    """Read collected calls back from the store."""
    return tuple(CollectedCall(**cast("dict[str, Any]", entry)) for entry in cast("list[Json]", stored or []))
