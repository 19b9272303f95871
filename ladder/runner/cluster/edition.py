"""Tells which Courtyard this is, so that a run and its workers know that they are the same."""

import hashlib
from functools import cache
from pathlib import Path

import referee
from referee.match.record import REFEREE_VERSION


@cache
def edition() -> str:
    """Return the version and a digest of the referee's code, such as "0.1.0 (3f9a02b1)"."""
    digest = hashlib.sha256()
    root = Path(referee.__file__).parent
    for file in sorted(root.rglob("*.py")):
        digest.update(f"{file.relative_to(root)}\n".encode())
        digest.update(file.read_bytes())
    return f"{REFEREE_VERSION} ({digest.hexdigest()[:8]})"
