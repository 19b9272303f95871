"""Matches that share a deal, and how a ladder chooses what is played."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them: an older ladder goes on as it began, and each of its matches had its own deal."""
    for name, as_before in (
        ("scheduler", "balanced"),
        ("aim", "ranking"),
        ("deals", "independent"),
    ):
        default = sa.text(f"'{as_before}'")
        op.add_column(
            "ladder", sa.Column(name, sa.String(), server_default=default, nullable=False)
        )
    op.add_column("ladder", sa.Column("contest", sa.String()))
    deal = sa.Column("deal", sa.String(), server_default=sa.text("''"), nullable=False)
    op.add_column("matches", deal)
    op.execute("update matches set deal = id")
    op.create_index("ix_matches_deal", "matches", ["deal"])
