"""The size of the terminal, from the environment."""

import os

_VARIABLES = ("COLUMNS", "LINES", "TERMINAL_WIDTH")


def drop_zeros() -> None:
    """Forget sizes of zero, as some terminals and CI machines report: Rich would print nothing."""
    for name in _VARIABLES:
        if not os.environ.get(name, "1").strip().strip("0"):
            del os.environ[name]
