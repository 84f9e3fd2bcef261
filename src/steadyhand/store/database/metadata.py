"""What all tables share: one metadata, with the names of constraints that the migrations count on. It must not hold a table.

Moments are UTC text as `core.clock.to_text` writes it, dates are ``YYYY-MM-DD``. Every table but ``users`` has a
``user_id``, and every query names it.
"""

from sqlalchemy import MetaData, text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

EMPTY = text("''")
"""A default as SQL, since Alembic's comparison takes the empty text for another one than the database has."""
