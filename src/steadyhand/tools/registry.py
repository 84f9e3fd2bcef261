"""Decides which tools there are and in which order they are told of; it must not run one or judge whether it may run."""

from collections.abc import Iterable, Iterator
from typing import Any

from steadyhand.core.errors import Bug
from steadyhand.core.language import Language
from steadyhand.core.wire import ToolSpec
from steadyhand.tools.base import Tool


class Registry:
    """The tools, registered one by one; what a model is told keeps their order, so that the same tools give the same bytes."""

    def __init__(self, tools: Iterable[Tool[Any]] = ()) -> None:
        self._tools: dict[str, Tool[Any]] = {}
        self._specs: dict[tuple[str, Language], ToolSpec] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool[Any]) -> None:
        """Add *tool*; a name that is taken is refused."""
        if tool.name in self._tools:
            raise Bug("tool_registered_twice", tool=tool.name)
        self._tools[tool.name] = tool

    def find(self, name: str) -> Tool[Any] | None:
        """Return the tool of that name, or None."""
        return self._tools.get(name)

    def specs(self, language: Language, names: Iterable[str] | None = None) -> tuple[ToolSpec, ...]:
        """Return what a model is told of every tool, or of *names* alone, always in the order of registration."""
        wanted = set(self._tools) if names is None else set(names)
        unknown = wanted - self._tools.keys()
        if unknown:
            raise Bug("tool_not_registered", tool=min(unknown))
        return tuple(self._spec(name, language) for name in self._tools if name in wanted)

    def _spec(self, name: str, language: Language) -> ToolSpec:
        """Return a tool's spec, made once: a turn needs all of them, and they never change."""
        if (name, language) not in self._specs:
            self._specs[name, language] = self._tools[name].spec(language)
        return self._specs[name, language]

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)
