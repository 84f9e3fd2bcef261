"""The tables of changes and drafts: what was proposed, shown and decided, the journal, and what an execution left.

The conventions stand in `database.metadata`. It must not say what a row means.
"""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, String, Table, Text, UniqueConstraint, text

from steadyhand.store.database.metadata import metadata
from steadyhand.store.database.types import JsonText

ON_ITS_WAY = ("approved", "submitting", "executed", "unknown")
"""States of which a target may have one change at most."""

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

call_results = Table(
    "call_results",
    metadata,
    Column("change_id", String(64), ForeignKey("changes.id"), primary_key=True),
    Column("user_id", String(64), nullable=False),
    Column("result", JsonText, nullable=False),
    Column("at", String(32), nullable=False),
)
