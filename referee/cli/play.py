"""Turn the command line of `referee play` into a match specification."""

import hashlib
import secrets
import shlex
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from courtyard.v1 import record_pb2
from rich.console import Console

from referee.cli.repro import repro_line
from referee.core.clock import ClockConfig
from referee.core.errors import UsageError
from referee.core.faults import FaultKind
from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import Seat, seats_in_words
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import Ended, MatchRunner, MatchSpec
from referee.hosting.running_bot import BotSpec, bot_spec_of
from referee.match.record import save_record
from referee.view.show import result_line, show_end, show_record

_LINES_OF_OUTPUT = 20

WayToPlay = Callable[
    [MatchRunner, MatchSpec, Callable[[Ended], object]], Coroutine[Any, Any, Ended | None]
]
"""Plays a match and shows how it ended; returns None if a person left before the end."""


@dataclass(frozen=True, slots=True)
class MatchReport:
    """What a command tells of a match that is over."""

    console: Console
    folders: Sequence[Path | None]
    """Of the bots, by seat."""
    record: Path | None
    """Where to write the record."""
    quiet: bool
    """Whether to show the result alone."""
    whole: bool
    """Whether to show the match from the start: else somebody has seen it."""

    def show(self, ended: Ended) -> None:
        """Write the record, and show the match."""
        played = ended.record
        if self.record is not None:
            save_record(played, self.record)
        if self.quiet:
            typer.echo(result_line(played))
        else:
            (show_record if self.whole else show_end)(self.console, played)
        for seat, text in ended.printed.items():
            if played.outcomes[seat].forfeit:
                _show_output(f"{played.seats[seat].name} (seat {seat})", text)
        if self.record is not None:
            typer.echo(f"The record is in {self.record}.", err=True)
            for line in repro_lines(played, self.record, self.folders):
                typer.echo(line, err=True)


def _show_output(bot: str, text: str) -> None:
    """Print the last output of a bot that forfeited.

    Dots replace control characters, as a stranger may have written the bot.
    """
    lines = text.strip().splitlines()[-_LINES_OF_OUTPUT:] or ["(nothing)"]
    typer.echo(f"\nThe last output of {bot}:", err=True)
    for line in lines:
        typer.echo(f"  {plain(line.expandtabs())}", err=True)


def bot_in_folder(path: Path, game: str) -> BotSpec:
    """Return the bot in a folder; raise `UsageError` if it does not play the game."""
    manifest = load_manifest(path)
    if not manifest.plays(game):
        raise UsageError(f"{path}: {manifest.name} plays {', '.join(manifest.games)}, not {game}")
    return bot_spec_of(manifest)


def seed_or_new(given: str | None) -> str:
    """Return the given seed or a new one; raise `UsageError` if it is not UTF-8 text."""
    try:
        (given or "").encode()
    except UnicodeEncodeError:
        raise UsageError("the seed is not UTF-8 text") from None
    return given or secrets.token_hex(8)


def full_table(
    bots: Sequence[Path], game: str, seats: int | None, human: Seat | None
) -> tuple[Path | None, ...]:
    """Return the folder of each seat's bot; None for a person's seat and for the stand-in's.

    The bots take the seats in order, but for the person's, and the stand-in the others. `seats`
    None means as few as possible. Raise `UsageError` if the game does not allow that many seats, or
    if there are fewer seats than the table needs.
    """
    allowed = game_named(game).seats
    table: list[Path | None] = [*bots]
    if human is not None:
        table.insert(human, None)
    wanted = seats if seats is not None else max(len(table), allowed.start)
    if wanted not in allowed:
        raise UsageError(f"{game} has {seats_in_words(allowed)}, not {wanted}")
    if human is not None and not 0 <= human < wanted:
        raise UsageError(f"there is no seat {human}: the match has seats 0 to {wanted - 1}")
    if len(table) > wanted:
        free = wanted - len(table) + len(bots)
        raise UsageError(f"{len(bots)} bots for {free} seats: name at most {free}")
    return (*table, *[None] * (wanted - len(table)))


def match_spec(
    game: str,
    table: tuple[BotSpec | None, ...],
    seed: str,
    settings: Mapping[str, Any],
    clock: ClockConfig,
) -> MatchSpec:
    """Return the match specification; its id is derived from game, seed and bot names."""
    names = [bot_spec.name if bot_spec else "" for bot_spec in table]
    match_id = hashlib.sha256("\0".join(["play", game, seed, *names]).encode()).hexdigest()[:32]
    return MatchSpec(match_id, game, table, seed, settings, clock)


def not_started(record: record_pb2.Record, bots: Sequence[Path | None]) -> list[str]:
    """Return a sentence for each bot that did not start: why, and how to build it.

    `bots` holds their folders by seat.
    """
    sentences = []
    for decision, bot in _forfeits(record, bots):
        if int(decision.fault.kind) != FaultKind.FAILED_TO_START:
            continue
        seat = decision.seat
        hint = ""
        if load_manifest(bot).build:
            hint = f" Is it built? Try: referee build {shlex.quote(str(bot))}"
        name, reason = record.seats[seat].name, decision.fault.reason
        sentences.append(f"{name} (seat {seat}) did not start: {reason}.{hint}")
    return sentences


def repro_lines(
    record: record_pb2.Record, path: Path, bots: Sequence[Path | None]
) -> Iterator[str]:
    """Yield for each bot that forfeited after starting the command that reproduces its requests.

    `path` is the record's file; `bots` holds their folders by seat.
    """
    for decision, bot in _forfeits(record, bots):
        if int(decision.fault.kind) != FaultKind.FAILED_TO_START:
            seat = decision.seat
            line = repro_line(path, seat, bot)
            yield f"To reproduce the requests to {record.seats[seat].name}: {line}"


def _forfeits(
    record: record_pb2.Record, bots: Sequence[Path | None]
) -> Iterator[tuple[record_pb2.RecordDecision, Path]]:
    for decision in record.decisions:
        if decision.HasField("fault") and (bot := bots[decision.seat]) is not None:
            yield decision, bot
