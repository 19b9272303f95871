"""Which versions think so long that others do not wait for them."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: the next run finds out."""
    op.add_column(
        "versions",
        sa.Column("slow", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
