"""Decides which part a command means and how a refusal of the engine is told; it must not change a part or load a mesh."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from steadyhand.cli.terminal.frame import Frame
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.core.language import has
from steadyhand.domains.cae.choosing import named
from steadyhand.domains.cae.engineering import Engineering
from steadyhand.domains.cae.module import target
from steadyhand.domains.cae.observing.looking import Looking, Shown
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.gate import lines
from steadyhand.gate.proposal import Proposal

if TYPE_CHECKING:
    from steadyhand.domains.cae.shelf.doors import Shelf
    from steadyhand.gate.contract import Source


class PartWord(click.ParamType[PartName]):
    """``plate``, or ``ship/deck``."""

    name = "PART"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PartName:
        del param, ctx
        return value if isinstance(value, PartName) else named(str(value))


PART = PartWord()


class PartDesk:
    """What the commands about parts work on: the person's own parts."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.app = frame.app
        self.user = self.app.user.id
        self.engineering = Engineering(self.app.settings, self.app.toolbox.working, self.app.store.clock)

    @property
    def shelf(self) -> "Shelf":
        """The parts on disk."""
        return self.engineering.shelf

    def looking(self) -> Looking:
        """Return the parts as they are looked at."""
        return Looking(self.shelf, self.engineering.choices)

    def shown(self, part: PartName) -> Shown:
        """Return what is written down of a part. Raises `ToolRefusal` ``part_unknown`` where there is none."""
        found = self.looking().shown(self.user, part)
        if found.version == 0:
            raise ToolRefusal("part_unknown", name=str(part))
        return found

    def proposal(self, part: PartName, module: str, source: "Source | None", request: str | None = None) -> Proposal:
        """Return what a change of *part* begins with; without a *request* of its own the command as it was typed is that."""
        words = self.frame.typed if request is None else request
        about = target(self.user, str(part))
        return Proposal(self.user, LOCAL_SESSION, about, words, source, {"module": module}, self.frame.language)

    def target_key(self, part: PartName) -> str:
        """Return the key under which changes of *part* are kept."""
        return target(self.user, str(part)).key


def refused(frame: Frame, code: str, params: Mapping[str, Any]) -> ToolRefusal:
    """Return the engine's refusal as the error that a command ends with."""
    if has(frame.language, f"error.{code}.summary"):
        return ToolRefusal(code, **params)
    return ToolRefusal("cae_refused", reason=lines.reason_text(code, params, frame.language))
