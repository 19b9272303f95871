"""The commands `ladder serve` and `ladder export`."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import LogFormat, LogOption, WorkersOption, console, open_ladder, say
from ladder.cli.options import ELSEWHERE, RemoteOption, gateway_settings_of
from ladder.model.cores import cores
from ladder.model.errors import LadderError, MissingPackageError
from ladder.storage.db.server import Server
from referee.core.errors import UsageError
from referee.core.lossy_output import lossy_output

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from ladder.server.public.follower import Following
    from ladder.server.web.health import Health
    from ladder.storage.ladder import Ladder

LaddersOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="A ladder's folder; repeat the option to show several. "
        "Default: the current folder, or its nearest parent, with a ladder.",
    ),
]

_MOST_READING_S = 3600
"""So long a service manager waits: after an update all results of a long ladder are rated anew."""


@lossy_output()
def serve(
    ladders: LaddersOption = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="COURTYARD_DATABASE",
            help="Show a ladder whose folder is on another machine, from its PostgreSQL database.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="The port; 0 takes any free port.")
    ] = 8000,
    tls_cert: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The certificate chain of the gateway, in PEM.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The certificate's private key, in PEM.", rich_help_panel=ELSEWHERE
        ),
    ] = None,
    client_ca: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Require bots' client certificates signed by one of these CAs.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = None,
    remote: RemoteOption = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Serve metrics to Prometheus at this address.",
        ),
    ] = None,
    *,
    trusted_network: Annotated[
        bool,
        typer.Option(
            "--trusted-network",
            help="Accept tokens without TLS from other machines: everyone on the network between "
            "could read them.",
            rich_help_panel=ELSEWHERE,
        ),
    ] = False,
    play: Annotated[
        bool, typer.Option("--play", help="Also play the ladder, as `ladder run --forever` does.")
    ] = False,
    workers: WorkersOption = None,
    tables: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=100,
            help="Let visitors play with bots at this many tables at once; nothing is rated.",
        ),
    ] = 0,
    study: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Keep what people decide at tables in this folder's decisions.jsonl. If it has a "
            "consent.txt, only those play who agree to it.",
        ),
    ] = None,
    log: LogOption = LogFormat.TEXT,
) -> None:
    """Serve the ladder as live web pages: its standings, bots and matches.

    Authors on other machines submit bots and read their logs at the same address, with the tokens
    that `ladder token create` makes. Ctrl-C stops, with --play after the running matches; a second
    Ctrl-C stops at once.
    """
    from ladder.runner.json_log import PAGES, log_as_json
    from ladder.runner.log_limit import limit_log

    if workers is not None and not play:
        raise LadderError("--workers needs --play")
    if database is not None and (ladders or play):
        raise LadderError(
            "--database only shows a ladder; --ladder DIR shows and plays one from its folder"
        )
    if database is not None and tables:
        raise LadderError("--tables needs the ladder's folder, where its bots are: --ladder DIR")
    if study is not None and not tables:
        raise LadderError("--study needs --tables: it keeps what people decide there")
    if remote is None and (tls_cert or tls_key or client_ca):
        raise LadderError("--tls-cert, --tls-key and --client-ca need --remote HOST:PORT")
    if remote is not None and not play:
        raise LadderError("--remote needs --play: remote bots join to play")
    if log is LogFormat.JSON:
        log_as_json()
    else:
        limit_log()
    log_line = PAGES.info if log is LogFormat.JSON else say
    with _opened(ladders, "ladder.server.web.server", "web", database) as opened:
        from ladder.server.api.context import ApiSettings
        from ladder.server.public.follower import Following
        from ladder.server.public.reader import PublicReader
        from ladder.server.tables.messages import TableSettings
        from ladder.server.tables.study import study_in
        from ladder.server.web.health import Health
        from ladder.server.web.server import Playing
        from ladder.server.web.server import serve as serve_pages
        from ladder.server.web.service_manager import notify

        notify(f"EXTEND_TIMEOUT_USEC={_MOST_READING_S * 1_000_000}")
        followed = [Following(PublicReader(ladder)) for ladder in opened]
        health = Health(followed)
        registry = _registry(followed, health)
        beside = None if metrics is None else _metrics(metrics, registry, log_line)
        homes = [ladder.home for ladder in opened]
        if remote is not None and len(homes) > 1:
            raise LadderError("--remote works with a single ladder: serve each one separately")
        gateway_settings = (
            None if remote is None else gateway_settings_of(remote, tls_cert, tls_key, client_ca)
        )
        each = workers or max(1, cores() // len(homes))
        playing = Playing(homes, each, log is LogFormat.JSON, gateway_settings) if play else None
        started = lambda address: log_line(f"Open {address} (Ctrl-C stops)")  # noqa: E731
        authors = ApiSettings(registry, trusted_network)
        studied = None if study is None else study_in(study)
        kept = TableSettings(tables, log is LogFormat.JSON, studied) if tables else None
        serve_pages(followed, host, port, started, playing, beside, health, authors, kept)
        log_line("Stopped.")


def _registry(ladders: "list[Following]", health: "Health") -> "CollectorRegistry":
    """Return a registry with the metrics of these ladders."""
    from prometheus_client import CollectorRegistry

    from ladder.server.web.metrics import LadderMetrics

    registry = CollectorRegistry()
    registry.register(LadderMetrics(ladders, health))
    return registry


@asynccontextmanager
async def _metrics(
    address: str, registry: "CollectorRegistry", log_line: Callable[[str], object]
) -> AsyncIterator[None]:
    """Serve the metrics, and print their address."""
    from ladder.server.web.metrics import served

    with served(address, registry) as found:
        log_line(f"The metrics are at http://{found}/metrics.")
        yield


def export(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder for the pages.")
    ] = None,
    *,
    records: Annotated[
        bool,
        typer.Option("--records", help="Add the records, and the ladder.json to cite and verify."),
    ] = False,
    ladders: LaddersOption = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write no pages but a dataset into this new folder: "
            "all public matches, seats and decisions, as JSON lines.",
        ),
    ] = None,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="With --data: write Parquet, not JSON lines.")
    ] = False,
) -> None:
    """Write the ladder's pages as files, or its matches as a dataset.

    Pages open directly, or from any web server. Repeat the command to update them: it writes only
    what has changed. With --records anyone can check the folder with `ladder verify --export DIR`;
    who cites the ladder names the digest.
    """
    if (folder is None) is (data is None):
        raise UsageError("name either a folder for the pages, or one for a dataset by --data")
    if data is not None and records:
        raise UsageError("--records belongs to the pages")
    if data is not None:
        _export_data(ladders, data, parquet=parquet)
    elif parquet:
        raise UsageError("--parquet belongs to --data")
    elif folder is not None:
        _export_pages(ladders, folder, records=records)


def _export_data(ladders: list[Path] | None, folder: Path, *, parquet: bool) -> None:
    from rich.progress import Progress

    from ladder.server.public import dataset
    from ladder.server.public.reader import PublicReader

    if len(ladders or ()) > 1:
        raise UsageError("a dataset is of one ladder: name one by --ladder")
    with open_ladder(ladders[0] if ladders else None) as opened:
        reader = PublicReader(opened)
        silent = not console.is_terminal
        with Progress(console=console, disable=silent, transient=True) as progress:
            task = progress.add_task("Writing", total=dataset.most(reader))
            done = dataset.write(
                reader, folder, parquet=parquet, advance=lambda: progress.advance(task)
            )
    say(", ".join(f"{count} {name}" for name, count in done.rows.items()) + ".")
    if done.unread:
        say(f"Without the decisions of {done.unread} matches, whose rules are not installed.")
    say(f"Read {folder / 'README.md'}, and fill in its license")


def _export_pages(ladders: list[Path] | None, folder: Path, *, records: bool) -> None:
    from rich.progress import Progress

    began = time.monotonic()
    with (
        _opened(ladders, "ladder.server.web.site", "pages") as opened,
        ExitStack() as stack,
    ):
        from ladder.server.public.follower import tournaments_of
        from ladder.server.public.reader import PublicReader
        from ladder.server.web import export as writing
        from ladder.server.web.site import Site

        sources = [PublicReader(ladder) for ladder in opened]
        site = Site(
            [(source.snapshot(), source) for source in sources],
            live=False,
            tournaments=[stack.enter_context(tournaments_of(ladder)) for ladder in opened],
        )
        silent = not console.is_terminal
        with Progress(console=console, disable=silent, transient=True) as progress:
            task = progress.add_task("Writing", total=writing.steps(site, records=records))
            advance = lambda: progress.advance(task)  # noqa: E731
            done = writing.export(site, folder, cores(), advance, records=records)
    removed = f", {done.removed} removed" if done.removed else ""
    seconds = time.monotonic() - began
    say(f"{done.files} files, {done.written} written{removed}, in {seconds:.1f} s.")
    say(f"Open {folder / 'index.html'}")
    for path, digest in done.digests.items():
        say(f"Cite {folder / path} by its SHA-256, {digest}")


@contextmanager
def _opened(
    given: list[Path] | None, needed: str, extra: str, database: str | None = None
) -> Iterator["list[Ladder]"]:
    """Open the given ladders, the one in a server's `database`, or else the nearest one.

    Raise `LadderError` if the module `needed` lacks the packages of an extra.
    """
    try:
        import_module(needed)
    except ModuleNotFoundError as error:
        raise MissingPackageError("this command", error.name, extra) from error
    with ExitStack() as stack:
        if database is not None:
            from ladder.storage.ladder import Ladder

            yield [stack.enter_context(Ladder.shown(Server(database)))]
            return
        chosen: list[Path | None] = [*given] if given else [None]
        yield [stack.enter_context(open_ladder(path)) for path in chosen]
