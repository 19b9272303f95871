"""What people call a ladder."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it, left open: an older ladder is called by its folder and its game."""
    op.add_column("ladder", sa.Column("title", sa.String()))
