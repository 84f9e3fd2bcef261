"""Loopback servers that speak real HTTP, and tools whose way out ends at them: the guard itself is the real one.

Names are resolved by a table of the test. What the guard lets pass is dialled on loopback instead, at the port of the test's own
server and nowhere else; which addresses it let pass is written down.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Self

from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.builtin.web import web_tools
from steadyhand.tools.net.transport import GuardedTransport, dial
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner

PUBLIC = "8.8.4.4"
OTHER_PUBLIC = "2606:4700::1111"

Answer = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]


class Asked:
    def __init__(self, head: bytes) -> None:
        first, *rest = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = first.split(" ", 2)
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest) if name}


def reply(body: bytes | str, media: str = "text/html; charset=utf-8", status: int = 200, **headers: str) -> Answer:
    data = body.encode() if isinstance(body, str) else body

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status} Fine", f"Content-Length: {len(data)}", f"Content-Type: {media}" if media else "X-Nothing: 1"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + data)

    return answer


def leads_to(location: str, status: int = 302) -> Answer:
    return reply("", status=status, Location=location)


class Site:
    def __init__(self, answers: Mapping[str, Answer], tls: ssl.SSLContext | None = None) -> None:
        self.answers, self._tls = answers, tls
        self.asked: list[Asked] = []
        self.dialled: list[tuple[str, int]] = []
        self.greeted: list[str] = []
        self._writers: list[asyncio.StreamWriter] = []
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            asked = Asked(await reader.readuntil(b"\r\n\r\n"))
            self.asked.append(asked)
            answer = (
                self.answers.get(asked.target) or self.answers.get(asked.target.partition("?")[0]) or reply("none", status=404)
            )
            await answer(asked, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def dial(self, address: str, port: int, timeout: float | None):  # noqa: ASYNC109  # the form of what it stands in for
        self.dialled.append((address, port))
        return await dial("127.0.0.1", self.port, timeout)


def resolver(names: Mapping[str, Sequence[Sequence[str]] | Sequence[str]]):
    """Answer from *names*; a list of lists is answered one after the other, the last one again and again."""
    told: dict[str, int] = {}

    async def resolve(name: str) -> Sequence[str]:
        answers = names.get(name, [])
        if answers and not isinstance(answers[0], str):
            turn = told.get(name, 0)
            told[name] = turn + 1
            return list(answers[min(turn, len(answers) - 1)])
        return list(answers)

    return resolve


NAMES = {"site.test": [PUBLIC], "second.test": [OTHER_PUBLIC]}


@asynccontextmanager
async def browsing(answers, *, names=NAMES, settings=None, keep=None, tls=None, client_tls=None, language="en"):
    """Yield a site, and a function that calls one of the web tools and returns its result."""
    async with Site(answers, tls) as site:
        set_up = Settings(**(settings(site) if callable(settings) else settings or {}))
        tools = web_tools(
            set_up, keep, resolve=resolver(names), transport=lambda guard: GuardedTransport(guard, dial=site.dial, tls=client_tls)
        )
        runner = Runner(Registry(tools), ToolPolicy())
        context = ToolContext(UserId("person"), SessionId("desk"), FakeClock(), language)

        async def call(name: str, arguments: str):
            return await runner.run(context, ToolCall("call_1", name, arguments))

        yield site, call
