"""At multiples of which time the requests of a match leave."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let them leave at once, as before."""
    op.add_column(
        "ladder",
        sa.Column("request_step_ms", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
