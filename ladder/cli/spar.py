"""Commands for spars: unrated matches of an own bot against named opponents."""

import sys
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli import completion, tables
from ladder.cli.author import print_seat_log
from ladder.cli.console import (
    BotArgument,
    LadderOption,
    WorkersOption,
    command_line,
    console,
    in_matches,
    open_ladder,
    program,
    say,
    say_plainly,
)
from ladder.cli.remote.commands import TokenFileOption, UrlOption, reach
from ladder.cli.repro import there
from ladder.model.errors import LadderError, LockedError
from ladder.model.spars import MOST_MATCHES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.cli.remote.client import RemoteLadder
    from ladder.server.api import schemas
    from ladder.server.api.spar_answers import SparAnswers
    from ladder.storage.ladder import Ladder

NumberArgument = Annotated[
    int | None,
    typer.Argument(min=1, metavar="NUMBER", help="The spar's number. Default: all."),
]


def spar(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="Your bot.", autocompletion=completion.bots)
    ],
    opponents: Annotated[
        list[str],
        typer.Argument(
            metavar="OPPONENT",
            help="Bots of the ladder, which take turns on the other seats.",
            autocompletion=completion.bots,
        ),
    ],
    matches: Annotated[
        int, typer.Option(min=1, max=MOST_MATCHES, metavar="N", help="How many matches to play.")
    ] = 20,
    workers: WorkersOption = None,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Let your bot play unrated matches against bots of the ladder.

    They change no rating and show nowhere else; only you see how they went, until you share the
    results with `ladder spars NUMBER --share`. Your bot sits on each seat in turn. A local ladder
    plays them at once, a remote one beside its rated matches; its owner sets how many you may ask
    for in a day.
    """
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            asked = remote.ask_for_spar(bot, opponents, matches)
        options = there(url, token_file)
        say(f"Spar {asked.id}: {in_matches(matches)} to be played.")
        say(f"To see how they go: {program()} spars {asked.id} {options}")
        return
    from ladder.server.api.spar_answers import SparAnswers
    from ladder.submission.spars import ask

    with open_ladder(ladder) as opened:
        number = ask(opened, None, bot, opponents, matches).id
        _play(opened, number, workers)
        console.print()
        _print_results(SparAnswers(opened, None).spar(number))
        say(f"\nIts matches: {command_line(f'spars {number}', opened.home)}")


def spars(
    number: NumberArgument = None,
    match_id: Annotated[
        str | None,
        typer.Option("--match", metavar="MATCH", help="Show your bot's log of this match."),
    ] = None,
    *,
    share: Annotated[
        bool | None,
        typer.Option(
            "--share/--private", help="Make a link to the results that anyone may open, or end it."
        ),
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Give up the matches that are still to be played.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """List your spars, or show the results of one: head to head, with intervals at 95 %."""
    from ladder.cli.remote.decode import match_of
    from ladder.server.api.schemas import SparChange

    if number is None and (match_id is not None or share is not None or withdraw):
        raise LadderError("say which spar: `ladder spars NUMBER`")
    with _reached(ladder, url, token_file) as known:
        if number is None:
            _list(known.spars(), json=json)
            return
        if match_id is not None:
            _print_match(known.spar_log(number, match_id))
            return
        if share is not None or withdraw:
            changed = SparChange(shared=share, withdrawn=withdraw or None)
            known.change_spar(number, changed)
        one = known.spar(number)
        if json:
            sys.stdout.write(f"{one.model_dump_json(indent=2)}\n")
            return
        _print_results(one)
        console.print()
        matches = [*map(match_of, known.spar_matches(number))]
        tables.print_table(console, tables.matches_table(matches, number="spar"))
        if one.shared_at:
            where = f"at {url.rstrip('/')}/" if url else "on the ladder's pages at /"
            say(f"\nAnyone may see these results {where}{one.shared_at}")


def sparring(
    name: BotArgument,
    *,
    allowed: Annotated[
        bool, typer.Option("--on/--off", help="Whether other authors may spar with it.")
    ],
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Let other authors spar with a bot, or not. By default they may."""
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            remote.let_spar(name, allowed=allowed)
    else:
        from ladder.storage.tables import bots
        from ladder.storage.tables import spars as stored

        with open_ladder(ladder) as opened, opened.database.write() as tx:
            bots.known(tx, name)
            stored.let(tx, name, is_open=allowed)
    say(f"Other authors {'may' if allowed else 'may not'} spar with {name}.")


def _play(ladder: "Ladder", number: int, workers: int | None) -> None:
    """Play what the ladder has planned, unless a run does so already."""
    from ladder.cli.play import play
    from ladder.scheduling.ladder.planner import LadderPlanner

    show = command_line(f"spars {number}", ladder.home)
    try:
        play(ladder, LadderPlanner(ladder, 0), workers, lambda _: show)
    except LockedError:
        say(f"Another process plays this ladder, and plays these, too. To see how they go: {show}")
        raise typer.Exit from None


def _list(found: "list[schemas.Spar]", *, json: bool) -> None:
    """Print spars, the newest first."""
    if json:
        listed = [each.model_dump(mode="json") for each in found]
        sys.stdout.write(f"{dumps(listed, indent=2, ensure_ascii=False)}\n")
    elif found:
        tables.print_table(console, tables.spars_table(found))
    else:
        say(f"No spars yet. To begin one: {program()} spar BOT OPPONENT")


def _print_results(spar: "schemas.Spar") -> None:
    """Print how a spar's bot fared against each opponent."""
    played = f"{spar.played} of {in_matches(spar.matches)} played"
    void = f", {spar.void} void" if spar.void else ""
    say_plainly(f"Spar {spar.id}: {spar.bot} version {spar.version}, {played}{void}.")
    if spar.place is not None and spar.points is not None:
        forfeits = f", {spar.forfeits} forfeited" if spar.forfeits else ""
        say(f"Mean place {spar.place:.2f}, mean points {spar.points:.1f}{forfeits}.")
    console.print()
    tables.print_table(console, tables.spar_table(spar))


def _print_match(log: "schemas.Log") -> None:
    from ladder.cli.remote.decode import seat_log_of

    if (seat_log := seat_log_of(log)) is None:
        say(f"Match {log.match.match_id} has no result: it is {log.match.state}.")
    else:
        print_seat_log(seat_log, [])


@contextmanager
def _reached(
    ladder: Path | None, url: str | None, token_file: Path | None
) -> "Iterator[SparAnswers | RemoteLadder]":
    """Open a ladder, here or elsewhere."""
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            yield remote
        return
    from ladder.server.api.spar_answers import SparAnswers

    with open_ladder(ladder) as opened:
        yield SparAnswers(opened, None)
