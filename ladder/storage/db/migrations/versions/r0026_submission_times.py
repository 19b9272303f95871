"""Between which times authors may submit bots."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("ladder", sa.Column("opens_at", sa.Text))
    op.add_column("ladder", sa.Column("closes_at", sa.Text))
