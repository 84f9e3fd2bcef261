"""Decides what the parts are put together from, for a person and for the sessions. It must not load what a command does not need.

Everything here is made when it is first asked for: who plans a timetable loads none of it.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from steadyhand.core.clock import Clock
from steadyhand.core.language import Language
from steadyhand.domains.registration import SessionCommand, UnderReview

if TYPE_CHECKING:
    from steadyhand.core.config import Settings
    from steadyhand.domains.cae.calls.table import ModuleName
    from steadyhand.domains.cae.choice import Choices
    from steadyhand.domains.cae.module import CaeDomain
    from steadyhand.domains.cae.shelf.doors import Shelf
    from steadyhand.domains.cae.shelf.running import Bounds
    from steadyhand.gate.controller import Controller
    from steadyhand.memory.working import Working
    from steadyhand.tools.base import Tool

NAME = "cae"
"""The domain's name, and its folder's beside the database."""


class Engineering:
    """The parts as sessions and commands stand to them."""

    def __init__(self, settings: "Settings", working: "Working", clock: Clock) -> None:
        self._settings = settings
        self._working = working
        self._clock = clock

    @cached_property
    def choices(self) -> "Choices":
        """What each session works on."""
        from steadyhand.domains.cae.choice import Choices  # noqa: PLC0415  # as above

        return Choices(self._working)

    @cached_property
    def shelf(self) -> "Shelf":
        """The parts on disk."""
        from steadyhand.domains.cae.shelf.doors import Shelf  # noqa: PLC0415  # as above

        return Shelf(self._settings.data_dir / NAME, self.bounds)

    @property
    def bounds(self) -> "Bounds":
        """What a child process of a part may use."""
        from steadyhand.domains.cae.shelf.running import Bounds  # noqa: PLC0415  # as above

        return Bounds(self._settings.cae_memory_mib, self._settings.cae_seconds)

    def module(self, language: Language) -> "CaeDomain":
        """Return the domain; *language* is that of the words on its pictures."""
        from steadyhand.domains.cae.module import CaeDomain  # noqa: PLC0415  # as above

        return CaeDomain(self._settings, clock=self._clock, language=language)

    def tools(self, controller: "Controller", under_review: UnderReview) -> "tuple[Tool[Any], ...]":
        """Return the tools about parts: those that look, and the one that opens a change."""
        from steadyhand.domains.cae.observing.results import results_tool  # noqa: PLC0415  # as above
        from steadyhand.domains.cae.observing.tools import inspect_tools  # noqa: PLC0415  # as above
        from steadyhand.domains.cae.proposing import propose_tool  # noqa: PLC0415  # as above

        return (
            *inspect_tools(self.shelf, self.choices),
            results_tool(self.shelf, self.choices),
            propose_tool(controller, self.choices, under_review, _explain),
        )

    def commands(self) -> Mapping[str, SessionCommand]:
        """Return the commands of a session that are about parts."""
        from steadyhand.domains.cae.choosing import Choosing  # noqa: PLC0415  # as above

        return {"module": Choosing(self.choices).answer}


def _explain(text: str, language: Language, module: "ModuleName", brief: Mapping[str, Any]) -> str:
    from steadyhand.domains.cae.phrases import explain  # noqa: PLC0415  # as above

    return explain(text, language, module, brief)
