"""The sample bots, and the kits among them to start a bot from, one a language.

They are the folders of `sample_bots` in the source tree; an installed Courtyard has them beside
this file.
"""

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.submission.ignored import Ignored
from ladder.submission.reference import add_reference
from referee.core.errors import UsageError
from referee.games import DEFAULT_GAME, game_named
from referee.hosting.manifest import FILE_NAME, Manifest, load_manifest

_PLACES = (Path(__file__).parents[1] / "kit_files", Path(__file__).parents[2] / "sample_bots")


@dataclass(frozen=True, slots=True)
class Kit:
    """How a language's kit is laid out."""

    folder: str
    """Below the kits; `{game}` is the game's name."""
    default_game: str | None = None
    """Of a kit that is for one game; None if it plays them all."""


KITS: Mapping[str, Kit] = {
    "python": Kit("python/{game}/random", default_game=DEFAULT_GAME),
    "go": Kit("go"),
    "rust": Kit("rust"),
    "cpp": Kit("cpp"),
    "java": Kit("java"),
    "typescript": Kit("typescript"),
    "shell": Kit("shell"),
}
"""By the name of the language."""


def new_bot(folder: Path, language: str, game: str | None) -> Manifest:
    """Make a new folder with a bot of its own name from a kit, and return what its bot.toml says.

    Raise `LadderError` or `UsageError` in one line; nothing is made then.
    """
    source = kit_folder(language, game)
    if folder.exists():
        raise LadderError(f"{folder}: this is there already; choose another name")
    try:
        shutil.copytree(source, folder, symlinks=True, ignore=_made(source))
        add_reference(folder)
        file = folder / FILE_NAME
        file.write_text(_renamed(file.read_text(), folder.name, game))
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror}") from error
    try:
        return load_manifest(folder)
    except UsageError:
        shutil.rmtree(folder)
        raise


def kit_folder(language: str, game: str | None) -> Path:
    """Return where a language's kit is; raise `LadderError` if there is none."""
    if game is not None:
        game_named(game)
    if language not in KITS:
        known = ", ".join(KITS)
        raise LadderError(f"there is no kit for {language!r}; there are kits for {known}")
    kit = KITS[language]
    return sample_bot(kit.folder.format(game=game or kit.default_game))


def sample_bot(name: str) -> Path:
    """Return the folder of the sample bot with this path; raise `LadderError` if it is missing."""
    for place in _PLACES:
        if (place / name / FILE_NAME).is_file():
            return place / name
    raise LadderError(f"the sample bot {name} is not here; install Courtyard again")


def _made(source: Path) -> Callable[[str, list[str]], set[str]]:
    """Return what names the files of a kit that were made when somebody built or ran it there."""
    ignored = Ignored(source)
    return lambda folder, names: ignored.names(folder, names) | ({"__pycache__"} & {*names})


def _renamed(manifest: str, name: str, game: str | None) -> str:
    """Return a bot.toml with this name and, if one is given, for this game alone."""
    renamed = re.sub(r"(?m)^name = .*$", lambda _: f'name = "{name}"', manifest, count=1)
    if game is None:
        return renamed
    return re.sub(r"(?m)^games = .*$", lambda _: f'games = ["{game}"]', renamed, count=1)
