"""Decides how a session's past reads for a person: what they said and what they were owed. It must not show what passed between model and tools."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.channels.web.shapes import History, HistoryItem
from steadyhand.core.ids import SessionId, UserId
from steadyhand.store import Tx
from steadyhand.store.sessions import conversations, inbox, outbox
from steadyhand.store.sessions.conversations import Said
from steadyhand.store.sessions.inbox import Inbound
from steadyhand.store.sessions.outbox import Owed

MOST_OWED = 1000


def history(tx: Tx, user: UserId, session: SessionId, limit: int) -> History:
    """Return the last *limit* entries of the session's history and what was owed meanwhile, each turn's message of the person first.

    A message that waits, or whose turn runs, is said already: it stands with the others.
    """
    said = conversations.history(tx, user, session, limit)
    since = said[0].seq - 1 if len(said) == limit else 0
    owed = outbox.after(tx, user, session, since, MOST_OWED)
    turns: dict[str, int] = {}
    placed: list[tuple[str, HistoryItem]] = []
    for turn, item in [
        *_said(said, {row.id for row in owed}),
        *_unsettled(tx, user, session),
        *((row.turn_id, _owed(row)) for row in owed),
    ]:
        turns[turn or item.id] = min(turns.get(turn or item.id, item.seq), item.seq)
        placed.append((turn or item.id, item))
    placed.sort(key=lambda one: (turns[one[0]], one[1].role != "person", one[1].seq))
    last = max((item.seq for _, item in placed), default=0)
    return History(items=[item for _, item in placed], last_seq=last)


def _unsettled(tx: Tx, user: UserId, session: SessionId) -> list[tuple[str, HistoryItem]]:
    """Return the person's messages that are no history yet."""
    return [(one.turn_id or one.id, _unsettled_item(one)) for one in inbox.unsettled(tx, user, session, "person")]


def _unsettled_item(one: Inbound) -> HistoryItem:
    text = cast("str", cast("Mapping[str, Any]", one.body).get("text", ""))
    return HistoryItem(id=one.id, seq=one.seq, role="person", source="person", text=text, at=one.accepted_at)


def _said(said: list[Said], owed: set[str]) -> list[tuple[str, HistoryItem]]:
    """Return what was said and is no message that is told by its own row; what a model said to a tool is nobody's."""
    items: list[tuple[str, HistoryItem]] = []
    for entry in said:
        if entry.role == "user" and entry.source == "person":
            item = HistoryItem(id=entry.id, seq=entry.seq, role="person", source="person", text=entry.content, at=entry.at)
        elif entry.role == "assistant" and entry.source != "call" and entry.id not in owed:
            item = HistoryItem(
                id=entry.id, seq=entry.seq, role="steadyhand", source=entry.source, text=entry.content, at=entry.at
            )
        else:
            continue
        items.append((entry.turn_id, item))
    return items


def _owed(row: Owed) -> HistoryItem:
    return HistoryItem(
        id=row.id,
        seq=row.seq,
        role="steadyhand",
        source=row.source,
        text=row.content,
        at=row.created_at,
        change=row.shows,
        state=row.state,
    )
