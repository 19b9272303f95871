"""How much of the disk the bots of each author may take."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Set the usual limit, which its owner can change."""
    op.add_column(
        "ladder",
        sa.Column("author_disk_mib", sa.Integer(), nullable=False, server_default=sa.text("1024")),
    )
