"""Showing ladders to people: as a server, or as a folder of files."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    ExitStack,
    asynccontextmanager,
    contextmanager,
)
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import Log, LogOption, WorkersOption, console, open_ladder, say
from ladder.cli.options import ELSEWHERE, RemoteOption, gateway_settings_of
from ladder.model.cores import cores
from ladder.model.errors import LadderError
from referee.core.lossy_output import lossy_output

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from ladder.server.api.server import DoorSettings
    from ladder.server.public.follower import Following
    from ladder.server.web.health import Health
    from ladder.storage.ladder import Ladder

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


@lossy_output()
def serve(
    ladders: LaddersOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The port; 0: any that is free.")
    ] = 8000,
    door: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Let authors come in here by gRPC, with tokens.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The certificate of door and gateway, as PEM.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The key of it.", rich_help_panel=ELSEWHERE)
    ] = None,
    client_ca: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Only who has a certificate signed by one of these comes in.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = None,
    remote: RemoteOption = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Where Prometheus finds the metrics of ladders and door.",
        ),
    ] = None,
    *,
    door_plaintext: Annotated[
        bool,
        typer.Option(
            "--door-plaintext",
            help="Open the door without TLS even where others can reach it: tokens can be read "
            "on the way unless something else protects that.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = False,
    play: Annotated[
        bool, typer.Option("--play", help="Play it, too, as `ladder run --forever` does.")
    ] = False,
    workers: WorkersOption = None,
    log: LogOption = Log.TEXT,
) -> None:
    """Show the ladder in browsers: its standings, bots and matches as they are now.

    With --door, authors elsewhere submit bots and see their logs. Ctrl-C stops, with --play after
    the matches under way; a second one at once.
    """
    from ladder.runner.json_log import DOOR, PAGES, log_as_json

    if workers is not None and not play:
        raise LadderError("--workers is for --play")
    keys = tls_cert or tls_key or client_ca
    if door is None and (door_plaintext or (keys and remote is None)):
        raise LadderError("these options are for a door: say where it is by --door HOST:PORT")
    if remote is not None and not play:
        raise LadderError("--remote is for --play: remote bots join to play")
    if log is Log.JSON:
        log_as_json()
    tell = PAGES.info if log is Log.JSON else say
    with _opened(ladders, "ladder.server.web.server", "web") as opened:
        from ladder.server.public.follower import Following
        from ladder.server.public.reader import Source
        from ladder.server.web.health import Health
        from ladder.server.web.server import Playing
        from ladder.server.web.server import serve as serve_pages

        followed = [Following(Source(ladder)) for ladder in opened]
        health = Health(followed)
        registry = _registry(followed, health)
        tell_door = DOOR.info if log is Log.JSON else say
        beside = None
        if door is None and metrics is not None:
            beside = _metrics(metrics, registry, tell)
        if door is not None:
            from ladder.server.api.server import DoorSettings

            settings = DoorSettings(door, tls_cert, tls_key, client_ca, door_plaintext, metrics)
            beside = _door(followed, settings, tell_door, registry)
        homes = [ladder.home for ladder in opened]
        if remote is not None and len(homes) > 1:
            raise LadderError("--remote is for one ladder: serve each one by itself")
        gateway_settings = (
            None if remote is None else gateway_settings_of(remote, tls_cert, tls_key, client_ca)
        )
        each = workers or max(1, cores() // len(homes))
        playing = Playing(homes, each, log is Log.JSON, gateway_settings) if play else None
        started = lambda address: tell(f"Open {address} (Ctrl-C stops)")  # noqa: E731
        serve_pages(followed, host, port, started, playing, beside, health)
        tell("Stopped.")


def _registry(ladders: "list[Following]", health: "Health") -> "CollectorRegistry":
    """Return what knows the metrics of these ladders."""
    from prometheus_client import CollectorRegistry

    from ladder.server.web.metrics import LadderMetrics

    registry = CollectorRegistry()
    registry.register(LadderMetrics(ladders, health))
    return registry


@asynccontextmanager
async def _metrics(
    address: str, registry: "CollectorRegistry", tell: Callable[[str], object]
) -> AsyncIterator[None]:
    """Serve the metrics where there is no door, and say where."""
    from ladder.server.web.metrics import served

    with served(address, registry) as found:
        tell(f"The metrics are at http://{found}/metrics.")
        yield


@asynccontextmanager
async def _door(
    ladders: "list[Following]",
    settings: "DoorSettings",
    tell: Callable[[str], object],
    registry: "CollectorRegistry",
) -> AsyncIterator[None]:
    """Open the door, and say where it is."""
    from ladder.server.api.server import open_door

    async with open_door(ladders, settings, registry=registry) as door:
        how = "TLS" if settings.tls_cert else "no TLS"
        tell(f"The door is at {door.address} ({how}).")
        if door.metrics_address:
            tell(f"The metrics are at http://{door.metrics_address}/metrics.")
        yield


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the pages are written.")],
    ladders: LaddersOption = None,
) -> None:
    """Write the ladder's pages as files, to be opened as they are or put on any web server.

    Done again, only what has changed is written.
    """
    from rich.progress import Progress

    began = time.monotonic()
    with _opened(ladders, "ladder.server.web.site", "pages") as opened:
        from ladder.server.public.reader import Source
        from ladder.server.web import export as writing
        from ladder.server.web.site import Site

        sources = [Source(ladder) for ladder in opened]
        site = Site([(source.snapshot(), source.records) for source in sources], live=False)
        silent = not console.is_terminal
        with Progress(console=console, disable=silent, transient=True) as progress:
            task = progress.add_task("Writing", total=writing.steps(site))
            done = writing.export(site, folder, cores(), lambda: progress.advance(task))
    removed = f", {done.removed} removed" if done.removed else ""
    seconds = time.monotonic() - began
    say(f"{done.files} files, {done.written} written{removed}, in {seconds:.1f} s.")
    say(f"Open {folder / 'index.html'}")


@contextmanager
def _opened(given: list[Path] | None, needed: str, extra: str) -> Iterator["list[Ladder]"]:
    """Open the ladders that were named, or the nearest one, to be shown by this module.

    Raise `LadderError` if the packages of an extra are not there, which it needs.
    """
    try:
        import_module(needed)
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        raise LadderError(
            f"the pages need the package {package}: install courtyard with its extra, "
            f"as in `pip install 'courtyard[{extra}]'`"
        ) from error
    with ExitStack() as stack:
        chosen: list[Path | None] = [*given] if given else [None]
        yield [stack.enter_context(open_ladder(path)) for path in chosen]
