"""Showing ladders to people: as a server, or as a folder of files."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from ladder.commands.common import (
    Log,
    LogOption,
    WorkersOption,
    console,
    open_ladder,
    say,
)
from ladder.errors import LadderError
from ladder.execution.pool import usable_cores
from ladder.journal import SHOWN, log_as_json

if TYPE_CHECKING:
    from ladder.web.data import Source

LaddersOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="A ladder's folder; several are shown side by side. "
        "Default: this folder or the nearest above it with a ladder.",
    ),
]


def serve(
    ladders: LaddersOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0: any that is free.")] = 8000,
    *,
    play: Annotated[
        bool, typer.Option("--play", help="Play it, too, as `ladder run --forever` does.")
    ] = False,
    workers: WorkersOption = None,
    log: LogOption = Log.TEXT,
) -> None:
    """Show the ladder in browsers: its standings, bots and matches as they are now.

    Ctrl-C stops, with --play after the matches under way; a second one at once.
    """
    if workers is not None and not play:
        raise LadderError("--workers is for --play")
    if log is Log.JSON:
        log_as_json()
    with _sources(ladders) as sources:
        from ladder.web.server import Playing  # noqa: PLC0415 - slow to import
        from ladder.web.server import serve as serve_pages  # noqa: PLC0415

        homes = [source.home for source in sources]
        each = workers or max(1, usable_cores() // len(homes))
        playing = Playing(homes, each, log is Log.JSON) if play else None
        tell = SHOWN.info if log is Log.JSON else say
        started = lambda address: tell(f"Open {address} (Ctrl-C stops)")  # noqa: E731
        serve_pages(sources, host, port, started, playing)
        tell("Stopped.")


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the pages are written.")],
    ladders: LaddersOption = None,
) -> None:
    """Write the ladder's pages as files, to be opened as they are or put on any web server.

    Done again, only what has changed is written.
    """
    began = time.monotonic()
    with _sources(ladders) as sources:
        from ladder.web import export as writing  # noqa: PLC0415 - needs the extra web
        from ladder.web.site import Site  # noqa: PLC0415

        site = Site([(source.snapshot(), source.record) for source in sources], live=False)
        silent = not console.is_terminal
        with Progress(console=console, disable=silent, transient=True) as progress:
            task = progress.add_task("Writing", total=writing.steps(site))
            done = writing.export(site, folder, os.cpu_count() or 1, lambda: progress.advance(task))
    removed = f", {done.removed} removed" if done.removed else ""
    seconds = time.monotonic() - began
    say(f"{done.files} files, {done.written} written{removed}, in {seconds:.1f} s.")
    say(f"Open {folder / 'index.html'}")


@contextmanager
def _sources(given: list[Path] | None) -> Iterator["list[Source]"]:
    """Open the ladders that were named, or the nearest one, to be shown."""
    try:
        import ladder.web.server  # noqa: F401, PLC0415 - needs the extra web
        from ladder.web.data import Source  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise LadderError(
            f"the pages need the package {error.name}: install courtyard with its extra, "
            "as in `pip install 'courtyard[web]'`"
        ) from error
    with ExitStack() as stack:
        opened = [open_ladder(path) for path in given] if given else [open_ladder(None)]
        yield [Source(stack.enter_context(ladder)) for ladder in opened]
