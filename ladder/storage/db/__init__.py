"""The database: engines, schema, migrations and transactions."""
