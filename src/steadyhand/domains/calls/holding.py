"""Decides how a call that policy asks about is put before a person, and what the model hears of it then and later. It must not decide."""

from dataclasses import replace

from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.canonical import Json
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.explain import explain
from steadyhand.core.ids import change_name
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolCall
from steadyhand.domains.calls.module import NAME
from steadyhand.domains.calls.storing import from_stored
from steadyhand.gate.contract import Given, Target
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.lines import line
from steadyhand.gate.machine import BEFORE_SUBMISSION, OPEN, State
from steadyhand.store import Tx
from steadyhand.store.changes import changes, records
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.tools.base import ToolContext
from steadyhand.tools.result import ToolResult, error_result

FINAL = (State.REJECTED, State.WITHDRAWN, State.EXPIRED)
"""Ended by a no, in words or by silence: the model is told not to look for another way."""


class Holding:
    """The port by which the runner holds a call, and what became of it for the model."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    async def hold(self, context: ToolContext, call: ToolCall) -> ToolResult:
        """Open a change for *call*; the result shows the person the review and tells the model that it waits.

        One at a time: while a call of the session waits, a further one is refused at once, and so is every one after a no in
        the same turn.
        """
        language = context.language
        refusal = await self._controller.store.read(lambda tx: _not_now(tx, context))
        if refusal is not None:
            return refusal
        operation: dict[str, Json] = {"tool": call.name, "arguments": parse_arguments(call.arguments)}
        source = Given((operation,))
        request = say(language, "calls.request", tool=call.name)
        target = Target(NAME, _target_name(context, call), context.user)
        try:
            row = await self._controller.open(
                Proposal(context.user, context.session, target, request, source, operation, language)
            )
        except DecisionRefused as error:
            return error_result(_final(explain(error, language).summary, language), code="denied", err=error)
        if row.state != State.SEALED:
            return error_result(_final(line(row, language), language), code="denied", data={"change": row.number})
        view = self._controller.view(row, language)
        review = "" if view is None else f"{view.text}\n"
        told = say(language, "calls.waits", name=change_name(row.number), tool=call.name)
        shown = f"{review}{line(row, language)}\n{say(language, 'calls.decide', name=change_name(row.number))}"
        return ToolResult(told, shown, data={"change": row.number, "review": row.number}, code="held")

    async def answer(self, row: ChangeRow, language: Language) -> ToolResult:
        """Return what the call of *row* has come to, as the tool result that its caller reads."""
        result = await self._controller.store.read(lambda tx: records.call_result(tx, row.user_id, row.id))
        if result is not None and row.state in (State.VERIFIED, State.FAILED):
            found = from_stored(result)
            return replace(found, for_user=found.for_llm) if found.is_error and not found.for_user else found
        if row.state in FINAL:
            return error_result(_final(line(row, language), language), code="denied")
        if row.state in BEFORE_SUBMISSION:
            tool = row.target_name.partition(":")[0]
            return ToolResult(say(language, "calls.waits", name=change_name(row.number), tool=tool), code="held")
        return error_result(line(row, language), code=row.state)


def _not_now(tx: Tx, context: ToolContext) -> ToolResult | None:
    language = context.language
    states = [*(state.value for state in OPEN), State.REJECTED.value]
    rows = [row for row in changes.of_session(tx, context.user, context.session, states) if row.domain == NAME]
    for row in rows:
        if row.state in OPEN and row.expires_at > tx.now():
            text = say(language, "calls.one_waits", name=change_name(row.number))
            return error_result(text, code="held_already", data={"change": row.number})
    for row in rows:
        if row.state == State.REJECTED and context.turn and f":{context.turn}:" in row.target_name:
            return error_result(_final(line(row, language), language), code="denied", data={"change": row.number})
    return None


def _final(text: str, language: Language) -> str:
    return f"{text}\n{say(language, 'tools.denied_is_denied')}"


def _target_name(context: ToolContext, call: ToolCall) -> str:
    """Name the call: ids of calls repeat between turns, so the turn is part of it where there is one."""
    return ":".join(part for part in (call.name, context.turn, shown(call.id)) if part)
