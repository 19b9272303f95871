"""What a run asks of a worker: the same Courtyard, and a level at which it contains bots.

A worker offers each level at which it can play as a resource of Dask, which hands matches to no
other worker; why it offers no other level is in what it tells as it joins.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ladder
import referee
from referee.match.record import REFEREE_VERSION
from referee.sandbox.program import Level

TOLD = "courtyard"
"""Under this name a worker tells its edition and what it lacks, in Dask's information about it."""


@cache
def edition() -> str:
    """Return the version and a digest of the code, such as "0.1.0 (3f9a02b1)"."""
    digest = hashlib.sha256()
    for root in (Path(package.__path__[0]) for package in (referee, ladder)):
        for file in sorted(root.rglob("*.py")):
            digest.update(f"{file.relative_to(root.parent)}\n".encode())
            digest.update(file.read_bytes())
    return f"{REFEREE_VERSION} ({digest.hexdigest()[:8]})"


def resource(level: Level) -> str:
    """Return the resource of which a worker has one for each batch that it plays at once."""
    return f"Courtyard {edition()} {level}"


def refusal(told: Mapping[str, Any] | None, level: Level) -> str:
    """Return why a worker that tells this plays nothing of this level; empty if it plays."""
    if told is None:
        return "it was started without --preload ladder.runner.cluster.task"
    if told["edition"] != edition():
        return f"it has Courtyard {told['edition']}, and the run is of {edition()}"
    return str(told["lacks"].get(level.value, ""))
