"""Commands that show standings, bots and matches."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ladder.cli import completion, tables
from ladder.cli.console import (
    BotArgument,
    LadderOption,
    LimitOption,
    MatchArgument,
    console,
    in_matches,
    open_ladder,
    say,
    say_heading,
    say_incidents,
    say_last,
)
from ladder.cli.remote.commands import (
    TokenFileOption,
    UrlOption,
    print_watched,
    reach,
    replay_there,
)
from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.moments import when
from ladder.model.tournaments import By
from ladder.results.standings import (
    LEGEND,
    SHOWN,
    Order,
    groups,
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
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a header line.")] = False,
    all_bots: Annotated[
        bool, typer.Option("--all", help=f"Show all bots; a terminal otherwise shows {SHOWN}.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="The maximum number of bots.")] = None,
    bot: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show only this bot and its neighbours.")
    ] = None,
    by: Annotated[
        By | None,
        typer.Option(
            help="In a tournament's folder, show the standings of the authors or teams of its "
            "bots instead: the lowest sum of the places of their best bots is first."
        ),
    ] = None,
    order: Annotated[
        Order,
        typer.Option(
            help="Rank by mu, the best estimate, or by conservative, mu - 3 sigma: the strength "
            "that a bot almost surely has."
        ),
    ] = Order.MU,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show the standings, the strongest bot first.

    rating is TrueSkill's mu ± 2 sigma: a bot's strength, estimated from all matches at once, with
    its 95 % interval. A bot with 8.3 more than another comes first in 76 of 100 matches. 25 is the
    mean of the bots of the ladder's first round and stays fixed, so no rating moves because another
    bot comes or goes. ranks is the 95 % interval of a bot's true rank, next the probability that
    the bot is stronger than the next one, and more about how many more matches with both at the
    table would raise that to 0.95. try 6 of 20 is the sixth of the versions that the bot's author
    submitted: as far as they play alike, they share one rating; files that answer as the version
    before are no try. wins, points and faults are per
    match. Bots with fewer than six blocks are provisional: they have a question mark, stand below
    the others and affect no rank. `ladder settings --by` shows whether points count besides places,
    `ladder report` explains every number. In a pipe all bots are printed. JSON and CSV have the
    fields rank, bot, version, mu, sigma, conservative (mu - 3 sigma), matches, win_share,
    average_points, fault_rate, rank_low, rank_high, better_than_next, matches_to_separate, group
    (from 1, of bots that cannot be told apart), blocks, provisional, attempt, tries, rules (the
    versions of the game's rules whose matches count); with `--by` place, author or team, places,
    bots.
    """
    if json and csv:
        raise LadderError("choose either --json or --csv")
    bare = json or csv
    if all_bots and (limit or bot):
        raise LadderError("--all excludes --limit and --bot")
    if by is not None:
        others = any((all_bots, limit, bot, url, order is not Order.MU))
        _print_teams(ladder, by, json=json, csv=csv, others=others)
        return
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            heading = "" if bare else remote.heading
            rows, rules = remote.standings()
            own = remote.own() if console.is_terminal else ()
            waiting = 0
    else:
        from ladder.results import queries

        with open_ladder(ladder) as opened:
            heading = opened.heading
            rows = queries.standings(opened)
            waiting = queries.waiting(opened)
            rules = queries.rules_played(opened)
            own = ()
    rows = ranked(rows, order)
    if not (limit or bot or all_bots or bare) and console.is_terminal:
        limit = SHOWN
    selected = window(rows, limit, bot)
    if bare:
        written = to_json if json else to_csv
        sys.stdout.write(written(selected, rules.counted))
        return
    say_heading(heading)
    tables.print_standings(console, selected, order, own)
    if len(selected) < len(rows):
        say(f"{len(selected)} of {len(rows)} bots; --all shows all, --bot NAME the neighbours.")
    for line in filter(None, [groups(rows), *provisional(selected), rules.summary]):
        say(line)
    if waiting:
        say(f"Not yet rated, as others of their deals are to be played: {in_matches(waiting)}.")


def _print_teams(ladder: Path | None, by: By, *, json: bool, csv: bool, others: bool) -> None:
    """Print the standings of a tournament's authors or teams; refuse other options for rows."""
    from ladder.cli.tournament_text import print_teams, standings_of

    if others:
        raise LadderError("--by excludes --all, --limit, --bot, --order and --url")
    with open_ladder(ladder) as opened:
        heading, found = opened.heading, standings_of(opened, by)
    if json or csv:
        sys.stdout.write(found.to_json() if json else found.to_csv())
    else:
        print_teams(found, heading)


