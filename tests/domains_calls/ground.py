"""A gate whose one domain is tool calls, with tools that leave a trace in a file; also a process of its own that is killed on purpose.

``python -m domains_calls.ground URL FOLDER NUMBER`` approves the change of that number.
"""

import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steadyhand.core.clock import Clock
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId
from steadyhand.core.language import Language
from steadyhand.core.wire import ToolCall
from steadyhand.domains.calls.holding import Holding
from steadyhand.domains.calls.module import CallsDomain
from steadyhand.gate.controller import Controller, Decider
from steadyhand.gate.policy import Policy
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.tools.base import Arguments, Effect, Tool, ToolContext
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result, user_result
from steadyhand.tools.runner import Runner
from trial_domains import stand

ME = stand.ME
DESK = stand.DESK


class Post(Arguments):
    to: str
    text: str = "hello"


@dataclass
class Desk:
    """Everything that a test of held calls touches. *mood* says how the tool behaves."""

    store: Store
    folder: Path
    rules: list[Rule] = field(default_factory=list[Rule])
    mood: str = "good"
    contexts: list[ToolContext] = field(default_factory=list[ToolContext])

    def __post_init__(self) -> None:
        self.registry = Registry([self.tool("post", "external"), self.tool("shell", "exec"), self.tool("peek", "read")])
        self.wire()

    def wire(self, **limits: Any) -> None:
        """Put the parts together, under the rules of now."""
        policy = ToolPolicy(tuple(self.rules))
        self.controller = Controller(self.store, {"calls": CallsDomain(self.store, self.registry, policy)}, Policy(**limits))
        self.holding = Holding(self.controller)
        self.runner = Runner(self.registry, policy, self.holding.hold)

    def tool(self, name: str, effect: Effect, arguments: type[Arguments] = Post, seconds: float = 0.05) -> Tool[Any]:
        async def body(context: ToolContext, given: Any) -> ToolResult:
            self.contexts.append(context)
            if self.mood == "refusing":
                raise ToolRefusal("draft_moved_on", revision=1)
            with (self.folder / "effects.log").open("a", encoding="utf-8") as file:
                file.write(f"{name} {given.to}\n")
            if self.mood == "hanging":
                await asyncio.Event().wait()
            if self.mood == "raising":
                raise OSError("the line broke")
            if self.mood == "failing":
                return error_result("exit code 3", code="exit_3")
            if self.mood in ("timed_out", "too_much_output", "stopped", "vanished"):
                return ToolResult("ended", is_error=True, code=f"command_{self.mood}", data={"how": self.mood})
            if self.mood == "strange":
                return user_result("odd \ud800", data={"many": 2**60})
            return user_result(f"sent to {given.to}", data={"id": 7})

        return Tool(name, effect, arguments, body, seconds)

    def effects(self) -> list[str]:
        path = self.folder / "effects.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def row(self, number: int) -> Any:
        return self.store.read_now(lambda tx: changes.by_number(tx, ME, number))

    def context(self, language: Language = "en", turn: str = "turn_1", session: SessionId = DESK) -> ToolContext:
        return ToolContext(ME, session, self.store.clock, language, turn)

    async def held(self, arguments: str = '{"to": "ann"}', *, tool: str = "post", call_id: str = "call_1", **more: Any) -> Any:
        """Let a model call the tool; return the change that it became."""
        result = await self.runner.run(self.context(**more), ToolCall(call_id, tool, arguments))
        assert result.code == "held", result
        return self.row(result.data["change"])

    async def approve(self, row: Any) -> Any:
        return await self.controller.approve(Decider(ME, row.session_id, "test"), row.number, row.seal_digest)


def build(url: str, folder: Path, clock: Clock | None = None, rights: tuple[str, ...] = ("*",)) -> Desk:
    """Lay the database of the trial gate, with its persons, and stand a desk on it."""
    stand.build(url, folder, clock).store.close()
    desk = Desk(Store(url, clock), folder)
    desk.store.write_now(lambda tx: people.change_user(tx, ME, rights=list(rights)))
    return desk


if __name__ == "__main__":
    desk = Desk(Store(sys.argv[1]), Path(sys.argv[2]))
    asyncio.run(desk.approve(desk.row(int(sys.argv[3]))))
