"""Decides what a provider without a model answers: what its script says, in order. It must not improvise when the script ends."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TypeAlias

from steadyhand.core.canonical import canonical
from steadyhand.core.errors import Bug
from steadyhand.core.wire import Completion, Delta, Request
from steadyhand.llm.body import body
from steadyhand.llm.provider import ProviderError, ProviderEvent

Part: TypeAlias = "Delta | Completion | ProviderError"
Answer: TypeAlias = "Part | Sequence[Part]"
Line: TypeAlias = "Answer | Callable[[Request], Answer]"


class Scripted:
    """A provider that follows a script: each request takes the next line. *requests* and *bodies* hold what it was asked."""

    def __init__(self, script: Iterable[Line]) -> None:
        self._script = list(script)
        self.requests: list[Request] = []
        self.bodies: list[bytes] = []

    @property
    def left(self) -> int:
        """How many lines were not asked for."""
        return len(self._script) - len(self.requests)

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Answer with the next line: its deltas, its completion, or its error."""
        if not self.left:
            raise Bug("script_ended", asked=len(self.requests) + 1)
        line = self._script[len(self.requests)]
        self.requests.append(request)
        self.bodies.append(canonical(body(request)))
        answer = line(request) if callable(line) else line
        for part in answer if isinstance(answer, Sequence) else (answer,):
            if isinstance(part, ProviderError):
                raise part
            yield part
