"""Decides how a tool's question reaches the person through an MCP client, and how the answer is read. It must not ask about a decision."""

import asyncio
from dataclasses import dataclass
from typing import TypeAlias

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from steadyhand.core.canonical import Json
from steadyhand.server.mcp_parts import Context, whole
from steadyhand.tools.ports import Question

FIELD = "choice"
ANSWER_SECONDS = 300.0


class Caught:
    """Holds the question that a tool parks in this call; nothing is stored."""

    def __init__(self) -> None:
        self.question: Question | None = None

    async def park(self, question: Question) -> None:
        self.question = question


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer: its words, and the value of the option that it chose."""

    text: str
    value: Json


@dataclass(frozen=True, slots=True)
class NotChosen:
    """The person declined, went away, or the client gave something that is none of the options."""


Answer: TypeAlias = Chosen | NotChosen | types.InputRequiredResult


def can_ask(context: Context) -> bool:
    """Tell whether this client can put a form before its person, in one of the two ways that the protocol has."""
    declared = context.session.client_capabilities
    elicitation = None if declared is None else declared.elicitation
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return _takes_requests_as_results(context) or context.session.can_send_request


async def ask(context: Context, question: Question, given: types.InputResponses | None) -> Answer:
    """Ask *question*; on a connection that takes no requests, answer from what was *given* with the call, else have it asked."""
    request = types.ElicitRequestFormParams(message=whole(question.text), requested_schema=_schema(question))
    if _takes_requests_as_results(context):
        answer = (given or {}).get(question.kind)
        if isinstance(answer, types.ElicitResult):
            return _read(question, answer)
        return types.InputRequiredResult(input_requests={question.kind: types.ElicitRequest(params=request)})
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            found = await context.session.elicit_form(request.message, request.requested_schema, context.request_id)
    except (TimeoutError, MCPError, ValidationError):  # nobody there, no such form after all, or an answer that is none
        return NotChosen()
    return _read(question, found)


def _takes_requests_as_results(context: Context) -> bool:
    return context.session.protocol_version in MODERN_PROTOCOL_VERSIONS


def _schema(question: Question) -> types.ElicitRequestedSchema:
    field: dict[str, object] = {"type": "string", "title": whole(question.text.partition("\n")[0])}
    if question.options:
        field["enum"] = [option.label for option in question.options]
    return {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}


def _read(question: Question, answer: types.ElicitResult) -> Chosen | NotChosen:
    text = (answer.content or {}).get(FIELD) if answer.action == "accept" else None
    if not isinstance(text, str):
        return NotChosen()
    option = next((option for option in question.options if option.label == text), None)
    if question.options and option is None:
        return NotChosen()
    return Chosen(text, None if option is None else option.value)
