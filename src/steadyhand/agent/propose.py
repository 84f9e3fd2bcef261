"""Decides how a draft or given operations come before the gate and what is said of it; it must not decide, or word a state itself."""

from dataclasses import dataclass

from steadyhand.core.language import Language
from steadyhand.gate.contract import View
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.lines import line
from steadyhand.store.changes import ChangeRow


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change as it stands after it was opened: its row, the line that tells its state, and the diff once there is a program."""

    row: ChangeRow
    line: str
    view: View | None


async def propose(controller: Controller, proposal: Proposal) -> Proposed:
    """Open a change; raises `DecisionRefused` when the person may not make it at all."""
    row = await controller.open(proposal)
    return standing(controller, row, proposal.language)


def standing(controller: Controller, row: ChangeRow, language: Language) -> Proposed:
    """Return what there is to say of a change now."""
    return Proposed(row, line(row, language), controller.view(row, language))
