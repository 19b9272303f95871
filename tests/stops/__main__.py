"""Prints what becomes of bots when a ladder's processes are stopped, a line for each kind of stop.

`python -m tests.stops --stops 34` takes an hour, but little of a core: stopped processes need none,
so the ladders are played side by side.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from referee.sandbox.levels import offered
from tests.stops.lines import REMOTE, STOPS, Found, Line, cpp_bots, made, played, python_bots


def main() -> None:
    """Do it; exit with 1 if a bot forfeited, or a match is void for good."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stops", type=int, default=34, help="of a line")
    parser.add_argument("--ladders", type=int, default=8, help="played side by side")
    parser.add_argument("--most", type=int, default=12, help="stops of one ladder")
    parser.add_argument("--stop", action="append", choices=STOPS, help="default: all")
    parser.add_argument(
        "--where", action="append", choices=[*offered(), REMOTE], help="default: all"
    )
    options = parser.parse_args()
    wanted = [
        Line(stop, where, min(options.most, options.stops - begun))
        for begun in range(0, options.stops, options.most)
        for stop in options.stop or STOPS
        for where in options.where or [*offered(), REMOTE]
    ]
    found: list[Found] = []
    with (
        tempfile.TemporaryDirectory(prefix="courtyard-stops-") as place,
        ThreadPoolExecutor(options.ladders) as ladders,
    ):
        sources = Path(place) / "bots"
        sources.mkdir()
        local = [*python_bots(sources), *cpp_bots(sources)]
        levels = {line.where for line in wanted} - {REMOTE}
        fresh = {level: made(Path(place) / level, level, local) for level in sorted(levels)}
        futures = []
        for number, line in enumerate(wanted):
            folder = Path(place) / str(number)
            folder.mkdir()
            futures.append(ladders.submit(played, line, folder, fresh.get(line.where, folder)))
        for future in as_completed(futures):
            found.append(future.result())
            print(found[-1], flush=True)
    print("\n".join(table(found)))
    sys.exit(any(one.forfeits or one.void for one in found))


def table(found: Sequence[Found]) -> list[str]:
    """Return the table, in Markdown."""
    lines = [
        "| what was stopped | where | stops | matches | unjust forfeits | void |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for stop, where in sorted({(one.line.stop, one.line.where) for one in found}):
        of_it = [one for one in found if (one.line.stop, one.line.where) == (stop, where)]
        stops, matches, void = (
            sum(numbers)
            for numbers in zip(*((o.line.stops, o.matches, o.void) for o in of_it), strict=True)
        )
        blamed = sum(len(one.forfeits) for one in of_it)
        lines.append(f"| {stop} | {where} | {stops} | {matches} | {blamed} | {void} |")
    return lines


if __name__ == "__main__":
    main()
