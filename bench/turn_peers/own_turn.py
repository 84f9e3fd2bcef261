"""One turn of ours: streaming, one tool call; ``memory`` is the turn alone, ``sqlite`` a whole session turn on disk. Run by bench/turn.py."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from timing import measure

from steadyhand.agent.turn import Turn, TurnBrief
from steadyhand.core.clock import SystemClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER, SessionId
from steadyhand.core.logs import configure
from steadyhand.core.wire import Delta, Message, ToolCall
from steadyhand.llm.endpoint import Endpoint
from steadyhand.llm.openai_compat import OpenAICompat
from steadyhand.session.outbox import Owed
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.ports import Delivered, Sent
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, tool_result
from steadyhand.tools.runner import Runner
from steadyhand.wiring.app import open_app

configure("warning")
port, count, kept = sys.argv[1], int(sys.argv[2]), sys.argv[3]
provider = OpenAICompat(Endpoint(f"http://127.0.0.1:{port}/v1", "bench"), clock=SystemClock())


class Day(Arguments):
    day: int


async def look(context: ToolContext, arguments: Day) -> ToolResult:
    del context
    return tool_result(f"day {arguments.day}: nothing")


class Look(Tool):
    def spec(self, language):
        found = Tool.spec(tools_like, language)
        return type(found)("look", "Look at a day.", found.parameters)


tools_like = Tool("get_task_info", "read", Day, look)
LOOK = Look("look", "read", Day, look)


class Nothing:
    """A boundary that stores nothing."""

    async def begin(self, calls: Sequence[ToolCall]) -> None:
        del calls

    async def said(self) -> Sequence[str]:
        return ()


async def in_memory(number: int) -> None:
    registry = Registry([LOOK])
    words: list[str] = []

    def heard(event: object) -> None:
        if isinstance(event, Delta):
            words.append(event.text)

    context = ToolContext(LOCAL_USER, SessionId(f"s{number}"), SystemClock(), "en", f"t{number}")
    turn = Turn(provider, Runner(registry, ToolPolicy()), context, Nothing(), heard)
    messages = (Message("system", "You are a bench."), Message("user", f"what about day {number}?"))
    outcome = await turn.run(TurnBrief(messages, registry.specs("en")))
    assert outcome.text.endswith("word19 "), outcome
    assert "".join(words).endswith("word19 ")


class Screen:
    """A channel that takes everything."""

    name = "bench"
    shows_again = True
    shown: str = ""

    async def send(self, owed: Owed) -> Delivered:
        self.shown = owed.content
        return Sent(owed.id)


def on_disk():
    screen = Screen()
    folder = Path(tempfile.mkdtemp())
    app = open_app(Settings(data_dir=folder), "en")
    app.toolbox.registry.register(LOOK)
    conversations = app.conversations(lambda user, session: screen, provider)

    async def turn(number: int) -> None:
        session = SessionId(f"s{number}")
        await conversations.accept(LOCAL_USER, session, f"what about day {number}?", channel="bench")
        assert await conversations.run(LOCAL_USER, session)
        assert screen.shown.endswith("word19"), screen.shown

    return turn


measure(in_memory if kept == "memory" else on_disk(), count)
