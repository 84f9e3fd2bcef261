"""The tables of conversations: what came in, the turns, what was said, what is owed, what is remembered.

The conventions stand in `database.metadata`. It must not say what a row means.
"""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, Text, UniqueConstraint

from steadyhand.store.database.metadata import metadata
from steadyhand.store.database.types import JsonText

lanes = Table(
    "lanes",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("session_id", String(64), primary_key=True),
    Column("token", String(64), nullable=False),
    Column("owner", JsonText, nullable=False),
    Column("lease_until", String(32), nullable=False),
    Column("stop_asked", Boolean, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("source", String(16), nullable=False),
    Column("origin_id", String(128)),
    Column("body", JsonText, nullable=False),
    Column("state", String(16), nullable=False),
    Column("turn_id", String(64)),
    Column("accepted_at", String(32), nullable=False),
    Column("started_at", String(32)),
    Column("settled_at", String(32)),
    UniqueConstraint("user_id", "session_id", "seq"),
    UniqueConstraint("user_id", "session_id", "origin_id"),
    Index("ix_inbox_state", "state"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("origin", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("lane_token", String(64), nullable=False),
    Column("calls_begun", JsonText, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("usage", JsonText),
    Column("last_result", JsonText),
    Column("detail", JsonText),
    Column("started_at", String(32), nullable=False),
    Column("ended_at", String(32)),
    Index("ix_turns_session", "user_id", "session_id", "started_at"),
    Index("ix_turns_state", "state"),
)

messages = Table(
    "messages",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("turn_id", String(64), nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("calls", JsonText, nullable=False),
    Column("call_id", String(128)),
    Column("data", JsonText),
    Column("source", String(32), nullable=False),
    Column("channel_message_id", String(128)),
    Column("at", String(32), nullable=False),
    UniqueConstraint("user_id", "session_id", "seq"),
    Index("ix_messages_channel", "user_id", "session_id", "channel_message_id"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("turn_id", String(64), nullable=False),
    Column("source", String(32), nullable=False),
    Column("content", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("reply_to", String(128)),
    Column("data", JsonText),
    Column("shows", Integer),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", String(32), nullable=False),
    Column("sent_message_id", String(128)),
    Column("reason", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    UniqueConstraint("user_id", "session_id", "seq"),
    UniqueConstraint("user_id", "turn_id", "digest"),
    Index("ix_outbox_due", "state", "next_at"),
)

working_memory = Table(
    "working_memory",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("session_id", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("value", JsonText),
    Column("set_at", String(32), nullable=False),
    Column("expires_at", String(32)),
)
