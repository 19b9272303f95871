"""Who may come in from elsewhere: tokens for authors."""

import sys
from datetime import timedelta
from typing import Annotated

import typer

from ladder.cli import tables
from ladder.cli.console import LadderOption, console, open_ladder, say

app = typer.Typer(
    help="Make, list and revoke the tokens by which authors are known from elsewhere.",
    no_args_is_help=True,
)


@app.command(epilog="Example: ladder token create ann --days 90 > ann.token")
def create(
    author: Annotated[str, typer.Argument(metavar="AUTHOR", help="Whose it is.")],
    days: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="For how long. Default: without end.")
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Make a token for an author and print it, once: the ladder keeps only its hash.

    Whoever has it can submit and see that author's bots. An author may have several.
    """
    from ladder.storage import tokens

    with open_ladder(ladder) as opened:
        lifetime = None if days is None else timedelta(days=days)
        sys.stdout.write(f"{tokens.create(opened, author, lifetime)}\n")


@app.command("list")
def list_tokens(ladder: LadderOption = None) -> None:
    """List the tokens by their numbers: whose they are and whether they are valid.

    And what all the bots of their authors take of the disk: `ladder settings` shows what they may.
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


@app.command()
def revoke(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="As `ladder token list` tells.")],
    ladder: LadderOption = None,
) -> None:
    """Let a token open nothing any more."""
    from ladder.storage import tokens

    with open_ladder(ladder) as opened:
        was_valid = tokens.revoke(opened, number)
    say(f"Token {number} is revoked." if was_valid else f"Token {number} was revoked already.")
