"""Decides how an agent may look at a person's changes, and propose to take one back. It must not decide one: there is no tool for that."""

import asyncio
from typing import Any

from pydantic import Field

from steadyhand.core.ids import UserId, change_name
from steadyhand.core.language import say
from steadyhand.gate.controller import Controller, Decider
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.gate.review import review_text
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, tool_result

MOST_LISTED = 20


class NoArguments(Arguments):
    """Nothing is to be said."""


class ChangeNumber(Arguments):
    """The number of a change, 42 for C-42."""

    number: int = Field(ge=1, le=999_999_999)


def change_tools(controller: Controller) -> tuple[Tool[Any], ...]:
    """Return the tools about changes."""
    return (_list(controller), _show(controller), _undo(controller))


async def under_review(controller: Controller, context: ToolContext, row: ChangeRow) -> ToolResult:
    """Return the result of a call that has opened a change: the person gets the review, the model that it waits."""
    text = await reviewed(controller, context.user, row, context)
    told = line(row, context.language)
    if row.state not in (State.SEALED, State.IN_REVIEW):
        data = {"change": row.number}
        return ToolResult(told, told, data=data, is_error=True, code=row.state)
    waits = say(context.language, "agent.change.waits", name=change_name(row.number))
    return ToolResult(f"{told}\n{waits}", text, data={"change": row.number, "review": row.number})


async def reviewed(controller: Controller, user: UserId, row: ChangeRow, context: ToolContext) -> str:
    """Return the review of *row* as the person reads it."""
    zone = (await controller.store.read(lambda tx: people.require_user(tx, user))).zone
    return await asyncio.to_thread(review_text, controller, row, context.language, zone)


def _list(controller: Controller) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        rows = await controller.store.read(lambda tx: changes.of_user(tx, context.user, limit=MOST_LISTED))
        lines = [line(row, context.language) for row in rows]
        text = "\n".join(lines) or say(context.language, "agent.change.none")
        rows_told = [{"label": told, "value": {"change": row.number}} for told, row in zip(lines, rows, strict=True)]
        data = {"choices": {"kind": "change", "rows": rows_told}, "changes": [_data(row) for row in rows]}
        return tool_result(text, data=data)

    return Tool("list_changes", "read", NoArguments, body)


def _show(controller: Controller) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ChangeNumber) -> ToolResult:
        row = await controller.current(context.user, arguments.number)
        text = await reviewed(controller, context.user, row, context)
        waits = row.state in (State.SEALED, State.IN_REVIEW)
        data = {"change": row.number, **({"review": row.number} if waits else {})}
        view = controller.view(row, context.language)
        shown = line(row, context.language) if view is None else f"{view.text}\n{line(row, context.language)}"
        return ToolResult(shown, text, data=data)

    return Tool("show_change", "read", ChangeNumber, body)


def _undo(controller: Controller) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ChangeNumber) -> ToolResult:
        request = context.said or say(context.language, "agent.change.undo", name=change_name(arguments.number))
        decider = Decider(context.user, context.session, "agent", context.said, by="agent")
        row = await controller.undo(decider, arguments.number, request, context.language)
        return await under_review(controller, context, row)

    return Tool("propose_undo", "draft", ChangeNumber, body)


def _data(row: ChangeRow) -> dict[str, Any]:
    return {"number": row.number, "state": row.state, "domain": row.domain, "request": row.request}
