"""Decides what a turn's agent is told about what it booked for later, and about what it said of its own accord. It must not name a session."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.explain import explain, word
from steadyhand.core.language import Language, say
from steadyhand.session.speaking import PROACTIVE
from steadyhand.store import Store, Tx
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.store.sessions.conversations import Said
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.builtin.speech import require_speakable
from steadyhand.tools.ports import Delivered, NotSent, Queued, Sent, UnknownSent
from steadyhand.tools.result import ToolResult, error_result, silent_result, tool_result
from steadyhand.wakeups import telling
from steadyhand.wakeups.booking import Book, Booked, By, FollowUp
from steadyhand.wakeups.cron_tool import cron_tool

A = TypeVar("A", bound=Arguments)
MAX_CHARACTERS = 8_000


class Schedule(Arguments):
    """A follow-up; empty texts are refused by their own codes."""

    send_at: str = Field(max_length=100)
    followup_reason: str = Field(max_length=2_000)
    assistant_commitment_text: str = Field(max_length=2_000)
    replace_existing: bool = False


class NoArguments(Arguments):
    """Nothing is to be said."""


class Update(Arguments):
    """What is to be different."""

    number: int = Field(ge=1)
    send_at: str | None = Field(default=None, max_length=100)
    followup_reason: str | None = Field(default=None, max_length=2_000)
    assistant_commitment_text: str | None = Field(default=None, max_length=2_000)


class Cancel(Arguments):
    """Which one; the only one where neither is given."""

    number: int | None = Field(default=None, ge=1)
    every: bool = False


class Speak(Arguments):
    """What to say."""

    message_text: str = Field(max_length=MAX_CHARACTERS)


class Reply(Arguments):
    """What to say to which message."""

    msg_id: str = Field(min_length=1, max_length=200)
    message_text: str = Field(max_length=MAX_CHARACTERS)


class Finish(Arguments):
    """Why nothing more is said."""

    reason: str = Field(default="", max_length=2_000)


def wakeup_tools(store: Store) -> tuple[Tool[Any], ...]:
    """Return the tools about what comes later, and those by which a woken turn speaks or ends, in a fixed order."""
    book = Book(store)

    async def reply(context: ToolContext, given: Reply) -> ToolResult:
        return await _reply(store, context, given)

    return (
        _stored("schedule_private_followup", Schedule, lambda context, given: _schedule(store, book, context, given)),
        _list(store, book),
        _stored("update_private_followup", Update, lambda context, given: _update(store, book, context, given)),
        _stored("cancel_private_followup", Cancel, lambda context, given: _cancel(book, context, given)),
        Tool("send_private_message", "say", Speak, _speak),
        Tool("reply", "say", Reply, reply),
        Tool("finish", "say", Finish, _finish),
        cron_tool(store, book),
    )


def by(context: ToolContext) -> By:
    """Return who books, as the turn's context says."""
    return By(context.user, context.session, context.turn, context.call_id, context.origin, context.said)


def _stored(name: str, arguments: type[A], body: Callable[[ToolContext, A], Awaitable[ToolResult]]) -> Tool[Any]:
    """Return a tool that says so where its work could not be stored."""

    async def told(context: ToolContext, given: A) -> ToolResult:
        try:
            return await body(context, given)
        except StoreUnavailable as error:
            reason = explain(error, context.language).summary
            return error_result(say(context.language, "wakeups.storage_failed", reason=reason), code="storage_failed", err=error)

    return Tool(name, "own", arguments, told)


async def _schedule(store: Store, book: Book, context: ToolContext, given: Schedule) -> ToolResult:
    wanted = FollowUp(given.send_at, given.followup_reason, given.assistant_commitment_text, given.replace_existing)
    booked = await book.follow_up(by(context), wanted)
    data = dict(task(booked.row))
    if booked.cancelled:
        data["cancelled_task_ids"] = [row.id for row in booked.cancelled]
    text = await _told(store, context, booked, "wakeups.booked")
    return ToolResult(f"{text}\ntask_id={booked.row.id}", for_user=text, data=data)


def task(row: Wakeup) -> dict[str, Json]:
    """Return a follow-up as code reads it."""
    return {
        "task_id": row.id,
        "number": row.number,
        "session_id": row.session_id,
        "send_at": row.meant_at,
        "zone": row.zone,
        "status": row.status,
        "followup_reason": row.followup_reason,
        "assistant_commitment_text": row.assistant_commitment_text,
        "replace_existing": row.replace_existing,
    }


async def _told(store: Store, context: ToolContext, booked: Booked, form: str) -> str:
    """Word what was booked, with its number and its time as code has them."""
    at = telling.moment(booked.row.meant_at, await _zone(store, context), context.language)
    lines = [say(context.language, form, number=booked.row.number, at=at)]
    if booked.earlier:
        lines.append(say(context.language, "wakeups.earlier"))
    if booked.cancelled:
        lines.append(say(context.language, "wakeups.replaced", numbers=_numbers(booked.cancelled)))
    return "\n".join(lines)


