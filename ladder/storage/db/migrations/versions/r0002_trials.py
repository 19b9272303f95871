"""Builds, containment, trials of submissions, and what bots printed in every match."""

import zlib
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; ladder.storage.db.schema has their purposes."""
    op.add_column("ladder", sa.Column("sandbox", sa.String()))
    op.add_column("ladder", _with_default("build_network", sa.Boolean(), "0"))
    op.add_column("versions", _with_default("transport", sa.String(), "'grpc'"))
    op.add_column("versions", _with_default("build", sa.String(), "'[]'"))
    op.add_column("versions", sa.Column("rejected", sa.String()))
    op.create_table(
        "trials",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("tried_at", sa.String(), nullable=False),
        sa.Column("build_log", sa.LargeBinary()),
        sa.Column("record", sa.LargeBinary()),
        sa.Column("printed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("version_id", name="pk_trials"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_trials_version_id"),
    )
    _outputs()


def _with_default(name: str, kind: sa.types.TypeEngine[Any], default: str) -> sa.Column[Any]:
    return sa.Column(name, kind, server_default=sa.text(default), nullable=False)


def _outputs() -> None:
    """Move what bots that forfeited had printed to a table of its own."""
    outputs = op.create_table(
        "outputs",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_outputs"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_outputs_match_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_outputs_version_id"),
    )
    op.create_index("ix_outputs_version_id", "outputs", ["version_id"])
    printed = op.get_bind().execute(
        sa.text(
            "select match_id, seat, version_id, printed from seats "
            "where printed is not null and version_id is not null"
        )
    )
    for row in printed.mappings():
        body = zlib.compress(row["printed"].encode())
        keys = {name: row[name] for name in ("match_id", "seat", "version_id")}
        op.get_bind().execute(outputs.insert().values(**keys, body=body))
    op.drop_column("seats", "printed")
