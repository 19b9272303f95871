"""Commands that manage the tokens of remote authors."""

import sys
from datetime import timedelta
from typing import Annotated

import typer

from ladder.cli import tables
from ladder.cli.console import LadderOption, console, open_ladder, say
from ladder.model.errors import LadderError
from referee.cli.unix_command import UnixCommand

app = typer.Typer(
    help="Create, list and revoke the tokens of remote authors.",
    no_args_is_help=True,
)


@app.command(cls=UnixCommand, epilog="Example: ladder token create ann --days 90 > ann.token")
def create(
    author: Annotated[str, typer.Argument(metavar="AUTHOR", help="The token's author.")],
    days: Annotated[
        int | None,
        typer.Option(min=1, max=36_500, help="The token's lifetime in days. Default: unlimited."),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Print an invitation link instead, to the ladder's pages at this address.",
        ),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Create a token for an author and print it once: the ladder stores only its hash.

    Anyone with the token or link can submit and see the author's bots. An author may have several
    tokens. Opening the link in a browser signs in with one press of a button.
    """
    from ladder.storage import tokens

    if link is not None and not link.startswith(("http://", "https://")):
        raise LadderError(f"--link {link}: give the address of the pages, such as https://club.org")

    with open_ladder(ladder) as opened:
        lifetime = None if days is None else timedelta(days=days)
        token = tokens.create(opened, author, lifetime)
    sys.stdout.write(f"{token}\n" if link is None else f"{link.rstrip('/')}/me/#{token}\n")


@app.command("list", cls=UnixCommand)
def list_tokens(ladder: LadderOption = None) -> None:
    """List all tokens: their authors, their states and the disk space of their authors' bots.

    `ladder settings` shows each author's disk quota.
    """
    from ladder.storage import tokens
    from ladder.submission import disk_quota

    with open_ladder(ladder) as opened:
        found = tokens.every(opened)
        with opened.database.read() as tx:
            authors = {token.author for token in found}
            used = {author: disk_quota.of_author(tx, opened.home, author) for author in authors}
    states = {token.number: tokens.state(token) for token in found}
    tables.print_table(console, tables.tokens_table(found, states, used))


@app.command(cls=UnixCommand)
def revoke(
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="The token's number in `ladder token list`.")
    ],
    ladder: LadderOption = None,
) -> None:
    """Revoke a token."""
    from ladder.storage import tokens

    with open_ladder(ladder) as opened:
        was_valid = tokens.revoke(opened, number)
    say(f"Token {number} is revoked." if was_valid else f"Token {number} was already revoked.")
