"""A small room with a few phrases, and requests to a rules provider that knows them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from steadyhand.core.wire import Completion, Message, Request, ToolCall, ToolSpec
from steadyhand.llm.rules.book import Answer, Asked, Call, PhraseBook, Rule, Steps
from steadyhand.llm.rules.pattern import Kind

THING = Kind("thing", lambda words: words if words.isalpha() and len(words) < 12 else None, ("box",), loose=True)
NUMBER = Kind("number", lambda words: words if words.isdigit() else None, ("2",))


def look(asked: Asked) -> Steps:
    (outcome,) = yield [Call("look")]
    return Answer(f"seen {outcome.fields.get('n')}")


def take(asked: Asked) -> Steps:
    (outcome,) = yield [Call("look")]
    if asked.slots["thing"] == "moon":
        return Answer("no moon", well=False)
    (taken,) = yield [Call("take", {"thing": asked.slots["thing"]}, acts=True)]
    return Answer(f"took {asked.slots['thing']} of {outcome.fields.get('n')}" if taken.ok else "broke", well=taken.ok)


def send(asked: Asked) -> Steps:
    yield [Call("send", acts=True)]
    return Answer("sent")


RULES = (
    Rule("look", ("look[ around]", "what is there"), look),
    Rule("take", ("take {thing}", "take the {thing}"), take, "draft"),
    Rule("send", ("send",), send, "own"),
)
BOOK = PhraseBook(
    "room", "en", RULES, (THING, NUMBER), ("look around", "take box"), rows={"things": lambda value: f"the {value}"}
)
SPECS = tuple(ToolSpec(name, "", {}) for name in ("look", "take", "send"))


def request(
    *said: str, rounds: Sequence[Sequence[tuple[Call, Any, str]]] = (), context: Mapping[str, Any] | None = None
) -> Request:
    """Return a request in which *rounds* of calls were answered already, each with its data and code."""
    messages = [Message("system", "-"), *(Message("user", text) for text in said)]
    for number, calls in enumerate(rounds):
        made = [ToolCall(f"c{number}_{place}", call.name, _text(call)) for place, (call, _, _) in enumerate(calls)]
        messages.append(Message("assistant", "", tuple(made)))
        messages += [
            Message("tool", "-", tool_call_id=one.id, data=data, code=code)
            for one, (_, data, code) in zip(made, calls, strict=True)
        ]
    return Request(tuple(messages), SPECS, {"language": "en", **(context or {})})


def _text(call: Call) -> str:
    return json.dumps(dict(call.arguments))


def called(answer: Completion) -> list[str]:
    return [f"{call.name} {call.arguments}" for call in answer.tool_calls]
