"""Decides how a command of the model is run in the workspace and told; it must not decide whether it may run: that is the policy's.

The policy denies it unless the person's settings say otherwise, and no rule here looks at the words of a command: what it may
reach is bounded by the fence, where there is one, and by limits.
"""

import asyncio
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock, SystemClock
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import Language, say
from steadyhand.core.visible import visible
from steadyhand.jobs.here import Limits
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.builtin.fence import bare, fenced
from steadyhand.tools.builtin.named_files import named_files
from steadyhand.tools.builtin.running import Command, Ended, Output, run_command
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.tools.result import ToolResult

MAX_COMMAND = 16_000
MAX_SECONDS = 600
OUTPUT_BYTES = 8 * 1024 * 1024
"""A command that prints more is ended."""
SHOWN_CHARACTERS = 4_000
"""So much of its output a person is shown."""

_PATH = "/usr/local/bin:/usr/bin:/bin"
_MARGIN_SECONDS = 60.0
_TRIAL = Limits(seconds=10.0, output_bytes=4_096)


class RunCommand(Arguments):
    """One command line for /bin/sh, run in the workspace."""

    command: str = Field(min_length=1, max_length=MAX_COMMAND)
    seconds: int = Field(default=60, ge=1, le=MAX_SECONDS)


FenceRule: TypeAlias = Literal["required", "when_installed", "when_possible"]
"""When a command may run: inside the fence alone; also where no fence is installed; also where the installed one does not work."""


class Shell:
    """Runs commands in a workspace; *bwrap* is where the fence's program is, None for none."""

    def __init__(self, workspace: Workspace, limits: Limits, bwrap: str | None, clock: Clock, rule: FenceRule) -> None:
        self._workspace = workspace
        self._limits = limits
        self._bwrap = bwrap
        self._clock = clock
        self._rule = rule
        self._holds: bool | None = None
        self._trying = threading.Lock()

    async def run(self, command: str, seconds: int) -> tuple[Ended, str]:
        """Run *command*; return how it ended, and ``fenced``, ``open`` or ``fence_broken``. Cancelling this ends the command first."""
        given_up = threading.Event()
        work = asyncio.ensure_future(asyncio.to_thread(self._run, command, seconds, given_up))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            given_up.set()
            await asyncio.wait([work])
            raise

    async def around(self, command: str) -> Mapping[str, Json]:
        """Return what *command* hangs on: whether there is a fence, and the files that it names."""
        return await asyncio.to_thread(self._around, command)

    def _run(self, command: str, seconds: int, given_up: threading.Event) -> tuple[Ended, str]:
        root = self._root()
        limits = replace(self._limits, seconds=min(float(seconds), self._limits.seconds), output_bytes=OUTPUT_BYTES)
        state = self._fence(root)
        argv = fenced(self._bwrap, root, command) if self._bwrap is not None and state == "fenced" else bare(command)
        return run_command(_command(argv, root), limits, given_up.is_set, self._clock), state

    def _around(self, command: str) -> dict[str, Json]:
        root = self._root()
        state = self._fence(root)
        files = named_files(command, Path(root), inside=state == "fenced")
        fence: Json = {"state": state, "network": state != "fenced"}
        return {"fence": fence, **{f"file:{name}": fact for name, fact in files.items()}}

    def _root(self) -> str:
        return str(self._workspace.ready().resolve())

    def _fence(self, root: str) -> str:
        """Say whether there is a fence, and refuse where the rule wants one that is not there."""
        state = self._tried(root)
        if state == "open" and self._rule == "required":
            raise ToolRefusal("fence_missing")
        if state == "fence_broken" and self._rule != "when_possible":
            raise ToolRefusal("fence_broken")
        return state

    def _tried(self, root: str) -> str:
        """Try a fence that is installed once, since a system may forbid it."""
        if self._bwrap is None:
            return "open"
        with self._trying:
            if self._holds is None:
                self._holds = fence_works(self._bwrap, root, self._limits, self._clock)
        return "fenced" if self._holds else "fence_broken"


