"""The sample bots that come with Courtyard.

They are in `sample_bots` of the source tree; an installed Courtyard has them in this package.
"""

import shutil
from os.path import lexists
from pathlib import Path

from referee.core.errors import UsageError
from referee.hosting.manifest import FILE_NAME, NAME, load_manifest

PLACES = (Path(__file__).parents[1] / "sample_bots", Path(__file__).parents[2] / "sample_bots")
_FOLDERS = ("python/*/*", "python/*", "plain/*", "*")


def sample_bot(path: str) -> Path:
    """Return the folder of the sample bot at this path; raise `UsageError` if it is missing."""
    for place in PLACES:
        if (place / path / FILE_NAME).is_file():
            return place / path
    raise UsageError(f"the sample bot {path} is missing; reinstall Courtyard")


def has_sample_bots(game: str) -> bool:
    """Whether there are sample bots for this game alone; not of games that others installed."""
    return any((place / "python" / game).is_dir() for place in PLACES)


def bot_folder(word: str, game: str) -> Path:
    """Return the folder that a word means: one of this path, or that of a sample bot of the game.

    Raise `UsageError` if it is a name, and neither a folder nor a sample bot has it.
    """
    if lexists(word) or not NAME.fullmatch(word):
        return Path(word)
    try:
        return sample_named(word, game)
    except UsageError as error:
        raise UsageError(f"{word}: no such folder, and {error}") from None


def sample_named(name: str, game: str) -> Path:
    """Return the folder of a game's sample bot; raise `UsageError`, which lists the known ones."""
    known = ready_bots(game)
    if name not in known:
        raise UsageError(f"{game} has no sample bot {name!r}, only {', '.join(sorted(known))}")
    return known[name]


def ready_bots(game: str) -> dict[str, Path]:
    """Return by name the sample bots that play a game and need no build."""
    files = (file for p in PLACES for each in _FOLDERS for file in p.glob(f"{each}/{FILE_NAME}"))
    found = [load_manifest(file) for file in files]
    return {one.name: one.directory for one in found if one.plays(game) and not one.build}


def with_budget(bot: Path, nodes: int, above: Path) -> Path:
    """Copy a Python bot that searches, with a budget for each decision; return the copy in `above`.

    By its clock it would play worse on a busy machine, and take longer where there is time.
    """
    copy = above / bot.name
    shutil.copytree(bot, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    text = (bot / FILE_NAME).read_text("utf-8")
    text = text.replace('"bot.py"', f'"bot.py", "--nodes", "{nodes}"')
    (copy / FILE_NAME).write_text(text, "utf-8")
    return copy
