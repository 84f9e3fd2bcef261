"""A gate with trial domains, and the one door for decisions before it."""

from dataclasses import dataclass
from typing import Any

import pytest

from steadyhand.core.ids import SessionId, UserId
from steadyhand.session.decisions import Decisions
from trial_domains.ground import folder, quiet_log, stand
from trial_domains.stand import DESK, ME, Stand

__all__ = ["folder", "quiet_log", "stand"]


@dataclass
class Door:
    """What a person and their channel do at the door."""

    stand: Stand
    decisions: Decisions

    async def show(self, row: Any, session: SessionId = DESK, user: UserId = ME) -> None:
        await self.decisions.showed(user, session, row)

    async def hear(self, text: str, session: SessionId = DESK, user: UserId = ME) -> Any:
        return await self.decisions.message(user, session, text, "terminal")

    async def sealed(self, plate: str = "deck", session: SessionId = DESK) -> Any:
        """A sealed change that the session has just been shown."""
        row = await self.stand.sealed(plate, session=session)
        await self.show(row, session)
        return row

    def state(self, row: Any) -> str:
        return self.stand.row(row.number).state


@pytest.fixture
def door(stand: Stand) -> Door:
    return Door(stand, Decisions(stand.controller))
