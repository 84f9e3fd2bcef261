"""Decides what parts are put together from, for a person and for the sessions; it must not hold behaviour of its own.

Everything here is made when it is first asked for: who plans a timetable loads none of it.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from steadyhand.core.config import Settings
from steadyhand.core.language import Language
from steadyhand.gate.controller import Controller
from steadyhand.memory.working import Working
from steadyhand.store import Store

if TYPE_CHECKING:
    from steadyhand.core.language import Language
    from steadyhand.domains.cae.calls.table import ModuleName
    from steadyhand.domains.cae.choice import Choices
    from steadyhand.domains.cae.module import CaeDomain
    from steadyhand.domains.cae.shelf.doors import Shelf
    from steadyhand.domains.cae.shelf.running import Bounds
    from steadyhand.session.parts import DomainCommand
    from steadyhand.store.changes.changes import ChangeRow
    from steadyhand.tools.base import Tool

CAE = "cae"


def cae_domain(settings: Settings, store: Store, language: Language) -> "CaeDomain":
    """Return the domain of parts; *language* is that of the words on its pictures."""
    from steadyhand.domains.cae.module import CaeDomain  # noqa: PLC0415  # see the module's docstring

    return CaeDomain(settings, clock=store.clock, language=language)


def told(row: "ChangeRow", language: "Language") -> str:
    """Return what a verified change of a part has to tell beyond its state; nothing for any other change."""
    if row.domain != CAE or row.state != "verified":
        return ""
    from steadyhand.domains.cae import telling  # noqa: PLC0415  # as above

    return telling.told(row.receipt, language)


class Engineering:
    """The parts as sessions and commands stand to them."""

    def __init__(self, settings: Settings, working: Working) -> None:
        self._settings = settings
        self._working = working
        self.by_rules = False
        """Whether changes are written by rules alone, since no model answers."""

    @cached_property
    def choices(self) -> "Choices":
        """What each session works on."""
        from steadyhand.domains.cae.choice import Choices  # noqa: PLC0415  # as above

        return Choices(self._working)

    @cached_property
    def shelf(self) -> "Shelf":
        """The parts on disk."""
        from steadyhand.domains.cae.shelf.doors import Shelf  # noqa: PLC0415  # as above

        return Shelf(self._settings.data_dir / CAE, self.bounds)

    @property
    def bounds(self) -> "Bounds":
        """What a child process of a part may use."""
        from steadyhand.domains.cae.shelf.running import Bounds  # noqa: PLC0415  # as above

        return Bounds(self._settings.cae_memory_mib, self._settings.cae_seconds)

    def why_unread(self, text: str, language: Language, module: "ModuleName", brief: Mapping[str, Any]) -> str:
        """Say which words of *text* the rules do not read, or do not fit *module* or the part that *brief* tells of."""
        from steadyhand.domains.cae.phrases import explain  # noqa: PLC0415  # as above

        return explain(text, language, module, brief)

    def tools(self, controller: Controller) -> "tuple[Tool[Any], ...]":
        """Return the tools about parts: those that look, and the one that opens a change."""
        from steadyhand.agent.change_tools import under_review  # noqa: PLC0415  # as above
        from steadyhand.domains.cae.observing.results import results_tool  # noqa: PLC0415  # as above
        from steadyhand.domains.cae.observing.tools import inspect_tools  # noqa: PLC0415  # as above
        from steadyhand.domains.cae.proposing import propose_tool  # noqa: PLC0415  # as above

        return (
            *inspect_tools(self.shelf, self.choices),
            results_tool(self.shelf, self.choices),
            propose_tool(controller, self.choices, under_review, lambda: self.why_unread if self.by_rules else None),
        )

    def commands(self) -> "Mapping[str, DomainCommand]":
        """Return the commands of a session that are about parts."""
        from steadyhand.domains.cae.choosing import Choosing  # noqa: PLC0415  # as above

        return {"module": Choosing(self.choices).answer}
