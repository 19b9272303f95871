"""Alembic's environment and the steps between the revisions of the schema."""
