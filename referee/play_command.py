"""What `referee play` plays: the bots, seats and seed that a command line names, as a match."""

import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.bot import Entrant, entrant_of
from referee.clock import ClockConfig
from referee.errors import UsageError
from referee.games import game_named
from referee.host import MatchSpec
from referee.manifest import load_manifest


def entrant_for(path: Path, game: str) -> Entrant:
    """Return the bot in a folder; raise `UsageError` if it does not play the game."""
    manifest = load_manifest(path)
    if game not in manifest.games:
        raise UsageError(f"{path}: {manifest.name} plays {', '.join(manifest.games)}, not {game}")
    return entrant_of(manifest)


def seed_or_new(given: str | None) -> str:
    """Return the seed that was given, or a new one; raise `UsageError` if it is no text."""
    try:
        (given or "").encode()
    except UnicodeEncodeError:
        raise UsageError("the seed is not UTF-8 text") from None
    return given or secrets.token_hex(8)


def full_table(entrants: list[Entrant], game: str, seats: int | None) -> tuple[Entrant | None, ...]:
    """Return the entrants, then stand-ins up to the number of seats; None: as few as there can be.

    Raise `UsageError` if the game has not that many seats, or if there are more entrants.
    """
    allowed = game_named(game).seats
    wanted = seats if seats is not None else max(len(entrants), allowed.start)
    if wanted not in allowed:
        raise UsageError(f"{game} is for {allowed[0]} to {allowed[-1]} seats, not {wanted}")
    if len(entrants) > wanted:
        raise UsageError(f"{len(entrants)} bots for {wanted} seats: name at most {wanted}")
    return (*entrants, *[None] * (wanted - len(entrants)))


def match_spec(
    game: str,
    table: tuple[Entrant | None, ...],
    seed: str,
    settings: Mapping[str, Any],
    clock: ClockConfig,
) -> MatchSpec:
    """Return the match, with an id that follows from the game, the seed and the bots' names."""
    names = [entrant.name if entrant else "" for entrant in table]
    match_id = hashlib.sha256("\0".join(["play", game, seed, *names]).encode()).hexdigest()[:32]
    return MatchSpec(match_id, game, table, seed, settings, clock)
