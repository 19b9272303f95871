"""The entrants of a tournament or duel: bots' folders, or bots of a standing ladder by name.

A name may end in a version, `counter@2`; otherwise it means the active version. The standing ladder
supplies its files. A name that it does not know, or without a ladder, means a sample bot. When a
contest is continued, a bare name means the version with which it began; a folder, or a name with a
version, must have the same files.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ladder.model.bots import Version
from ladder.model.errors import LadderError, NoLadderError, UnknownBotError
from ladder.model.settings import Settings
from ladder.results import queries
from ladder.results.strengths import rating_of_record
from ladder.storage.files.bundles import digest_of
from ladder.storage.files.folder import Home, find_home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from referee.core.errors import UsageError
from referee.games import DEFAULT_GAME
from referee.hosting.bot_files import LeftOut
from referee.hosting.manifest import FILE_NAME, load_manifest
from referee.hosting.sample_bots import sample_named


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that is to take part."""

    folder: Path
    """The folder with its bot.toml."""
    bot: str
    """Its name."""
    word: str
    """The argument that named it."""
    version: Version | None = None
    """The version in the standing ladder that it comes from."""
    author: str = ""
    """Its author; empty if unknown."""
    team: str = ""
    """Its club or team; empty if unknown."""


@dataclass(frozen=True, slots=True)
class Entrants:
    """The bots that are to take part."""

    each: Sequence[Entrant]
    standing: Settings | None
    """The settings of the ladder that some come from; None if all are folders."""
    home: Path | None
    """The folder of that ladder."""
    left_out: Sequence[str] = ()
    """The remote bots left out when all bots of that ladder were meant."""


def find(words: Sequence[str], ladder: Path | None, game: str | None = None) -> Entrants:
    """Return the named entrants; raise `LadderError` or `UsageError`.

    Without words these are all active bots of the standing ladder, the strongest first. The
    standing ladder is in the folder `ladder`, by default the nearest one. Sample bots are those of
    the `game`, by default the standing ladder's.
    """
    folders = [Path(word) for word in words]
    if words and all(is_bot(folder) for folder in folders):
        return Entrants([_from_folder(word) for word in words], None, None)
    try:
        home = find_home(ladder)
    except NoLadderError as error:
        if not words or ladder is not None:
            raise
        each = [_without_ladder(word, game or DEFAULT_GAME, error) for word in words]
        return Entrants(each, None, None)
    with Ladder.open(home) as standing:
        if not words:
            return _all_of(standing)
        each = [
            _from_folder(word) if is_bot(folder) else _from_ladder(word, standing, game)
            for word, folder in zip(words, folders, strict=True)
        ]
        return Entrants(each, standing.settings, home.path)


def ratings_of(contenders: Entrants) -> dict[str, float]:
    """Return the ratings of the entrants that the standing ladder has rated, by word."""
    if contenders.home is None:
        return {}
    with Ladder.open(Home(contenders.home)) as standing:
        known = rating_of_record(standing).strengths
    found = {one.word: known.get(one.version.id) for one in contenders.each if one.version}
    return {word: rated.mu for word, rated in found.items() if rated and rated.blocks}


def of_people(named: Entrants, authors: Sequence[str], teams: Sequence[str]) -> Entrants:
    """Return the entrants with these authors and teams, in their order; none stand for unknown."""
    unknown = [""] * len(named.each)
    each = [
        replace(one, author=author, team=team)
        for one, author, team in zip(named.each, authors or unknown, teams or unknown, strict=True)
    ]
    return replace(named, each=each)


def bot_of(word: str) -> str:
    """Return the name of the bot that a word means; raise `UsageError` for an invalid folder."""
    return _from_folder(word).bot if is_bot(Path(word)) else word.partition("@")[0]


def digest_meant(word: str, ladder: Path | None) -> str | None:
    """Return the digest of the files that a word means; None for a bare name.

    Raise `LadderError` or `UsageError` if there are no such files.
    """
    folder = Path(word)
    if is_bot(folder):
        return digest_of(folder, LeftOut(load_manifest(folder)))
    if "@" not in word:
        return None
    [meant] = find([word], ladder).each
    return meant.version.digest if meant.version else None


def is_bot(folder: Path) -> bool:
    """Return whether a folder holds a bot."""
    try:
        return (folder / FILE_NAME).is_file()
    except OSError:  # an impossible path, before Python 3.14
        return False


def _all_of(standing: Ladder) -> Entrants:
    """Return all active local bots of a ladder, the strongest first."""
    playing = _strongest_first(standing)
    return Entrants(
        [_known(version, standing) for version in playing if not version.is_remote],
        standing.settings,
        standing.home.path,
        sorted(version.bot for version in playing if version.is_remote),
    )


def _from_folder(word: str) -> Entrant:
    manifest = load_manifest(Path(word))
    if manifest.is_remote:
        raise _remote(manifest.name)
    return Entrant(Path(word), manifest.name, word)


def _without_ladder(word: str, game: str, error: NoLadderError) -> Entrant:
    """Return the entrant of a folder or a sample bot; raise `LadderError` if there is neither."""
    if is_bot(Path(word)):
        return _from_folder(word)
    if found := _sample(word, game):
        return found
    raise LadderError(
        f"{word}: this is not a folder with a {FILE_NAME}, no sample bot of {game}, and not the "
        f"name of a bot: {error}"
    ) from error


def _sample(word: str, game: str) -> Entrant | None:
    """Return the sample bot of a game with this name; None if there is none."""
    try:
        return Entrant(sample_named(word, game), word, word)
    except UsageError:
        return None


def _from_ladder(word: str, standing: Ladder, game: str | None) -> Entrant:
    name, at, number = word.partition("@")
    try:
        known = queries.versions(standing, name)
    except UnknownBotError:
        if found := _sample(word, game or standing.settings.game):
            return found
        raise
    fit = [version for version in known if version.rejected is None]
    chosen = [v for v in fit if (str(v.number) == number if at else v.active)]
    if not chosen:
        versions = ", ".join(f"{v.bot}@{v.number}" for v in fit) or "none that may play"
        what = f"has no version {number}" if at else "is retired"
        raise UnknownBotError(f"{name} {what}; its versions: {versions}")
    if chosen[0].is_remote:
        raise _remote(name)
    return replace(_known(chosen[0], standing), word=word)


def _known(version: Version, standing: Ladder) -> Entrant:
    with standing.database.read() as tx:
        author = bots.author(tx, version.bot) or ""
    files = standing.home.bundle(version.digest)
    return Entrant(files, version.bot, version.bot, version, author)


def _remote(name: str) -> LadderError:
    return LadderError(
        f"{name} is a remote bot, and those play on standing ladders only: a tournament or duel "
        "plays the same deal again with other seats, and a bot that runs elsewhere could "
        "remember it. Enter its program as a local bot instead"
    )


def _strongest_first(standing: Ladder) -> list[Version]:
    versions = {version.bot: version for version in queries.playing(standing)}
    return [versions[row.bot] for row in queries.standings(standing)]
