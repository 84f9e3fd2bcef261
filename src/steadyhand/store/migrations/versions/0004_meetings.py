"""Exact clock times, places and teachers belong to meetings"""

import sqlalchemy as sa
from alembic import op

from steadyhand.store.database.types import JsonText

# Written out, not taken from the tables: a migration says what was, whatever they become.
revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_CLOCK = "(begins IS NULL AND ends IS NULL) OR (begins >= 0 AND begins < ends AND ends <= 1440)"


def upgrade() -> None:
    op.execute("ALTER TABLE schedules ADD COLUMN begins INTEGER")
    op.execute(f"ALTER TABLE schedules ADD COLUMN ends INTEGER CONSTRAINT ck_schedules_clock CHECK ({_CLOCK})")
    op.execute("ALTER TABLE schedules ADD COLUMN location TEXT DEFAULT '' NOT NULL")
    op.execute("ALTER TABLE schedules ADD COLUMN teacher TEXT DEFAULT '' NOT NULL")
    _meetings_take_over()
    _facts_take_over()
    op.execute("ALTER TABLE schedule_events DROP COLUMN location")
    op.execute("ALTER TABLE schedule_events DROP COLUMN teacher")


def _meetings_take_over() -> None:
    """Let every meeting have the place and the teacher that its event had; its exact times are not known."""
    op.execute(
        "UPDATE schedules SET"
        " location = (SELECT e.location FROM schedule_events AS e"
        " WHERE e.user_id = schedules.user_id AND e.id = schedules.event_id),"
        " teacher = (SELECT e.teacher FROM schedule_events AS e"
        " WHERE e.user_id = schedules.user_id AND e.id = schedules.event_id)"
    )


def _facts_take_over() -> None:
    """Let what the calendar facts hold of a course have its place and teacher too."""
    connection = op.get_bind()
    events = connection.execute(sa.text("SELECT user_id, term_id, id, uid, location, teacher FROM schedule_events")).all()
    places = {(one.user_id, one.term_id, one.uid or f"{one.id}@steadyhand"): (one.location, one.teacher) for one in events}
    facts = sa.table(
        "calendar_facts",
        sa.column("user_id", sa.String),
        sa.column("term_id", sa.BigInteger),
        sa.column("week", sa.Integer),
        sa.column("day_of_week", sa.Integer),
        sa.column("held", JsonText),
    )
    for fact in connection.execute(sa.select(facts)).all():
        held = [
            [uid, section, None, None, *places.get((fact.user_id, fact.term_id, uid), ("", ""))] for uid, section in fact.held
        ]
        if held:
            key = [facts.c[name] == getattr(fact, name) for name in ("user_id", "term_id", "week", "day_of_week")]
            connection.execute(sa.update(facts).where(*key).values(held=held))
