"""Decides how tests reach the MCP server: over real pipes, over HTTP on this machine, and in this process with any tools."""

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

import command_line.ground
from command_line.ground import IN_SEPTEMBER, child_environment
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.language import Language
from steadyhand.server.mcp_parts import Parts
from steadyhand.server.mcp_server import serving
from steadyhand.tools.base import Tool
from steadyhand.tools.registry import Registry
from steadyhand.wiring.app import App, open_app
from steadyhand.wiring.serving import mcp_parts

MODERN, OLDER = "auto", "legacy"
WAYS = (MODERN, OLDER)
"""Both ages of the protocol: requests that carry all that they need, and the handshake."""
COMMAND = ("-P", IN_SEPTEMBER)
in_child = partial(command_line.ground.in_child, program=(IN_SEPTEMBER,))
"""Clients and commands that share a folder share its days."""
CODE = "steadyhand/code"


@dataclass
class Person:
    """Who answers the client's forms: by the label that *choose* picks, or not at all; what was asked is kept."""

    choose: Callable[[list[str]], str | None] = lambda labels: labels[-1]
    asked: list[str] = field(default_factory=list)

    async def __call__(self, _context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.asked.append(params.message)
        label = self.choose(params.requested_schema["properties"]["choice"]["enum"])
        if label is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"choice": label})


@contextlib.asynccontextmanager
async def over_pipes(
    data_dir: Path, mode: str = MODERN, person: Person | None = None, *words: str, **more: Any
) -> AsyncGenerator[Client]:
    """The official client with a server of its own, started as clients start it; its log goes to a file beside the data."""
    parameters = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, *words, "mcp"], env=child_environment(data_dir), cwd=str(data_dir)
    )
    with (data_dir.parent / "mcp.log").open("a", encoding="utf-8") as log:
        async with Client(stdio_client(parameters, errlog=log), mode=mode, elicitation_callback=person, **more) as client:
            yield client


def text_of(result: types.CallToolResult) -> str:
    """Return all that a result says."""
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def code_of(result: types.CallToolResult) -> str:
    """Return the stable word of a result."""
    return str((result.meta or {})[CODE])


async def read(client: Client, uri: str) -> tuple[str, Any]:
    """Return a resource as text and as data."""
    found = (await client.read_resource(uri)).contents
    assert [one.mime_type for one in found] == ["text/plain", "application/json"]
    words, data = (one.text for one in found if isinstance(one, types.TextResourceContents))
    return words, json.loads(data)


def approve(data_dir: Path, command: str) -> str:
    """Decide as a person does, with the very command that the review names."""
    assert command.startswith("steady change approve ")
    done = in_child(data_dir, "--lang", "en", *command.split()[1:])
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


# ---- HTTP ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Served:
    """A server over HTTP: its process, its port, the file of its token."""

    process: "subprocess.Popen[str]"
    port: int
    token_file: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def token(self) -> str:
        return self.token_file.read_text(encoding="utf-8").strip()


@contextlib.contextmanager
def over_http(data_dir: Path, *words: str) -> Generator[Served]:
    """A server on a free port of this machine."""
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--lang", "en", "mcp", "--http", "127.0.0.1:0", *words],
        env=child_environment(data_dir),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said: list[str] = []
    listens = threading.Event()

    def listen_to(stream: Iterable[str]) -> None:
        for line in stream:
            said.append(line)
            if "is served at" in line:
                listens.set()
        listens.set()

    reading = threading.Thread(target=listen_to, args=(process.stderr,))
    reading.start()
    try:
        assert listens.wait(60)
        assert "is served at" in said[-1], said
        port = int(said[-1].rsplit(":", 1)[1].split("/")[0])
        file = Path(words[words.index("--token-file") + 1]) if "--token-file" in words else data_dir / "mcp-token"
        yield Served(process, port, file)
    finally:
        process.terminate()
        reading.join(30)
        with process:
            printed = process.stdout.read() if process.stdout else ""
        assert printed == ""
        assert not any("Traceback" in line for line in said), said


@contextlib.asynccontextmanager
async def http_client(served: Served, mode: str = MODERN, person: Person | None = None) -> AsyncGenerator[Client]:
    """The official client with the token."""
    headers = {"Authorization": f"Bearer {served.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(served.url, http_client=http), mode=mode, elicitation_callback=person) as client,
    ):
        yield client


# ---- in this process -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def opened(data_dir: Path, clock: FakeClock | None = None) -> Generator[App]:
    """The program on a folder, with a clock that stands still."""
    app = open_app(Settings(data_dir=data_dir, zone="UTC"), "en", clock or FakeClock())
    try:
        yield app
    finally:
        app.store.close()


def parts_of(app: App, language: Language = "en", tools: Sequence[Tool[Any]] | None = None) -> Parts:
    """Return the server's parts, with *tools* in the place of the program's own."""
    parts = mcp_parts(app, language)
    return parts if tools is None else replace(parts, registry=Registry(tools))


async def in_process(parts: Parts, work: Callable[[Client], Awaitable[None]], mode: str = MODERN, **more: Any) -> None:
    """Run *work* with a client of a server in this process."""
    async with Client(serving(parts), mode=mode, **more) as client:
        await work(client)
