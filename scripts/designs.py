"""Write docs/designs.json: all tables of round robins at three to five seats, for outsiders."""

import json
from pathlib import Path

from ladder.scheduling.tournament.formats import designs, round_robin

CYCLES = 3
LARGEST = 64
FILE = Path(__file__).parents[1] / "docs" / "designs.json"


def document() -> str:
    """Return the document, a line a field, with a final newline."""
    lines = [field(n, k) for k in (3, 4, 5) for n in range(k + 1, LARGEST + 1)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def field(n: int, k: int) -> str:
    """Return the line of a field of n bots at tables of k seats."""
    cycles = designs.cycles(n, k, CYCLES)
    given: dict[str, object] = {"bots": n, "seats": k}
    if cycles[0] == cycles[1] == cycles[2] and (n, k) in _WHOLE:
        given["tables"] = cycles[0]
    else:
        given["turned"] = [_turned(n, k, tables) for tables in cycles]
    for number, name in ((1, "rounds"), (2, "rounds_of_more_cycles")):
        if (rounds := round_robin.arranged_rounds(n, k, number)) is not None:
            given[name] = rounds[: len(rounds) // number]
    return json.dumps(given, separators=(",", ":"))


_WHOLE = {(9, 3), (15, 3), (16, 4), (25, 5)}
"""Affine planes and Kirkman's schoolgirls, which are no turned blocks."""


def _turned(n: int, k: int, tables: list[designs.Block]) -> list[tuple[int, designs.Block]]:
    """Return the blocks that were turned into these tables, each with how many turns."""
    found, left = [], list(tables)
    if len(left) % n:
        found.append((n // k, left[0]))
        left = left[n // k :]
    return found + [(n, block) for block in left[::n]]


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
