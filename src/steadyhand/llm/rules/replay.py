"""Decides what of a request is the turn at hand, and plays a plan from its start along what was answered. It must not hold state.

A plan is a generator: the same request gives the same calls, so that the provider need not remember anything between rounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from steadyhand.core.arguments import parse_arguments
from steadyhand.core.canonical import Json, canonical
from steadyhand.core.wire import Message, Request, ToolCall
from steadyhand.llm.rules.book import Answer, Call, Outcome, Steps

REMINDER = "<system-reminder>"
"""So begins what stands in the person's role in a turn that no person asked for, and is no word of theirs."""


ASKED = "asked"
"""How a turn ended that has put a question."""


@dataclass(frozen=True, slots=True)
class Round:
    """The calls of one answer of ours, each with what it gave."""

    calls: tuple[tuple[ToolCall, Outcome], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """The turn at hand: what the person wants, what was called for it so far, and whether a request before it was left unfinished."""

    text: str
    rounds: tuple[Round, ...]
    broke_in: bool = False


def told(request: Request) -> Told:
    """Find the person's last words and what came after them; an answered question takes up what was asked before it.

    Where a reminder stands in the place of their words, nothing was asked.
    """
    messages = request.messages
    last = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    words = messages[last].content if last >= 0 else ""
    if request.context.get("origin", "person") != "person" and words.startswith(REMINDER):
        return Told("", ())
    before = messages[last - 1] if last > 0 else None  # a notice of the program's has ended what stands before it
    unfinished = before is not None and (before.role == "tool" or bool(before.tool_calls)) and _asked(request)
    broke_in = unfinished and words != _answer(request)  # the call that asked has its answer now: that is no breaking in
    resumed = request.context.get("resume")
    text = resumed if isinstance(resumed, str) and resumed and not broke_in else words
    return Told(text, _rounds(messages[last + 1 :]), broke_in)


def _asked(request: Request) -> bool:
    """Tell whether the turn before ended with a question. One that ended without words has said all that it had to say."""
    return request.context.get("before", ASKED) == ASKED


def _answer(request: Request) -> str | None:
    """Return the words that answered a parked question, where the turn began with them."""
    answered = request.context.get("answered")
    text = answered.get("text") if isinstance(answered, Mapping) else None
    return text if isinstance(text, str) else None


def _rounds(messages: Sequence[Message]) -> tuple[Round, ...]:
    answers = {message.tool_call_id: message for message in messages if message.role == "tool"}
    return tuple(
        Round(tuple((call, _outcome(answers.get(call.id))) for call in message.tool_calls))
        for message in messages
        if message.role == "assistant" and message.tool_calls
    )


def _outcome(message: Message | None) -> Outcome:
    return Outcome("no_answer", "") if message is None else Outcome(message.code, message.content, message.data)


@dataclass(frozen=True, slots=True)
class Played:
    """Where a plan stands: the calls that it wants next, or its answer, or neither: what happened is not what it wants.

    *acted* says that a call which does more than look has run.
    """

    wants: tuple[Call, ...] = ()
    answer: Answer | None = None
    acted: bool = False


Key: TypeAlias = tuple[str, bytes]


def play(steps: Steps, rounds: Sequence[Round]) -> Played:
    """Run *steps* along *rounds*. A look that was answered already, with nothing written since, is answered from there."""
    known: dict[Key, Outcome] = {}
    left, acted = list(rounds), False
    try:
        wanted = tuple(next(steps))
        while True:
            fresh = {key_of(call): call for call in wanted if key_of(call) not in known}
            if fresh and not left:
                return Played(tuple(fresh.values()), acted=acted)
            if fresh:
                gave = {(call.name, _bytes(parse_arguments(call.arguments))): outcome for call, outcome in left.pop(0).calls}
                if gave.keys() != fresh.keys():
                    return Played(acted=acted or any(call.acts for call in fresh.values()))
                known.update(gave)
            answers = [known[key_of(call)] for call in wanted]
            wrote = any(call.acts and answer.ok for call, answer in zip(wanted, answers, strict=True))
            acted = acted or wrote
            if wrote:
                known.clear()
            wanted = tuple(steps.send(answers))
    except StopIteration as end:
        return Played(answer=None if left else cast("Answer", end.value), acted=acted)


def key_of(call: Call) -> Key:
    """Return what makes two calls the same."""
    return call.name, _bytes(call.arguments)


def _bytes(arguments: "Mapping[str, Json] | None") -> bytes:
    return b"" if arguments is None else canonical(dict(arguments))
