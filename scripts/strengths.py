"""Rates the sample bots of both games in a ladder each, and writes docs/strengths.md.

    make strengths ARGS="--folder ladders --minutes 30"

All that need no build play, whichever there are by then; the ladders in the folder play on. Bots
that search get a budget of nodes: with their clock, a busy machine would make them weaker.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from statistics import mean
from typing import Any

import courtyard

from referee.hosting.manifest import load_manifest
from referee.hosting.sample_bots import ready_bots, with_budget

PAGE = Path(__file__).resolve().parent.parent / "docs" / "strengths.md"
LADDER = Path(sys.executable).with_name("ladder")
TITLES = {"courtisans": "Courtisans", "miracles": "La Cour des Miracles"}
NODES = {("courtisans", "searcher"): 300, ("miracles", "searcher"): 600}
"""What bots that search may spend on a decision."""
BEATEN = "greedy"
CLOCK = ("--decision-limit", 60, "--bank", 3600)
"""More time than any budget needs, in seconds, also on a busy machine."""
HEAD = """\
# Strengths of the sample bots

Written on {date} by `make strengths`, which plays on when it is run again: a ladder of each game,
tables of four, all sample bots that need no build and no author's account.

- **rating**: TrueSkill's mu ± 2 sigma, as every ladder shows it ([what it means](ranking.md)).
- **share against `{beaten}`**: how often the bot ends before `{beaten}` where both sit at a table,
  ties half, with its 95 % interval. As strong is .50; ahead three times of four, .75.
- **matches**: fewer for bots that take long, as a ladder shares its time. The fewer, the wider the
  intervals; bots whose intervals overlap may stand in either order.
- Bots that search play better with more time. Here they have a number of nodes for a decision
  instead, so that they play alike on a slow machine: {budgets}
  ([what nodes are, and what more of them give](benchmarks.md#a-bot-that-searches)).
- Weak and strong bots sit at the same tables. Among strong ones alone the order may be another
  ([measured](benchmarks.md#the-search-of-courtisans-at-mixed-tables)).

Each plays by its name: `referee play my-bot {beaten}`, `ladder submit {beaten}`.
[Sample bots](../sample_bots/README.md) says where they are and how to start from one.
"""
COLUMNS = ("bot", "rating", f"share against `{BEATEN}`", "matches", "forfeits", "how it plays")


def ladder(*words: object) -> str:
    """Run a command of the ladder, and return what it printed."""
    command = [str(LADDER), *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def entrants(game: str) -> dict[str, Path]:
    """Return by name the sample bots that play without their author."""
    ready = ready_bots(game)
    return {name: path for name, path in ready.items() if not load_manifest(path).is_remote}


def played(game: str, folder: Path, minutes: float) -> Path:
    """Play on in a game's ladder, with the sample bots as they are now; return its folder."""
    home = folder / game
    if not home.exists():
        ladder("init", home, "--game", game, "--seats", 4, "--scheduler", "balanced", *CLOCK)
    bots = [
        with_budget(path, NODES[game, name], folder / "bots" / game)
        if (game, name) in NODES
        else path
        for name, path in sorted(entrants(game).items())
    ]
    ladder("submit", "--ladder", home, *bots)
    ladder("run", "--ladder", home, "--minutes", minutes)
    return home


def shares(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return by bot and match the share of the seats of `BEATEN` that a seat of the bot beat."""
    tables: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["counts"]:
            tables[row["match_id"]].append(row)
    found: defaultdict[str, list[float]] = defaultdict(list)
    for seats in tables.values():
        rivals = [seat["place"] for seat in seats if seat["bot"] == BEATEN]
        for bot in {seat["bot"] for seat in seats} - {BEATEN}:
            places = [seat["place"] for seat in seats if seat["bot"] == bot]
            pairs = [(own < rival) + (own == rival) / 2 for own in places for rival in rivals]
            if pairs:
                found[bot].append(mean(pairs))
    return dict(found)


def interval(values: Sequence[float]) -> str:
    """Return the mean of shares with Wilson's 95 % interval; ties make the true one narrower."""
    number, share, z = len(values), mean(values), 1.96
    middle = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    width = sqrt(share * (1 - share) / number + (z / (2 * number)) ** 2) * z / (1 + z**2 / number)
    return f"{share:.2f}, {middle - width:.2f} to {middle + width:.2f}"


def section(
    title: str,
    standings: Iterable[Mapping[str, Any]],
    rows: Iterable[Mapping[str, Any]],
    descriptions: Mapping[str, str],
) -> str:
    """Return the section of a game: a line for each bot, the strongest first.

    The standings and the matches' rows are what a ladder gives; matches of versions that play no
    more are left out.
    """
    standings = list(standings)
    playing = {(row["bot"], row["version"]) for row in standings}
    against = shares(row for row in rows if (row["bot"], row["version"]) in playing)
    lines = [f"\n## {title}\n\n", _line(COLUMNS), _line(["---"] * len(COLUMNS))]
    for row in standings:
        name, matches = row["bot"], row["matches"]
        rating = f"{row['mu']:.1f} ± {2 * row['sigma']:.1f}"
        share = interval(against[name]) if name in against else "—"
        forfeits = round((row["fault_rate"] or 0) * matches)
        lines.append(_line([f"`{name}`", rating, share, matches, forfeits, descriptions[name]]))
    return "".join(lines)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


def main() -> None:
    """Play on in both ladders, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="where the ladders are; else they are dropped")
    parser.add_argument("--minutes", type=float, default=10, help="how long each ladder plays")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="courtyard-strengths-") as dropped:
        folder = given.folder or Path(dropped)
        budgets = ", ".join(f"{n} in {TITLES[game]} (`{bot}`)" for (game, bot), n in NODES.items())
        page = HEAD.format(date=datetime.now(UTC).date(), beaten=BEATEN, budgets=budgets)
        for game, title in TITLES.items():
            home = played(game, folder, given.minutes)
            standings = json.loads(ladder("standings", "--json", "--ladder", home))
            what = {name: load_manifest(path).description for name, path in entrants(game).items()}
            page += section(title, standings, courtyard.ladder_matches(home), what)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
