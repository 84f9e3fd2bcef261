"""Clients of real servers: programs that are started, and an application that is served on loopback."""

import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.mcp_settings import McpServer
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.mcp_client.clients import McpClients
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner

SERVERS = Path(__file__).parents[1] / "mcp_servers"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "SECRET_OF_OURS": "hush", "NOTES_TOKEN": "token"}


def program(script: str, *arguments: object, **more: object) -> McpServer:
    return McpServer(**{"command": sys.executable, "args": (str(SERVERS / script), *map(str, arguments)), **more})


class Clients:
    def __init__(self, servers, language, environment=ENVIRONMENT):
        self.clock = FakeClock()
        self.clients = McpClients(servers, self.clock, environment)
        self.language = language

    async def listed(self):
        self.tools = {tool.name: tool for tool in await self.clients.tools()}
        self.runner = Runner(Registry(self.tools.values()), ToolPolicy((Rule("allow"),)))
        return self.tools

    async def run(self, name, arguments="{}"):
        """Call a tool as a decided call is: the answer also tells whether it is known what became of it."""
        context = ToolContext(UserId("person"), SessionId("desk"), self.clock, self.language)
        return await self.runner.run_decided(context, ToolCall("call_1", name, arguments))

    async def call(self, name, arguments="{}"):
        return (await self.run(name, arguments)).result


@asynccontextmanager
async def using(language="en", environment=ENVIRONMENT, **servers):
    made = Clients(servers, language, environment)
    try:
        await made.listed()
        yield made
    finally:
        await made.clients.close()


def serving(folder: Path) -> tuple[str, subprocess.Popen]:
    """Start a program that serves the notes on loopback; it alone holds the socket that is listened at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        at, port = listening.fileno(), listening.getsockname()[1]
        command = (sys.executable, str(SERVERS / "notes.py"), str(folder), "--listening", str(at))
        return f"http://127.0.0.1:{port}/mcp", subprocess.Popen(
            command, pass_fds=(at,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


@asynccontextmanager
async def served(folder: Path):
    """Yield the address of the notes, served by a program of its own, and that program."""
    url, program = serving(folder)
    with program:
        try:
            yield url, program
        finally:
            program.kill()
