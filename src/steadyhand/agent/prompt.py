"""Decides what a provider is told before the person's words: how it works, the moment, what waits. It must not hold a fact of its own."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import local
from steadyhand.core.language import Language, say
from steadyhand.core.wire import Message


def system_prompt(language: Language, now: datetime, context: Mapping[str, Json], preferences: Sequence[str]) -> str:
    """Return the system message: what never changes first, so that a server can keep it, then the moment."""
    parts = [say(language, "agent.prompt.system"), "", *_moment(language, now, context)]
    changes = cast("Sequence[Mapping[str, Any]]", context.get("changes") or ())
    if changes:
        parts += [say(language, "agent.prompt.changes"), *(f"- {change['line']}" for change in changes)]
    if preferences:
        parts += [say(language, "agent.prompt.preferences"), *(f"- {line}" for line in preferences)]
    if context.get("resume"):
        parts.append(say(language, "agent.prompt.resumed", request=context["resume"]))
    return "\n".join(parts)


def sub_prompt(language: Language, now: datetime, context: Mapping[str, Json]) -> str:
    """Return the system message of a sub-agent: nothing of the conversation, and nothing of what waits in it."""
    return "\n".join([say(language, "agent.sub.system"), "", *_moment(language, now, context)])


def _moment(language: Language, now: datetime, context: Mapping[str, Json]) -> list[str]:
    zone = cast("str", context["zone"])
    here = local(now, zone)
    weekday = say(language, f"agent.weekday.{here.isoweekday()}")
    lines = [say(language, "agent.prompt.now", now=here.strftime("%Y-%m-%d %H:%M"), zone=zone, weekday=weekday)]
    window = cast("Mapping[str, Any] | None", context.get("window"))
    if window is not None:
        lines.append(_window(language, window))
    if context.get("term") is None:
        lines.append(say(language, "agent.prompt.no_term"))
    return lines


def _window(language: Language, window: Mapping[str, Any]) -> str:
    return say(
        language,
        "agent.prompt.window",
        week=window["first_week"],
        day=window["first_day_of_week"],
        days=window["total_days"],
        slots=window["slots"],
    )


def messages_of(system: str, history: Sequence[Message], said: str, reminder: str = "") -> tuple[Message, ...]:
    """Return what a turn begins with. A *reminder* stands at the tail in the person's role, and is no word of theirs."""
    tail = [Message("user", text) for text in (said, reminder) if text]
    return (Message("system", system), *history, *tail)
