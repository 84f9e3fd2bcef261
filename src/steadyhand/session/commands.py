"""Decides what a message that begins with a stroke asks for, and answers it by code; it must not decide a change, which `decisions` does."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from steadyhand.core.errors import PersonDecides, ToolRefusal
from steadyhand.core.ids import SessionId, UserId, change_name, parse_change_name
from steadyhand.core.language import Language, say
from steadyhand.gate.controller import Controller, Decider
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.gate.review import review_text
from steadyhand.session.parts import DomainCommand
from steadyhand.session.reading import LOWER, WIDE
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations

MOST_LISTED = 20
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Asking:
    """A command as it came: who asks, where, and the words behind it."""

    user: UserId
    session: SessionId
    door: str
    language: Language
    words: str
    text: str


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What a command has to say; *row* is the change whose review that is, *refused* says that it could not be done.

    *source* is what it is called in the outbox, where it is neither a reply nor a review.
    """

    text: str
    row: ChangeRow | None = None
    refused: bool = False
    source: str = ""


Run = Callable[["Commands", Asking], Awaitable[CommandAnswer]]


class Commands:
    """The commands of a session; those that a domain has are handed to it."""

    def __init__(
        self, controller: Controller, domains: Mapping[str, DomainCommand], help_of: Callable[[Language], Sequence[str]]
    ) -> None:
        self._controller = controller
        self._store = controller.store
        self._domains = domains
        self._help_of = help_of

    async def answer(self, asking: Asking) -> CommandAnswer | None:
        """Answer a command; None when the message is none. What cannot be done is said, and nothing is changed."""
        first, _, words = asking.text.strip().partition(" ")
        if not first.startswith(("/", "／")):
            return None
        name = first.translate(WIDE).translate(LOWER).removeprefix("/")
        run = RUN.get(name)
        if run is None and name in self._domains:
            text = await self._domains[name](asking.user, asking.session, asking.language, words.strip())
            return CommandAnswer(text)
        if run is None:
            return CommandAnswer(say(asking.language, "session.command.unknown", command=first[:40]), refused=True)
        asking = Asking(asking.user, asking.session, asking.door, asking.language, words.strip(), asking.text)
        return await run(self, asking)

    async def help(self, asking: Asking) -> CommandAnswer:
        """Say what can be asked for."""
        return CommandAnswer("\n".join([say(asking.language, "session.command.help"), *self._help_of(asking.language)]))

    async def stop(self, asking: Asking) -> CommandAnswer:
        """Say that nothing runs: a turn that runs is stopped before its message is read."""
        return CommandAnswer(say(asking.language, "session.command.nothing_runs"))

    async def changes(self, asking: Asking) -> CommandAnswer:
        """List the person's last changes."""
        rows = await self._store.read(lambda tx: changes.of_user(tx, asking.user, limit=MOST_LISTED))
        if not rows:
            return CommandAnswer(say(asking.language, "session.command.no_changes"))
        return CommandAnswer("\n".join(line(row, asking.language) for row in rows))

    async def show(self, asking: Asking) -> CommandAnswer:
        """Show one change as it is reviewed."""
        return await self.reviewed(asking, await self._controller.current(asking.user, _number(asking)))

    async def undo(self, asking: Asking) -> CommandAnswer:
        """Propose to take a verified change back."""
        number = _number(asking)
        request = say(asking.language, "session.undo_request", name=change_name(number))
        row = await self._controller.undo(_decider(asking), number, request, asking.language)
        return await self.reviewed(asking, row)

    async def repair(self, asking: Asking) -> CommandAnswer:
        """Propose a failed change again, from what is there now."""
        return await self.reviewed(asking, await self._controller.repair(_decider(asking), _number(asking), asking.language))

    async def correct(self, asking: Asking) -> CommandAnswer:
        """Give a spec under review back to be written again by the words behind the change's name."""
        name, _, words = asking.words.partition(" ")
        if not words.strip():
            raise ToolRefusal("correction_without_words")
        number = parse_change_name(name)
        if number is None:
            raise ToolRefusal("change_name_unreadable", text=name[:40])
        return await self.reviewed(asking, await self._controller.correct(_decider(asking), number, words.strip()))

    async def go_on(self, asking: Asking) -> CommandAnswer:
        """Take up a change that waits for its spec or its calls: the one that is named, or the only one of this session.

        One that waits for neither is shown as it stands.
        """
        if asking.words:
            row = await self._controller.current(asking.user, _number(asking))
            return CommandAnswer("", row) if self._controller.need(row) is not None else await self.reviewed(asking, row)
        waiting = await self.unfinished(asking.user, asking.session)
        if len(waiting) != 1:
            raise ToolRefusal("nothing_to_go_on_with" if not waiting else "several_to_go_on_with", command="/continue C-3")
        return CommandAnswer("", waiting[0])

    async def unfinished(self, user: UserId, session: SessionId) -> list[ChangeRow]:
        """Return the session's changes that wait for a provider."""
        states = [State.DRAFTING.value, State.COLLECTING.value]
        rows = await self._store.read(lambda tx: changes.of_user(tx, user, states=states))
        return [row for row in rows if row.session_id == session and self._controller.need(row) is not None]

    async def sessions(self, asking: Asking) -> CommandAnswer:
        """List the person's sessions."""
        rows = await self._store.read(lambda tx: conversations.sessions_of(tx, asking.user))
        lines = [
            say(
                asking.language,
                "session.command.session",
                id=row.id,
                name=row.name or "-",
                n=row.said,
                here="*" if row.id == asking.session else " ",
            )
            for row in rows[:MOST_LISTED]
        ]
        return CommandAnswer("\n".join(lines))

    async def name(self, asking: Asking) -> CommandAnswer:
        """Name this session."""
        name = " ".join(asking.words.split())
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise ToolRefusal("session_name_unusable", most=LONGEST_NAME)
        await self._store.write(lambda tx: conversations.change_session(tx, asking.user, asking.session, name=name))
        return CommandAnswer(say(asking.language, "session.command.named", name=name))

    async def reviewed(self, asking: Asking, row: ChangeRow) -> CommandAnswer:
        """Return the review of *row*."""
        zone = (await self._store.read(lambda tx: people.require_user(tx, asking.user))).zone
        text = await asyncio.to_thread(review_text, self._controller, row, asking.language, zone)
        return CommandAnswer(text, row)


RUN: dict[str, Run] = {
    "help": Commands.help,
    "stop": Commands.stop,
    "changes": Commands.changes,
    "show": Commands.show,
    "review": Commands.show,
    "undo": Commands.undo,
    "repair": Commands.repair,
    "correct": Commands.correct,
    "sessions": Commands.sessions,
    "name": Commands.name,
    "continue": Commands.go_on,
}


def _number(asking: Asking) -> int:
    number = parse_change_name(asking.words)
    if number is None:
        raise ToolRefusal("change_name_unreadable", text=asking.words[:40])
    return number


def _decider(asking: Asking) -> Decider:
    return Decider(asking.user, asking.session, asking.door, asking.text[:500])


def shown_for_review(row: ChangeRow | None) -> int | None:
    """Return the number of a change that waits for a decision, so that a yes can be about what is shown of it."""
    return row.number if row is not None and row.state in (State.IN_REVIEW, State.SEALED) else None


REFUSALS = (PersonDecides, ToolRefusal)
"""What a command may be answered with instead."""
