"""Decides how an agent hands work to a sub-agent: what it gives of its own budget, and whether it waits. It must not give more than it has."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic import Field

from steadyhand.agent.turn import Limits
from steadyhand.core.canonical import Json
from steadyhand.core.delivery import Delivery
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.jobs import ending
from steadyhand.jobs.telling import line
from steadyhand.store.later.jobs import Job
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.builtin.jobs import require_jobs, started
from steadyhand.tools.result import ToolResult

MOST_TASK = 20_000
LONGEST_LABEL = 80
SHARE = 2
"""A sub-agent gets at most the half of what its parent may still use of tokens, so that the parent can go on."""
AFTER = 2.0
"""So much longer than its job's limit a call waits for the end to be on record."""


class Subagent(Arguments):
    """What the sub-agent is to do, whole: it knows nothing of this conversation."""

    task: str = Field(min_length=1, max_length=MOST_TASK)
    label: str = Field(default="", max_length=LONGEST_LABEL)


class Spawn(Subagent):
    """The same in the background; *delivery* says who gets its result."""

    delivery: Delivery = "user"


def spawning_tools(own: Limits) -> tuple[Tool[Any], ...]:
    """Return the two tools; *own* is what one sub-agent may take at most."""

    async def spawn(context: ToolContext, arguments: Spawn) -> ToolResult:
        row, _ = await _start(context, arguments, own, own.seconds, arguments.delivery)
        result = started(context, row, "agent.sub.spawned", arguments.delivery)
        if await require_jobs(context).hosted():
            return result
        waits = say(context.language, "agent.sub.waits")
        return replace(result, for_llm=f"{result.for_llm}\n{waits}", for_user=waits)

    async def subagent(context: ToolContext, arguments: Subagent) -> ToolResult:
        return await _in_this_turn(context, arguments, own)

    return (
        Tool("spawn", "own", Spawn, spawn, repeatable=True),
        Tool("subagent", "own", Subagent, subagent, seconds=own.seconds + 2 * AFTER, repeatable=True),
    )


async def _start(context: ToolContext, arguments: Subagent, own: Limits, seconds: float, delivery: Delivery) -> tuple[Job, int]:
    """Store the job, with a budget out of this turn's; return it, and how many tokens it was given."""
    jobs, purse = require_jobs(context), context.ports.purse
    rounds, tokens = own.rounds, own.tokens
    if purse is not None:
        rest = purse.rest()
        rounds, tokens = min(rounds, rest.rounds), min(tokens, rest.tokens // SHARE)
    if rounds < 1 or tokens < 1:
        raise ToolRefusal("sub_agent_no_budget")
    given: dict[str, Json] = {
        "task": arguments.task,
        "language": context.language,
        "rounds": rounds,
        "tokens": tokens,
        "tools": None if jobs.tools is None else list(jobs.tools),
    }
    title = arguments.label.strip() or arguments.task.strip()[:LONGEST_LABEL]
    row = await jobs.start_agent(title, call=context.call_id, arguments=given, delivery=delivery, seconds=seconds)
    if purse is not None:
        purse.give(tokens)
    return row, tokens


async def _in_this_turn(context: ToolContext, arguments: Subagent, own: Limits) -> ToolResult:
    """Start the job and wait for it, for no longer than this turn may still take; broken off, it is cancelled."""
    jobs, purse = require_jobs(context), context.ports.purse
    seconds = own.seconds if purse is None else min(own.seconds, purse.rest().seconds - 2 * AFTER)
    if seconds <= 0:
        raise ToolRefusal("sub_agent_no_budget")
    if not await jobs.hosted():
        raise ToolRefusal("sub_agent_no_host")
    row, tokens = await _start(context, arguments, own, seconds, "none")
    try:
        async with asyncio.timeout(seconds + AFTER):
            row = await jobs.ended(row.id)
        if row.state == "queued":  # whoever would have run it is gone
            await jobs.cancel(row.number)
            raise ToolRefusal("sub_agent_no_host")
    except TimeoutError:
        row = await jobs.cancel(row.number)
    except asyncio.CancelledError:
        await asyncio.shield(jobs.cancel(row.number))
        raise
    if purse is not None and row.state in ("done", "failed", "timed_out"):
        purse.give(_used(row, tokens) - tokens)
    return _told(context, row)


def _used(row: Job, given: int) -> int:
    data = cast("Mapping[str, Any]", ending.result_of(row)["data"] or {})
    return cast("int", data.get("tokens", given))


def _told(context: ToolContext, row: Job) -> ToolResult:
    """Return the result: what it did is for the model, the summary for the person; only an answer is no error."""
    language = context.language
    result = ending.result_of(row)
    head = "\n".join(part for part in (line(row, language), ending.why(row, language)) if part)
    details = ending.for_llm(row, language)
    data: Json = {"job": row.number, "state": row.state, "details": result["data"]}
    if row.state == "done":
        return ToolResult(f"{head}\n{details}", for_user=result["for_user"], data=data)
    if row.state in ("queued", "running"):
        head = f"{head}\n{say(language, 'agent.sub.not_waited')}"
    summary = ending.told(row, language) if row.state not in ("queued", "running") else ""
    return ToolResult(f"{head}\n{details}".rstrip(), for_user=summary, is_error=True, code=row.state, data=data)