def fence_works(bwrap: str, root: str, limits: Limits, clock: Clock) -> bool:
    """Tell whether a command can be run inside the fence of *bwrap* here, by running one that does nothing."""
    trial = _command(fenced(bwrap, root, "exit 0"), root)
    ended = run_command(trial, replace(_TRIAL, memory_mib=limits.memory_mib), lambda: False, clock)
    return (ended.how, ended.code) == ("exited", 0)


def shell_tool(
    workspace: Workspace,
    limits: Limits,
    bwrap: str | None = None,
    clock: Clock | None = None,
    rule: FenceRule = "when_installed",
) -> Tool[Any]:
    """Return the tool that runs commands in *workspace*; without *bwrap* the one that is installed is looked for."""
    shell = Shell(workspace, limits, bwrap or shutil.which("bwrap"), clock or SystemClock(), rule)

    async def body(context: ToolContext, arguments: RunCommand) -> ToolResult:
        _require_readable(arguments)
        ended, fence = await shell.run(arguments.command, arguments.seconds)
        return _told(context.language, ended, fence, min(arguments.seconds, int(limits.seconds)))

    async def around(arguments: RunCommand) -> Mapping[str, Json]:
        _require_readable(arguments)
        return await shell.around(arguments.command)

    return Tool("shell", "exec", RunCommand, body, seconds=MAX_SECONDS + _MARGIN_SECONDS, around=around)


def _require_readable(arguments: RunCommand) -> None:
    if "\0" in arguments.command:
        raise ToolRefusal("shell_command_unreadable")


def _command(argv: Sequence[str], root: str) -> Command:
    return Command(argv, root, {"PATH": _PATH, "LANG": "C.UTF-8", "HOME": root})


def _told(language: Language, ended: Ended, fence: str, seconds: int) -> ToolResult:
    """Tell the model everything that was kept with the exit code, the person what was printed."""
    failed = ended.how != "exited" or ended.code != 0
    how = say(language, f"shell.how.{_kind(ended)}", code=abs(ended.code), seconds=seconds, mib=OUTPUT_BYTES >> 20)
    output = _readable(language, ended.output)
    notes = [how, say(language, f"shell.fence.{fence}")]
    if ended.left and ended.how == "exited" and fence != "fenced":  # in the fence they end with it, its own first process too
        notes.append(say(language, "shell.left", count=ended.left))
    shown = _for_person(language, output)
    return ToolResult(
        "\n".join([*notes, "", output or say(language, "shell.no_output")]),
        for_user=f"{how}\n{shown}".rstrip() if failed else shown or say(language, "shell.no_output"),
        is_error=failed,
        code=_code(ended) if failed else "ok",
        data={"exit_code": ended.code, "how": ended.how, "fence": fence, "bytes": ended.output.total, "left": ended.left},
    )


def _kind(ended: Ended) -> str:
    if ended.how != "exited":
        return ended.how
    return "exited" if ended.code >= 0 else "killed"


def _code(ended: Ended) -> str:
    return "command_failed" if ended.how == "exited" else f"command_{ended.how}"


def _readable(language: Language, output: Output) -> str:
    """Return the output as text without marks that a terminal obeys; what was left out of its middle is said at its place."""
    if not output.left_out:
        return _text(bytes(output.head + output.tail))
    cut = say(language, "shell.left_out", bytes=output.left_out, total=output.total)
    return f"{_text(bytes(output.head))}\n{cut}\n{_text(bytes(output.tail))}"


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return visible(text, keep="\n\t\u3000\u200d").rstrip("\n")


def _for_person(language: Language, output: str) -> str:
    if len(output) <= SHOWN_CHARACTERS:
        return output
    half = SHOWN_CHARACTERS // 2
    cut = say(language, "shell.person_left_out", characters=len(output) - 2 * half)
    return f"{output[:half]}\n{cut}\n{output[-half:]}"
