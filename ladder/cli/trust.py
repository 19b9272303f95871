"""The command `ladder trust`, which makes a ladder from elsewhere known on this machine."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.console import say
from ladder.model.errors import LadderError
from ladder.model.settings import BuildNetwork, Settings
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home, find_home
from ladder.storage.files.known import remember
from referee.sandbox.program import Level


def trust(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="The ladder's folder. Default: the current folder, or its nearest parent, with a "
            "ladder.",
        ),
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Confirm a ladder that you have not made on this machine, once.

    A folder from elsewhere cannot choose by itself to run its bots uncontained, to let builds use
    the network, or to have its database on a server, which would get your password for it.
    COURTYARD_TRUST names folders to which this does not apply, separated as in PATH; * means all.
    """
    home = find_home(folder)
    server = home.server
    say(f"The ladder in {home.path} asks for this:")
    for line in _of_a_folder(home) if server is None else _of_a_server(server):
        say(f"  {line}")
    if not yes and not sys.stdin.isatty():
        raise LadderError("there is no terminal to confirm it at: repeat the command with --yes")
    if not yes and not typer.confirm("Do you trust it?"):
        raise LadderError("not confirmed")
    _confirm(home, server)
    say("This machine trusts it from now on.")


def _confirm(home: Home, server: Server | None) -> None:
    from ladder.storage.ladder import Ladder

    if server is not None:
        remember(home.path, server.url)
        return
    with Ladder.to_confirm(home, home.database) as opened:
        opened.confirm()


def _of_a_server(server: Server) -> Iterator[str]:
    yield f"its database is at {server}, which gets your password for it, if you have one;"
    yield "the settings there may let bots run uncontained, and builds use the network"


def _of_a_folder(home: Home) -> Iterator[str]:
    from ladder.storage.db.database import Database
    from ladder.storage.tables.settings import read

    home.check_links()
    with Database.open(home.database) as database, database.read() as tx:
        settings = read(tx)
    yield _level(settings)
    if settings.build_network is not BuildNetwork.NOBODY:
        yield f"builds of bots may use the network: {settings.build_network}"
    if linked := home.linked:
        yield f"{linked} lies elsewhere: {linked.readlink()}"


def _level(settings: Settings) -> str:
    if settings.sandbox is Level.TRUSTED:
        return "its bots run uncontained (trusted): they can do whatever you can"
    if settings.sandbox is None:
        return "its bots run at the machine's strongest level"
    return f"its bots run at the level {settings.sandbox}"
