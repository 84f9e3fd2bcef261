"""Decides what is told of a turn, a model's answer and a tool's run to whoever traces them, and by which names. It must not send it.

The names are OpenTelemetry's semantic conventions for generative AI (of November 2026, still in development), copied here so that
a move of theirs is a move of this file alone. What people, models and tools say is told only where the installation asks for it.
"""

import contextlib
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CONVERSATION = "gen_ai.conversation.id"
AGENT = "gen_ai.agent.name"
TOOL = "gen_ai.tool.name"
TOOL_CALL = "gen_ai.tool.call.id"
TOOL_TYPE = "gen_ai.tool.type"
ERROR = "error.type"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"

Value: TypeAlias = "str | int | float | bool | tuple[str, ...]"


class Span(Protocol):
    """Something that has begun and will end."""

    def note(self, name: str, value: Value) -> None:
        """Add what became known meanwhile."""
        ...

    def failed(self, kind: str) -> None:
        """Mark that it failed, by a stable *kind*."""
        ...


class Tracing(Protocol):
    """Whoever is told."""

    @property
    def content(self) -> bool:
        """Whether what was said may be told."""
        ...

    def span(self, name: str, attributes: Mapping[str, Value], *, outgoing: bool = False) -> AbstractContextManager[Span]:
        """Begin a span that ends with the block; spans inside it are its children. *outgoing* ones wait for another system."""
        ...


class _Nothing:
    def note(self, name: str, value: Value) -> None:
        del name, value

    def failed(self, kind: str) -> None:
        del kind


_NOTHING = _Nothing()


class NoTracing:
    """Nobody is told."""

    content = False

    @contextlib.contextmanager
    def span(self, name: str, attributes: Mapping[str, Value], *, outgoing: bool = False) -> Generator[Span]:
        del name, attributes, outgoing
        yield _NOTHING
