"""Where this user keeps what is remembered of ladders outside their folders.

A ladder's folder may be read-only, or a stranger's; what is remembered here is this user's own.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any


def remembered(kind: str, named: bytes) -> Any:
    """Return what is remembered of what is named; None if there is nothing, or nothing readable."""
    try:
        return json.loads(place(kind, named).read_text())
    except (OSError, RuntimeError, ValueError):  # `RuntimeError`: the user has no home
        return None


def remember(kind: str, named: bytes, value: Any) -> bool:
    """Remember a value, which JSON can hold; return whether this user has a place for it."""
    try:
        file = place(kind, named)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(value))
        draft.replace(file)
    except (OSError, RuntimeError):
        return False
    return True


def forget(kind: str, named: bytes) -> None:
    """Remember nothing of what is named."""
    with suppress(OSError, RuntimeError):
        place(kind, named).unlink(missing_ok=True)


def place(kind: str, named: bytes) -> Path:
    """Return this user's file of a kind about what is named; raise `RuntimeError` without a home.

    Its folder need not exist.
    """
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "courtyard", kind, hashlib.sha256(named).hexdigest())
