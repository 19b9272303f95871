"""Which state of the stored results a rating that is kept was worked out from."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it: nothing is kept yet that names one."""
    op.add_column(
        "ladder",
        sa.Column("generation", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
