"""The tables of people: who they are, their sessions, what they prefer, what they spent, and the accounts that channels know them by.

The conventions stand in `database.metadata`. It must not say what a row means.
"""

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text

from steadyhand.store.database.metadata import EMPTY, metadata
from steadyhand.store.database.types import JsonText

users = Table(
    "users",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("zone", String(64), nullable=False),
    Column("language", String(8), nullable=False),
    Column("rights", JsonText, nullable=False),
    Column("next_change", Integer, nullable=False),
    Column("created_at", String(32), nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("user_id", String(64), ForeignKey("users.id"), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("channel", String(32), nullable=False),
    Column("messages", Integer, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("name", Text, nullable=False, server_default=EMPTY),
    Column("address", JsonText),
    Column("next_seq", Integer, nullable=False, server_default="1"),
    Column("updated_at", String(32), nullable=False, server_default=EMPTY),
)

preferences = Table(
    "preferences",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("value", JsonText),
    Column("set_at", String(32), nullable=False),
)

spending = Table(
    "spending",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("model", String(128), primary_key=True),
    Column("requests", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost", Float, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("channel", String(32), primary_key=True),
    Column("account", String(128), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("may_decide", Boolean, nullable=False),
    Column("bound_at", String(32), nullable=False),
    Index("ix_accounts_user", "user_id"),
)
