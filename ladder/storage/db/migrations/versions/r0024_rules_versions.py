"""Which version of the rules played a match, so that the owner can drop those of one."""

import zlib

import sqlalchemy as sa
from alembic import op
from google.protobuf.message import DecodeError

from referee.match.record import Record

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_AT_ONCE = 1000
_RECORDS = sa.text(
    "select match_id, body from records where match_id > :last order by match_id limit :most"
)
_STORE = sa.text("update matches set rules_version = :rules where id = :match")


def upgrade() -> None:
    """Add it, read from the records."""
    op.add_column("matches", sa.Column("rules_version", sa.Text()))
    tx, last = op.get_bind(), ""
    while rows := tx.execute(_RECORDS, {"last": last, "most": _AT_ONCE}).all():
        last = rows[-1].match_id
        found = [{"match": row.match_id, "rules": _rules_version(row.body)} for row in rows]
        tx.execute(_STORE, found)
    for name, columns, where in (
        ("ix_matches_dropped", ["id"], "state = 'dropped'"),
        ("ix_matches_rules", ["state", "rules_version"], "rules_version is not null"),
    ):
        chosen = sa.text(where)
        op.create_index(name, "matches", columns, sqlite_where=chosen, postgresql_where=chosen)


def _rules_version(body: bytes) -> str | None:
    """Return the rules version of a packed record; None if it is damaged, as `verify` shows."""
    try:
        return Record.FromString(zlib.decompress(body)).rules_version or None
    except (zlib.error, DecodeError):
        return None
