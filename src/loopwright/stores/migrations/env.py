"""Alembic's entry: runs the migrations on the connection, and in the transaction, that `migrate` opened."""

from alembic import context

from loopwright.stores.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    version_table=context.config.attributes["version_table"],
)
with context.begin_transaction():
    context.run_migrations()
