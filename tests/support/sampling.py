"""How much of a sweep, a proof and a property is tried: all, or a sample."""

import os
from typing import Any

from hypothesis import settings

SAMPLE = int(os.environ.get("COURTYARD_SAMPLE", "1"))
"""Proofs and sweeps try one case in `SAMPLE`; so do properties, at least a quarter."""


def examples(number: int, **others: Any) -> settings:
    """Try a property on this many examples; of a sample a quarter, but at least two."""
    return settings(max_examples=max(min(number, 2), number // min(SAMPLE, 4)), **others)
