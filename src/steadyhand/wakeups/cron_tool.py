"""Decides how a turn's agent looks after the timed tasks of its session, silently. It must not see those of another."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.explain import word
from steadyhand.core.language import Language, say
from steadyhand.store import Store
from steadyhand.store.later.wakeups import Wakeup, WakeupRun
from steadyhand.store.people import people
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, error_result, silent_result
from steadyhand.wakeups import telling
from steadyhand.wakeups.booking import LISTED, Book, By, Timed, When

Action = Literal["add", "list", "remove", "enable", "disable", "runs"]


class Cron(Arguments):
    """What is to be done with timed tasks."""

    action: Action
    number: int | None = Field(default=None, ge=1)
    name: str = Field(default="", max_length=60)
    at: str | None = Field(default=None, max_length=100)
    every: str | None = Field(default=None, max_length=20)
    cron: str | None = Field(default=None, max_length=200)
    zone: str = Field(default="", max_length=64)
    text: str = Field(default="", max_length=2_000)
    kind: Literal["wake", "text"] = "wake"
    delivery: Literal["user", "none"] = "user"


def cron_tool(store: Store, book: Book) -> Tool[Any]:
    """Return the tool."""

    async def body(context: ToolContext, given: Cron) -> ToolResult:
        zone = (await store.read(lambda tx: people.require_user(tx, context.user))).zone
        who = By(context.user, context.session, context.turn, context.call_id, context.origin, context.said)
        return await _act(book, who, given, context.language, zone)

    return Tool("cron", "own", Cron, body)


async def _act(book: Book, who: By, given: Cron, language: Language, zone: str) -> ToolResult:
    if given.action == "add":
        return await _add(book, who, given, language, zone)
    if given.action == "list":
        rows = await book.booked(who.user, who.session, "cron", LISTED)
        text = "\n".join(line(row, zone, language) for row in rows) or say(language, "wakeups.cron.none")
        return silent_result(text, data={"jobs": [job(row) for row in rows]})
    if given.number is None:
        return error_result(say(language, "wakeups.cron.needs", action=given.action, argument="number"), code="bad_argument")
    if given.action == "runs":
        row, runs = await book.runs(who, given.number)
        lines = [run_line(run, zone, language) for run in runs]
        text = "\n".join(lines) or say(language, "wakeups.cron.no_runs", name=row.name)
        return silent_result(text, data={"runs": [run_json(run) for run in runs]})
    if given.action == "remove":
        row = await book.remove(who, given.number)
        return silent_result(say(language, "wakeups.cron.removed", name=row.name), data=job(row))
    row = await book.enable(who, given.number, enabled=given.action == "enable")
    at = telling.moment(row.due_at, zone, language)
    return silent_result(say(language, f"wakeups.cron.{given.action}d", name=row.name, at=at), data=job(row))


async def _add(book: Book, who: By, given: Cron, language: Language, zone: str) -> ToolResult:
    whens: Mapping[When, str | None] = {"at": given.at, "every": given.every, "cron": given.cron}
    named: list[When] = [kind for kind, when in whens.items() if when is not None]
    if len(named) != 1:
        return error_result(say(language, "wakeups.cron.one_when"), code="bad_argument")
    when = whens[named[0]] or ""
    booked = await book.timed(who, Timed(named[0], when, given.text, given.name, given.kind, given.zone, given.delivery))
    text = added(booked.row, zone, language)
    if booked.earlier:
        text += "\n" + say(language, "wakeups.earlier")
    return silent_result(text, data=job(booked.row))


def added(row: Wakeup, zone: str, language: Language) -> str:
    """Word what was booked; its first line is the same in every language."""
    at = telling.moment(row.due_at, zone, language)
    return say(language, "wakeups.cron.added", name=row.name, number=row.number, rhythm=telling.rhythm(row, language), at=at)


def line(row: Wakeup, zone: str, language: Language) -> str:
    """Return a timed task in a line."""
    state = "on" if row.enabled else "off"
    if row.status not in ("pending", "running"):
        state = "failed" if row.status == "failed" else "ended"
    return say(
        language,
        "wakeups.cron.row",
        number=row.number,
        name=row.name,
        rhythm=telling.rhythm(row, language),
        at=telling.moment(row.due_at, zone, language),
        state=say(language, f"wakeups.cron.{state}"),
    )


def job(row: Wakeup) -> dict[str, Json]:
    """Return a timed task as code reads it."""
    return {
        "id": row.id,
        "number": row.number,
        "name": row.name,
        "session_id": row.session_id,
        "kind": row.kind,
        "status": row.status,
        "enabled": row.enabled,
        "rhythm": row.rhythm,
        "zone": row.zone,
        "next_at": row.due_at,
        "text": row.text,
        "delivery": row.delivery,
        "last_action": row.completion_action,
        "last_error": row.last_error,
    }


def run_line(run: WakeupRun, zone: str, language: Language) -> str:
    """Return what came of an occurrence in a line."""
    return say(
        language,
        "wakeups.cron.run",
        at=telling.moment(run.meant_at, zone, language),
        outcome=word(language, "run_outcome", run.outcome),
        action=word(language, "run_action", run.action),
        note=" ".join(run.note.split())[:80],
    ).rstrip()


def run_json(run: WakeupRun) -> dict[str, Json]:
    """Return what came of an occurrence as code reads it."""
    return {
        "meant_at": run.meant_at,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "outcome": run.outcome,
        "action": run.action,
        "note": run.note,
    }
