"""When the rounds of a tournament begin."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add when rounds began, and when they are to: no older tournament has a timer."""
    op.create_table(
        "begun_rounds",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("begun_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_begun_rounds")),
    )
    op.add_column("directives", sa.Column("starts_at", sa.String()))
