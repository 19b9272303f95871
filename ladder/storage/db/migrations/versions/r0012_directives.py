"""What the director of a tournament has decided."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add its table, empty: in older tournaments nothing was decided."""
    op.create_table(
        "directives",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version_id", sa.Integer()),
        sa.Column("match_id", sa.String()),
        sa.Column("after_round", sa.Integer(), nullable=False),
        sa.Column("why", sa.String()),
        sa.Column("given_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name=op.f("fk_directives_version_id")
        ),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_directives_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_directives")),
    )
