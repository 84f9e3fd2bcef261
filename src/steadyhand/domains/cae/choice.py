"""Decides where the module and part that a person chose for a session are kept; it must not be written but by code acting on the person's command."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.domains.cae.calls.table import MODULES, ModuleName
from steadyhand.memory.working import Working

KEY = "cae.choice"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a session works on: the part *part* of *model*, with the tools of *module*."""

    module: ModuleName
    model: str
    part: str

    @property
    def name(self) -> str:
        """The target's name at the gate."""
        return f"{self.model}/{self.part}"


class Choices:
    """The choices of all sessions. They last as long as the session; no tool writes one."""

    def __init__(self, working: Working) -> None:
        self._working = working

    async def read(self, user: UserId, session: SessionId) -> Choice | None:
        """Return what the person chose for the session, or None."""
        return _choice_of((await self._working.held(user, session)).get(KEY))

    async def put(self, user: UserId, session: SessionId, choice: Choice) -> None:
        """Keep *choice* in the place of an earlier one."""
        value = {"module": choice.module, "model": choice.model, "part": choice.part}
        await self._working.hold(user, session, KEY, value, keep=True)

    async def drop(self, user: UserId, session: SessionId) -> None:
        """Forget what was chosen."""
        await self._working.drop(user, session, KEY)


def _choice_of(held: Json) -> Choice | None:
    """Read what `Choices.put` wrote; a module that is no more counts as not chosen."""
    if held is None:
        return None
    entry = cast("Mapping[str, str]", held)
    return Choice(cast("ModuleName", entry["module"]), entry["model"], entry["part"]) if entry["module"] in MODULES else None
