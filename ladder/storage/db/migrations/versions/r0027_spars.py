"""Unrated matches that authors ask for."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.INTEGER, "sqlite")  # whose strict tables know no other
_YES_OR_NO = sa.Boolean().with_variant(sa.INTEGER, "sqlite")
_OPEN = sa.text("state = 'planned'")


def upgrade() -> None:
    """Add their tables, the authors' budget, and whether others may spar with a bot."""
    budget = sa.Column("spar_matches_a_day", _NUMBER, nullable=False, server_default="100")
    op.add_column("ladder", budget)
    is_open = sa.Column[bool]("open_to_spars", _YES_OR_NO, nullable=False, server_default=sa.true())
    op.add_column("bots", is_open)
    op.create_table(
        "spars",
        sa.Column("id", sa.BigInteger, autoincrement=False),
        sa.Column("author", _TEXT),
        sa.Column("version_id", sa.BigInteger, nullable=False),
        sa.Column("asked_at", _TEXT, nullable=False),
        sa.Column("shared_as", _TEXT),
        sa.PrimaryKeyConstraint("id", name="pk_spars"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_spars_version_id"),
        sa.UniqueConstraint("shared_as", name="uq_spars_shared_as"),
    )
    op.create_index("ix_spars_author", "spars", ["author"])
    op.create_table(
        "spar_matches",
        sa.Column("id", _TEXT),
        sa.Column("spar_id", sa.BigInteger, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("state", _TEXT, nullable=False),
        sa.Column("attempts", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("reason", _TEXT),
        sa.Column("decisions", sa.BigInteger),
        sa.Column("finished_at", _TEXT),
        sa.Column("record", sa.LargeBinary),
        sa.Column("printed", sa.LargeBinary),
        sa.PrimaryKeyConstraint("id", name="pk_spar_matches"),
        sa.ForeignKeyConstraint(["spar_id"], ["spars.id"], name="fk_spar_matches_spar_id"),
        sa.UniqueConstraint("spar_id", "position", name="uq_spar_matches_spar_id_position"),
    )
    op.create_index(
        "ix_spar_matches_open",
        "spar_matches",
        ["state"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_table(
        "spar_seats",
        sa.Column("match_id", _TEXT),
        sa.Column("seat", sa.BigInteger, autoincrement=False),
        sa.Column("version_id", sa.BigInteger, nullable=False),
        sa.Column("rank", sa.BigInteger),
        sa.Column("points", sa.BigInteger),
        sa.Column("forfeit", _TEXT),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_spar_seats"),
        sa.ForeignKeyConstraint(["match_id"], ["spar_matches.id"], name="fk_spar_seats_match_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_spar_seats_version_id"),
    )
