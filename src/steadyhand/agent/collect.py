"""Decides how a provider is asked for what a change needs, and how often; it must not judge the answer, which the gate checks as a stranger's."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import UserId, change_name
from steadyhand.core.wire import CHANGE, Completion, Message, Request
from steadyhand.gate.collecting import ROUNDS_PER_TOOL
from steadyhand.gate.contract import Brief
from steadyhand.gate.controller import Controller, NeedCalls, NeedSpec
from steadyhand.gate.offers import route_of
from steadyhand.llm.provider import CUT_OFF, Provider, ProviderError, complete
from steadyhand.store.changes.changes import ChangeRow

MAX_RETRIES = 2
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0

Pause: TypeAlias = Callable[[float], Awaitable[None]]


async def collect(
    controller: Controller, provider: Provider, user: UserId, number: int, *, pause: Pause = asyncio.sleep
) -> ChangeRow:
    """Ask for the spec, or for the calls of a confirmed spec round by round, until a person or nobody is needed.

    A provider that cannot answer is recorded by the gate; the row tells where the change went. When somebody else moves
    the change meanwhile, what the provider said is dropped.
    """
    row = await controller.current(user, number)
    try:
        for _ in range(ROUNDS_PER_TOOL * max(len(route_of(row)), 1)):
            need = controller.need(row)
            if need is None:
                break
            row = await _one_round(controller, provider, row, need, pause)
            if isinstance(need, NeedSpec):
                break
    except DecisionRefused:
        row = await controller.current(user, number)
    return row


async def _one_round(
    controller: Controller, provider: Provider, row: ChangeRow, need: NeedSpec | NeedCalls, pause: Pause
) -> ChangeRow:
    try:
        if isinstance(need, NeedSpec):
            spec = _whole_spec(await _ask(controller, provider, row, spec_request(need.brief, row.domain), pause))
            return await controller.offer_spec(row.user_id, row.number, spec)
        answer = await _ask(controller, provider, row, calls_request(need.brief, row.domain), pause)
    except ProviderError as error:
        return await controller.provider_failed(row.user_id, row.number, error.told_as)
    return await controller.offer_calls(row.user_id, row.number, answer.tool_calls, answer.raw, answer.text)


def spec_request(brief: Brief, domain: str) -> Request:
    """Return the request for a spec: without tools, whatever the brief holds."""
    return Request((Message("system", brief.system), Message("user", brief.content)), context={CHANGE: domain})


def calls_request(brief: Brief, domain: str) -> Request:
    """Return the request for calls, with the tools that remain."""
    return Request((Message("system", brief.system), Message("user", brief.content)), brief.tools, {CHANGE: domain})


async def _ask(controller: Controller, provider: Provider, row: ChangeRow, request: Request, pause: Pause) -> Completion:
    """Ask once, and again after an error that may pass; each repetition is in the journal before it is made."""
    for attempt in range(MAX_RETRIES):
        try:
            return _finished(await complete(provider, request))
        except ProviderError as error:
            wait = FIRST_WAIT * 2**attempt if error.retry_after is None else error.retry_after
            if not error.retryable or wait > LONGEST_WAIT:
                raise
            await controller.note_retry(row.user_id, row.number, error.code)
        await pause(wait)
        await _still(controller, row)
    return _finished(await complete(provider, request))


async def _still(controller: Controller, row: ChangeRow) -> None:
    """Raise when the change has moved on: nobody waits for the answer any more."""
    now = await controller.current(row.user_id, row.number)
    if now.version != row.version:
        raise DecisionRefused("change_moved_on", name=change_name(row.number))


def _finished(answer: Completion) -> Completion:
    if answer.finish in CUT_OFF:
        raise ProviderError("truncated", answer.finish)
    return answer


def _whole_spec(answer: Completion) -> str:
    """Return the text of a spec; an answer that calls tools where none was offered is not one."""
    if answer.tool_calls:
        raise ProviderError("protocol", "a call where no tool was offered")
    return answer.text
