"""Decides which tools a turn has and under which policy; it must not run one. Everything here is made when it is first asked for."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING

from steadyhand.core.config import Settings
from steadyhand.core.explain import explain
from steadyhand.core.language import Language, say
from steadyhand.domains.registration import Home
from steadyhand.gate.controller import Controller
from steadyhand.memory.tiers import tiers_of
from steadyhand.memory.working import Working
from steadyhand.store import Store
from steadyhand.wiring.installed import Domains

if TYPE_CHECKING:
    from steadyhand.jobs.book import Book
    from steadyhand.tools.builtin.workspace import Workspace
    from steadyhand.tools.mcp_client.clients import McpClients
    from steadyhand.tools.policy import ToolPolicy
    from steadyhand.tools.registry import Registry


STANDINGS = "mcp-servers.json"
"""The file of the data folder that remembers how the tool servers stood."""
TRY_SECONDS = 60.0
"""How often a host looks whether a tool server that did not answer is to be tried again."""


class Toolbox:
    """The tools of an installation."""

    def __init__(self, settings: Settings, store: Store, language: Language, controller: "Callable[[], Controller]") -> None:
        self._settings = settings
        self._store = store
        self._controller = controller
        self._connected = False
        self._trying: asyncio.Task[None] | None = None
        self.working = Working(store, tiers_of(settings))
        home = Home(settings, store, self.working, language, lambda: self.registry, lambda: self.policy)
        self.domains = Domains(home)

    @cached_property
    def book(self) -> "Book":
        """The jobs of every person."""
        from steadyhand.jobs.book import Book  # noqa: PLC0415  # most commands need no tools
        from steadyhand.wakeups.seat import seated  # noqa: PLC0415  # as above

        return Book(self._store, hosted=lambda: seated(self._store) is not None)

    @cached_property
    def workspace(self) -> "Workspace":
        """The folder that file tools and the shell work in."""
        from steadyhand.tools.builtin.workspace import Workspace  # noqa: PLC0415  # as above

        return Workspace(self._settings.workspace_dir)

    @cached_property
    def registry(self) -> "Registry":
        """Every tool, in a fixed order; those of other servers come behind them, once `connect` was awaited."""
        from steadyhand.agent.change_tools import change_tools  # noqa: PLC0415  # as above
        from steadyhand.agent.spawning import spawning_tools  # noqa: PLC0415  # as above
        from steadyhand.agent.turn import Limits as TurnLimits  # noqa: PLC0415  # as above
        from steadyhand.jobs.here import Limits  # noqa: PLC0415  # as above
        from steadyhand.session.tools import session_tools  # noqa: PLC0415  # as above
        from steadyhand.tools.builtin.jobs import job_tools  # noqa: PLC0415  # as above
        from steadyhand.tools.builtin.machine import builtin_tools  # noqa: PLC0415  # as above
        from steadyhand.tools.builtin.web import web_tools  # noqa: PLC0415  # as above
        from steadyhand.tools.registry import Registry  # noqa: PLC0415  # as above
        from steadyhand.wakeups.tools import wakeup_tools  # noqa: PLC0415  # as above

        controller = self._controller()
        settings = self._settings
        limits = Limits(memory_mib=settings.job_memory_mib, seconds=settings.job_seconds)
        sub_agents = TurnLimits(settings.subagent_rounds, settings.subagent_seconds, settings.subagent_tokens)
        return Registry(
            (
                *self.domains.tools(controller),
                *change_tools(controller),
                *session_tools(self._store),
                *builtin_tools(self.workspace, limits, self._settings.shell_fence),
                *web_tools(self._settings, self.keep),
                *job_tools(),
                *spawning_tools(sub_agents),
                *wakeup_tools(self._store),
            )
        )

    async def keep(self, name: str, text: str) -> str:
        """Keep what is too long to be told (a page, a job's result) in the workspace; return where."""
        from steadyhand.tools.builtin.replacing import write_whole  # noqa: PLC0415  # as above

        await asyncio.to_thread(write_whole, self.workspace, name, text.encode())
        return name

    @cached_property
    def others(self) -> "McpClients | None":
        """The tool servers that the settings name; None when they name none."""
        if not self._settings.mcp:
            return None
        from steadyhand.tools.mcp_client.clients import McpClients  # noqa: PLC0415  # as above

        return McpClients(self._settings.mcp, self._store.clock, file=self._settings.data_dir / STANDINGS)

    async def connect(self) -> None:
        """Register the tools of other servers, once; later, those of a server that comes back, which nobody waits for."""
        if self.others is None:
            return
        if not self._connected:
            self._connected = True
            for tool in await self.others.tools():
                self.registry.register(tool)
        elif (self._trying is None or self._trying.done()) and self.others.some_are_due():
            self._trying = asyncio.create_task(self._come_back(self.others))

    async def _come_back(self, others: "McpClients") -> None:
        for tool in await others.come_back():
            if self.registry.find(tool.name) is None:
                self.registry.register(tool)

    async def stay_connected(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Try those again that do not answer, until cancelled: for a process that goes on without anybody's message."""
        while self.others is not None:
            await pause(TRY_SECONDS)
            await self.connect()

    def silent_servers(self, language: Language) -> list[str]:
        """Return a line for each server that does not answer, the first time that it is asked for."""
        if self.others is None:
            return []
        found = self.others.to_tell()
        return [say(language, "mcp.silent", why=explain(one.refusal(), language).summary) for one in found.values()]

    async def close(self) -> None:
        """Let go of other servers."""
        if self._trying is not None:
            self._trying.cancel()
            await asyncio.gather(self._trying, return_exceptions=True)
        if self._connected and self.others is not None:
            await self.others.close()

    @cached_property
    def policy(self) -> "ToolPolicy":
        """What the settings say of each effect."""
        from steadyhand.tools.policy import Rule, ToolPolicy  # noqa: PLC0415  # as above

        settings = self._settings
        return ToolPolicy(
            (
                Rule(settings.policy_exec, effect="exec"),
                Rule(settings.policy_external, effect="external"),
                Rule(settings.policy_workspace, effect="workspace"),
            )
        )
