"""Whose builds may use the network, instead of whether all may."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Name those who may: a ladder on which no build might stays one."""
    with op.batch_alter_table("ladder") as table:
        table.alter_column(
            "build_network",
            type_=sa.String(),
            existing_nullable=False,
            existing_server_default=sa.text("0"),
            server_default=None,
        )
    op.execute(
        "update ladder set build_network ="
        " case build_network when '1' then 'everyone' else 'nobody' end"
    )
