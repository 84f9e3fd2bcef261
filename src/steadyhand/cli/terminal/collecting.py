"""Decides how a change is taken on at the command line while a provider or the gate works on it, and what Ctrl-C makes of it.

It must not judge what a provider says, which the gate does.
"""

from collections.abc import Coroutine
from typing import Any

from steadyhand.agent.collect import collect
from steadyhand.cli.terminal.frame import Frame
from steadyhand.cli.terminal.waiting import waited
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.gate.controller import Decider, Proposal
from steadyhand.gate.machine import State
from steadyhand.llm.provider import let_go
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow

BROKEN_OFF = (State.OBSERVING, State.PREPARING, State.DRAFTING, State.COLLECTING)
"""States of a change that this process was working on; nobody has been shown it, so nobody would come back to it."""


def opened(frame: Frame, proposal: Proposal) -> ChangeRow:
    """Store a change and go as far as no provider or person is needed; Ctrl-C meanwhile withdraws it."""
    return seen_through(frame, frame.say("waiting.preparing"), frame.app.controller.open(proposal), proposal.target.key)


def taken_on(frame: Frame, row: ChangeRow) -> ChangeRow:
    """Ask the provider for what the change needs now, its spec or its calls; one that needs nothing is returned as it is."""
    app = frame.app
    if app.controller.need(row) is None:
        return row
    message = "waiting.spec" if row.state == State.DRAFTING else "waiting.calls"
    return seen_through(frame, frame.say(message), _asked(frame, row), row.target_key)


async def _asked(frame: Frame, row: ChangeRow) -> ChangeRow:
    provider = frame.app.provider()
    try:
        return await collect(frame.app.controller, provider, row.user_id, row.number)
    finally:
        await let_go(provider)


def seen_through(frame: Frame, text: str, work: Coroutine[Any, Any, ChangeRow], target_key: str) -> ChangeRow:
    """Wait for *work* that makes or moves a change of the target; Ctrl-C meanwhile withdraws what nobody has seen."""
    try:
        return waited(frame, text, work)
    except KeyboardInterrupt:
        frame.run(_withdraw(frame, target_key))
        raise


async def _withdraw(frame: Frame, target_key: str) -> None:
    """Stop what this terminal has under way on the target and nobody has seen."""
    app = frame.app
    states = [state.value for state in BROKEN_OFF]
    for row in await app.store.read(lambda tx: changes.of_user(tx, app.user.id, states=states)):
        if row.target_key == target_key and row.session_id == LOCAL_SESSION:
            try:
                await app.controller.withdraw(Decider(app.user.id, LOCAL_SESSION, "terminal", "Ctrl-C"), row.number)
            except DecisionRefused:  # it has just moved on
                continue
