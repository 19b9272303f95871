"""What the live rating takes a ladder's game to be."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it, left open: the ratings of an older ladder stay what they are."""
    for name in ("beta", "draw_probability"):
        op.add_column("ladder", sa.Column(name, sa.Float()))
