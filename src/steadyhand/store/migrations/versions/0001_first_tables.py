"""The first tables: people, sessions, changes, drafts, the timetable"""

import sqlalchemy as sa
from alembic import op

from steadyhand.store.database.types import JsonText

# Written out, not taken from tables.py: a migration says what was, whatever the tables become.
revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "displays",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("at_message", sa.Integer(), nullable=False),
        sa.Column("shown_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "session_id", "change_id", name=op.f("pk_displays")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("rights", JsonText(), nullable=False),
        sa.Column("next_change", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
    )
    op.create_table(
        "changes",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("domain", sa.String(length=32), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("target_shared", sa.Boolean(), nullable=False),
        sa.Column("target_key", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("source_kind", sa.String(length=8), nullable=False),
        sa.Column("source", JsonText(), nullable=True),
        sa.Column("scope", JsonText(), nullable=True),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("observation", JsonText(), nullable=True),
        sa.Column("spec", sa.Text(), nullable=True),
        sa.Column("spec_digest", sa.String(length=64), nullable=True),
        sa.Column("route", JsonText(), nullable=True),
        sa.Column("calls", JsonText(), nullable=False),
        sa.Column("provider_round", sa.Integer(), nullable=False),
        sa.Column("call_failures", sa.Integer(), nullable=False),
        sa.Column("operations", JsonText(), nullable=True),
        sa.Column("program", JsonText(), nullable=True),
        sa.Column("program_digest", sa.String(length=64), nullable=True),
        sa.Column("rehearsal", JsonText(), nullable=True),
        sa.Column("policy", sa.String(length=64), nullable=False),
        sa.Column("seal", sa.Text(), nullable=True),
        sa.Column("seal_digest", sa.String(length=64), nullable=True),
        sa.Column("expires_at", sa.String(length=32), nullable=False),
        sa.Column("approved_at", sa.String(length=32), nullable=True),
        sa.Column("reason", JsonText(), nullable=True),
        sa.Column("submission_id", sa.String(length=64), nullable=True),
        sa.Column("owner", JsonText(), nullable=True),
        sa.Column("owner_token", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.String(length=32), nullable=True),
        sa.Column("receipt", JsonText(), nullable=True),
        sa.Column("evidence", JsonText(), nullable=True),
        sa.Column("superseded_by", sa.Integer(), nullable=True),
        sa.Column("repair_of", sa.Integer(), nullable=True),
        sa.Column("undo_of", sa.Integer(), nullable=True),
        sa.Column("stop_noted", sa.Boolean(), nullable=False),
        sa.Column("direct", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_changes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changes")),
        sa.UniqueConstraint("user_id", "number", name=op.f("uq_changes_user_id_number")),
    )
    with op.batch_alter_table("changes", schema=None) as batch_op:
        batch_op.create_index("ix_changes_session", ["user_id", "session_id", "target_key"], unique=False)
        batch_op.create_index("ix_changes_state", ["state"], unique=False)
        batch_op.create_index(
            "uq_changes_on_its_way",
            ["target_key"],
            unique=True,
            sqlite_where=sa.text("state IN ('approved', 'submitting', 'executed', 'unknown')"),
            postgresql_where=sa.text("state IN ('approved', 'submitting', 'executed', 'unknown')"),
        )

    op.create_table(
        "drafts",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("domain", sa.String(length=32), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("base", JsonText(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("head", sa.Integer(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_drafts_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    with op.batch_alter_table("drafts", schema=None) as batch_op:
        batch_op.create_index(
            "uq_drafts_open",
            ["user_id", "domain", "target_name"],
            unique=True,
            sqlite_where=sa.text("is_open"),
            postgresql_where=sa.text("is_open"),
        )

    op.create_table(
        "sessions",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
        sa.PrimaryKeyConstraint("user_id", "id", name=op.f("pk_sessions")),
    )
    op.create_table(
        "terms",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("first_monday", sa.String(length=10), nullable=False),
        sa.Column("weeks", sa.Integer(), nullable=False),
        sa.Column("scale_name", sa.Text(), nullable=False),
        sa.Column("scale", JsonText(), nullable=False),
        sa.Column("seasons", JsonText(), nullable=False),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_terms_user_id")),
        sa.PrimaryKeyConstraint("user_id", "id", name=op.f("pk_terms")),
    )
    with op.batch_alter_table("terms", schema=None) as batch_op:
        batch_op.create_index(
            "uq_terms_current",
            ["user_id"],
            unique=True,
            sqlite_where=sa.text("is_current"),
            postgresql_where=sa.text("is_current"),
        )

    op.create_table(
        "timetable_revisions",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_timetable_revisions_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_timetable_revisions")),
    )
    op.create_table(
        "applied",
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("program_digest", sa.String(length=64), nullable=False),
        sa.Column("footprint_after", JsonText(), nullable=False),
        sa.Column("result", JsonText(), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_applied_change_id")),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_applied")),
    )
    op.create_table(
        "artifacts",
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_artifacts_change_id")),
        sa.PrimaryKeyConstraint("change_id", "name", name=op.f("pk_artifacts")),
    )
    op.create_table(
        "calendar_facts",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("term_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("week", sa.Integer(), nullable=False),
        sa.Column("day_of_week", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("as_week", sa.Integer(), nullable=True),
        sa.Column("as_day_of_week", sa.Integer(), nullable=True),
        sa.Column("held", JsonText(), nullable=False),
        sa.CheckConstraint(
            "(kind = 'holiday' AND as_week IS NULL AND as_day_of_week IS NULL) OR (kind = 'works_as' AND as_week >= 1 AND as_day_of_week BETWEEN 1 AND 7)",
            name=op.f("ck_calendar_facts_kind"),
        ),
        sa.CheckConstraint("day_of_week BETWEEN 1 AND 7 AND week >= 1", name=op.f("ck_calendar_facts_day")),
        sa.ForeignKeyConstraint(
            ["user_id", "term_id"], ["terms.user_id", "terms.id"], name=op.f("fk_calendar_facts_user_id_term_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "term_id", "week", "day_of_week", name=op.f("pk_calendar_facts")),
    )
    op.create_table(
        "call_results",
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("result", JsonText(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_call_results_change_id")),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_call_results")),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("door", sa.String(length=16), nullable=False),
        sa.Column("decided_by", sa.String(length=16), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_decisions_change_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    with op.batch_alter_table("decisions", schema=None) as batch_op:
        batch_op.create_index("ix_decisions_change", ["change_id"], unique=False)

    op.create_table(
        "draft_steps",
        sa.Column("draft_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("base_revision", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("payload", JsonText(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["draft_id"], ["drafts.id"], name=op.f("fk_draft_steps_draft_id")),
        sa.PrimaryKeyConstraint("draft_id", "seq", name=op.f("pk_draft_steps")),
    )
    with op.batch_alter_table("draft_steps", schema=None) as batch_op:
        batch_op.create_index("ix_draft_steps_position", ["draft_id", "position"], unique=False)

    op.create_table(
        "journal",
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_journal_change_id")),
        sa.PrimaryKeyConstraint("change_id", "seq", name=op.f("pk_journal")),
    )
    op.create_table(
        "schedule_events",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("term_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("can_embed", sa.Boolean(), nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("teacher", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("item_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('course', 'task')", name=op.f("ck_schedule_events_kind")),
        sa.ForeignKeyConstraint(
            ["user_id", "term_id"], ["terms.user_id", "terms.id"], name=op.f("fk_schedule_events_user_id_term_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name=op.f("pk_schedule_events")),
    )
    with op.batch_alter_table("schedule_events", schema=None) as batch_op:
        batch_op.create_index("ix_schedule_events_term", ["user_id", "term_id"], unique=False)
        batch_op.create_index(
            "uq_schedule_events_item",
            ["user_id", "item_id"],
            unique=True,
            sqlite_where=sa.text("item_id IS NOT NULL"),
            postgresql_where=sa.text("item_id IS NOT NULL"),
        )
        batch_op.create_index(
            "uq_schedule_events_uid",
            ["user_id", "term_id", "uid"],
            unique=True,
            sqlite_where=sa.text("uid <> ''"),
            postgresql_where=sa.text("uid <> ''"),
        )

    op.create_table(
        "steps",
        sa.Column("change_id", sa.String(length=64), nullable=False),
        sa.Column("idx", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("detail", JsonText(), nullable=True),
        sa.Column("begun_at", sa.String(length=32), nullable=False),
        sa.Column("ended_at", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["change_id"], ["changes.id"], name=op.f("fk_steps_change_id")),
        sa.PrimaryKeyConstraint("change_id", "idx", name=op.f("pk_steps")),
    )
    op.create_table(
        "task_classes",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("term_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("total_slots", sa.Integer(), nullable=True),
        sa.Column("ordered", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id", "term_id"], ["terms.user_id", "terms.id"], name=op.f("fk_task_classes_user_id_term_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name=op.f("pk_task_classes")),
        sa.UniqueConstraint("user_id", "term_id", "name", name=op.f("uq_task_classes_user_id_term_id_name")),
    )
    op.create_table(
        "schedules",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("week", sa.Integer(), nullable=False),
        sa.Column("day_of_week", sa.Integer(), nullable=False),
        sa.Column("section", sa.Integer(), nullable=False),
        sa.Column("term_id", sa.BigInteger(), nullable=False),
        sa.Column("host_event_id", sa.BigInteger(), nullable=True),
        sa.Column("layer", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "(layer = 0 AND host_event_id IS NULL) OR (layer = 1 AND host_event_id IS NOT NULL)", name=op.f("ck_schedules_layer")
        ),
        sa.CheckConstraint("day_of_week BETWEEN 1 AND 7", name=op.f("ck_schedules_day_of_week")),
        sa.CheckConstraint("week >= 1 AND section >= 1", name=op.f("ck_schedules_positive")),
        sa.ForeignKeyConstraint(
            ["user_id", "event_id"], ["schedule_events.user_id", "schedule_events.id"], name=op.f("fk_schedules_user_id_event_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "event_id", "week", "day_of_week", "section", name=op.f("pk_schedules")),
        sa.UniqueConstraint("user_id", "term_id", "week", "day_of_week", "section", "layer", name="uq_schedules_cell"),
    )
    op.create_table(
        "task_items",
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("class_id", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("duration", sa.Integer(), nullable=True),
        sa.Column("earliest", sa.String(length=10), nullable=True),
        sa.Column("deadline", sa.String(length=10), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id", "class_id"], ["task_classes.user_id", "task_classes.id"], name=op.f("fk_task_items_user_id_class_id")
        ),
        sa.PrimaryKeyConstraint("user_id", "id", name=op.f("pk_task_items")),
    )
    with op.batch_alter_table("task_items", schema=None) as batch_op:
        batch_op.create_index("ix_task_items_class", ["user_id", "class_id"], unique=False)
