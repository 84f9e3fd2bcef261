"""Decides how an agent opens a change of the part that the person chose, from their own words; it must not let a model pick part or module."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

from steadyhand.core.canonical import legible
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import UserId, change_name
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.calls.table import ModuleName
from steadyhand.domains.cae.choice import Choice, Choices
from steadyhand.domains.registration import UnderReview
from steadyhand.gate.contract import Collecting, Target
from steadyhand.gate.controller import Controller
from steadyhand.gate.machine import State
from steadyhand.gate.proposal import Proposal
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import DRAFTING, ToolResult, error_result

NAME = "propose_part_change"
DOMAIN = "cae"

WhyUnread: TypeAlias = Callable[[str, Language, ModuleName, Mapping[str, Any]], str]
"""Says which of a person's words cannot be written as a change of the part that a brief tells of; nothing where they can."""


class NoArguments(Arguments):
    """Nothing is to be said: the request is what the person wrote."""


def target(user: UserId, choice: Choice) -> Target:
    """Return the part of *choice* as the gate knows it."""
    return Target(DOMAIN, choice.name, user)


def propose_tool(controller: Controller, choices: Choices, under_review: UnderReview, why_unread: WhyUnread) -> Tool[Any]:
    """Return the tool that opens a change from the person's words; its spec is written next, outside the turn.

    Where rules read the words *why_unread* is asked first, and what cannot be written opens nothing.
    """

    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        choice = await choices.read(context.user, context.session)
        if choice is None:
            return error_result(say(context.language, "cae.propose.choose"), code="module_not_chosen")
        if context.origin != "person" or not context.said.strip():
            return error_result(say(context.language, "cae.propose.unsaid"), code="nothing_said")
        why = await _unwritable(controller, context, choice, why_unread) if context.ports.by_rules else ""
        if why:
            return error_result(why, code="not_read")
        about = target(context.user, choice)
        scope = {"module": choice.module}
        row = await controller.open(Proposal(context.user, context.session, about, context.said, None, scope, context.language))
        if row.state != State.DRAFTING:
            return await under_review(controller, context, row)
        opened = say(context.language, "cae.propose.opened", name=change_name(row.number), part=choice.name)
        told = "\n".join([opened, *await _withdrawn(controller, context, row)])
        return ToolResult(told, told, data={"change": row.number, DRAFTING: row.number}, ends_turn=True)

    return Tool(NAME, "draft", NoArguments, body)


async def _unwritable(controller: Controller, context: ToolContext, choice: Choice, why_unread: WhyUnread) -> str:
    """Say why the words cannot become a change of the part as it is; where it cannot be looked at, opening the change tells that."""
    domain = cast("Collecting", controller.domains[DOMAIN])
    request = legible(context.said)
    try:
        seen = await controller.domains[DOMAIN].observe(target(context.user, choice), {"module": choice.module})
        brief = domain.brief(request, seen, "spec", "", (), context.language)
    except SteadyhandError:
        return ""
    return why_unread(request, context.language, choice.module, json.loads(brief.content))


async def _withdrawn(controller: Controller, context: ToolContext, row: ChangeRow) -> list[str]:
    """Tell which changes of the part gave way to this one."""
    numbers = await controller.store.read(lambda tx: changes.superseded_by(tx, context.user, row.number))
    return [say(context.language, "cae.propose.withdrawn", name=change_name(number)) for number in numbers]
