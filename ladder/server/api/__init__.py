"""The door: a ladder over gRPC, for authors whose bots are not on its machine."""

import os

# The door starts other programs, but never forks to go on as it is, which gRPC prepares for.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
