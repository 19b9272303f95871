"""By what of a match bots are rated."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: in older ladders places and points counted."""
    op.add_column(
        "ladder",
        sa.Column("rated_by", sa.String(), nullable=False, server_default=sa.text("'points'")),
    )
