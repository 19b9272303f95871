"""The command `ladder tournament`, which creates, plays, continues and shows a tournament."""

import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import WorkersOption, command_line, console, program, say, say_plainly
from ladder.cli.contest import (
    GameOption,
    SandboxOption,
    SeatsOption,
    SettingsOption,
    StandingOption,
    print_more,
    write,
)
from ladder.cli.play import play
from ladder.cli.run_ends import UntilRoundOption
from ladder.cli.seeds import ReproducibleOption, SeedOption, chosen_secret
from ladder.model import moments
from ladder.model.directives import ByePoints
from ladder.model.errors import SettingsError
from ladder.model.settings import title_of
from ladder.model.tournaments import USUAL_DEALS, USUAL_HALF_BYES, KeptApart, Kind, Seeding
from ladder.storage.files.folder import Home
from referee.cli.settings import game_settings
from referee.games import game_named

if TYPE_CHECKING:
    from ladder.model.directives import Directive
    from ladder.scheduling.tournament.planner import TournamentPlan
    from ladder.scheduling.tournament.summary import TournamentSummary
    from ladder.storage.ladder import Ladder
    from ladder.submission.tournaments import TournamentRequest


def tournament(
    kind: Annotated[Kind, typer.Argument(metavar="FORMAT", help=f"{', '.join(Kind)}.")],
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="The tournament's folder, a ladder of its own; created if missing."
        ),
    ],
    entrants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT",
            help="Folders with a bot.toml, or names of bots of a standing ladder or sample "
            "bots; in a gauntlet the challenger comes first. Default: all active bots of the "
            "standing ladder, the strongest first.",
        ),
    ] = None,
    entries: Annotated[
        Path | None,
        typer.Option(
            "--entries",
            metavar="FILE",
            help="Take the bots from this CSV file, with columns bot (or folder), seed, author "
            "and team, of which only the first is needed.",
        ),
    ] = None,
    game: GameOption = None,
    seats: SeatsOption = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rounds of a Swiss tournament (default: enough for a single leader, and two more "
            "as far as no bots must meet again); cycles of a round robin or gauntlet (default: 1).",
        ),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Deals per meeting, each played on all rotations of the seats; more deals reduce "
            "luck. Default: 1.",
        ),
    ] = None,
    group_size: Annotated[
        int | None, typer.Option(min=2, help="The maximum number of bots in a group. Default: 4.")
    ] = None,
    advancing: Annotated[
        int | None, typer.Option(min=1, help="How many bots of each group advance. Default: 2.")
    ] = None,
    seeding: Annotated[
        Seeding | None,
        typer.Option(
            help="Seed the bots by the standing ladder's rating, by a draw from the tournament's "
            "secret, or in the order given. Default: by rating if all have one, else by draw.",
        ),
    ] = None,
    sudden_death: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="DEALS",
            help="In brackets, the maximum number of extra deals to break a tie over who "
            f"advances; then points margin, first places and lot. Default: {USUAL_DEALS}.",
        ),
    ] = None,
    late_bye: Annotated[
        ByePoints | None,
        typer.Option(
            help="In a Swiss tournament, what a late entrant scores for each round that it missed, "
            "half at most --half-byes times. Default: 0.",
        ),
    ] = None,
    half_byes: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="In a Swiss tournament, the most half-point byes of a bot, on request or as a "
            f"late entrant. Default: {USUAL_HALF_BYES}.",
        ),
    ] = None,
    apart: Annotated[
        KeptApart | None,
        typer.Option(
            help="Which bots do not meet where that can be avoided: those of one author, of one "
            "team, or none. Default: author.",
        ),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT,BOT",
            help="Two bots that may not meet; repeat it for more pairs. In a groups tournament "
            "that holds until the knockout. `ladder forbid` does it later.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Begin the first round no earlier than at this time: 18:30, the next one, or a "
            "date and time (ISO 8601), local without a zone.",
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Begin each later round no earlier than this long after the start of the one "
            "before: 30m, 1h30m or 90s. `ladder start` moves a round.",
        ),
    ] = None,
    title: Annotated[
        str, typer.Option(help="The tournament's title. Default: its folder and its game.")
    ] = "",
    seed: SeedOption = None,
    until_round: UntilRoundOption = None,
    settings: SettingsOption = None,
    sandbox: SandboxOption = None,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write rules, table and rounds to this file."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE",
            help="Write the table to this file, and the cross table to FILE with -cross.",
        ),
    ] = None,
    trf: Annotated[
        Path | None,
        typer.Option(
            "--trf",
            metavar="FILE",
            help="Write a Swiss tournament or round robin of two seats to this file in FIDE's TRF "
            "format.",
        ),
    ] = None,
    workers: WorkersOption = None,
    ladder: StandingOption = None,
    *,
    reproducible: ReproducibleOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every round and rule, however long.")
    ] = False,
) -> None:
    """Play, continue or show a tournament.

    The same command continues an interrupted tournament, without the bots' names if you like, and
    shows a finished one.
    """
    from ladder.cli import progress
    from ladder.cli.until_round import leaders, planner_until, print_stopped, repeated
    from ladder.scheduling.tournament.planner import TournamentPlan
    from ladder.storage.ladder import Ladder
    from ladder.submission.contests import Wanted, check_same, make
    from ladder.submission.tournaments import TournamentRequest, begun

    config = partial(game_settings, texts=settings or ())
    wanted = Wanted(game, seats, seed, config, sandbox, title_of(title))
    draft = TournamentPlan(
        kind,
        (),
        rounds=rounds,
        group_size=group_size,
        advancing=advancing,
        deals=deals or 1,
        sudden_death=sudden_death,
        late_bye=late_bye,
        half_byes=half_byes,
        apart=apart,
        start=None if start is None else moments.moment_of(start, moments.now()).isoformat(),
        every_s=None if every is None else moments.seconds_of(every),
    )
    pairs = [_pair(text) for text in forbid or ()]
    asked = TournamentRequest(
        draft, deals, seeding, entrants or (), ladder, start, forbidden=pairs, game=game
    )
    asked.check()
    if entries is not None:
        asked = _with_list(asked, entries)
    home = Home(folder)
    if not home.holds_ladder:
        named = asked.named()
        make(folder, wanted, named, chosen_secret(seed, reproducible=reproducible))
    with Ladder.open(home) as opened:
        check_same(opened, wanted)
        plan = begun(opened, asked, say_plainly)
        command = f"{program()} tournament {kind} {shlex.quote(str(folder))}"
        paused = _pause(opened)
        if paused is None and (planner := planner_until(opened, plan, until_round)):
            shown = progress.shown(console, partial(leaders, opened, plan))
            play(opened, planner, workers, lambda _: repeated(command, until_round), shown)
        _print_outcome(opened, plan, {"json": json, "csv": csv, "trf": trf}, everything=everything)
        if paused is not None:
            why = f": {paused.why}" if paused.why else ""
            console.print()
            say_plainly(f"Paused by the director since {paused.given_at}{why}")
            say(f"To resume: {command_line('resume', opened.home)}")
        else:
            print_stopped(opened, plan, until_round, command)


