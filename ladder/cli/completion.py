"""Shell completion of names from the ladder that the command line means."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ladder.model.errors import NoLadderError
from ladder.storage.files.folder import find_home
from ladder.submission import starter_kits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.storage.db.server import Place


def bots(context: typer.Context, incomplete: str) -> list[str]:
    """Return the ladder's bots with this prefix."""
    from ladder.storage import names

    return _named(context, incomplete, names.bots)


def matches(context: typer.Context, incomplete: str) -> list[str]:
    """Return the ladder's matches with this prefix, the newest first."""
    from ladder.storage import names

    return _named(context, incomplete, names.matches)


def languages(incomplete: str) -> list[str]:
    """Return the languages of the starter kits with this prefix."""
    return [name for name in starter_kits.KITS if name.startswith(incomplete)]


def _named(
    context: typer.Context, incomplete: str, names: "Callable[[Place, str], list[str]]"
) -> list[str]:
    """Return names from the ladder that the command line means; none for a remote ladder."""
    given: dict[str, Any] = context.params
    if given.get("url"):
        return []
    folder = given.get("ladder")
    try:
        place = find_home(Path(folder) if folder else None).place
    except NoLadderError:
        return []
    return names(place, incomplete)