def _numbers(rows: "list[Wakeup] | tuple[Wakeup, ...] | Any") -> str:
    return ", ".join(str(row.number) for row in rows)


async def _zone(store: Store, context: ToolContext) -> str:
    return (await store.read(lambda tx: people.require_user(tx, context.user))).zone


def _list(store: Store, book: Book) -> Tool[Any]:
    async def body(context: ToolContext, given: NoArguments) -> ToolResult:
        del given
        rows = await book.booked(context.user, context.session, "followup")
        zone = await _zone(store, context)
        language = context.language
        text = "\n".join(_row(row, zone, language) for row in rows) or say(language, "wakeups.none_booked")
        labels: list[Json] = [{"label": label(row, zone, language), "value": {"wakeup": row.number}} for row in rows]
        return tool_result(text, data={"tasks": [task(row) for row in rows], "choices": {"kind": "wakeup", "rows": labels}})

    return Tool("list_private_followups", "read", NoArguments, body)


def _row(row: Wakeup, zone: str, language: Language) -> str:
    return say(
        language,
        "wakeups.row_llm",
        number=row.number,
        at=telling.moment(row.meant_at, zone, language),
        status=word(language, "wakeup_status", row.status),
        reason=row.followup_reason,
        commitment=row.assistant_commitment_text,
    )


def label(row: Wakeup, zone: str, language: Language) -> str:
    """Return a follow-up in a line for the person, by what was promised."""
    at = telling.moment(row.meant_at, zone, language)
    return say(language, "wakeups.row", number=row.number, at=at, words=telling.words(row))


async def _update(store: Store, book: Book, context: ToolContext, given: Update) -> ToolResult:
    booked = await book.change(
        by(context),
        given.number,
        send_at=given.send_at,
        reason=given.followup_reason,
        commitment=given.assistant_commitment_text,
    )
    text = await _told(store, context, booked, "wakeups.changed")
    return ToolResult(text, for_user=text, data=task(booked.row))


async def _cancel(book: Book, context: ToolContext, given: Cancel) -> ToolResult:
    rows = await book.cancel(by(context), given.number, every=given.every)
    text = say(context.language, "wakeups.cancelled", numbers=_numbers(rows))
    return ToolResult(text, for_user=text, data={"cancelled": [row.number for row in rows]})


async def _reply(store: Store, context: ToolContext, given: Reply) -> ToolResult:
    found = await store.read(lambda tx: _answered(tx, context, given.msg_id))
    if found is None:
        return error_result(say(context.language, "wakeups.reply_unknown", id=given.msg_id), code="not_found")
    return await _send(context, given.message_text, found.id)


async def _speak(context: ToolContext, given: Speak) -> ToolResult:
    return await _send(context, given.message_text)


async def _send(context: ToolContext, text: str, to: str | None = None) -> ToolResult:
    """Say *text* to the person of this session; *to* is the message that is answered."""
    language = context.language
    if not text.strip():
        return error_result(explain_code("text_empty", language), code="text_empty")
    require_speakable("message_text", text)
    outbox = context.ports.outbox
    if outbox is None or context.origin == "subagent":
        return error_result(explain_code("not_private", language), code="not_private")
    sent = await outbox.send(text, source=PROACTIVE if to is None else "reply", reply_to=to)
    return _sent(context, text, sent)


def _answered(tx: Tx, context: ToolContext, message: str) -> Said | None:
    """Return the entry of this session that is called so, by us or by the channel."""
    user, session = context.user, context.session
    return conversations.find(tx, user, session, message) or conversations.by_channel_id(tx, user, session, message)


def _sent(context: ToolContext, text: str, sent: Delivered) -> ToolResult:
    language = context.language
    data: dict[str, Json] = {"session_id": context.session, "message_text": text, "sent_message_id": None}
    match sent:
        case Sent(message_id):
            data["sent_message_id"] = message_id
            return silent_result(say(language, "wakeups.sent", id=message_id), data=data)
        case Queued():
            return ToolResult(say(language, "wakeups.queued"), silent=True, code="queued", data=data)
        case UnknownSent():
            return ToolResult(say(language, "wakeups.unknown"), silent=True, code="unknown_sent", data=data)
        case NotSent(reason):
            return error_result(say(language, "wakeups.send_failed", reason=reason), code="send_failed", data=data)


def explain_code(code: str, language: Language) -> str:
    """Return the first line of what a code is called."""
    return say(language, f"error.{code}.summary")


async def _finish(context: ToolContext, given: Finish) -> ToolResult:
    return ToolResult(
        say(context.language, "wakeups.finished"), silent=True, code="finished", ends_turn=True, data={"reason": given.reason}
    )
