"""Conversations: inbox, turns, messages, outbox, memory"""

import sqlalchemy as sa
from alembic import op

from steadyhand.store.database.types import JsonText

# Written out, not taken from the tables: a migration says what was, whatever they become.
revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("origin_id", sa.String(length=128), nullable=True),
        sa.Column("body", JsonText(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("turn_id", sa.String(length=64), nullable=True),
        sa.Column("accepted_at", sa.String(length=32), nullable=False),
        sa.Column("started_at", sa.String(length=32), nullable=True),
        sa.Column("settled_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("user_id", "session_id", "origin_id", name=op.f("uq_inbox_user_id_session_id_origin_id")),
        sa.UniqueConstraint("user_id", "session_id", "seq", name=op.f("uq_inbox_user_id_session_id_seq")),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index("ix_inbox_state", ["state"], unique=False)

    op.create_table(
        "lanes",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("owner", JsonText(), nullable=False),
        sa.Column("lease_until", sa.String(length=32), nullable=False),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "session_id", name=op.f("pk_lanes")),
    )
    op.create_table(
        "messages",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("calls", JsonText(), nullable=False),
        sa.Column("call_id", sa.String(length=128), nullable=True),
        sa.Column("data", JsonText(), nullable=True),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("channel_message_id", sa.String(length=128), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("user_id", "session_id", "seq", name=op.f("uq_messages_user_id_session_id_seq")),
    )
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.create_index("ix_messages_channel", ["user_id", "session_id", "channel_message_id"], unique=False)

    op.create_table(
        "outbox",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("reply_to", sa.String(length=128), nullable=True),
        sa.Column("data", JsonText(), nullable=True),
        sa.Column("shows", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.String(length=32), nullable=False),
        sa.Column("sent_message_id", sa.String(length=128), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("user_id", "session_id", "seq", name=op.f("uq_outbox_user_id_session_id_seq")),
        sa.UniqueConstraint("user_id", "turn_id", "digest", name=op.f("uq_outbox_user_id_turn_id_digest")),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index("ix_outbox_due", ["state", "next_at"], unique=False)

    op.create_table(
        "preferences",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", JsonText(), nullable=True),
        sa.Column("set_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_preferences")),
    )
    op.create_table(
        "spending",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("model", sa.String(length=128), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "day", "model", name=op.f("pk_spending")),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("lane_token", sa.String(length=64), nullable=False),
        sa.Column("calls_begun", JsonText(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("usage", JsonText(), nullable=True),
        sa.Column("last_result", JsonText(), nullable=True),
        sa.Column("detail", JsonText(), nullable=True),
        sa.Column("started_at", sa.String(length=32), nullable=False),
        sa.Column("ended_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
    )
    with op.batch_alter_table("turns", schema=None) as batch_op:
        batch_op.create_index("ix_turns_session", ["user_id", "session_id", "started_at"], unique=False)
        batch_op.create_index("ix_turns_state", ["state"], unique=False)

    op.create_table(
        "working_memory",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", JsonText(), nullable=True),
        sa.Column("set_at", sa.String(length=32), nullable=False),
        sa.Column("expires_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("user_id", "session_id", "key", name=op.f("pk_working_memory")),
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("name", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("address", JsonText(), nullable=True))
        batch_op.add_column(sa.Column("next_seq", sa.Integer(), server_default="1", nullable=False))
        batch_op.add_column(sa.Column("updated_at", sa.String(length=32), server_default="", nullable=False))
