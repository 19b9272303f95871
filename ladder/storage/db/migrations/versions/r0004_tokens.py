"""Authors of bots, and the tokens by which they are known."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them: the bots that are there belong to the ladder's owner."""
    op.add_column("bots", sa.Column("author", sa.String()))
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("expires_at", sa.String()),
        sa.Column("revoked_at", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sqlite_autoincrement=True,
    )
