"""Decides when the heart beats and what a beat does with the list in the workspace. It must not wait for what it starts, or ask a model about nothing.

A beat is one transaction: the row goes on to its next moment and what is to be done is handed to the person's last session.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from steadyhand.agent.events import Listener
from steadyhand.core.canonical import Json, digest
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.ids import SessionId, UserId, new_id
from steadyhand.core.language import Language, say
from steadyhand.session.conversation import Conversations
from steadyhand.session.lane import Held
from steadyhand.session.turns import Asked
from steadyhand.store import Store, Tx
from steadyhand.store.database import copies
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.inbox import Inbound
from steadyhand.wakeups import unasked
from steadyhand.wakeups.heartbeat_file import LIST, HeartbeatFiles, says_nothing
from steadyhand.wakeups.judging import Rules, Run, Skip, Wait
from steadyhand.wakeups.state_file import LastChannel, StateFile, session_of

NUMBER = 0
"""The heartbeat's row is no reminder that people name."""

FIRST_AFTER = timedelta(minutes=1)
SHOWN = 300

Reads = Callable[[str, Language], bool]
"""Tells whether the rules understand a line."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often the heart beats; not at all where it is not *enabled*."""

    every: timedelta
    enabled: bool = True


class Heartbeat:
    """The heartbeat of one person. *reads* is given where no model is configured."""

    def __init__(
        self,
        talk: Conversations,
        user: UserId,
        files: HeartbeatFiles,
        state: StateFile,
        rhythm: Rhythm,
        reads: Reads | None,
        rules: Rules,
    ) -> None:
        self._talk = talk
        self._store: Store = talk.parts.store
        self._user = user
        self._files = files
        self._state = state
        self._rhythm = rhythm
        self._reads = reads
        self._rules = rules
        self._ready = False
        talk.takes("heartbeat", self.take)

    # --- when ------------------------------------------------------------------------------------------------------------

    async def tick(self, limit: int = 1) -> int:
        """Beat, if it is time; return whether it was. See `ticking.Taker`."""
        del limit
        if not self._ready:
            if await self._store.write(self._prepare):
                await asyncio.to_thread(self._files.begin, await self._store.read(self._language))
            self._ready = True
        row = await self._store.read(self._due)
        if row is None:
            return 0
        tasks = await asyncio.to_thread(self._files.tasks)
        last = await asyncio.to_thread(self._state.last) if tasks else None
        told = await self._store.write(lambda tx: self._beat(tx, row, tasks, last))
        if told:
            await asyncio.to_thread(self._files.write, "INFO", told)
        return 1

    def _language(self, tx: Tx) -> Language:
        return people.require_user(tx, self._user).language

    def _prepare(self, tx: Tx) -> bool:
        """Make the row, or bring it to the settings; what is overdue comes a little after the start. Tell whether it is new."""
        soon, enabled = tx.clock.now() + FIRST_AFTER, self._rhythm.enabled
        row = wakeups.by_number(tx, self._user, NUMBER)
        if row is None:
            if enabled:
                wakeups.insert_wakeup(tx, self._new(tx, soon))
            return enabled
        due = from_text(row.due_at)
        if due < tx.clock.now() or due > tx.clock.now() + self._rhythm.every:
            due = soon
        columns = {"enabled": enabled, "due_at": to_text(due), "meant_at": to_text(due), "rhythm": self._said_rhythm()}
        if any(getattr(row, name) != value for name, value in columns.items()):
            wakeups.change(tx, row, **columns)
        return False

    def _said_rhythm(self) -> Json:
        return {"every": int(self._rhythm.every.total_seconds())}

    def _new(self, tx: Tx, due: datetime) -> Wakeup:
        return Wakeup(
            id=new_id("wake"),
            user_id=self._user,
            number=NUMBER,
            session_id=None,
            family="heartbeat",
            kind="wake",
            name=LIST,
            status="pending",
            enabled=True,
            due_at=to_text(due),
            meant_at=to_text(due),
            zone=people.require_user(tx, self._user).zone,
            rhythm=self._said_rhythm(),
            missed_rule="run",
            exact=False,
            followup_reason="",
            assistant_commitment_text="",
            text="",
            delivery="none",
            chain=0,
            replace_existing=False,
            created_at=tx.now(),
            updated_at=tx.now(),
        )

    def _due(self, tx: Tx) -> Wakeup | None:
        row = wakeups.by_number(tx, self._user, NUMBER)
        if row is None or not row.enabled or row.due_at > tx.now() or copies.holds(tx, row.created_at):
            return None
        return row

    def _beat(self, tx: Tx, row: Wakeup, tasks: Sequence[str], last: LastChannel | None) -> str:
        """Go on to the next moment, and hand over what is to be done; return what the log says, nothing when another host was quicker."""
        session = session_of(tx, self._user, last) if tasks else None
        may = Run() if session is None else unasked.verdict(tx, row, session, self._rules)
        if isinstance(may, Wait):
            wakeups.change(tx, row, due_at=to_text(may.until))
            return ""
        columns = {"due_at": self._next(row, tx.clock.now()), "triggered_at": tx.now(), "attempt": row.attempt + 1}
        if not wakeups.change(tx, row, **columns, meant_at=columns["due_at"]):
            return ""
        if session is None:
            return "no tasks"
        if isinstance(may, Skip):
            return f"{len(tasks)} tasks; the most of the day has been said"
        if inbox.waiting(tx, self._user, session, "heartbeat"):
            return f"{len(tasks)} tasks; the beat before still waits"
        inbox.accept(tx, self._user, session, "heartbeat", {"tasks": list(tasks)}, f"heartbeat:{row.meant_at}")
        return f"{len(tasks)} tasks"

    def _next(self, row: Wakeup, now: datetime) -> str:
        """Return the next moment on the row's own beat: it does not drift, and beats that were missed come once."""
        meant = from_text(row.meant_at)
        missed = (now - meant) // self._rhythm.every
        return to_text(meant + (missed + 1) * self._rhythm.every)

    # --- what --------------------------------------------------------------------------------------------------------------

    async def take(self, held: Held, inbound: Inbound, language: Language, listener: Listener) -> None:
        """Take up a beat; see `session.conversation.Other`."""
        tasks = cast("list[str]", cast("Mapping[str, Any]", inbound.body)["tasks"])
        if not await self._store.read(lambda tx: self._allowed(tx, held.session)):
            await self._store.write(lambda tx: _settle(tx, held, inbound))  # the next beat sees to it
            return

        def allowed(tx: Tx) -> bool:
            return self._allowed(tx, held.session)

        if self._reads is None:
            block = say(language, "wakeups.heartbeat.block", file=LIST, tasks="\n".join(f"- {task}" for task in tasks))
            await self._turn(held, Asked([inbound], "", origin="heartbeat", reminder=block, allowed=allowed), language, listener)
            return
        known = [task for task in tasks if self._reads(task, language)]
        others = [task for task in tasks if task not in known]
        await self._store.write(lambda tx: self._settle(tx, held, inbound, others, language))
        for task in known:
            await self._turn(held, Asked((), task, origin="heartbeat", allowed=allowed), language, listener, task)

    def _allowed(self, tx: Tx, session: SessionId) -> bool:
        """Tell whether the person may be spoken to now."""
        row = wakeups.by_number(tx, self._user, NUMBER)
        return row is not None and isinstance(unasked.in_a_turn(tx, row, session, self._rules), Run)

    async def _turn(self, held: Held, asked: Asked, language: Language, listener: Listener, task: str = "") -> None:
        settled = await self._talk.turns.run(held, asked, language, listener)
        outcome = settled.outcome
        named = f"{task[:SHOWN]}: " if task else ""
        if settled.state != "done" or outcome.end != "answered":
            why = outcome.error.code if outcome.error else outcome.end
            await asyncio.to_thread(self._files.write, "ERROR", f"{named}{settled.state}, {why}")
            return
        calls = ", ".join(dict.fromkeys(call.name for call, _ in outcome.results))
        said = "nothing to report" if says_nothing(outcome.text) else outcome.text[:SHOWN]
        await asyncio.to_thread(self._files.write, "INFO", f"{named}{said}" + (f" [{calls}]" if calls else ""))

    def _settle(self, tx: Tx, held: Held, inbound: Inbound, others: Sequence[str], language: Language) -> None:
        """Report the lines that nobody understands, each once as long as it stands there, and take the beat as heard."""
        row = wakeups.by_number(tx, self._user, NUMBER)
        known = set(cast("Mapping[str, Any]", row.actions or {}).get("reported", ())) if row is not None else set[str]()
        new = [task for task in others if digest(task) not in known]
        if row is not None and (new or len(known) != len(others)):
            wakeups.change(tx, row, actions={"reported": [digest(task) for task in others]})
        if new:
            lines = "\n".join(f"- {task[:SHOWN]}" for task in new)
            text = say(language, "wakeups.heartbeat.not_understood", file=LIST, lines=lines)
            owed = outbox.owe(tx, held.user, held.session, inbound.id, text, source="heartbeat")
            if owed is not None:
                conversations.add(tx, held.user, held.session, [Said(owed.id, "assistant", text, "heartbeat", inbound.id)])
        _settle(tx, held, inbound)


def _settle(tx: Tx, held: Held, inbound: Inbound) -> None:
    inbox.start(tx, held.user, [inbound.id], inbound.id)
    inbox.settle(tx, held.user, inbound.id)
