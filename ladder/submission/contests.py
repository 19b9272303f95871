"""The common part of tournaments and duels: a ladder of their own, with fixed rules and bots."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladder.model import ids
from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.errors import LadderError, SettingsError
from ladder.model.settings import BuildNetwork, Deals
from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder, create
from ladder.storage.tables import bots
from ladder.submission import submit
from ladder.submission.entrants import Entrant, Entrants, digest_meant
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.games import DEFAULT_GAME, game_named
from referee.games.base import usual_seats
from referee.sandbox.program import Level


@dataclass(frozen=True, slots=True)
class Wanted:
    """The settings asked for a contest's ladder; None takes the standing ladder's value."""

    game: str | None
    seats: int | None
    seed: str | None
    config: Callable[[str], Mapping[str, Any]]
    """Returns the settings that are asked for, given the game."""
    sandbox: Level | None
    title: str | None = None


def make(folder: Path, wanted: Wanted, contenders: Entrants, secret: str) -> Home:
    """Create a contest's ladder, by default with the standing ladder's rules."""
    like = contenders.standing
    game = wanted.game or (like.game if like else DEFAULT_GAME)
    same = like if like is not None and like.game == game else None
    config = wanted.config(game)
    return create(
        folder,
        game=game,
        seats=wanted.seats or (same.seats if same else usual_seats(game_named(game).seats)),
        config={**same.config, **config} if same else config,
        clock=like.clock if like else ClockConfig(),
        secret=secret,
        sandbox=wanted.sandbox or (like.sandbox if like else None),
        build_network=like.build_network if like else BuildNetwork.OWNER,
        deals=Deals.DUPLICATE,
        title=wanted.title,
        request_step_ms=like.request_step_ms if like else 0,
    )


def check_same(ladder: Ladder, wanted: Wanted) -> None:
    """Raise `SettingsError` if what is asked contradicts the ladder's settings."""
    settings = ladder.settings
    now = {
        "game": (wanted.game, settings.game),
        "seats": (wanted.seats, settings.seats),
        "sandbox": (wanted.sandbox, settings.sandbox),
        "title": (wanted.title, settings.title),
    }
    for name, (asked, made) in now.items():
        if asked is not None and asked != made:
            raise _begun_otherwise(ladder, f"--{name} {str(made)!r}")
    if wanted.seed is not None and not ids.is_of_seed(settings.secret, wanted.seed):
        raise _begun_otherwise(ladder, "another --seed")
    game = game_named(settings.game)
    asked_config = {**settings.config, **wanted.config(settings.game)}
    if game.config(asked_config) != game.config(settings.config):
        raise SettingsError(
            f"{ladder.home.path}: this contest has other settings than --set asks for; "
            "omit the option to continue, or name another folder"
        )


def _begun_otherwise(ladder: Ladder, how: str) -> SettingsError:
    return SettingsError(
        f"{ladder.home.path}: this contest was begun with {how}; "
        "omit the option to continue, or name another folder"
    )


def check_files(
    ladder: Ladder,
    words: Sequence[str],
    standing: Path | None,
    begun: Sequence[int],
    to_go_on: str,
) -> None:
    """Raise `SettingsError` if these words name other files than those of these versions.

    The error shows how to continue the contest (`to_go_on`).
    """
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
    for word, number in zip(words, begun, strict=True):
        digest = digest_meant(word, standing)
        if digest is not None and digest != known[number].digest:
            raise SettingsError(
                f"{ladder.home.path}: this contest has other files of {known[number].bot} than "
                f"{word}; {to_go_on}, or name another folder"
            )


def enter(
    ladder: Ladder, contenders: Sequence[Entrant], say: Callable[[str], None]
) -> list[Version]:
    """Enter all contenders and return their versions; raise `LadderError` if some are unfit.

    Validate all of them first, so that one run reports every problem to `say`. If some are unfit,
    no bot is active afterwards; otherwise no other is, such as one of an earlier attempt.
    """
    versions, unfit = list[Version](), list[str]()
    for contender in contenders:
        try:
            submission = submit.submit(
                ladder, contender.folder, say, stored=contender.version is not None
            )
        except CourtyardError as error:
            unfit.append(f"{contender.word}: {error}")
            continue
        if submission.outcome is SubmissionOutcome.REJECTED:
            unfit.append(f"{submission.version} may not play: {submission.version.rejected}")
        versions.append(submission.version)
    _retire_others(ladder, () if unfit else versions)
    if len(unfit) == 1:
        raise LadderError(unfit[0])
    if unfit:
        for problem in unfit:
            say(problem)
        raise LadderError(f"{len(unfit)} of {len(contenders)} bots cannot take part; see above")
    twice = {version.id for version in versions if versions.count(version) > 1}
    if len({version.id for version in versions}) < len(versions):
        names = sorted({str(v) for v in versions if v.id in twice})
        raise LadderError(f"two entrants have the same files: {', '.join(names)}")
    return versions


def _retire_others(ladder: Ladder, entrants: Sequence[Version]) -> None:
    """Retire the bots that are not among the entrants."""
    chosen = {entrant.id for entrant in entrants}
    for version in queries.playing(ladder):
        if version.id not in chosen:
            ladder.retire(version.bot)
