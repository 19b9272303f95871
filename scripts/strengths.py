"""Rates the sample bots of both games in a ladder each, and writes docs/strengths.md.

    make strengths ARGS="--folder ladders --minutes 30"

All that need no build play, whichever there are by then; the ladders in the folder play on.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import courtyard

from referee.hosting.manifest import load_manifest
from referee.hosting.sample_bots import ready_bots

PAGE = Path(__file__).resolve().parent.parent / "docs" / "strengths.md"
LADDER = Path(sys.executable).with_name("ladder")
GAMES = {"courtisans": "Courtisans", "miracles": "La Cour des Miracles"}
BEATEN = "greedy"
LIMIT = 1
"""The seconds of a decision."""
HEAD = """\
# Strengths of the sample bots

Written {date} by `make strengths`: each bot plays in a ladder of its game, at tables of four,
with {limit} s a decision. The rating is TrueSkill's mu ± 2 sigma. The share is that of {beaten}'s
seats before which a seat of the bot ended at the same table, ties half, with its 95 % interval
over matches. Bots that search use the time: on a busy machine they search less.
"""
COLUMNS = "bot", "rating", f"share against {BEATEN}", "matches", "forfeits", "how it plays"


def ladder(*words: object) -> str:
    """Run a command of the ladder, and return what it printed."""
    command = [str(LADDER), *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def played(game: str, folder: Path, minutes: float) -> Path:
    """Play in a game's ladder, with the sample bots that it lacks as well; return its folder."""
    home = folder / game
    if not home.exists():
        ladder("init", home, "--game", game, "--seats", 4, "--decision-limit", LIMIT, "--bank", 60)
    present = {row["bot"] for row in json.loads(ladder("standings", "--json", "--ladder", home))}
    ready = {name for name, path in ready_bots(game).items() if not load_manifest(path).is_remote}
    if missing := sorted(ready - present):
        ladder("submit", "--ladder", home, *missing)
    ladder("run", "--ladder", home, "--minutes", minutes)
    return home


def shares(rows: list[Mapping[str, Any]]) -> dict[str, str]:
    """Return by bot the share of the seats of one bot that it beat, with its interval."""
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
    return {bot: _interval(values) for bot, values in found.items() if len(values) > 1}


def _interval(values: list[float]) -> str:
    return f"{mean(values):.2f} ± {1.96 * stdev(values) / len(values) ** 0.5:.2f}"


def table(game: str, home: Path) -> str:
    """Return the section of a game: a line for each bot, the strongest first."""
    against = shares([*courtyard.ladder_matches(home)])
    lines = [f"\n## {GAMES[game]}\n\n", _line(COLUMNS), _line(["---"] * len(COLUMNS))]
    for row in json.loads(ladder("standings", "--json", "--ladder", home)):
        name, matches = row["bot"], row["matches"]
        forfeits = round((row["fault_rate"] or 0) * matches)
        what = load_manifest(ready_bots(game)[name]).description
        rating = f"{row['mu']:.1f} ± {2 * row['sigma']:.1f}"
        cells = name, rating, against.get(name, ""), matches, forfeits, what
        lines.append(_line(cells))
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
        homes = {game: played(game, folder, given.minutes) for game in GAMES}
        today = datetime.now(UTC).date()
        page = HEAD.format(date=today, limit=LIMIT, beaten=BEATEN)
        PAGE.write_text(page + "".join([table(*item) for item in homes.items()]), encoding="utf-8")


if __name__ == "__main__":
    main()
