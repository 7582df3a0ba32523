"""The facts of product docs, and what merged sections went into."""

import sqlalchemy as sa
from alembic import op

from loopwright.stores.tables import UtcDateTime

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the table; the history gets a longer name for authors and the section that took another over."""
    op.create_table(
        "product_doc_facts",
        sa.Column("session_id", sa.String(length=64), nullable=False),
        sa.Column("section", sa.String(length=200), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["product_docs.session_id"],
            name="fk_product_doc_facts_session_id_product_docs",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", "section", name="pk_product_doc_facts"),
    )
    with op.batch_alter_table("product_doc_patches") as table:
        table.alter_column("author", existing_type=sa.String(length=8), type_=sa.String(length=16), nullable=False)
        table.add_column(sa.Column("merged_into", sa.String(length=200), nullable=True))


def downgrade() -> None:
    """Take it back; facts and their history go."""
    op.execute("DELETE FROM product_doc_patches WHERE author = 'controller'")
    with op.batch_alter_table("product_doc_patches") as table:
        table.drop_column("merged_into")
        table.alter_column("author", existing_type=sa.String(length=16), type_=sa.String(length=8), nullable=False)
    op.drop_table("product_doc_facts")
