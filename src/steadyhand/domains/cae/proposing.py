"""Decides how an agent opens a change of the part that the person chose, from their own words; it must not let a model pick part or module."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from steadyhand.core.ids import UserId, change_name
from steadyhand.core.language import say
from steadyhand.domains.cae.choice import Choice, Choices
from steadyhand.gate.contract import Target
from steadyhand.gate.controller import Controller
from steadyhand.gate.machine import State
from steadyhand.gate.proposal import Proposal
from steadyhand.store.changes import ChangeRow
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import DRAFTING, ToolResult, error_result

NAME = "propose_part_change"
DOMAIN = "cae"

UnderReview: TypeAlias = Callable[[Controller, ToolContext, ChangeRow], Awaitable[ToolResult]]
"""Turns a change that was opened into what the person and the model are told of it."""


class NoArguments(Arguments):
    """Nothing is to be said: the request is what the person wrote."""


def target(user: UserId, choice: Choice) -> Target:
    """Return the part of *choice* as the gate knows it."""
    return Target(DOMAIN, choice.name, user)


def propose_tool(controller: Controller, choices: Choices, under_review: UnderReview) -> Tool[Any]:
    """Return the tool that opens a change from the person's words; its spec is written next, outside the turn."""

    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        choice = await choices.read(context.user, context.session)
        if choice is None:
            return error_result(say(context.language, "cae.propose.choose"), code="module_not_chosen")
        if context.origin != "person" or not context.said.strip():
            return error_result(say(context.language, "cae.propose.unsaid"), code="nothing_said")
        about = target(context.user, choice)
        scope = {"module": choice.module}
        row = await controller.open(Proposal(context.user, context.session, about, context.said, None, scope, context.language))
        if row.state != State.DRAFTING:
            return await under_review(controller, context, row)
        told = say(context.language, "cae.propose.opened", name=change_name(row.number), part=choice.name)
        return ToolResult(told, told, data={"change": row.number, DRAFTING: row.number}, ends_turn=True)

    return Tool(NAME, "draft", NoArguments, body)
