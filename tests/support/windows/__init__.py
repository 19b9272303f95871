"""An imitation of Windows for processes that run Python: see `sitecustomize`."""

from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT: Mapping[str, str] = {
    "PYTHONPATH": str(Path(__file__).parent),
    # Text is not UTF-8 unless a program says so.
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONUTF8": "0",
}
"""The environment in which Python has what it has on Windows, and no more."""
