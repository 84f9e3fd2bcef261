"""Decides what is told of a tool's run; it must not change one."""

from steadyhand.core import tracing
from steadyhand.core.tracing import Tracing
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult
from steadyhand.tools.runner import Hold, Runner


class TracedRunner(Runner):
    """A runner whose runs are told to *to*."""

    def __init__(self, registry: Registry, policy: ToolPolicy, hold: Hold | None, to: Tracing) -> None:
        super().__init__(registry, policy, hold)
        self._to = to

    async def run(self, context: ToolContext, call: ToolCall) -> ToolResult:
        """Run *call* and tell its name, its id and whether it failed; see `Runner.run`."""
        known = self.registry.find(call.name) is not None
        name = call.name if known else "unknown"  # a name that a model made up may be anything
        attributes = {
            tracing.OPERATION: "execute_tool",
            tracing.TOOL: name,
            tracing.TOOL_CALL: call.id,
            tracing.TOOL_TYPE: "function",
        }
        with self._to.span(f"execute_tool {name}", attributes) as span:
            if self._to.content:
                span.note(tracing.TOOL_ARGUMENTS, call.arguments)
            result = await super().run(context, call)
            if result.is_error:
                span.failed(result.code)
            if self._to.content:
                span.note(tracing.TOOL_RESULT, result.for_llm)
            return result
