"""Where this user keeps what is remembered of a ladder outside its folder.

The ladder's folder may be read-only, or a stranger's; what is remembered here is this user's own.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder


def remembered(kind: str, ladder: "Ladder") -> Any:
    """Return what is remembered of a ladder; None if there is nothing, or nothing readable."""
    try:
        return json.loads(_file(kind, ladder).read_text())
    except (OSError, RuntimeError, ValueError):  # `RuntimeError`: the user has no home
        return None


def remember(kind: str, ladder: "Ladder", value: Any) -> bool:
    """Remember a value, which JSON can hold; return whether this user has a place for it."""
    try:
        file = _file(kind, ladder)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(value))
        draft.replace(file)
    except (OSError, RuntimeError):
        return False
    return True


def forget(kind: str, ladder: "Ladder") -> None:
    """Remember nothing of a ladder."""
    with suppress(OSError, RuntimeError):
        _file(kind, ladder).unlink(missing_ok=True)


def _file(kind: str, ladder: "Ladder") -> Path:
    named = f"{ladder.database.identity()}\0{ladder.settings.ladder_id}"
    return place(kind, named.encode(errors="surrogateescape"))


def place(kind: str, named: bytes) -> Path:
    """Return this user's file of a kind about what is named; raise `RuntimeError` without a home.

    Its folder need not exist.
    """
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "courtyard", kind, hashlib.sha256(named).hexdigest())
