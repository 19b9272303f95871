"""What `referee play` plays: the bots, seats and seed that a command line names, as a match."""

import hashlib
import secrets
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from courtyard.v1 import record_pb2

from referee.cli.repro import repro_line
from referee.core.clock import ClockConfig
from referee.core.errors import UsageError
from referee.core.faults import FaultKind
from referee.games import game_named
from referee.hosting.host import MatchSpec
from referee.hosting.manifest import load_manifest
from referee.hosting.running_bot import BotSpec, entrant_of


def entrant_for(path: Path, game: str) -> BotSpec:
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


def full_table(entrants: list[BotSpec], game: str, seats: int | None) -> tuple[BotSpec | None, ...]:
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
    table: tuple[BotSpec | None, ...],
    seed: str,
    settings: Mapping[str, Any],
    clock: ClockConfig,
) -> MatchSpec:
    """Return the match, with an id that follows from the game, the seed and the bots' names."""
    names = [entrant.name if entrant else "" for entrant in table]
    match_id = hashlib.sha256("\0".join(["play", game, seed, *names]).encode()).hexdigest()[:32]
    return MatchSpec(match_id, game, table, seed, settings, clock)


def not_started(record: record_pb2.Record, bots: Sequence[str]) -> list[str]:
    """Return a sentence for each bot that did not start: why, and how to build it if it has to be.

    `bots` are their folders, by seat.
    """
    told = []
    for seat, fault in _forfeits(record, len(bots)):
        if fault.kind != FaultKind.FAILED_TO_START:
            continue
        hint = ""
        if load_manifest(Path(bots[seat])).build:
            hint = f" Is it built? Try: referee build {shlex.quote(bots[seat])}"
        told.append(f"{record.seats[seat].name} (seat {seat}) did not start: {fault.reason}.{hint}")
    return told


def repro_lines(record: record_pb2.Record, path: Path, bots: Sequence[str]) -> Iterator[str]:
    """Yield for each bot that forfeited while it played how to ask it again, by the record's file.

    `bots` are their folders, by seat.
    """
    for seat, fault in _forfeits(record, len(bots)):
        if fault.kind != FaultKind.FAILED_TO_START:
            line = repro_line(path, seat, Path(bots[seat]))
            yield f"To ask {record.seats[seat].name} again what it was asked: {line}"


def _forfeits(record: record_pb2.Record, bots: int) -> Iterator[tuple[int, Any]]:
    for decision in record.decisions:
        if decision.HasField("fault") and decision.seat < bots:
            yield decision.seat, decision.fault
