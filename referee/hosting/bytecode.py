"""Compile what only Python bots import.

A bot sees its packages read-only, so it would compile them again at each of its starts.
"""

import compileall
import functools
import importlib.util

_ONLY_FOR_BOTS = ("courtyard_kit",)
"""Packages that the referee does not import itself."""


@functools.cache
def compile_for_bots() -> None:
    """Write the missing bytecode of these packages, where this user may write it."""
    for name in _ONLY_FOR_BOTS:
        found = importlib.util.find_spec(name)
        for folder in (found and found.submodule_search_locations) or ():
            compileall.compile_dir(folder, quiet=2)
