"""Decides how a server that is a program of this machine is started, spoken to and ended; it must not outlive its connection.

It sees the environment variables that the settings name and no other, and is ended with its whole process group. What it prints
that is no message is skipped; a line or a noise without end ends it.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from steadyhand.core.logs import get_logger
from steadyhand.core.mcp_settings import McpServer

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams

MAX_LINE = 4_000_000
MAX_NOISE = 1_000
"""So many lines between two messages may be something else, the words of a library that greets its user, say."""
MAX_LAST_WORDS = 2_000
GRACE = 2.0
LOOK_AGAIN = 0.01
PIECE = 65_536

log = get_logger(__name__)


@asynccontextmanager
async def running(name: str, server: McpServer, environment: Mapping[str, str]) -> AsyncGenerator["TransportStreams"]:
    """Start the program of *server* and yield the streams of its messages; an unknown program raises `OSError`."""
    seen = {variable: environment[variable] for variable in server.env if variable in environment}
    command = shutil.which(server.command, path=environment.get("PATH"))
    if command is None:
        raise FileNotFoundError(server.command)
    process = await asyncio.create_subprocess_exec(
        command,
        *server.args,
        env=seen,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    to_us, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_us = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, to_us)
            tasks.start_soon(_write, process, from_us, to_us)
            tasks.start_soon(_listen_to_complaints, name, process)
            try:
                yield incoming, outgoing
            finally:
                with anyio.CancelScope(shield=True):
                    for stream in (incoming, outgoing, to_us, from_us):
                        await stream.aclose()
                    await _undisturbed(_end(process))
                tasks.cancel_scope.cancel()
    finally:
        _kill_group(process)
        _close_pipes(process)


async def _read(process: asyncio.subprocess.Process, to_us: "MemoryObjectSendStream[SessionMessage | Exception]") -> None:
    """Pass on what the program says, message by message, until it ends or says too much that is none."""
    assert process.stdout is not None  # noqa: S101  # started with a pipe
    rest, noise = bytearray(), 0
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with to_us:
            while noise <= MAX_NOISE and len(rest) <= MAX_LINE:
                piece = await process.stdout.read(PIECE)
                if not piece:
                    return
                *lines, last = (rest + piece).split(b"\n") if b"\n" in piece else (rest + piece,)
                rest = bytearray(last)
                for line in lines:
                    message = _message(bytes(line))
                    noise = noise + 1 if message is None else 0
                    if message is not None:
                        await to_us.send(message)
            log.warning("mcp_program_says_too_much", noise=noise, line=len(rest))


def _message(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except (ValueError, RecursionError):
        return None


async def _write(
    process: asyncio.subprocess.Process,
    from_us: "MemoryObjectReceiveStream[SessionMessage]",
    to_us: "MemoryObjectSendStream[SessionMessage | Exception]",
) -> None:
    assert process.stdin is not None  # noqa: S101  # started with a pipe
    try:
        async for message in from_us:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()
    except (OSError, anyio.ClosedResourceError):
        await to_us.aclose()  # nothing more will be answered: whoever waits must hear of it


async def _listen_to_complaints(name: str, process: asyncio.subprocess.Process) -> None:
    """Keep the last words on the error stream for the log: they say why a program ended."""
    assert process.stderr is not None  # noqa: S101  # started with a pipe
    last = b""
    while piece := await process.stderr.read(PIECE):
        last = (last + piece)[-MAX_LAST_WORDS:]
    log.info("mcp_program_ended", server=name, said=last.decode("utf-8", "replace"))


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Await *work*, which takes bounded time, to its end: a cancelled task may not leave a program behind."""
    task, disturbed = asyncio.create_task(work), None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            disturbed = error
    if disturbed is not None:
        raise disturbed


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close the program's input, and end its whole group if it does not leave by itself."""
    if process.stdin is not None:
        process.stdin.close()
    for last_resort in (_terminate_group, _kill_group):
        if await _left(process):
            break
        last_resort(process)
    _kill_group(process)
    await _left(process)


async def _left(process: asyncio.subprocess.Process) -> bool:
    """Wait a little for the program to end; its own children may hold its pipes open, so that waiting for those would not do."""
    with anyio.move_on_after(GRACE):
        while process.returncode is None:  # noqa: ASYNC110  # asyncio tells the end by an event only when the pipes have ended too
            await anyio.sleep(LOOK_AGAIN)
    return process.returncode is not None


def _close_pipes(process: asyncio.subprocess.Process) -> None:
    transport = getattr(process, "_transport", None)  # the library closes it when every pipe has ended, and shows it nowhere
    if transport is not None:
        transport.close()


def _terminate_group(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
