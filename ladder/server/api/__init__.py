"""The author API: a ladder over gRPC, for authors on other machines."""

import os

# The server starts other programs but never forks to run its own code, which gRPC prepares for.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
