"""Decides whether a person may still spend on a model today, and keeps the account; it must not change a request or an answer.

A request is counted when its answer is whole. The cap is looked at before each request, so that the last one may pass it by its own cost.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from steadyhand.core.clock import local
from steadyhand.core.ids import UserId
from steadyhand.core.wire import Completion, Request, Usage
from steadyhand.llm.provider import Provider, ProviderError, ProviderEvent, let_go
from steadyhand.store import Store
from steadyhand.store.people import people, spending
from steadyhand.store.people.spending import Spent

PER_PRICE = 1_000_000
"""Prices are for a million tokens, as providers give them."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, read and written, and the most that a day may cost (None: no limit)."""

    read: float = 0.0
    written: float = 0.0
    cap: float | None = None

    def of(self, usage: Usage) -> float:
        """Return what an answer cost."""
        return (usage.input_tokens * self.read + usage.output_tokens * self.written) / PER_PRICE


class MeteredProvider:
    """A provider whose answers are charged to one person's day, in their zone."""

    def __init__(self, provider: Provider, store: Store, user: UserId, model: str, prices: Prices) -> None:
        self._provider = provider
        self._store = store
        self._user = user
        self._model = model
        self._prices = prices

    async def aclose(self) -> None:
        """Close what the provider holds open."""
        await let_go(self._provider)

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Pass on what the provider yields; raises `ProviderError` without asking it when the day's cap is reached."""
        day = await self._day()
        if self._prices.cap is not None:
            spent = await self._store.read(lambda tx: spending.on_day(tx, self._user, day))
            if spent.cost >= self._prices.cap:
                raise ProviderError("provider", "cap_reached", about=f"{spent.cost:.4f} / {self._prices.cap:g}")
        stream = self._provider.stream(request)
        try:
            async for event in stream:
                if isinstance(event, Completion):
                    await self._charge(day, event.usage)
                yield event
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    async def _day(self) -> str:
        user = await self._store.read(lambda tx: people.require_user(tx, self._user))
        return local(self._store.clock.now(), user.zone).date().isoformat()

    async def _charge(self, day: str, usage: Usage) -> None:
        spent = Spent(1, usage.input_tokens, usage.output_tokens, self._prices.of(usage))
        await self._store.write(lambda tx: spending.add(tx, self._user, day, self._model, spent))
