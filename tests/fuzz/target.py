"""What must hold of any bytes whatever that a server sends: an answer or a typed error, the same however they are cut, and no call before the end mark."""

import json

from llm.streams import TOOLS, Read, read
from steadyhand.llm.fitting import misfit
from steadyhand.llm.strict import load_arguments

SIZES = (1, 7, 4096)


def check(data: bytes) -> str:
    """Run the assembler over *data* in several cuts; return what came, as a word. A broken promise is an `AssertionError`."""
    whole = read([data])
    for size in SIZES:
        assert told(read([data[start : start + size] for start in range(0, len(data), size)])) == told(whole)
    if whole.completion is None:
        return f"{whole.error.kind}:{whole.error.reason}"
    _hold(whole, data)
    names = [call.name for call in whole.completion.tool_calls]
    return f"{whole.completion.finish}:{','.join(names[:3])}:{bool(whole.completion.text)}:{bool(whole.completion.reasoning)}"


def told(found: Read) -> object:
    """What must not depend on how the bytes were cut."""
    if found.error is not None:
        return (found.error.kind, found.error.reason, found.error.retryable)
    one = found.completion
    return (found.calls, one.text, one.reasoning, one.finish, one.usage)


def _hold(found: Read, data: bytes) -> None:
    one = found.completion
    is_document = data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))
    assert is_document or b"[DONE]" in data
    assert one.raw == data
    (one.text + one.reasoning + "".join(call.id + call.name + call.arguments for call in one.tool_calls)).encode()
    if not is_document and one.finish != "refusal":
        assert (found.shown, found.thought) == (one.text, one.reasoning)
    assert not (one.tool_calls and one.finish != "tool_calls")
    ids = [call.id for call in one.tool_calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    tools = {tool.name: tool for tool in TOOLS}
    for call in one.tool_calls:
        arguments = load_arguments(call.arguments)
        assert arguments is not None
        assert misfit(arguments, tools[call.name].parameters) is None
        assert json.loads(call.arguments) == arguments