def show(
    name: BotArgument,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show a bot's rank, versions, results and faults; of a remote ladder's, rank and versions.

    The help of `ladder standings` explains the columns.
    """
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            heading, versions = remote.heading, remote.versions_of(name)
            rows, _ = remote.standings()
        say_heading(f"{name} · {heading}")
        if text := place(rows, name):
            say(text)
        tables.print_table(console, tables.bots_table(versions))
        return
    from ladder.results import queries
    from ladder.results.strengths import rating_of_record

    with open_ladder(ladder) as opened:
        queries.versions(opened, name)
        heading = opened.heading
        every = queries.tallies(opened, every_version=True)
        forfeits = queries.forfeits(opened, name)
        strengths, playing = rating_of_record(opened).strengths, queries.tallies(opened)
        rules = queries.rules_played(opened)
    tallies = [tally for tally in every if tally.version.bot == name]
    say_heading(f"{name} · {heading}")
    if text := place(rated(playing, strengths), name):
        say(text)
    tables.print_table(console, tables.versions_table(tallies, strengths))
    say(LEGEND)
    if forfeits:
        kinds = ", ".join(f"{times} by {kind}" for kind, times in forfeits.items())
        say(f"Forfeited: {kinds}.")
    if rules.summary:
        say(rules.summary)


def matches(
    bot: Annotated[
        str | None,
        typer.Option(help="Show only matches of this bot.", autocompletion=completion.bots),
    ] = None,
    limit: LimitOption = 20,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """List the last matches, the newest first; a remote ladder shows only public ones."""
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            heading, lines = remote.heading, remote.matches(bot, limit)
    else:
        from ladder.results import queries

        with open_ladder(ladder) as opened:
            heading, lines = opened.heading, queries.latest(opened, limit, bot)
    say_heading(heading)
    tables.print_table(console, tables.matches_table(lines))


def match(
    match_id: MatchArgument,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print the full record, for `referee verify`.")
    ] = False,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show one match: its seats and its result."""
    from referee.match.record import record_to_json

    if url is not None:
        with reach(url, token_file, ladder) as remote:
            if json:
                sys.stdout.write(record_to_json(remote.record(match_id)))
            else:
                _print_match(remote.match(match_id), {})
        return
    from ladder.results import incidents, queries
    from ladder.storage.tables.records import fault_of

    with open_ladder(ladder) as opened:
        line = queries.match(opened, match_id)
        if json:
            sys.stdout.write(record_to_json(queries.public_record(opened, line)))
            return
        record = queries.record(opened, line) if line.decisions is not None else None
        printed = [queries.printed(opened, line, seat) for seat in range(len(line.seats))]
        happened = incidents.of_match(opened, line)
    faults = {seat: fault_of(record, seat) for seat in range(len(line.seats))} if record else {}
    reasons = {seat: fault.reason for seat, fault in faults.items() if fault}
    _print_match(line, reasons)
    void = line.attempts and line.state is not MatchState.DROPPED
    if line.reason is not None and void and not happened:  # of before incidents were stored
        say(f"void {line.attempts} times, the last time because: {line.reason}")
    say_incidents(happened)
    if line.postponed:
        say("given up for now: the next run plays it again")
    for seat, taken in enumerate(line.seats):
        if taken.version and taken.result and taken.result.forfeit:
            say_last(f"{taken.version.bot} (seat {seat})", printed[seat] or "")


def _print_match(line: MatchLine, reasons: Mapping[int, str]) -> None:
    """Print a match's seats and result, with the reasons of faults by seat."""
    state = f"{line.state}: {line.reason}" if line.state is MatchState.DROPPED else line.state
    say(f"match {line.match_id}, number {line.index + 1} of round {line.round}: {state}")
    tables.print_table(console, tables.seats_table(line, reasons))
    if line.decisions is not None and line.finished_at is not None:
        by = f", by rules {line.rules_version}" if line.rules_version else ""
        say(f"{line.decisions} decisions, finished {when(line.finished_at)}{by}")


def watch(url: UrlOption = None, token_file: TokenFileOption = None) -> None:
    """Watch a remote ladder: its standings, and matches as they begin and become public.

    In a pipe, every change prints a line. Ctrl-C stops.
    """
    if url is None:
        raise LadderError(
            "give the remote ladder's address by --url; for a local one, use `ladder serve`"
        )
    with reach(url, token_file) as remote:
        print_watched(remote)


def replay(
    match_id: MatchArgument,
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat saw. Default: everything.")
    ] = None,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Replay a match turn by turn, with everything hidden revealed, for the ladder's owner.

    To show a bot's author no more than the bot saw, use --seat. A remote ladder shows a public
    match in full; before that it shows only what your own seats saw.
    """
    from referee.view.show import show_record

    if url is not None:
        with reach(url, token_file, ladder) as remote:
            replay_there(remote, match_id, seat)
        return
    from ladder.results import queries

    with open_ladder(ladder) as opened:
        found = queries.match(opened, match_id)
        record = (
            queries.public_record(opened, found) if seat is None else queries.record(opened, found)
        )
    show_record(console, record, seat)
