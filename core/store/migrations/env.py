"""Alembic's environment: runs on the connection that `core.store.engine.migrate` hands over."""

from alembic import context

from core.store.tables import Table

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Table.metadata, transactional_ddl=True
)
with context.begin_transaction():
    context.run_migrations()
