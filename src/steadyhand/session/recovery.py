"""Decides what becomes of a turn whose process is gone: run again once when no call had begun, else told as interrupted. It must not repeat a call.

A woken turn is never run again, nor one that the person has asked to stop meanwhile. What a job had found for the agent alone is
told to the person then.
"""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.ids import new_id
from steadyhand.core.language import Language, say
from steadyhand.core.wire import NOTICE
from steadyhand.jobs import ending
from steadyhand.session.lane import Held
from steadyhand.session.parts import Parts
from steadyhand.session.reading import says_stop
from steadyhand.session.turns import Asked, from_detail
from steadyhand.store import Tx
from steadyhand.store.sessions import conversations, inbox, outbox, turns
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.inbox import Inbound
from steadyhand.store.sessions.turns import TurnRow

MOST_ATTEMPTS = 2


async def take_over(parts: Parts, held: Held, language: Language) -> list[Asked]:
    """Settle what turns of gone processes left running in this session; return what is to be run again."""
    if not await parts.store.read(lambda tx: turns.running(tx, held.user, held.session)):
        return []
    return await parts.store.write(lambda tx: _take_over(tx, held, language))


def _take_over(tx: Tx, held: Held, language: Language) -> list[Asked]:
    again: list[Asked] = []
    stop = any(says_stop(_words([inbound])) for inbound in inbox.waiting(tx, held.user, held.session, "person"))
    for row in turns.running(tx, held.user, held.session):
        taken = inbox.of_turn(tx, held.user, row.id)
        open_taken = [inbound for inbound in taken if inbound.state == "started"]
        may_run = row.origin == "person" and not row.calls_begun and row.attempt < MOST_ATTEMPTS and bool(open_taken) and not stop
        turns.change_turn(
            tx, held.user, row.id, row.lane_token, state="interrupted", ended_at=tx.now(), detail={"run_again": may_run}
        )
        if may_run:
            again.append(from_detail(row.detail, open_taken, row.attempt + 1))
        elif row.origin == "person":
            _tell(tx, held, row, open_taken, language)
        else:
            for inbound in open_taken:
                ending.owe_instead(tx, held.user, inbound)
            inbox.settle(tx, held.user, row.id)
    return again


def broken(tx: Tx, held: Held) -> list[TurnRow]:
    """Return the turns that run under this lane: where their process is still here, they broke by our own fault."""
    return [row for row in turns.running(tx, held.user, held.session) if row.lane_token == held.token]


def end_broken(tx: Tx, held: Held, row: TurnRow) -> None:
    """End a turn that broke by our own fault, so that nobody runs it again."""
    turns.change_turn(tx, held.user, row.id, held.token, state="failed", ended_at=tx.now(), detail={"end": "failed"})
    inbox.settle(tx, held.user, row.id)


def what_ran(tx: Tx, row: TurnRow, language: Language) -> str:
    """Say which calls of a turn that came to no end may have run, and whether it had spoken."""
    begun = cast("list[Mapping[str, str]]", row.calls_begun)
    names = ", ".join(dict.fromkeys(call["tool"] for call in begun))
    ran = say(language, "agent.end.these_began", tools=names) if names else say(language, "agent.end.nothing_ran")
    return ran + (say(language, "agent.end.had_spoken") if outbox.of_turn(tx, row.user_id, row.id) else "")


def _tell(tx: Tx, held: Held, row: TurnRow, taken: list[Inbound], language: Language) -> None:
    """Tell the person which calls of an interrupted turn may have run, and that what it had said stands; nothing of it is done again."""
    text = say(language, "agent.end.interrupted", ran=what_ran(tx, row, language))
    said = [Said(new_id("msg"), "user", _words([inbound]), "person", row.id) for inbound in taken]
    text = say(language, "agent.notice", text=text.strip())
    owed = outbox.owe(tx, held.user, held.session, row.id, text, source=NOTICE)
    reply = [Said(owed.id, "assistant", text, NOTICE, row.id)] if owed is not None else []
    conversations.add(tx, held.user, held.session, [*said, *reply])
    inbox.settle(tx, held.user, row.id)


def _words(taken: list[Inbound]) -> str:
    return "\n".join(cast("str", cast("Mapping[str, Any]", inbound.body).get("text", "")) for inbound in taken)
