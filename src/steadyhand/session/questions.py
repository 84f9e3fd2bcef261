"""Decides whether a message answers the question that is parked in its session, and what the answer means. It must not guess.

A question waits in working memory. Its kind names who reads an answer that is none of its options.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.memory.working import Working
from steadyhand.session.reading import LOWER, WIDE, bare
from steadyhand.store import Store, Tx
from steadyhand.store.sessions import outbox
from steadyhand.tools.ports import AnswerReader, Option, Question

KEY = "question"
LAST_LIST = "last_list"
SOURCE = "question"
"""What a question is called in the outbox."""
FREE = "ask_user"
"""The kind of question that any text answers."""
WHICH = "which"
"""The kind of question that nothing but one of its options answers."""

_NUMERALS = "一二三四五六七八九"
_ORDINAL = re.compile(r"(?:第|选|选择|我选)?\s*([1-9]|[一二三四五六七八九])\s*(?:个|项|号|条)?[.。、)]?")
_ENGLISH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9}
_ENGLISH_ORDINAL = re.compile(rf"(?:option |number |no\. ?|#|the )?(?:([1-9])|({'|'.join(_ENGLISH)})(?: one| option)?)[.)]?")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: its words for the turn, what it means for code, and what the person had asked for before the question."""

    kind: str
    text: str
    value: Json
    resume: str


def to_json(question: Question) -> Json:
    """Return a question as working memory holds it."""
    return {
        "kind": question.kind,
        "text": question.text,
        "options": [{"label": option.label, "value": option.value} for option in question.options],
        "data": None if question.data is None else dict(question.data),
        "resume": question.resume,
    }


def from_json(value: Json) -> Question:
    """Read what `to_json` wrote."""
    entry = cast("Mapping[str, Any]", value)
    options = tuple(Option(option["label"], option["value"]) for option in entry["options"])
    return Question(entry["kind"], entry["text"], options, entry["data"], entry["resume"])


def choice(text: str, labels: Sequence[str]) -> int | None:
    """Return which row of a list *text* chooses, from 0: by its number or its very label; None for anything else."""
    plain = text.translate(WIDE).translate(LOWER).strip().rstrip("。.!！ ")
    for index, label in enumerate(labels):
        if plain and plain == label.translate(WIDE).translate(LOWER).strip().rstrip("。.!！ "):
            return index
    found = _ORDINAL.fullmatch(plain)
    if found:
        mark = found.group(1)
        number = _NUMERALS.index(mark) + 1 if mark in _NUMERALS else int(mark)
    elif (english := _ENGLISH_ORDINAL.fullmatch(plain)) is not None:
        number = int(english.group(1)) if english.group(1) else _ENGLISH[english.group(2)]
    else:
        return None
    return number - 1 if number <= len(labels) else None


def turn_of(held: Json) -> str:
    """Return the turn that parked the question which working memory holds."""
    return cast("Mapping[str, str]", held).get("turn", "")


def _was_shown(tx: Tx, user: UserId, turn: str, said_at: str) -> bool:
    rows = [row for row in outbox.of_turn(tx, user, turn) if row.source == SOURCE]
    return bool(rows) and rows[-1].state in ("sent", "unknown") and rows[-1].updated_at <= said_at


def _is_last(tx: Tx, user: UserId, session: SessionId, turn: str) -> bool:
    """Tell whether nothing was put to the person behind what *turn* told them: a bare yes is about what they read last."""
    told = outbox.of_turn(tx, user, turn)
    return bool(told) and not outbox.after(tx, user, session, told[-1].seq, 1)


class Parked:
    """The door of one turn to its session's parked question; *used* tells that the turn has parked one."""

    def __init__(self, working: Working, user: UserId, session: SessionId, turn: str) -> None:
        self._working = working
        self._user = user
        self._session = session
        self._turn = turn
        self.used = False

    async def park(self, question: Question) -> None:
        self.used = True
        entry = cast("Mapping[str, Json]", to_json(question))
        await self._working.hold(self._user, self._session, KEY, {**entry, "turn": self._turn})


class Questions:
    """Reads answers; *readers* know those of their kinds that no option says."""

    def __init__(self, store: Store, working: Working, readers: Mapping[str, AnswerReader]) -> None:
        self._store = store
        self._working = working
        self._readers = readers

    async def answer(self, user: UserId, session: SessionId, text: str, said_at: str) -> Answered | None:
        """Return the answer that *text*, written at *said_at*, is to the parked question; None when it is none.

        What was written before the question had reached the person does not answer it. The question stays parked until the
        turn about its answer begins.
        """
        held = (await self._working.held(user, session)).get(KEY)
        if held is None or not await self._store.read(lambda tx: _was_shown(tx, user, turn_of(held), said_at)):
            return None
        question = from_json(held)
        index = choice(text, [option.label for option in question.options])
        if index is None and bare(text) == "yes" and (question.data or {}).get("yes_is_first"):
            if not await self._store.read(lambda tx: _is_last(tx, user, session, turn_of(held))):
                return None
            index = 0
        option = None if index is None else question.options[index]
        if question.kind == FREE:
            value, words = (text, text) if option is None else (option.value, option.label)
        elif question.kind == WHICH:
            if option is None:
                return None
            value, words = option.value, option.label
        else:
            reader = self._readers.get(question.kind)
            value = None if reader is None else await reader.read(user, session, question, option and option.value, text)
            words = text if option is None else option.label
            if value is None:
                return None
        return Answered(question.kind, words, value, question.resume)
