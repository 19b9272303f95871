"""Values, names and errors that all rooms share."""
