"""Decides how an agent offers the draft of the timetable for review; it must not approve it, or offer a draft that the person does not see whole."""

from typing import Any

from steadyhand.core.language import say
from steadyhand.domains.registration import UnderReview
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.draft.offering import offer
from steadyhand.domains.schedule.module import target
from steadyhand.domains.schedule.tools.arguments import NoArguments
from steadyhand.gate.controller import Controller
from steadyhand.gate.proposal import Proposal
from steadyhand.tools.base import Tool, ToolContext
from steadyhand.tools.result import ToolResult

"""Turns a change that was opened into what the person and the model are told of it."""


def propose_tool(controller: Controller, drafting: Drafting, under_review: UnderReview) -> Tool[Any]:
    """Return the tool that offers what the draft would change."""

    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        draft = await drafting.look(context.user)
        source, scope = offer(draft)
        request = context.said or say(context.language, "schedule.propose.request")
        about = target(context.user, draft.term.id)
        row = await controller.open(Proposal(context.user, context.session, about, request, source, scope, context.language))
        return await under_review(controller, context, row)

    return Tool("propose", "draft", NoArguments, body)
