"""Decides how long a connection may take to say what it wants, and which one gives way when too many wait. It must not know what is asked.

A connection holds a place while it is being answered. One that has not said its request yet, or has been answered and says nothing
more, only waits: whoever opens hundreds of those keeps nobody out, since the one that has waited longest is closed for a new one.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds for the head of a request, seconds for its body, and how many connections may wait at once."""

    head: float = 10.0
    body: float = 30.0
    waiting: int = 64


def patient(patience: Patience) -> type[H11Protocol]:
    """Return uvicorn's protocol of one server, with *patience*."""
    waiting: OrderedDict[Patient, None] = OrderedDict()

    class OfOneServer(Patient):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            self.patience = patience
            self.waiting = waiting

    return OfOneServer


class Patient(H11Protocol):
    """A connection that is closed when it takes too long, or when it waits and others need the place."""

    patience: Patience
    waiting: "OrderedDict[Patient, None]"

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._limit: asyncio.TimerHandle | None = None
        self._stage = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._enter("head")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            self._enter("")  # it speaks WebSocket from now on, or is gone
        else:
            self._enter(self._stage_now())

    def _stage_now(self) -> str:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # there is none until the first request
        if cycle is None or (cycle.response_complete and self.conn.their_state is h11.IDLE):
            return "head"
        return "body" if cycle.more_body else ""

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter("")
        super().connection_lost(exc)

    def _enter(self, stage: str) -> None:
        """Begin a stage, unless it goes on already: a byte now and then buys no time."""
        if stage == "head":
            self._wait()
        else:
            self.waiting.pop(self, None)
        if stage == self._stage:
            return
        self._stage = stage
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        if stage:
            seconds = self.patience.head if stage == "head" else self.patience.body
            self._limit = self.loop.call_later(seconds, self.give_way)

    def _wait(self) -> None:
        """Count as waiting from now on; of too many the one that has waited longest goes."""
        self.waiting.setdefault(self)
        if len(self.waiting) > self.patience.waiting:
            self.waiting.popitem(last=False)[0].give_way()

    def give_way(self) -> None:
        """Close, whatever was being said."""
        self.waiting.pop(self, None)
        self.transport.close()
