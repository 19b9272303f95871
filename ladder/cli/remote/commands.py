"""The options and output of commands that talk to a remote ladder."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.text import Text

from ladder.cli import tables
from ladder.cli.console import console, program, say, say_last, say_plainly
from ladder.cli.repro import print_validation_repro
from ladder.model.bots import Submission, SubmissionOutcome
from ladder.model.errors import ApiError, LadderError
from ladder.model.matches import MatchLine, MatchState
from ladder.results.headline import headline
from ladder.results.standings import Standing
from referee.core.plain import plain

if TYPE_CHECKING:
    from rich.progress import Progress

    from ladder.cli.remote.client import RemoteLadder

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="URL",
        envvar="COURTYARD_URL",
        help="The address of a remote ladder's pages, such as https://ladder.example.org. It is "
        "reached by TLS, except on loopback addresses and as http://HOST:PORT.",
    ),
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        envvar="COURTYARD_TOKEN_FILE",
        help="With --url: the file with your token.",
    ),
]

_MATCHES_SHOWN = 10
_SEATS_EVER = 100


@contextmanager
def reach(
    url: str, token_file: Path | None, ladder: Path | None = None
) -> Iterator["RemoteLadder"]:
    """Connect to a remote ladder; raise `LadderError` if a local one is named too."""
    from ladder.cli.remote.client import RemoteLadder, read_token

    if ladder is not None:
        raise LadderError(f"choose either the ladder in {ladder} or the one at {url}")
    with RemoteLadder(url, read_token(token_file)) as remote:
        yield remote


def submit_there(remote: "RemoteLadder", path: Path, options: str) -> Submission:
    """Submit a bot and show the progress; if it is rejected, show why.

    `options` name the ladder on a command line.
    """
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("Sending"), BarColumn(bar_width=20), DownloadColumn())
    silent = not console.is_terminal
    with Progress(*columns, console=console, disable=silent, transient=True) as bar:
        submission = remote.submit(path, _SubmissionProgress(bar))
    if submission.outcome is SubmissionOutcome.REJECTED:
        _print_why(remote, submission, path, options)
    return submission


def replay_there(remote: "RemoteLadder", match_id: str, seat: int | None) -> None:
    """Replay a match from its record, or, while it is embargoed, one of the caller's own seats."""
    from referee.view.replay_text import print_view
    from referee.view.show import show_record

    try:
        record = remote.record(match_id)
    except ApiError as error:
        if error.reason != "DEAL_IN_PLAY" or seat is None:
            raise
        if seat not in range(_SEATS_EVER):
            raise LadderError(f"there is no seat {seat}: seats count from 0") from error
        print_view(console, remote.replay(match_id, seat))
    else:
        show_record(console, record, seat)


def print_watched(remote: "RemoteLadder") -> None:
    """Show standings and matches as they change: redrawn on a terminal, as lines in a pipe."""
    from rich.live import Live

    if not console.is_terminal:
        for each in remote.watch():
            if isinstance(each, MatchLine):
                say_plainly(_in_a_line(each))
            elif each:
                say_plainly(f"standings: {', '.join(_place(row) for row in each)}")
        return
    heading, own = Text(remote.heading, style="bold"), remote.own()
    rows: list[Standing] = []
    lines: list[MatchLine] = []
    with Live(console=console, auto_refresh=False) as live:
        for each in remote.watch():
            if isinstance(each, MatchLine):
                others = (line for line in lines if line.match_id != each.match_id)
                lines = [each, *others][:_MATCHES_SHOWN]
            else:
                rows = each
            state = Text(f"\n{_state(lines)}\n")
            ranking = tables.fitting_standings(rows, console.width, own=own)
            shown = Group(heading, ranking, state, tables.matches_table(lines))
            live.update(shown, refresh=True)


def _state(lines: Sequence[MatchLine]) -> str:
    """Return how many of the last matches are being played, and the winner of the newest result."""
    playing = sum(line.state is MatchState.RUNNING for line in lines)
    count = f"{playing} of the last {len(lines)} matches are being played."
    last = next(filter(None, (headline(line.seats) for line in lines)), "")
    return f"{count} Newest result: {plain(last)}." if last else count


class _SubmissionProgress:
    """Shows the progress of a submission on the console."""

    def __init__(self, bar: "Progress") -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, visible=False)

    def say(self, text: str) -> None:
        """Print a line."""
        self._bar.update(self._task, visible=False)
        say_plainly(text)

    def sent(self, done: int, total: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=done, total=total, visible=True)


def _print_why(remote: "RemoteLadder", submission: Submission, path: Path, options: str) -> None:
    """Print the last output of a rejected version's build or match, and how to see all of it."""
    version, validation, record = remote.validation(
        submission.version.bot, submission.version.number
    )
    if validation is None:
        return
    if record is None:
        say_last("the build", validation.build_log or "")
    else:
        say_last(version.bot, validation.printed)
    log = f"{program()} log {version.bot} --version {version.number} {options}"
    say(f"\nFull log:        {log}")
    if record is not None:
        print_validation_repro(version, log, path)


def _in_a_line(line: MatchLine) -> str:
    seats = ", ".join(
        f"{seat.version or '(stand-in)'}"
        + (f" {seat.result.rank}. with {seat.result.points}" if seat.result else "")
        for seat in line.seats
    )
    return f"match {line.match_id[: tables.ID_SHOWN]} {line.state}: {seats}"


def _place(row: Standing) -> str:
    return f"{row.rank}. {row.bot}"
