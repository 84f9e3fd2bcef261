"""Decides what a turn tells of itself while it runs; all of it is provisional. It must not decide anything by it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from steadyhand.core.wire import Delta, ToolCall
from steadyhand.tools.result import ToolResult


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool call is about to run."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A tool call has its result."""

    call: ToolCall
    result: ToolResult


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The provider's answer could not be used and it is asked once more: what was streamed of it does not count."""

    code: str


TurnEvent: TypeAlias = "Delta | CallStarted | CallEnded | AskedAgain"
Listener: TypeAlias = Callable[[TurnEvent], None]


def nobody(event: TurnEvent) -> None:
    """Listen to nothing."""
    del event
