"""Decides which entries of a session's history a turn reads, and their form for a provider. It must not shorten or change a text.

A step is what stands or falls together: one entry, or an assistant's entry with calls and the results of all of them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import to_text
from steadyhand.core.wire import NOTE, NOTICE, Message, ToolCall
from steadyhand.memory.tiers import Tiers
from steadyhand.store.sessions.conversations import Said

Step: TypeAlias = list[Said]


def recall(entries: Sequence[Said], tiers: Tiers, now: datetime) -> list[Said]:
    """Return what a turn reads of *entries* (a session's history, oldest first): its last steps, none too old, of whole turns.

    Calls without all their results and results without their call are left out. Of a newest turn that reaches too far back
    what the person said in it stays, and its last steps. Results stand right behind their calls, as providers want them.
    """
    found = steps(entries)
    since = to_text(now - timedelta(hours=tiers.short_hours))
    start = max(len(found) - tiers.short_messages, 0)
    while start < len(found) and found[start][-1].at < since:
        start += 1
    before, recent = found[:start], found[start:]
    if not recent:
        return []
    cut = {step[0].turn_id for step in before} - {""}
    newest = recent[-1][0].turn_id
    kept = [step for step in recent if step[0].turn_id not in cut or step[0].turn_id == newest]
    if newest in cut:
        asked = [step for step in before if step[0].turn_id == newest and step[0].role == "user"]
        kept = _last([*asked, *kept], tiers.short_messages)
    return [entry for step in kept for entry in step]


def _last(found: Sequence[Step], room: int) -> list[Step]:
    """Return *found* without its oldest steps, so that *room* is enough; what the person said goes last."""
    left = list(found)
    while len(left) > room:
        left.pop(next((index for index, step in enumerate(left) if step[0].role != "user"), 0))
    return left


def steps(entries: Sequence[Said]) -> list[Step]:
    """Return the steps of *entries* in order; calls without all their results, and results without their call, are in none."""
    found: list[Step] = []
    awaited: dict[str, Step] = {}
    for entry in entries:
        if entry.role == "tool":
            step = awaited.pop(entry.call_id or "", None)
            if step is not None:
                step.append(entry)
            continue
        step = [entry]
        found.append(step)
        awaited |= {call.id: step for call in calls_of(entry)}
    return [step for step in found if len(step) == 1 + len(calls_of(step[0]))]


def calls_of(entry: Said) -> tuple[ToolCall, ...]:
    """Return the calls that an assistant's entry made."""
    stored = cast("Sequence[Mapping[str, str]]", entry.calls or ())
    return tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in stored)


def to_messages(entries: Sequence[Said]) -> tuple[Message, ...]:
    """Return *entries* as a provider reads them: the inverse of `entry_of`, and the program's own notices marked as such."""
    return tuple(_message(entry) for entry in entries)


def _message(entry: Said) -> Message:
    if entry.source == NOTICE:
        return Message("user", f"{NOTE[0]}\n{entry.content}\n{NOTE[1]}")
    if entry.role != "assistant":
        return Message(entry.role, entry.content, tool_call_id=entry.call_id, data=entry.data)
    kept = cast("Mapping[str, str]", entry.data or {})
    return Message("assistant", entry.content, calls_of(entry), reasoning=kept.get("reasoning", ""))


def entry_of(message: Message, entry: str, turn: str, source: str) -> Said:
    """Return *message* as the history stores it, under the id *entry*; a system's message is never stored."""
    if message.role == "system":
        raise ValueError(message.role)
    calls: Json = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls]
    data: Json = {"reasoning": message.reasoning} if message.reasoning else message.data
    return Said(entry, message.role, message.content, source, turn, calls, message.tool_call_id, data)
