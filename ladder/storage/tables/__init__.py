"""The rows of each table, as the values of the model."""
