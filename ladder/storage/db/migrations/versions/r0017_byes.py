"""For which round a bot asked for a bye."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: in older tournaments no bot had a bye on request."""
    op.add_column("directives", sa.Column("round", sa.Integer()))
