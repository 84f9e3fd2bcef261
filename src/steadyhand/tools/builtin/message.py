"""Decides what the model is told about a message that it sent to the person; it must not say that one arrived unless the channel said so."""

from typing import Any

from pydantic import Field

from steadyhand.core.language import say
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.builtin.speech import require_speakable
from steadyhand.tools.ports import NotSent, Queued, Sent, UnknownSent
from steadyhand.tools.result import ToolResult, error_result, silent_result

MAX_CHARACTERS = 8_000


class Message(Arguments):
    """What to say."""

    text: str = Field(min_length=1, max_length=MAX_CHARACTERS)


async def send(context: ToolContext, arguments: Message) -> ToolResult:
    """Send a message to the person of this session; they have it then, so that nothing of the result is shown to them."""
    require_speakable("text", arguments.text)
    if context.ports.outbox is None:
        return error_result(say(context.language, "message.no_outbox"), code="no_outbox")
    to = context.session
    match await context.ports.outbox.send(arguments.text, source="message"):
        case Sent(message_id):
            return silent_result(say(context.language, "message.sent", to=to), data={"message_id": message_id})
        case Queued():
            return ToolResult(say(context.language, "message.queued", to=to), silent=True, code="queued")
        case NotSent(reason):
            return error_result(say(context.language, "message.not_sent", to=to, reason=reason), code="not_sent")
        case UnknownSent():
            return error_result(say(context.language, "message.unknown", to=to), code="unknown_sent")


MESSAGE: Tool[Any] = Tool("message", "say", Message, send)
