"""Tables that refuse invalid values."""

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: `ladder.storage.db.migrate` declares the tables anew after each upgrade."""
