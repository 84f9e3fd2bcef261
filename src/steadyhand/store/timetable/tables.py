"""The tables of the timetable: terms, facts of the calendar, courses with their rows, and the list of tasks.

The conventions stand in `database.metadata`. It must not say what a row means.
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
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from steadyhand.store.database.metadata import EMPTY, metadata
from steadyhand.store.database.types import JsonText

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

timetable_revisions = Table(
    "timetable_revisions",
    metadata,
    Column("user_id", String(64), ForeignKey("users.id"), primary_key=True),
    Column("revision", Integer, nullable=False),
)
