"""Whether bots of one author may sit at one table."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: from now on they do not, in older ladders too, unless the owner allows it."""
    op.add_column(
        "ladder",
        sa.Column("same_author", sa.String(), nullable=False, server_default=sa.text("'apart'")),
    )
