"""Decides what a person is told when their words decided nothing and a change waits all the same. It must not decide one.

The record speaks: the change's own line stands in every such answer, and its review can always be shown again.
"""

from collections.abc import Mapping
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.explain import explain
from steadyhand.core.ids import change_name
from steadyhand.core.language import Language, say
from steadyhand.gate.controller import Controller
from steadyhand.gate.expiry import overdue
from steadyhand.gate.lines import line
from steadyhand.gate.review import last_decision
from steadyhand.memory.working import Working
from steadyhand.session.commands import Asking, CommandAnswer, Commands
from steadyhand.session.decisions import ACCEPT, Decided, NotADecision, Refused
from steadyhand.session.questions import KEY, SOURCE, WHICH, to_json
from steadyhand.session.reading import names_review, says_undo
from steadyhand.store import Tx
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.people import people
from steadyhand.tools.ports import Option, Question

SPEAKS_OF_ANOTHER = ("several_open", "not_next", "earlier", "quotes_other")
"""Why an answer in words was none, where something may have been meant by it that is no change."""


class Waiting:
    """Answers for the changes of a session that wait."""

    def __init__(self, controller: Controller, working: Working, commands: Commands, *, thinks: bool) -> None:
        self._controller = controller
        self._store = controller.store
        self._working = working
        self._commands = commands
        self._thinks = thinks

    async def answer(self, asking: Asking, said: "NotADecision | Decided | Refused") -> CommandAnswer | None:
        """Answer words that speak of a change's review and of nothing else; None for all others."""
        if not isinstance(said, NotADecision):
            return None
        row = said.row
        if said.why == "not_now" and row is not None:
            return CommandAnswer(
                "\n".join([say(asking.language, "session.waits.not_now", **_how(row)), line(row, asking.language)])
            )
        if said.why == "decided" and row is not None:
            text = await self._store.read(lambda tx: decided_first(tx, row, asking.language))
            return CommandAnswer(text, refused=True)
        if said.why == "again" and row is not None:
            shown = await self._commands.reviewed(asking, row)
            return CommandAnswer(
                f"{say(asking.language, 'session.waits.again', name=change_name(row.number))}\n{shown.text}", row
            )
        if (number := names_review(asking.text)) is not None:
            return await self._review(asking, number)
        return None

    async def still(self, asking: Asking, said: "NotADecision | Decided | Refused") -> CommandAnswer | None:
        """Return what stands below a model's answer to words that sounded like a decision and were none: what waits still.

        Where rules answer, their own answer says so.
        """
        if not self._thinks or not isinstance(said, NotADecision) or said.why not in SPEAKS_OF_ANOTHER:
            return None
        waiting = await self._open(asking)
        if not waiting:
            return None
        why = say(asking.language, f"session.waits.{said.why}")
        lines = [line(row, asking.language) for row in waiting]
        how = [say(asking.language, "session.waits.how", **_how(row)) for row in waiting]
        return CommandAnswer("\n".join([why, *(text for pair in zip(lines, how, strict=True) for text in pair)]))

    async def _open(self, asking: Asking) -> list[ChangeRow]:
        rows = await self._store.read(lambda tx: changes.of_user(tx, asking.user, states=list(ACCEPT)))
        now = self._store.clock.now()
        return [row for row in rows if overdue(row, now) is None]

    async def _review(self, asking: Asking, number: int) -> CommandAnswer:
        """Show the review of a change again, at the person's wish."""
        try:
            row = await self._controller.current(asking.user, number)
        except DecisionRefused as error:
            return CommandAnswer(explain(error, asking.language).text(), refused=True)
        return await self._commands.reviewed(asking, row)

    async def which(self, asking: Asking, turn: str) -> CommandAnswer | None:
        """Ask what is to be taken back while a review stands open here: the change under review, or the last step of a draft.

        The question belongs to *turn*, as the outbox calls it; None where it need not be asked.
        """
        waiting = await self._open(asking) if says_undo(asking.text) else []
        shown = [row for row in waiting if await self._was_shown(asking, row)]
        if not shown:
            return None
        options = [
            Option(say(asking.language, "session.waits.reject", name=change_name(row.number)), row.number) for row in shown
        ]
        options.append(Option(say(asking.language, "session.waits.step"), "step"))
        text = say(asking.language, "session.waits.which")
        question = Question(WHICH, text, tuple(options), None, asking.text)
        held = cast("Mapping[str, Json]", to_json(question))
        await self._working.hold(asking.user, asking.session, KEY, {**held, "turn": turn})
        rows = [say(asking.language, "session.waits.option", n=n, label=one.label) for n, one in enumerate(options, 1)]
        return CommandAnswer("\n".join([text, *rows]), source=SOURCE)

    async def _was_shown(self, asking: Asking, row: ChangeRow) -> bool:
        return await self._store.read(lambda tx: changes.shown(tx, asking.user, asking.session, row.id)) is not None


def decided_first(tx: Tx, row: ChangeRow, language: Language) -> str:
    """Say what became of a change that was decided, or ended, before an answer to its review came: by whom, where and when."""
    won = last_decision(tx, row, language, people.require_user(tx, row.user_id).zone)
    late = say(language, "session.waits.decided", name=change_name(row.number))
    return "\n".join(text for text in (late, won, line(row, language)) if text)


def _how(row: ChangeRow) -> Mapping[str, str]:
    return {"name": change_name(row.number), "command": ACCEPT.get(row.state, "/approve")}
