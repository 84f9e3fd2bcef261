"""Decides what a provider is told before the person's words: how it works, the moment, what waits. It must not hold a fact of its own."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import local
from steadyhand.core.language import Language, say
from steadyhand.core.wire import Message


def system_prompt(
    language: Language, now: datetime, context: Mapping[str, Json], preferences: Sequence[str], domains: Sequence[str] = ()
) -> str:
    """Return the system message: what never changes first, so that a server can keep it, then what *domains* say, then the moment."""
    parts = [say(language, "agent.prompt.system"), "", *domains, _moment(language, now, context)]
    changes = cast("Sequence[Mapping[str, Any]]", context.get("changes") or ())
    if changes:
        parts += [say(language, "agent.prompt.changes"), *(f"- {change['line']}" for change in changes)]
    if preferences:
        parts += [say(language, "agent.prompt.preferences"), *(f"- {line}" for line in preferences)]
    if context.get("resume"):
        parts.append(say(language, "agent.prompt.resumed", request=context["resume"]))
    return "\n".join(parts)


def sub_prompt(language: Language, now: datetime, context: Mapping[str, Json], domains: Sequence[str] = ()) -> str:
    """Return the system message of a sub-agent: nothing of the conversation, and nothing of what waits in it."""
    return "\n".join([say(language, "agent.sub.system"), "", *domains, _moment(language, now, context)])


def _moment(language: Language, now: datetime, context: Mapping[str, Json]) -> str:
    zone = cast("str", context["zone"])
    here = local(now, zone)
    weekday = say(language, f"agent.weekday.{here.isoweekday()}")
    return say(language, "agent.prompt.now", now=here.strftime("%Y-%m-%d %H:%M"), zone=zone, weekday=weekday)


def messages_of(system: str, history: Sequence[Message], said: str, reminder: str = "") -> tuple[Message, ...]:
    """Return what a turn begins with. A *reminder* stands at the tail in the person's role, and is no word of theirs."""
    tail = [Message("user", text) for text in (said, reminder) if text]
    return (Message("system", system), *history, *tail)
