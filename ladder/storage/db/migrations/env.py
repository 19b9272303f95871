"""Runs the steps on the connection that `ladder.storage.db.migrate` hands over."""

from alembic import context

from ladder.storage.db.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
