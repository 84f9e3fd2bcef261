"""Decides what is told of a provider's answers; it must not change one."""

import json
from collections.abc import AsyncGenerator

from steadyhand.core import tracing
from steadyhand.core.clock import Clock
from steadyhand.core.tracing import Span, Tracing
from steadyhand.core.wire import Completion, Request
from steadyhand.llm.body import body
from steadyhand.llm.provider import Provider, ProviderError, ProviderEvent, let_go


class TracedProvider:
    """A provider whose answers are told to *to*, under the provider's and the model's name."""

    def __init__(self, provider: Provider, to: Tracing, clock: Clock, *, name: str, model: str) -> None:
        self._provider = provider
        self._to = to
        self._clock = clock
        self._attributes = {
            tracing.OPERATION: "chat",
            tracing.PROVIDER: name,
            tracing.REQUEST_MODEL: model,
        }

    async def aclose(self) -> None:
        """Close what the provider holds open."""
        await let_go(self._provider)

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Pass on what the provider yields; see `Provider`."""
        model = self._attributes[tracing.REQUEST_MODEL]
        with self._to.span(f"chat {model}", self._attributes, outgoing=True) as span:
            if self._to.content:
                span.note(tracing.INPUT_MESSAGES, json.dumps(body(request)["messages"], ensure_ascii=False))
            stream = self._provider.stream(request)
            begun, first = self._clock.monotonic(), True
            try:
                async for event in stream:
                    if first:
                        span.note(tracing.TIME_TO_FIRST_CHUNK, self._clock.monotonic() - begun)
                        first = False
                    if isinstance(event, Completion):
                        self._tell(span, event)
                    yield event
            except ProviderError as error:
                span.failed(error.code)
                raise
            finally:
                if isinstance(stream, AsyncGenerator):
                    await stream.aclose()

    def _tell(self, span: Span, answer: Completion) -> None:
        span.note(tracing.FINISH_REASONS, (answer.finish,))
        span.note(tracing.INPUT_TOKENS, answer.usage.input_tokens)
        span.note(tracing.OUTPUT_TOKENS, answer.usage.output_tokens)
        span.note(tracing.CACHED_TOKENS, answer.usage.cached_tokens)
        if self._to.content:
            calls = [{"name": call.name, "arguments": call.arguments} for call in answer.tool_calls]
            told = [{"role": "assistant", "content": answer.text, "tool_calls": calls}]
            span.note(tracing.OUTPUT_MESSAGES, json.dumps(told, ensure_ascii=False))
