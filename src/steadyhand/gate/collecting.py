"""Decides whether calls that a provider gave are the ones the route wants next: name, order, count, JSON. It must not compile or run them."""

from collections.abc import Sequence
from typing import Any, cast

from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.canonical import Json
from steadyhand.core.wire import ToolCall
from steadyhand.gate.contract import CollectedCall, Refusal

MAX_REFUSALS = 3
ROUNDS_PER_TOOL = 2


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
            return Refusal("tool_not_in_route", {"tool": shown(call.name)}, index)
        if call.name != route[index]:
            return Refusal("wrong_order", {"tool": call.name, "expected": route[index]}, index)
        arguments = parse_arguments(call.arguments)
        if arguments is None:
            return Refusal("arguments_not_json", {"tool": call.name}, index)
        taken.append(CollectedCall(index, provider_round, call.name, arguments))
    return tuple(taken)


def call_json(call: CollectedCall) -> Json:
    """Return a collected call as it is stored."""
    return {"index": call.index, "round": call.round, "name": call.name, "arguments": call.arguments}


def calls_of(stored: Json) -> tuple[CollectedCall, ...]:
    """Read collected calls back from the store."""
    return tuple(CollectedCall(**cast("dict[str, Any]", entry)) for entry in cast("list[Json]", stored or []))
