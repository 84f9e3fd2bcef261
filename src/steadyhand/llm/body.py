"""Decides the body of a request as a compatible server reads it; it must not send it, and a request without tools has no such key."""

from collections.abc import Mapping

from steadyhand.core.canonical import Json
from steadyhand.core.wire import Message, Request, ToolCall, ToolSpec


def body(request: Request) -> Mapping[str, Json]:
    """Return what would be sent. The request's context stays here: it is for providers that run in this process."""
    sent: dict[str, Json] = {"messages": [_message(message) for message in request.messages]}
    if request.tools:
        sent["tools"] = [_tool(tool) for tool in request.tools]
    return sent


def _message(message: Message) -> Json:
    sent: dict[str, Json] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent


def _call(call: ToolCall) -> Json:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _tool(tool: ToolSpec) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
