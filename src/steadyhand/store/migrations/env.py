"""Decides how Alembic reaches the database: through the connection it was handed. It must not open one of its own."""

from alembic import context

from steadyhand.store.upkeep.every_table import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
