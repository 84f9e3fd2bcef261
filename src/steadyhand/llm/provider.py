"""Decides what a provider is and when its answer counts: one completion, at the end, whole. It must not speak to one or retry."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Literal, Protocol, TypeAlias

from steadyhand.core.errors import OperatorRepairs, SteadyhandError
from steadyhand.core.logs import get_logger
from steadyhand.core.wire import Completion, Delta, Request
from steadyhand.llm.cases import Case, case_of

ProviderEvent: TypeAlias = "Delta | Completion"
Kind: TypeAlias = Literal["protocol", "truncated", "provider", "tool_call", "unread"]

CUT_OFF = ("length", "content_filter")
"""An answer that ends so was not finished: what it calls for is void."""

UNNAMED = {"address": "model_base_url", "model": "model_name", "place": "model_key_env"}
"""What stands in a text where nobody has named the server: the settings that do."""

log = get_logger(__name__)


class ProviderError(OperatorRepairs):
    """An answer that cannot be used, by *kind*; the code is ``provider_<kind>``.

    ``protocol``: malformed or ambiguous. ``truncated``: it ended before it was whole. ``provider``: an error was reported
    (*status*; *retryable* and *retry_after* in seconds where known). ``tool_call``: the stream is fine, a call in it is not.
    ``unread``: what answers by rules, without a model, does not read the words.
    *answer* is what came of it, where that can be told: nothing of it may run.
    *reason* is a word of the catalogue (``word.reason.<reason>``) or a text; *about* is what it concerns, as it came from outside.
    """

    def __init__(
        self,
        kind: Kind,
        reason: str,
        *,
        about: str = "",
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
        answer: Completion | None = None,
    ) -> None:
        super().__init__(f"provider_{kind}", reason=reason, about=f" ({about})" if about else "", **UNNAMED)
        self.case: Case = case_of(kind, reason, status, about)
        self.about = about
        self.kind: Kind = kind
        self.reason = reason
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status
        self.answer = answer

    @property
    def told_as(self) -> str:
        """The code of its case, where it is one of those that a person can do something about."""
        return f"provider_{self.case}" if self.case else self.code

    def at(self, *, address: str, model: str, place: str) -> "ProviderError":
        """Name the server, the model and where its key is read from, for the text that says what to mend."""
        self.params = {**self.params, "address": address, "model": model, "place": place or UNNAMED["place"]}
        return self


class Provider(Protocol):
    """Whatever answers requests: a server, a script, rules."""

    def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Yield pieces of text, then exactly one completion; raises `ProviderError` instead when there is no whole answer."""
        ...


async def let_go(provider: Provider) -> None:
    """Close what *provider* holds open, if it holds anything (a provider in this process does not)."""
    close: Callable[[], Awaitable[None]] | None = getattr(provider, "aclose", None)
    if close is not None:
        await close()


async def complete(provider: Provider, request: Request, shown: Callable[[Delta], None] | None = None) -> Completion:
    """Drain the stream; return its one completion, or raise `ProviderError`, whatever the provider did instead.

    *shown* is handed each piece as it comes, which is provisional: only the completion counts.
    """
    found, more = await _drain(provider, request, shown)
    if found is None:
        raise ProviderError("truncated", "the stream ended without a completion", retryable=True)
    if more:
        raise ProviderError("protocol", "something follows the completion")
    if found.tool_calls and found.finish in CUT_OFF:
        raise ProviderError("truncated", found.finish)
    if not _storable(found):
        raise ProviderError("protocol", "text that is not Unicode")
    return found


async def _drain(provider: Provider, request: Request, shown: Callable[[Delta], None] | None) -> tuple[Completion | None, bool]:
    """Read the stream to its end; return the last completion, and whether anything followed the first."""
    found: Completion | None = None
    more = False
    stream = provider.stream(request)
    try:
        async for event in stream:
            more = more or found is not None
            if isinstance(event, Completion):
                found = event
            elif shown is not None:
                shown(event)
    except SteadyhandError:
        raise
    except Exception as error:
        log.exception("provider_raised")
        raise ProviderError("provider", type(error).__name__) from error
    finally:
        if isinstance(stream, AsyncGenerator):  # left early, by an error or a stop, it still holds its connection
            await stream.aclose()
    return found, more


def _storable(found: Completion) -> bool:
    """Tell whether every text can be written as UTF-8: a lone surrogate cannot be stored, sent or hashed."""
    texts = [found.text, found.reasoning, found.finish]
    texts += [text for call in found.tool_calls for text in (call.id, call.name, call.arguments)]
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        return False
    return True
