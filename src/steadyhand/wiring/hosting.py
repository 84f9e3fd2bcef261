"""Decides what a host is put together from: what comes due, jobs, sessions and, where a port is set, channels. It must not hold behaviour of its own.

Channels are imported only where they are wanted.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from steadyhand.core.language import Language
from steadyhand.session.conversation import Conversations
from steadyhand.session.outbox import Channel
from steadyhand.wakeups.host import GRACE_SECONDS, Host
from steadyhand.wakeups.ticking import Duties
from steadyhand.wiring.app import App
from steadyhand.wiring.later import heartbeat, waking
from steadyhand.wiring.working import worker

if TYPE_CHECKING:
    from steadyhand.core.ids import SessionId, UserId

Listening = Callable[[asyncio.Event], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Hosted:
    """A host, and its channels where it has some: then *address* says where they are."""

    host: Host
    talk: Conversations
    address: str | None = None
    listening: Listening | None = None

    async def serve(self, stop: asyncio.Event) -> None:
        """Host until *stop* is set; channels that fail end the host too."""
        if self.listening is None:
            await self.host.serve(stop)
            return
        channels = asyncio.ensure_future(self.listening(stop))
        channels.add_done_callback(lambda _: stop.set())
        try:
            await self.host.serve(stop)
        finally:
            stop.set()
            await channels


@contextlib.asynccontextmanager
async def hosting(app: App, language: Language, *, with_channels: bool, holds: Callable[[], bool]) -> AsyncGenerator[Hosted]:
    """Put a host together, with sessions of its own; what it opened is closed behind it."""
    if with_channels and app.settings.channel_port is not None:
        made = _with_channels(app, language, app.settings.channel_port, holds)
    else:
        made = contextlib.nullcontext(_hosted(app, Duties(app.conversations(_nobody_here)), holds))
    with made as hosted:
        await app.toolbox.connect()
        trying = asyncio.create_task(app.toolbox.stay_connected())
        try:
            yield hosted
        finally:
            trying.cancel()
            await asyncio.gather(trying, return_exceptions=True)
            await app.toolbox.close()
            close = getattr(hosted.talk.parts.provider, "aclose", None)
            if close is not None:
                await close()


def host_beside(
    app: App, talk: Conversations, is_here: "Callable[[UserId, SessionId], bool]", holds: Callable[[], bool], *, grace: float
) -> Host:
    """Return a host over the sessions of *talk*; those that are *here* are worked in by whoever has them open."""
    return _hosted(app, Duties(talk, elsewhere=is_here), holds, grace).host


def _nobody_here(_user: "UserId", _session: "SessionId") -> "Channel | None":
    return None


def _hosted(app: App, duties: Duties, holds: Callable[[], bool], grace: float = GRACE_SECONDS) -> Hosted:
    talk = duties.talk
    jobs = worker(app.settings, app.toolbox, talk)
    takers = (waking(app.settings, talk), heartbeat(app.settings, app.toolbox, talk, app.user.id), jobs)
    return Hosted(Host(replace(duties, takers=takers), (jobs.close,), grace=grace, holds=holds), talk)


@contextlib.contextmanager
def _with_channels(app: App, language: Language, port: int, holds: Callable[[], bool]) -> Generator[Hosted]:
    from steadyhand.channels.app import Channels, Entrance, make_app  # noqa: PLC0415  # see the module's docstring
    from steadyhand.channels.serving import listen, names_of, serve  # noqa: PLC0415  # as above
    from steadyhand.channels.tokens import onebot_token, web_token  # noqa: PLC0415  # as above

    settings = app.settings
    host, tokens = settings.channel_host, (web_token(settings), onebot_token(settings))
    with contextlib.closing(listen(host, port)) as bound:
        port = bound.getsockname()[1]
        entrance = Entrance(app.user.id, language, tokens[0], names_of(host, port, settings.channel_names), tokens[1])
        channels = Channels(app.store)
        talk = app.conversations(channels.attached)
        door = make_app(talk, channels, entrance)
        duties = Duties(talk, attached=channels.attached, listener=channels.listener, settled=channels.hub.settled)
        made = _hosted(app, duties, holds)
        written = f"[{host}]" if ":" in host else host

        async def listening(stop: asyncio.Event) -> None:
            await serve(door, bound, stop)

        yield replace(made, address=f"http://{written}:{port}", listening=listening)
