"""Decides whether a call of a turn only repeats one that was answered already; it must not judge what the call does."""

from collections import Counter
from typing import TypeAlias

from steadyhand.core.arguments import parse_arguments
from steadyhand.core.canonical import canonical
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolCall
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result

MOST = 3
"""After so many repeated calls a turn is going in circles; and so often the same call runs while nothing changes."""

Key: TypeAlias = tuple[str, bytes]


class Repeats:
    """The calls of one turn that would bring nothing new: the same tool with the same arguments, and nothing changed since.

    What was refused may be tried again once another call was answered, and what was read may be read again once a call that
    wanted to change something was refused: somebody else may have changed it.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._answered: set[Key] = set()
        self._failed: set[Key] = set()
        self._runs: Counter[Key] = Counter()
        self._refused = 0

    @property
    def hopeless(self) -> bool:
        """Whether the turn goes in circles."""
        return self._refused >= MOST

    def refuses(self, call: ToolCall, language: Language) -> ToolResult | None:
        """Return the result of a call that is not run again; None for any other."""
        key = _key(call)
        if key not in self._answered | self._failed and self._runs[key] < MOST:
            return None
        self._refused += 1
        return error_result(say(language, "agent.repeated", tool=call.name), code="repeated")

    def ran(self, call: ToolCall, result: ToolResult) -> None:
        """Note that *call* was answered."""
        tool = self._registry.find(call.name)
        changes = tool is not None and tool.effect != "read"
        if changes:
            self._answered.clear()
        if not result.is_error:
            self._failed.clear()
        if changes and not result.is_error:
            self._runs.clear()
        key = _key(call)
        if result.is_error:
            self._failed.add(key)
        elif tool is None or not tool.repeatable:
            self._answered.add(key)
        else:
            return
        self._runs[key] += 1


def _key(call: ToolCall) -> Key:
    arguments = parse_arguments(call.arguments)
    return call.name, call.arguments.encode("utf-8", "replace") if arguments is None else canonical(arguments)
