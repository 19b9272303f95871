"""Who takes part in a tournament or duel: a bot's folder, or a bot of a standing ladder by name.

A name may end in a version, `counter@2`; otherwise it means the version that plays now. Its files
are those that the standing ladder keeps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import LadderError, NoLadderError, UnknownBotError
from ladder.home import find_home
from ladder.ladder import Ladder
from ladder.models import Version
from ladder.settings import Settings
from referee.manifest import FILE_NAME, load_manifest


@dataclass(frozen=True, slots=True)
class Contender:
    """One that is to take part."""

    folder: Path
    """Its files, with a bot.toml."""
    bot: str
    """Its name."""
    version: Version | None = None
    """In the standing ladder that it is from."""


@dataclass(frozen=True, slots=True)
class Contenders:
    """Those that are to take part."""

    each: Sequence[Contender]
    standing: Settings | None
    """Of the ladder that some of them are from; None if all are folders."""
    home: Path | None
    """The folder of that ladder."""


def find(words: Sequence[str], ladder: Path | None) -> Contenders:
    """Return those that are meant; raise `LadderError` or `UsageError`.

    Without any words it is all that play in the standing ladder, the strongest first. The standing
    ladder is the one in the folder `ladder`, or the nearest one.
    """
    folders = [Path(word) for word in words]
    if words and all(_is_bot(folder) for folder in folders):
        return Contenders([_from_folder(folder) for folder in folders], None, None)
    try:
        home = find_home(ladder, Path.cwd())
    except NoLadderError as error:
        missing = next((word for word in words if not _is_bot(Path(word))), None)
        if missing is None:
            raise
        raise LadderError(
            f"{missing}: this is no folder with a {FILE_NAME}, and as a bot's name it means "
            f"nothing: {error}"
        ) from error
    with Ladder.open(home) as standing:
        each = [
            _from_folder(folder) if _is_bot(folder) else _from_ladder(word, standing)
            for word, folder in zip(words, folders, strict=True)
        ]
        if not words:
            here = (version for version in _strongest_first(standing) if not version.is_remote)
            each = [_known(version, standing) for version in here]
        return Contenders(each, standing.settings, home.path)


def bot_of(word: str) -> str:
    """Return the name of the bot that a word means; raise `UsageError` for a damaged folder."""
    folder = Path(word)
    return _from_folder(folder).bot if _is_bot(folder) else word.partition("@")[0]


def _is_bot(folder: Path) -> bool:
    return (folder / FILE_NAME).is_file()


def _from_folder(folder: Path) -> Contender:
    manifest = load_manifest(folder)
    if manifest.is_remote:
        raise _remote(manifest.name)
    return Contender(folder, manifest.name)


def _from_ladder(word: str, standing: Ladder) -> Contender:
    name, at, number = word.partition("@")
    fit = [version for version in standing.versions(name) if version.rejected is None]
    chosen = [v for v in fit if (str(v.number) == number if at else v.active)]
    if not chosen:
        known = ", ".join(f"{v.bot}@{v.number}" for v in fit) or "none that may play"
        what = f"has no version {number}" if at else "is retired"
        raise UnknownBotError(f"{name} {what}; its versions: {known}")
    return _known(chosen[0], standing)


def _known(version: Version, standing: Ladder) -> Contender:
    if version.is_remote:
        raise _remote(version.bot)
    return Contender(standing.home.bundle(version.digest), version.bot, version)


def _remote(name: str) -> LadderError:
    return LadderError(
        f"{name} is a remote bot, and those play on standing ladders only: in a tournament or duel "
        "the same deal is played again with seats changed, and a bot that runs elsewhere could "
        "remember it. Enter its program as a bot of this machine instead"
    )


def _strongest_first(standing: Ladder) -> list[Version]:
    tallies = sorted(standing.tallies(), key=lambda t: (-t.rating.conservative, t.version.bot))
    return [tally.version for tally in tallies]
