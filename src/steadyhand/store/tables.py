"""Decides the tables of the one database, which the migrations build; it must not say what a row means.

Moments are UTC text as `core.clock.to_text` writes it, dates are ``YYYY-MM-DD``. Every table but ``users`` has a
``user_id``, and every query names it.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from steadyhand.store.types import JsonText

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

ON_ITS_WAY = ("approved", "submitting", "executed", "unknown")
"""States of which a target may have one change at most."""

EMPTY = text("''")
"""A default as SQL, since Alembic's comparison takes the empty text for another one than the database has."""

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

displays = Table(
    "displays",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("session_id", String(64), primary_key=True),
    Column("change_id", String(64), primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("at_message", Integer, nullable=False),
    Column("shown_at", String(32), nullable=False),
)

changes = Table(
    "changes",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), ForeignKey("users.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("domain", String(32), nullable=False),
    Column("target_name", Text, nullable=False),
    Column("target_shared", Boolean, nullable=False),
    Column("target_key", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("source_kind", String(8), nullable=False),
    Column("source", JsonText),
    Column("scope", JsonText),
    Column("request", Text, nullable=False),
    Column("language", String(8), nullable=False),
    Column("observation", JsonText),
    Column("spec", Text),
    Column("spec_digest", String(64)),
    Column("route", JsonText),
    Column("calls", JsonText, nullable=False),
    Column("provider_round", Integer, nullable=False),
    Column("call_failures", Integer, nullable=False),
    Column("operations", JsonText),
    Column("program", JsonText),
    Column("program_digest", String(64)),
    Column("rehearsal", JsonText),
    Column("policy", String(64), nullable=False),
    Column("seal", Text),
    Column("seal_digest", String(64)),
    Column("expires_at", String(32), nullable=False),
    Column("approved_at", String(32)),
    Column("reason", JsonText),
    Column("submission_id", String(64)),
    Column("owner", JsonText),
    Column("owner_token", String(64)),
    Column("lease_until", String(32)),
    Column("receipt", JsonText),
    Column("evidence", JsonText),
    Column("superseded_by", Integer),
    Column("repair_of", Integer),
    Column("undo_of", Integer),
    Column("stop_noted", Boolean, nullable=False),
    Column("direct", Boolean, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Column("version", Integer, nullable=False),
    UniqueConstraint("user_id", "number"),
    Index("ix_changes_state", "state"),
    Index("ix_changes_session", "user_id", "session_id", "target_key"),
    Index(
        "uq_changes_on_its_way",
        "target_key",
        unique=True,
        sqlite_where=text("state IN ('approved', 'submitting', 'executed', 'unknown')"),
        postgresql_where=text("state IN ('approved', 'submitting', 'executed', 'unknown')"),
    ),
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("change_id", String(64), ForeignKey("changes.id"), nullable=False),
    Column("session_id", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("digest", String(64)),
    Column("door", String(16), nullable=False),
    Column("decided_by", String(16), nullable=False),
    Column("words", Text, nullable=False),
    Column("at", String(32), nullable=False),
    Index("ix_decisions_change", "change_id"),
)

journal = Table(
    "journal",
    metadata,
    Column("change_id", String(64), ForeignKey("changes.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("entry", Text, nullable=False),
    Column("hash", String(64), nullable=False),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("change_id", String(64), ForeignKey("changes.id"), primary_key=True),
    Column("name", String(128), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

applied = Table(
    "applied",
    metadata,
    Column("change_id", String(64), ForeignKey("changes.id"), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("program_digest", String(64), nullable=False),
    Column("footprint_after", JsonText, nullable=False),
    Column("result", JsonText),
    Column("at", String(32), nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("change_id", String(64), ForeignKey("changes.id"), primary_key=True),
    Column("idx", Integer, primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("state", String(8), nullable=False),
    Column("detail", JsonText),
    Column("begun_at", String(32), nullable=False),
    Column("ended_at", String(32)),
)

drafts = Table(
    "drafts",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(64), ForeignKey("users.id"), nullable=False),
    Column("domain", String(32), nullable=False),
    Column("target_name", Text, nullable=False),
    Column("base", JsonText, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("head", Integer, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Index(
        "uq_drafts_open",
        "user_id",
        "domain",
        "target_name",
        unique=True,
        sqlite_where=text("is_open"),
        postgresql_where=text("is_open"),
    ),
)

draft_steps = Table(
    "draft_steps",
    metadata,
    Column("draft_id", String(64), ForeignKey("drafts.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("base_revision", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("live", Boolean, nullable=False),
    Column("payload", JsonText, nullable=False),
    Column("at", String(32), nullable=False),
    Index("ix_draft_steps_position", "draft_id", "position"),
)

terms = Table(
    "terms",
    metadata,
    Column("user_id", String(64), ForeignKey("users.id"), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("zone", String(64), nullable=False),
    Column("first_monday", String(10), nullable=False),
    Column("weeks", Integer, nullable=False),
    Column("scale_name", Text, nullable=False),
    Column("scale", JsonText, nullable=False),
    Column("seasons", JsonText, nullable=False),
    Column("is_current", Boolean, nullable=False),
    Index("uq_terms_current", "user_id", unique=True, sqlite_where=text("is_current"), postgresql_where=text("is_current")),
)

calendar_facts = Table(
    "calendar_facts",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("term_id", BigInteger, primary_key=True, autoincrement=False),
    Column("week", Integer, primary_key=True),
    Column("day_of_week", Integer, primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("as_week", Integer),
    Column("as_day_of_week", Integer),
    Column("held", JsonText, nullable=False),
    ForeignKeyConstraint(["user_id", "term_id"], ["terms.user_id", "terms.id"]),
    CheckConstraint("day_of_week BETWEEN 1 AND 7 AND week >= 1", name="day"),
    CheckConstraint(
        "(kind = 'holiday' AND as_week IS NULL AND as_day_of_week IS NULL)"
        " OR (kind = 'works_as' AND as_week >= 1 AND as_day_of_week BETWEEN 1 AND 7)",
        name="kind",
    ),
)

schedule_events = Table(
    "schedule_events",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("term_id", BigInteger, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("name", Text, nullable=False),
    Column("can_embed", Boolean, nullable=False),
    Column("uid", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("item_id", BigInteger),
    ForeignKeyConstraint(["user_id", "term_id"], ["terms.user_id", "terms.id"]),
    CheckConstraint("kind IN ('course', 'task')", name="kind"),
    Index("ix_schedule_events_term", "user_id", "term_id"),
    Index(
        "uq_schedule_events_uid",
        "user_id",
        "term_id",
        "uid",
        unique=True,
        sqlite_where=text("uid <> ''"),
        postgresql_where=text("uid <> ''"),
    ),
    Index(
        "uq_schedule_events_item",
        "user_id",
        "item_id",
        unique=True,
        sqlite_where=text("item_id IS NOT NULL"),
        postgresql_where=text("item_id IS NOT NULL"),
    ),
)

schedules = Table(
    "schedules",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("event_id", BigInteger, primary_key=True),
    Column("week", Integer, primary_key=True),
    Column("day_of_week", Integer, primary_key=True),
    Column("section", Integer, primary_key=True),
    Column("term_id", BigInteger, nullable=False),
    Column("host_event_id", BigInteger),
    Column("layer", Integer, nullable=False),
    Column("begins", Integer),
    Column("ends", Integer),
    Column("location", Text, nullable=False, server_default=EMPTY),
    Column("teacher", Text, nullable=False, server_default=EMPTY),
    ForeignKeyConstraint(["user_id", "event_id"], ["schedule_events.user_id", "schedule_events.id"]),
    UniqueConstraint("user_id", "term_id", "week", "day_of_week", "section", "layer", name="uq_schedules_cell"),
    CheckConstraint("day_of_week BETWEEN 1 AND 7", name="day_of_week"),
    CheckConstraint("week >= 1 AND section >= 1", name="positive"),
    CheckConstraint("(layer = 0 AND host_event_id IS NULL) OR (layer = 1 AND host_event_id IS NOT NULL)", name="layer"),
    CheckConstraint("(begins IS NULL AND ends IS NULL) OR (begins >= 0 AND begins < ends AND ends <= 1440)", name="clock"),
)

task_classes = Table(
    "task_classes",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("term_id", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("total_slots", Integer),
    Column("ordered", Boolean, nullable=False),
    ForeignKeyConstraint(["user_id", "term_id"], ["terms.user_id", "terms.id"]),
    UniqueConstraint("user_id", "term_id", "name"),
)

task_items = Table(
    "task_items",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("class_id", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("duration", Integer),
    Column("earliest", String(10)),
    Column("deadline", String(10)),
    Column("priority", Integer, nullable=False),
    ForeignKeyConstraint(["user_id", "class_id"], ["task_classes.user_id", "task_classes.id"]),
    Index("ix_task_items_class", "user_id", "class_id"),
)

call_results = Table(
    "call_results",
    metadata,
    Column("change_id", String(64), ForeignKey("changes.id"), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("result", JsonText, nullable=False),
    Column("at", String(32), nullable=False),
)

timetable_revisions = Table(
    "timetable_revisions",
    metadata,
    Column("user_id", String(64), ForeignKey("users.id"), primary_key=True),
    Column("revision", Integer, nullable=False),
)
