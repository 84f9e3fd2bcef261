"""The command line with a model that follows a small script, for tests that sit at it or kill it: child.py SCRIPT WORDS…"""

import asyncio
import sys
from collections.abc import AsyncIterator

from steadyhand.cli.main import main
from steadyhand.core.wire import Completion, Delta, Request, ToolCall
from steadyhand.llm.provider import ProviderEvent
from steadyhand.wiring.app import App


class Model:
    """``waits`` begins to speak and never ends; ``looks`` calls a tool, then waits; ``speaks`` streams an answer in pieces."""

    def __init__(self, script: str) -> None:
        self._script = script

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        if self._script == "speaks":
            for piece in ("There is ", "room on", " Monday."):
                yield Delta(piece)
            yield Completion("There is room on Monday.")
            return
        if self._script == "looks" and request.messages[-1].role == "user":
            yield Completion(tool_calls=(ToolCall("call_1", "list_changes", "{}"),), finish="tool_calls")
            return
        yield Delta("Let me see")
        await asyncio.Event().wait()


original = App.conversations
model = Model(sys.argv.pop(1))
App.conversations = lambda self, attached, provider=None: original(self, attached, provider or model)
main()
