"""Whether a match that was given up is played when the ladder is run again."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: what older ladders have given up stays so."""
    op.add_column(
        "matches",
        sa.Column("postponed", sa.Boolean(), nullable=False, server_default=sa.text("0")),
    )
    op.create_index("ix_matches_postponed", "matches", ["state"], sqlite_where=sa.text("postponed"))
