"""Decides what the channels are put together from, and which of them leads to a person now. It must not hold behaviour of theirs."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Collection
from dataclasses import dataclass, field

from fastapi import FastAPI

from steadyhand.agent.events import Listener
from steadyhand.channels.onebot.addresses import peer_of
from steadyhand.channels.onebot.channel import ANSWER_SECONDS, OneBotChannel
from steadyhand.channels.onebot.endpoint import PATH, Endpoint
from steadyhand.channels.onebot.link import Links
from steadyhand.channels.onebot.receiving import Receiver
from steadyhand.channels.running import Running
from steadyhand.channels.web.api import Api
from steadyhand.channels.web.channel import SEEN_SECONDS, WebChannel
from steadyhand.channels.web.guard import Guard
from steadyhand.channels.web.hub import Hub
from steadyhand.channels.web.refusing import refuse_in_words
from steadyhand.channels.web.stream import Streams
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import Language
from steadyhand.session.conversation import Conversations
from steadyhand.session.outbox import Channel
from steadyhand.store import Store


@dataclass(frozen=True, slots=True)
class Entrance:
    """Whose channels these are and who is let in: *names* are those by which requests may ask for us, each with its port.

    Without *onebot_token* OneBot is closed.
    """

    user: UserId
    language: Language
    web_token: str = field(repr=False)
    names: Collection[str]
    onebot_token: str | None = field(default=None, repr=False)


class Channels:
    """The channels of this process. `make_app` gives them their sessions."""

    def __init__(self, store: Store, *, answer_seconds: float = ANSWER_SECONDS, seen_seconds: float = SEEN_SECONDS) -> None:
        self.links = Links()
        self.hub = Hub()
        self.onebot = OneBotChannel(store, self.links, answer_seconds)
        self.web = WebChannel(self.hub, seen_seconds)

    def attached(self, user: UserId, session: SessionId) -> Channel | None:
        """Return the channel that leads to the person of a session now; see `session.outbox.Attached`."""
        peer = peer_of(session)
        if peer is not None:
            return self.onebot if self.links.of(peer.self_id) is not None else None
        return self.web if self.hub.hears(user, session) else None

    def listener(self, user: UserId, session: SessionId) -> Listener:
        """Return what lets pages see the turn of a session while it runs, whoever runs it."""
        return self.hub.listener(user, session)


def make_app(talk: Conversations, channels: Channels, entrance: Entrance) -> FastAPI:
    """Return the web application behind which all channels are. It is run by one process: the host."""
    running = Running(talk, channels.listener, channels.hub.settled)
    app = FastAPI(
        title="Steadyhand", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json", lifespan=_lifespan(running, channels)
    )
    refuse_in_words(app, entrance.language)
    app.include_router(Api(talk, entrance.user, running).router())
    streams = Streams(talk, entrance.user, channels.hub, running)
    app.add_api_websocket_route("/api/sessions/{session}/stream", streams.serve)
    if entrance.onebot_token is not None:
        receiver = Receiver(talk, entrance.language, running)
        arrived = talk.parts.outbox.arrived
        endpoint = Endpoint(entrance.onebot_token, channels.links, channels.onebot, receiver, arrived, running)
        app.add_api_websocket_route(PATH, endpoint.serve)
    app.add_middleware(
        Guard, token=entrance.web_token, names=entrance.names, language=entrance.language, elsewhere=frozenset({PATH})
    )
    return app


def _lifespan(running: Running, channels: Channels) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        yield
        for link in channels.links.all():
            channels.links.leave(link)
        await running.close()

    return lifespan
