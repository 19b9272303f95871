"""Descriptions that authors give their bots after they have submitted them."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("bots", sa.Column("description", sa.Text))
