"""Decides whether a request that failed is made again, and after how long; it must not repeat one of which anything was handed out."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from steadyhand.core.ids import new_number
from steadyhand.core.logs import get_logger
from steadyhand.llm.provider import ProviderError, ProviderEvent

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Retries:
    """At most *attempts* requests; the n-th wait is drawn from 0 to ``first * 2**(n-1)`` seconds, never more than *cap*.

    A wait that the server asks for is kept, unless it is longer than *longest*: then the failure is told at once.
    """

    attempts: int = 4
    first: float = 0.5
    cap: float = 8.0
    longest: float = 60.0

    def wait(self, failed: int, asked: float | None) -> float | None:
        """Return how long to wait after the *failed*-th failure, or None when it is not worth waiting for."""
        if failed >= self.attempts or (asked is not None and asked > self.longest):
            return None
        drawn = _fraction() * min(self.cap, self.first * 2 ** (failed - 1))
        return drawn if asked is None else asked + drawn


def _fraction() -> float:
    return new_number() / 2**52


async def retrying(
    attempt: Callable[[], AsyncGenerator[ProviderEvent, None]],
    policy: Retries,
    pause: Callable[[float], Awaitable[None]],
) -> AsyncGenerator[ProviderEvent, None]:
    """Yield what *attempt* yields; begin again when it failed before anything came and the server may do better later."""
    failed = 0
    while True:
        handed_out = False
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    handed_out = True
                    yield event
            return
        except ProviderError as error:
            failed += 1
            may = error.kind == "provider" and error.retryable and not handed_out
            wait = policy.wait(failed, error.retry_after) if may else None
            if wait is None:
                raise
            log.info("provider_retry", failed=failed, status=error.status, wait=wait)
        await pause(wait)
