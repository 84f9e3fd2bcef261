"""Decides when a message has reached a page: when it says so. It must not send anything itself."""

from steadyhand.channels.web.hub import Hub
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.ports import Delivered, Queued, Sent

CHANNEL = "web"
SEEN_SECONDS = 9.0


class WebChannel:
    """The way to whoever has a session open in a page; see `session.outbox.Channel`. A page knows a message by its id."""

    name = CHANNEL
    shows_again = True

    def __init__(self, hub: Hub, seconds: float = SEEN_SECONDS) -> None:
        self._hub = hub
        self._seconds = seconds

    async def send(self, owed: Owed) -> Delivered:
        """Show one message; it stays owed until a page has it."""
        return Sent(owed.id) if await self._hub.show(owed, self._seconds) else Queued()
