"""The rating match by match goes: it was shown nowhere."""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop its ratings, which matches they took notice of, and its parameters."""
    op.drop_table("ratings")
    op.drop_index("ix_matches_unrated", "matches")
    op.drop_column("matches", "rated")
    for name in ("beta", "draw_probability"):
        op.drop_column("ladder", name)
