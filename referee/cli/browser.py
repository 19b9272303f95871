"""A person in a browser: `referee play --browser SEAT`.

The pages are the ladder's. As the referee knows nothing of ladders, it finds them by an entry point
of the group `courtyard.browser`.
"""

from collections.abc import Callable, Coroutine
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol

import typer

from referee.core.errors import UsageError

if TYPE_CHECKING:
    from referee.cli.play import WayToPlay
    from referee.games.base import Seat
    from referee.hosting.match_runner import Ended, MatchRunner, MatchSpec
    from referee.hosting.running_bot import BotSpec

_GROUP = "courtyard.browser"


class PlayInBrowser(Protocol):
    """Plays a match with a person in a browser."""

    def __call__(
        self,
        runner: "MatchRunner",
        spec: "MatchSpec",
        seat: "Seat",
        opened: Callable[[str], object],
        ended: "Callable[[Ended], object]",
        hints: "BotSpec | None",
    ) -> "Coroutine[Any, Any, Ended | None]":
        """Call `opened` with the person's link, and `ended` with the match once it is over.

        The bot of `hints`, if any, says what it would do when the person asks.

        Return the match when the person needs the pages no more; None if the person left before
        the end.
        """


def in_browser(seat: "Seat", hints: "BotSpec | None") -> "WayToPlay":
    """Return the way to play a match with a person in a browser, and hints of a bot, if any."""
    play = _installed()
    return lambda runner, spec, show: play(runner, spec, seat, _say_where, show, hints)


def _say_where(link: str) -> None:
    typer.echo(f"Open {link} (Ctrl-C ends)")


def _installed() -> PlayInBrowser:
    """Return what plays a match in a browser; raise `UsageError` if it is not installed."""
    missing: str | None = "ladder"
    for point in entry_points(group=_GROUP):
        try:
            found: PlayInBrowser = point.load()
        except ModuleNotFoundError as error:
            missing = error.name
        else:
            return found
    raise UsageError(
        f"--browser needs the package {str(missing).partition('.')[0]}: install Courtyard with its "
        "extra, as in `pip install '.[web]'` where its pyproject.toml is"
    )
