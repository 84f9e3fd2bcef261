"""What happens later: wake-ups, jobs, accounts"""

import sqlalchemy as sa
from alembic import op

from steadyhand.store.database.types import JsonText

# Written out, not taken from the tables: a migration says what was, whatever they become.
revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=128), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("may_decide", sa.Boolean(), nullable=False),
        sa.Column("bound_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("channel", "account", name=op.f("pk_accounts")),
    )
    with op.batch_alter_table("accounts", schema=None) as batch_op:
        batch_op.create_index("ix_accounts_user", ["user_id"], unique=False)

    op.create_table(
        "counters",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("next", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "name", name=op.f("pk_counters")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("body", sa.String(length=256), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("arguments", JsonText(), nullable=False),
        sa.Column("reply_to", JsonText(), nullable=False),
        sa.Column("repeatable", sa.Boolean(), nullable=False),
        sa.Column("parent_id", sa.String(length=64), nullable=True),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("progress", JsonText(), nullable=True),
        sa.Column("cancel_asked", sa.Boolean(), nullable=False),
        sa.Column("result", JsonText(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("owner", JsonText(), nullable=True),
        sa.Column("owner_token", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.String(length=32), nullable=True),
        sa.Column("started_at", sa.String(length=32), nullable=True),
        sa.Column("ended_at", sa.String(length=32), nullable=True),
        sa.Column("told_at", sa.String(length=32), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("user_id", "number", name=op.f("uq_jobs_user_id_number")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index("ix_jobs_session", ["user_id", "session_id"], unique=False)
        batch_op.create_index("ix_jobs_state", ["state", "created_at"], unique=False)

    op.create_table(
        "wakeup_runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("wakeup_id", sa.String(length=64), nullable=False),
        sa.Column("meant_at", sa.String(length=32), nullable=False),
        sa.Column("started_at", sa.String(length=32), nullable=True),
        sa.Column("ended_at", sa.String(length=32), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wakeup_runs")),
        sa.UniqueConstraint("wakeup_id", "meant_at", name=op.f("uq_wakeup_runs_wakeup_id_meant_at")),
    )
    with op.batch_alter_table("wakeup_runs", schema=None) as batch_op:
        batch_op.create_index("ix_wakeup_runs_wakeup", ["user_id", "wakeup_id", "ended_at"], unique=False)

    op.create_table(
        "wakeups",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=True),
        sa.Column("family", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("due_at", sa.String(length=32), nullable=False),
        sa.Column("meant_at", sa.String(length=32), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("rhythm", JsonText(), nullable=True),
        sa.Column("missed_rule", JsonText(), nullable=False),
        sa.Column("exact", sa.Boolean(), nullable=False),
        sa.Column("followup_reason", sa.Text(), nullable=False),
        sa.Column("assistant_commitment_text", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("delivery", sa.String(length=8), nullable=False),
        sa.Column("chain", sa.Integer(), nullable=False),
        sa.Column("replace_existing", sa.Boolean(), nullable=False),
        sa.Column("created_by_tool_call_id", sa.String(length=128), nullable=True),
        sa.Column("cancelled_by_tool_call_id", sa.String(length=128), nullable=True),
        sa.Column("triggered_at", sa.String(length=32), nullable=True),
        sa.Column("started_at", sa.String(length=32), nullable=True),
        sa.Column("completed_at", sa.String(length=32), nullable=True),
        sa.Column("completion_action", sa.String(length=32), nullable=True),
        sa.Column("actions", JsonText(), nullable=True),
        sa.Column("sent_message_id", sa.String(length=128), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.String(length=64), nullable=True),
        sa.Column("owner", JsonText(), nullable=True),
        sa.Column("owner_token", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.String(length=32), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wakeups")),
        sa.UniqueConstraint("user_id", "number", name=op.f("uq_wakeups_user_id_number")),
    )
    with op.batch_alter_table("wakeups", schema=None) as batch_op:
        batch_op.create_index("ix_wakeups_due", ["status", "due_at"], unique=False)
        batch_op.create_index("ix_wakeups_session", ["user_id", "session_id", "status"], unique=False)
