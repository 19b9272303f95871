"""Soaks a ladder and prints on one page what grew: `make soak`, or `make soak HOURS=0.3`.

The ladder is served and played for so long, a page is looked at now and then, and a bot is replaced
whenever nothing is left to play. It says "grows" where the 95 % interval of a slope is above zero
and the slope is not negligible; only a run of hours can tell slow growth from a warm-up.
"""

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.soak.served import Served, Usage
from tests.soak.trend import drawn, trend

_MOST_SAMPLES = 1000
_SHORTEST_PERIOD_S = 0.5
_SECONDS_WITHOUT_A_MATCH = 60.0
_SHOWN_EVERY_S = 60.0
NEGLIGIBLE = Usage(heap_mib=1.0, files=1, threads=1)
"""Slopes per hour that are taken for none."""
_UNITS = Usage("MiB", "files", "threads")  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Sample:
    """What was measured at one time."""

    hours: float
    matches: int
    usage: dict[str, Usage]


def main() -> None:
    """Do it; exit with 1 if something grows."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=6.0, help="how long")
    parser.add_argument("--workers", type=int, default=1, help="matches at once")
    parser.add_argument("--csv", type=Path, help="write the samples here too")
    options = parser.parse_args()
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory(prefix="courtyard-soak-") as folder:
        served = Served(Path(folder), options.workers)
        try:
            with served.running():
                soak(served, options.hours, samples)
        except KeyboardInterrupt:
            print("\nInterrupted: this is what there is.", file=sys.stderr)
    if options.csv:
        write(samples, options.csv)
    lines = page(samples)
    print("\n".join(lines))
    sys.exit(any("grows" in line for line in lines))


def soak(served: Served, hours: float, samples: list[Sample]) -> None:
    """Sample for so long, once a match has been played."""
    period = max(_SHORTEST_PERIOD_S, hours * 3600 / _MOST_SAMPLES)
    while not served.done() and not served.has_ended():
        time.sleep(period)
    began = moved = shown = time.monotonic()
    while (now := time.monotonic()) - began < hours * 3600:
        if served.has_ended():
            raise SystemExit("error: the ladder's process has ended")
        samples.append(Sample((now - began) / 3600, served.done(), served.usage()))
        served.visit()
        if len(samples) < 2 or samples[-1].matches > samples[-2].matches:
            moved = now
        elif now - moved > _SECONDS_WITHOUT_A_MATCH:
            served.renew()
            moved = now
        if now - shown >= _SHOWN_EVERY_S:
            shown = now
            print(f"{samples[-1].hours:.2f} of {hours:g} h", file=sys.stderr, flush=True)
        time.sleep(max(0.0, period - (time.monotonic() - now)))


def write(samples: Sequence[Sample], path: Path) -> None:
    """Write all samples as CSV, a line for each process and time."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["hours", "matches", "process", *(field.name for field in fields(Usage))])
        for sample in samples:
            for name, usage in sample.usage.items():
                rows.writerow([f"{sample.hours:.5f}", sample.matches, name, *astuple(usage)])


def page(samples: Sequence[Sample]) -> list[str]:
    """Return the page: for each process its memory over time, and the slope of all it takes."""
    names = list(dict.fromkeys(name for sample in samples for name in sample.usage))
    matches = samples[-1].matches - samples[0].matches if samples else 0
    hours = samples[-1].hours if samples else 0.0
    lines = [f"{matches:,} matches in {hours:.2f} h; slopes after the first third, with 95 %."]
    for name in names:
        there = [sample for sample in samples if name in sample.usage]
        heaps = [sample.usage[name].heap_mib for sample in there]
        lines += ["", f"{name}: {min(heaps):.1f} to {max(heaps):.1f} MiB", f"  {drawn(heaps)}"]
        lines += [f"  {line}" for line in _slopes(name, there)]
    return lines


def _slopes(name: str, samples: Sequence[Sample]) -> list[str]:
    hours = [sample.hours for sample in samples]
    lines = []
    for field in fields(Usage):
        values = [float(getattr(sample.usage[name], field.name)) for sample in samples]
        found, unit = trend(hours, values), getattr(_UNITS, field.name)
        if found is None:
            lines.append(f"{unit}: too few samples")
            continue
        said = found.verdict(getattr(NEGLIGIBLE, field.name))
        interval = f"{found.low:+.2f} to {found.high:+.2f}"
        lines.append(f"{unit} per hour: {found.slope:+.2f} ({interval}): {said}")
    return lines


if __name__ == "__main__":
    main()
