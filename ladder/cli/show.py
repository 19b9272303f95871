"""Looking at what was played."""

import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from ladder.cli import completion, tables
from ladder.cli.console import (
    LadderOption,
    LimitOption,
    MatchArgument,
    console,
    in_matches,
    open_ladder,
    say,
    say_heading,
    say_last,
)
from ladder.cli.remote.commands import TokenFileOption, UrlOption, reach, replay_there, tell_watched
from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine
from ladder.results.standings import (
    LEGEND,
    SHOWN,
    Order,
    place,
    provisional,
    ranked,
    to_csv,
    to_json,
    window,
)
from ladder.results.standings import standings as rated


def standings(
    *,
    json: Annotated[bool, typer.Option("--json", help="As a JSON list of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV, names in the first line.")] = False,
    all_bots: Annotated[
        bool, typer.Option("--all", help=f"All bots, where a terminal is shown {SHOWN}.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many bots, wherever it is printed.")
    ] = None,
    bot: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this bot and those around it.")
    ] = None,
    order: Annotated[
        Order,
        typer.Option(
            help="By what they are ranked: mu, the best estimate, or conservative, mu - 3 sigma: "
            "the strength that they almost surely have."
        ),
    ] = Order.MU,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show who is strongest.

    rating is TrueSkill's mu ± 2 sigma: how strong a bot is by all matches at once, and how far
    that may be off with 95 %. Of two bots the one with 8.3 more comes first in 76 of 100 matches.
    25 is the mean of the bots of the ladder's first round and stays that, so nobody's rating moves
    because another bot comes or goes. ranks is between which a bot's true rank is with 95 %, next
    the probability that it is stronger than the next bot, and more about how many more matches with
    both at the table would make that 0.95. wins, points and faults are per match. Bots with fewer
    than six blocks are provisional: they have a question mark, stand below the others and move none
    of them. `ladder settings --by` says whether points count besides places, `ladder report` how
    every number comes about. In a pipe all bots are printed. JSON and CSV have the fields
    rank, bot, version, mu, sigma, conservative (mu - 3 sigma), matches, win_share, average_points,
    fault_rate, rank_low, rank_high, better_than_next, matches_to_separate, blocks, provisional.
    """
    from ladder.results.strengths import rating_of_record

    if json and csv:
        raise LadderError("choose one of --json and --csv")
    bare = json or csv
    if all_bots and (limit or bot):
        raise LadderError("--all goes with neither --limit nor --bot")
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            heading = "" if bare else remote.heading
            rows, waiting = remote.standings(), 0
    else:
        with open_ladder(ladder) as opened:
            heading = opened.heading
            rows = rated(opened.tallies(), rating_of_record(opened).strengths)
            waiting = opened.waiting()
    rows = ranked(rows, order)
    if not (limit or bot or all_bots or bare) and console.is_terminal:
        limit = SHOWN
    shown = window(rows, limit, bot)
    if bare:
        sys.stdout.write(to_json(shown) if json else to_csv(shown))
        return
    say_heading(heading)
    tables.print_standings(console, shown, order)
    if len(shown) < len(rows):
        say(f"{len(shown)} of {len(rows)} bots; --all shows all, --bot NAME those around one.")
    for line in provisional(shown):
        say(line)
    if waiting:
        say(f"Not rated until one before is played: {in_matches(waiting)}.")


def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The bot.", autocompletion=completion.bots)
    ],
    ladder: LadderOption = None,
) -> None:
    """Show one bot: its rank, its versions, how they did, and its faults.

    The columns are those of `ladder standings`, whose help says what they are.
    """
    from ladder.results.strengths import rating_of_record

    with open_ladder(ladder) as opened:
        opened.versions(name)
        heading = opened.heading
        every = opened.tallies(everybody=True)
        forfeits = opened.forfeits(name)
        strengths, playing = rating_of_record(opened).strengths, opened.tallies()
    tallies = [tally for tally in every if tally.version.bot == name]
    say_heading(f"{name} · {heading}")
    if said := place(rated(playing, strengths), name):
        say(said)
    tables.print_table(console, tables.versions_table(tallies, strengths))
    say(LEGEND)
    if forfeits:
        kinds = ", ".join(f"{times} by {kind}" for kind, times in forfeits.items())
        say(f"Forfeited: {kinds}.")


def matches(
    bot: Annotated[
        str | None,
        typer.Option(help="Only matches that this bot was in.", autocompletion=completion.bots),
    ] = None,
    limit: LimitOption = 20,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """List the last matches, the newest first; of a ladder elsewhere those that are public."""
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            heading, lines = remote.heading, remote.matches(bot, limit)
    else:
        with open_ladder(ladder) as opened:
            heading, lines = opened.heading, opened.latest(limit, bot)
    say_heading(heading)
    tables.print_table(console, tables.matches_table(lines))


def match(
    match_id: MatchArgument,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print the whole record, for `referee verify`.")
    ] = False,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show one match: who sat where and how it ended."""
    from ladder.storage.records import fault_of
    from referee.match.record import record_to_json

    if url is not None:
        with reach(url, token_file, ladder) as remote:
            if json:
                sys.stdout.write(record_to_json(remote.record(match_id)))
            else:
                _tell_match(remote.match(match_id), {})
        return
    with open_ladder(ladder) as opened:
        line = opened.match(match_id)
        if json:
            sys.stdout.write(record_to_json(opened.revealed(line)))
            return
        record = opened.record(line) if line.decisions is not None else None
        printed = [opened.printed(line, seat) for seat in range(len(line.seats))]
    faults = {seat: fault_of(record, seat) for seat in range(len(line.seats))} if record else {}
    reasons = {seat: fault.reason for seat, fault in faults.items() if fault}
    _tell_match(line, reasons)
    if line.reason is not None:
        say(f"void {line.attempts} times, the last because: {line.reason}")
    if line.postponed:
        say("given up for now: it is played when the ladder is run again")
    for seat, taken in enumerate(line.seats):
        if taken.version and taken.result and taken.result.forfeit:
            say_last(f"{taken.version.bot} (seat {seat})", printed[seat] or "")


def _tell_match(line: MatchLine, reasons: Mapping[int, str]) -> None:
    """Tell who sat where and how it ended, with the reasons of faults by seat."""
    say(f"match {line.match_id}, number {line.index + 1} of round {line.round}: {line.state}")
    tables.print_table(console, tables.seats_table(line, reasons))
    if line.decisions is not None:
        say(f"{line.decisions} decisions, finished {line.finished_at}")


def watch(url: UrlOption = None, token_file: TokenFileOption = None) -> None:
    """Watch a ladder elsewhere: its standings, and matches as they begin and become public.

    In a pipe it prints a line for whatever changes. Ctrl-C stops.
    """
    if url is None:
        raise LadderError("name a ladder's door by --url; one on this machine has `ladder serve`")
    with reach(url, token_file) as remote:
        tell_watched(remote)


def replay(
    match_id: MatchArgument,
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat saw. Default: everything.")
    ] = None,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show a match again, turn by turn, with all that was hidden: for the ladder's owner.

    A bot's author is shown no more than `ladder log` and `--seat` tell. Of a ladder elsewhere a
    match that is public is shown as at the ladder's machine, of others what an own seat was told.
    """
    from referee.view.show import show_record

    if url is not None:
        with reach(url, token_file, ladder) as remote:
            replay_there(remote, match_id, seat)
        return
    with open_ladder(ladder) as opened:
        found = opened.match(match_id)
        record = opened.revealed(found) if seat is None else opened.record(found)
    show_record(console, record, seat)
