"""Condensed results as bytes."""

import io
import json
import zlib
from dataclasses import asdict

import numpy as np

from ladder.rating.arrays import Floats
from ladder.rating.condensed import Condensed, Sums

_SQUARES = ("precision", "met", "weight")
_FAST = 1
"""Zlib's level: counts are mostly zeros, and floats do not shrink anyway."""


def packed(condensed: Condensed) -> bytes:
    """Return condensed results as bytes, of symmetric arrays one half."""
    half = np.triu_indices(len(condensed.pull))
    arrays = {name: getattr(condensed, name)[half] for name in _SQUARES}
    sums = json.dumps(asdict(condensed.sums)).encode()
    file = io.BytesIO()
    np.savez(
        file,
        allow_pickle=False,
        pull=condensed.pull,
        margins=condensed.margins,
        blocks=condensed.blocks,
        sums=np.frombuffer(sums, np.uint8),
        **arrays,
    )
    return zlib.compress(file.getvalue(), _FAST)


def unpacked(body: bytes) -> Condensed:
    """Return what `packed` packed."""
    with np.load(io.BytesIO(zlib.decompress(body)), allow_pickle=False) as arrays:
        n = len(arrays["pull"])
        squares = {name: _square(arrays[name], n) for name in _SQUARES}
        precision = squares.pop("precision")
        return Condensed(
            precision=precision + np.triu(precision, 1).T,
            pull=arrays["pull"],
            margins=arrays["margins"],
            blocks=arrays["blocks"],
            sums=Sums(**json.loads(arrays["sums"].tobytes())),
            **squares,
        )


def _square(half: Floats, n: int) -> Floats:
    found = np.zeros((n, n))
    found[np.triu_indices(n)] = half
    return found
