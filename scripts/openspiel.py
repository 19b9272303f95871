"""Print the tables of docs/openspiel.md and docs/openspiel-audit.md: each game, tried.

    .venv/bin/python scripts/openspiel.py play           one random game of each
    .venv/bin/python scripts/openspiel.py audit [GAMES]  what each tells its seats, in many games

Each game runs in a process of its own, as some crash. Needs `make openspiel`.
"""

import subprocess
import sys
from collections.abc import Iterator

import pyspiel

from courtyard_openspiel.audit import audit
from courtyard_openspiel.family import openspiel
from referee.games.base import GameError
from referee.games.plain.adapter import AdaptedGame
from referee.games.randomness import Stream

_LONGEST_S = 300
_GAMES = 30


def played(name: str) -> str:
    """Return a row: how one random game went."""
    try:
        plain = openspiel(name)
    except GameError as error:
        return f"| {name} | no | {str(error).rpartition(': ')[2].partition('(')[0]} |"
    game = AdaptedGame(plain)
    seats = game.seats[0]
    state = game.initial_state({}, seats, game.deal({}, seats, Stream(name)))
    decisions, stream = 0, Stream("play")
    while (seat := state.to_act) is not None:
        state.observation(seat)
        state, _ = state.apply(state.random_action(stream))
        decisions += 1
    state.ranks()
    kind = plain.found.type.information.name.partition("_")[0].lower()
    last = game.seats[-1]
    table = f"{seats}" if last == seats else f"{seats} to {last}"
    redraws = "yes" if plain.redraws and not plain.is_open else ""
    return f"| {name} | {table} | {kind} | {decisions} | {redraws} |"


def audited(name: str, games: int) -> str:
    """Return a row: what was looked at, and what was found."""
    plain = openspiel(name)
    if plain.is_open or plain.is_simultaneous:
        return ""
    done = audit(plain, plain.seats[0], games)
    kinds = sorted({finding.what for finding in done.findings.values()})
    numbers = f"{done.redraws or ''} | {done.proofs or ''} | {done.twins} | {done.compared}"
    return f"| {name} | {numbers} | {'; '.join(kinds)} |"


def rows(words: list[str]) -> Iterator[str]:
    """Yield a row for each game, made in a process of its own."""
    for kind in pyspiel.registered_games():
        if not kind.default_loadable:
            continue
        command = [sys.executable, __file__, *words, "of", kind.short_name]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_LONGEST_S, check=False
            )
        except subprocess.TimeoutExpired:
            yield f"| {kind.short_name} | does not end in {_LONGEST_S} s |"
            continue
        last = (done.stderr.strip().splitlines() or [""])[-1]
        if done.returncode == 0:
            yield done.stdout.strip()
        elif words[0] == "play":
            yield f"| {kind.short_name} | ended by {-done.returncode}: {last} |"


def main(words: list[str]) -> None:
    """Print what is asked for."""
    if words[:1] not in (["play"], ["audit"]):
        sys.exit(str(__doc__))
    if "of" not in words:
        for row in rows(words):
            if row:
                sys.stdout.write(f"{row}\n")
                sys.stdout.flush()
    elif words[0] == "play":
        sys.stdout.write(played(words[-1]))
    else:
        sys.stdout.write(audited(words[-1], int(words[1]) if words[1] != "of" else _GAMES))


if __name__ == "__main__":
    main(sys.argv[1:])
