"""`referee new-game`: a package with a small game that works at once, for an author to change."""

import keyword
import re
from importlib.util import find_spec
from pathlib import Path

from referee.core.errors import UsageError
from referee.games import game_names

_TEMPLATE = Path(__file__).parent / "template"
RANDOM_BOT = _TEMPLATE / "bot"
"""The folder of a random bot that plays any game, in the plain dialect."""
_NAME = re.compile("[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_LONGEST = 40
_NAMES = re.compile("my_game|my-game|My game|MyGame")


def make(name: str, folder: Path) -> list[Path]:
    """Write the package of a game of this name to a new folder; return its files.

    Raise `UsageError` on a bad name, or if the folder exists.
    """
    module = name.replace("-", "_")
    _check(name, module)
    words = re.split("[-_]", name)
    named = {
        "my_game": module,
        "my-game": name,
        "My game": " ".join(words).capitalize(),
        "MyGame": "".join(map(str.capitalize, words)),
    }

    def filled(text: str) -> str:
        return _NAMES.sub(lambda found: named[found[0]], text)

    try:
        folder.mkdir(parents=True)
        made = []
        for source in sorted(_TEMPLATE.rglob("*.*")):
            if source.is_file() and source.suffix != ".pyc":
                target = folder / filled(str(source.relative_to(_TEMPLATE)))
                target.parent.mkdir(exist_ok=True)
                target.write_text(filled(source.read_text(encoding="utf-8")), encoding="utf-8")
                made.append(target)
    except FileExistsError:
        raise UsageError(f"{folder} exists: name another folder with --folder") from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
    return made


def _check(name: str, module: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise UsageError(
            f"{name!r} is no name for a game: it is a lower-case letter, then letters, digits "
            f'and single "-" or "_", {_LONGEST} at most'
        )
    if name in game_names():
        raise UsageError(f"a game {name!r} is installed: choose another name")
    if keyword.iskeyword(module) or find_spec(module) is not None:
        raise UsageError(f"Python has a {module!r} of its own: choose another name")
