"""Builds the specification of a match for a host: its bots, its deal, its clock."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ladder.model import ids
from ladder.model.bots import Entry, Version
from ladder.model.errors import StoreError
from ladder.model.matches import PlannedMatch
from ladder.model.settings import Settings
from ladder.storage.files import builds
from ladder.storage.files.folder import Home
from referee.games import game_named
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec


def match_spec(home: Home, settings: Settings, match: PlannedMatch, *, patient: bool) -> MatchSpec:
    """Return a planned match as it is to be played.

    `patient`: a bot that is late because the machine is busy makes the match void. Raise
    `StoreError` if a bot's files are missing.
    """
    seats = [
        None if v is None else bot_spec(home, v, str(v.number), apart=match.is_spar)
        for v in match.seats
    ]
    return _spec(settings, match.match_id, seats, _deal(match), patient=patient)


def validation_specs(
    home: Home, settings: Settings, entry: Entry, *, patient: bool
) -> Iterator[MatchSpec]:
    """Yield the matches that one process of an entry has to finish before it may play.

    The entry has the first seat, and the stand-in all others; otherwise as in `match_spec`.
    """
    seats = [bot_spec(home, entry, version=""), *[None] * (settings.seats - 1)]
    for again in (False, True):
        match_id = ids.validation_id(settings.secret, entry.digest, again=again)
        spec = _spec(settings, match_id, seats, match_id, patient=patient)
        yield replace(spec, goes_on=again)


def _spec(
    settings: Settings, match_id: str, seats: Sequence[BotSpec | None], deal: str, *, patient: bool
) -> MatchSpec:
    return MatchSpec(
        match_id=match_id,
        game=settings.game,
        seats=tuple(seats),
        master_seed=ids.master_seed(settings.secret, deal),
        config=settings.config,
        clock=settings.clock,
        patient=patient,
        request_step_ms=settings.request_step_ms,
        rules_version=game_named(settings.game).rules_version,
    )


def bot_spec(home: Home, bot: Version | Entry, version: str, *, apart: bool = False) -> BotSpec:
    """Return how to start a bot; raise `StoreError` if its files are missing."""
    folder = _folder(home, bot.digest, bot.build)
    try:
        made = folder.stat().st_ctime_ns  # a bot of an earlier build may still be kept warm
    except OSError:
        raise StoreError(f"{folder.resolve()}: the files of {bot} are missing") from None
    return _bot_spec(folder, made, bot, version, apart=apart)


_folder = lru_cache(maxsize=4096)(builds.directory)


@lru_cache(maxsize=4096)
def _bot_spec(
    folder: Path, made: int, bot: Version | Entry, version: str, *, apart: bool
) -> BotSpec:
    """Return how to start a bot; it is the same in thousands of matches."""
    return BotSpec(
        name=bot.bot,
        directory=folder.resolve(),
        command=bot.command,
        transport=bot.transport,
        version=version,
        digest=bot.digest,
        made=made,
        apart=apart,
    )


def _deal(match: PlannedMatch) -> str:
    """Return the name of a match's deal.

    Played again with a remote bot, which may remember what it saw, the match has another one.
    """
    return ids.deal_again(match.deal, match.attempts) if match.remote else match.deal
