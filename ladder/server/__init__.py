"""Shows a ladder over HTTP and gRPC."""
