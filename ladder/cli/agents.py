"""The command `ladder mcp`."""

from typing import Annotated

import typer

from ladder.cli.remote.commands import TokenFileOption, UrlOption
from ladder.model.errors import LadderError, MissingPackageError


def mcp(
    url: UrlOption = None,
    token_file: TokenFileOption = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65_535,
            help="Serve streamable HTTP at http://127.0.0.1:PORT/mcp instead of stdin and stdout.",
        ),
    ] = None,
) -> None:
    """Let an agent play at a remote ladder's tables, by the Model Context Protocol.

    With a token, it can also submit bots as you. Tables are there if the owner serves them:
    `ladder serve --tables`.
    """
    try:
        from ladder.cli.remote.tools import server_of
    except ModuleNotFoundError as error:
        raise MissingPackageError("this command", error.name, "mcp") from error
    from ladder.cli.remote.client import read_token

    if url is None:
        raise LadderError("name the address of a ladder's pages by --url")
    server = server_of(url, read_token(token_file) if token_file else None)
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=port, stateless_http=True)