def _pair(text: str) -> tuple[str, str]:
    """Return the two bots of an option; raise `SettingsError` if it names other than two."""
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):  # noqa: PLR2004 - a pair
        raise SettingsError(f"--forbid takes two bots with a comma between them, not {text!r}")
    return names[0], names[1]


def _with_list(asked: "TournamentRequest", file: Path) -> "TournamentRequest":
    """Return what is asked with the bots of an entry list; print its faults if it has several."""
    from ladder.submission.entry_list import FaultyListError

    try:
        with_list = asked.with_list(file)
    except FaultyListError as error:
        for fault in error.faults if len(error.faults) > 1 else ():
            say_plainly(fault)
        raise
    if with_list.listed and with_list.listed.ignored:
        say_plainly(f"{file}: columns not read: {', '.join(with_list.listed.ignored)}.")
    return with_list


def _pause(ladder: "Ladder") -> "Directive | None":
    """Return the directive that pauses the tournament; None if it is not paused."""
    from ladder.storage.tables import directives

    with ladder.database.read() as tx:
        return directives.pause(tx)


def _export(
    show: "TournamentSummary", title: str, game: str, files: Mapping[str, Path | None]
) -> None:
    """Write the tournament to the files that were asked for."""
    from ladder.scheduling.tournament.cross_tables import to_csv
    from ladder.scheduling.tournament.trf import to_trf

    if (file := files["json"]) is not None:
        write(file, show.to_json(title, game))
    if (file := files["csv"]) is not None:
        write(file, show.to_csv())
        write(file.with_name(f"{file.stem}-cross{file.suffix}"), to_csv(show.crosses(), show.names))
    if (file := files["trf"]) is not None:
        write(file, to_trf(show, title))


def _print_outcome(
    ladder: "Ladder", plan: "TournamentPlan", files: Mapping[str, Path | None], *, everything: bool
) -> None:
    """Print the table, the rounds and the rules, and write the exports."""
    from ladder.cli.tournament_text import print_tournament
    from ladder.cli.until_round import summary_of
    from ladder.scheduling.tournament.team_standings import of_interest

    show, settings = summary_of(ladder, plan), ladder.settings
    title, game = ladder.title, game_named(settings.game).title
    console.print()
    print_tournament(console, show, title, game, everything=everything)
    _export(show, title, settings.game, files)
    by_which = [standings.by for standings in of_interest(show)]
    print_more(ladder, {f"standings --by {by}": f"how each {by} did" for by in by_which})
