"""Which bots may not meet."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the other bot of a decision: no older tournament has forbidden pairs."""
    with op.batch_alter_table("directives") as table:
        table.add_column(sa.Column("other_id", sa.Integer()))
        table.create_foreign_key(op.f("fk_directives_other_id"), "versions", ["other_id"], ["id"])
