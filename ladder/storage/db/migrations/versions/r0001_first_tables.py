"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables; ladder.storage.db.schema has their purposes."""
    _ladder()
    _entrants()
    _matches()
    _what_follows()


def _ladder() -> None:
    op.create_table(
        "ladder",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("config", sa.String(), nullable=False),
        sa.Column("startup_ms", sa.Integer(), nullable=False),
        sa.Column("decision_limit_ms", sa.Integer(), nullable=False),
        sa.Column("bank_ms", sa.Integer(), nullable=False),
        sa.Column("increment_ms", sa.Integer(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ladder"),
        sa.CheckConstraint("id = 1", name=op.f("ck_ladder_only_one")),
    )


def _entrants() -> None:
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("name", name="uq_bots_name"),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("command", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("submitted_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_versions"),
        sa.UniqueConstraint("bot_id", "number", name="uq_versions_bot_id_number"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_versions_bot_id"),
        sa.UniqueConstraint("digest", name="uq_versions_digest"),
    )
    op.create_index(
        "uq_versions_active", "versions", ["bot_id"], unique=True, sqlite_where=sa.text("active")
    )


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("reason", sa.String()),
        sa.Column("decisions", sa.Integer()),
        sa.Column("finished_at", sa.String()),
        sa.Column("rated", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("round", "position", name="uq_matches_round_position"),
        sa.CheckConstraint(
            "state in ('planned', 'running', 'done', 'void')",
            name=op.f("ck_matches_known_state"),
        ),
    )
    op.create_index(
        "ix_matches_unrated", "matches", ["round", "position"], sqlite_where=sa.text("not rated")
    )
    op.create_index(
        "ix_matches_open",
        "matches",
        ["state"],
        sqlite_where=sa.text("state in ('planned', 'running')"),
    )
    op.create_table(
        "seats",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer()),
        sa.Column("rank", sa.Integer()),
        sa.Column("points", sa.Integer()),
        sa.Column("forfeit", sa.String()),
        sa.Column("printed", sa.String()),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_seats_match_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_seats_version_id"),
    )
    op.create_index("ix_seats_version_id", "seats", ["version_id"])


def _what_follows() -> None:
    op.create_table(
        "records",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_records"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_records_match_id"),
    )
    op.create_table(
        "ratings",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("version_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_ratings_version_id"),
    )
