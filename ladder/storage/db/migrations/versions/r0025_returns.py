"""Files that return are a version of their own, so digests of versions are no longer unique."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the constraint on a server; tables of a file are made anew as they are declared."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("uq_versions_digest", "versions")
