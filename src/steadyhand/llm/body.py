"""Decides the body of a request as a compatible server reads it; it must not send it, and a request without tools has no such key."""

from collections.abc import Mapping

from steadyhand.core.canonical import Json
from steadyhand.core.wire import Message, Request, ToolCall, ToolSpec


def body(request: Request, *, reasoning_back: str = "no") -> Mapping[str, Json]:
    """Return what would be sent. The request's context stays here, as a message's data do: they are for providers in this process.

    *reasoning_back* names the field in which an assistant's own thoughts go back with its message.
    """
    sent: dict[str, Json] = {"messages": [_message(message, reasoning_back) for message in request.messages]}
    if request.tools:
        sent["tools"] = [_tool(tool) for tool in request.tools]
    if request.schema is not None:
        form = {"name": "answer", "strict": True, "schema": request.schema}
        sent["response_format"] = {"type": "json_schema", "json_schema": form}
    return sent


def _message(message: Message, reasoning_back: str) -> Json:
    sent: dict[str, Json] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    if message.role == "assistant" and message.reasoning and reasoning_back != "no":
        sent[reasoning_back] = message.reasoning
    return sent


def _call(call: ToolCall) -> Json:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _tool(tool: ToolSpec) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
