"""Decides how a turn's agent may look at the person's sessions, name the present one, and keep what they prefer. It must not delete or read one."""

from typing import Any

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.language import say
from steadyhand.memory.preferences import LONGEST_KEY, LONGEST_VALUE, Preferences, lines
from steadyhand.session import administration
from steadyhand.session.administration import LONGEST_NAME
from steadyhand.session.listing import label
from steadyhand.store import Store
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, error_result, tool_result

MOST_LISTED = 20


class NoArguments(Arguments):
    """Nothing is to be said."""


class Name(Arguments):
    """A new name for this session."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)


class Preference(Arguments):
    """What the person prefers, under a key of its own."""

    key: str = Field(min_length=1, max_length=LONGEST_KEY)
    value: str = Field(min_length=1, max_length=LONGEST_VALUE)


class Key(Arguments):
    """The key of a preference."""

    key: str = Field(min_length=1, max_length=LONGEST_KEY)


def session_tools(store: Store) -> tuple[Tool[Any], ...]:
    """Return the tools about sessions and preferences, in the order in which a model is told of them."""
    preferences = Preferences(store)
    return (
        _list_sessions(store),
        _rename_session(store),
        _remember(preferences),
        _forget(preferences),
        _list_preferences(preferences),
    )


def _list_sessions(store: Store) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        rows = await store.read(lambda tx: conversations.sessions_of(tx, context.user))
        zone = (await store.read(lambda tx: people.require_user(tx, context.user))).zone
        told = [label(row, context.language, zone, here=context.session) for row in rows[:MOST_LISTED]]
        text = "\n".join(f"{number}. {line}" for number, line in enumerate(told, 1))
        shown = zip(told, rows, strict=False)
        choices: Json = [{"label": line, "value": {"session": row.id, "name": row.name}} for line, row in shown]
        return tool_result(
            text or say(context.language, "session.list.none"), data={"choices": {"kind": "session", "rows": choices}}
        )

    return Tool("list_sessions", "read", NoArguments, body)


def _rename_session(store: Store) -> Tool[Any]:
    async def body(context: ToolContext, arguments: Name) -> ToolResult:
        name = await store.write(lambda tx: administration.rename(tx, context.user, context.session, arguments.name))
        return tool_result(say(context.language, "session.renamed", name=name), data={"session": context.session, "name": name})

    return Tool("rename_session", "own", Name, body)


def _remember(preferences: Preferences) -> Tool[Any]:
    async def body(context: ToolContext, arguments: Preference) -> ToolResult:
        key, value = await preferences.prefer(context.user, arguments.key, arguments.value)
        told = say(context.language, "session.remembered", key=key, value=value)
        return tool_result(told, data={"key": key, "value": value})

    return Tool("remember", "own", Preference, body)


def _forget(preferences: Preferences) -> Tool[Any]:
    async def body(context: ToolContext, arguments: Key) -> ToolResult:
        if not await preferences.forget(context.user, arguments.key):
            return error_result(say(context.language, "session.not_remembered", key=arguments.key), code="not_found")
        return tool_result(say(context.language, "session.forgotten", key=arguments.key), data={"key": arguments.key})

    return Tool("forget", "own", Key, body)


def _list_preferences(preferences: Preferences) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        found = await preferences.all(context.user)
        text = "\n".join(lines(found, context.language)) or say(context.language, "session.nothing_preferred")
        return tool_result(text, data={"preferences": dict(found)})

    return Tool("list_preferences", "read", NoArguments, body)
