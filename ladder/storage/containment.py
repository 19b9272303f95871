"""Where a ladder's bots run: at a level at which they do not see the ladder itself."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ladder.model.errors import SettingsError
from referee.sandbox.contain.visible_paths import is_visible
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder


def level_of(ladder: "Ladder") -> Level:
    """Return the level at which this machine runs a ladder's bots.

    Raise `UsageError` if the wanted one cannot be had, `SettingsError` if bots would see the
    ladder, or be uncontained though this user has not made or confirmed the ladder here.
    """
    # Imported here, as it needs a Unix, and a client of a remote ladder imports this module.
    from referee.sandbox.levels import open_sandbox  # noqa: PLC0415

    level = open_sandbox(ladder.settings.sandbox).level
    check_out_of_sight(ladder.home.path, level)
    if level is Level.TRUSTED and not ladder.is_known:
        folder = quote(str(ladder.home.path))
        raise SettingsError(
            f"{ladder.home.path}: its bots would run at the level 'trusted', uncontained, and you "
            f"have neither made nor confirmed this ladder here: if you trust all its bots, `ladder "
            f"trust {folder}`, else `ladder settings --sandbox strict --ladder {folder}`"
        )
    return level


def check_out_of_sight(path: Path, level: Level | None) -> None:
    """Raise `SettingsError` if bots at this level would see a folder; at `trusted` they see all.

    Python's own folder and the system's are shown to every bot, with all that lies in them.
    """
    if level is not Level.TRUSTED and is_visible(path.resolve(), network=True):
        raise SettingsError(
            f"{path}: bots can read this folder, as it is below the system's or Python's own: "
            f"keep the ladder elsewhere, its secret is in it"
        )
