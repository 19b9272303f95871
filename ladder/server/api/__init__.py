"""The author API: a ladder over HTTP and JSON, for authors on other machines."""
