"""What each table holds, as the values of the model."""
