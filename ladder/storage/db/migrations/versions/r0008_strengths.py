"""The rating of record, kept until the results change."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add its table, empty: it is filled when somebody looks."""
    op.create_table(
        "strengths",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_strengths_only_one")),
        sa.PrimaryKeyConstraint("id", name="pk_strengths"),
    )
