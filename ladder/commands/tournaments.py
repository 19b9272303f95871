"""Tournaments: one command makes, plays, continues and shows one."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ladder import contenders, contest, tables
from ladder.commands.common import WorkersOption, console, program, say
from ladder.commands.contests import (
    GameOption,
    SandboxOption,
    SeatsOption,
    SettingsOption,
    StandingOption,
    Wanted,
    check_files,
    check_same,
    enter,
    make,
    tell_more,
    tell_topics,
    write,
)
from ladder.commands.playing import play
from ladder.commands.seeds import ReproducibleOption, SeedOption
from ladder.errors import SettingsError
from ladder.home import Home
from ladder.ladder import Ladder
from ladder.store import bots
from ladder.tournament import Course, Kind, Plan, TournamentPlanner, course, stored_rounds
from ladder.tournament_table import Shown
from referee.games import game_named


def tournament(
    kind: Annotated[Kind, typer.Argument(metavar="FORMAT", help=f"{', '.join(Kind)}.")],
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Its folder: a ladder of its own, made if need be."),
    ],
    entrants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT",
            help="In the order of their seeds: folders with a bot.toml, or names of bots of a "
            "standing ladder. Default: all that play there, the strongest first.",
        ),
    ] = None,
    game: GameOption = None,
    seats: SeatsOption = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rounds of a Swiss tournament (default: enough for one leader, and two more); "
            "how often a round robin or gauntlet is played (default: once).",
        ),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Deals that each meeting is played with, each on all rotations of the seats: "
            "more of them, less luck. Default: 1.",
        ),
    ] = None,
    group_size: Annotated[
        int | None, typer.Option(min=2, help="Bots in a group, or a few more. Default: 4.")
    ] = None,
    advancing: Annotated[
        int | None, typer.Option(min=1, help="How many of each group go on. Default: 2.")
    ] = None,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    sandbox: SandboxOption = None,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write rules, table and rounds there."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the final table there.")
    ] = None,
    workers: WorkersOption = None,
    ladder: StandingOption = None,
    *,
    reproducible: ReproducibleOption = False,
) -> None:
    """Play a tournament, or go on with it; once it is over, show it.

    The same command continues one that was interrupted; then the bots need not be named again.
    """
    wanted = Wanted(game, seats, seed, reproducible, settings, sandbox)
    draft = Plan(
        kind,
        (),
        rounds=rounds,
        group_size=group_size,
        advancing=advancing,
        deals=deals or 1,
    )
    draft.form()
    home = Home(folder)
    if not home.database.exists():
        make(folder, wanted, _named(entrants, ladder))
    with Ladder.open(home) as opened:
        check_same(opened, wanted)
        plan = contest.read(opened)
        if plan is None:
            plan = _begin(opened, draft, _named(entrants, ladder))
        elif not isinstance(plan, Plan):
            raise SettingsError(f"{folder}: there is a duel in this folder")
        else:
            _check_plan(opened, plan, draft, entrants or [], deals)
            if entrants:
                to_go_on = "leave the bots out to go on"
                check_files(opened, entrants, ladder, plan.entrants, to_go_on)
        if not _now(opened, plan).over:
            again = f"{program()} tournament {kind} {shlex.quote(str(folder))}"
            play(opened, TournamentPlanner(plan, opened.settings.seats), workers, lambda: again)
        _tell(opened, plan, json, csv)


def _named(entrants: list[str] | None, ladder: Path | None) -> contenders.Contenders:
    """Return who is to take part; raise `SettingsError` unless it is two at least."""
    named = contenders.find(entrants or [], ladder)
    if len(named.each) < 2:  # noqa: PLR2004 - a comparison needs two
        remote = ", and remote ones take no part" if named.left_out else ""
        raise SettingsError(f"a tournament needs at least two bots{remote}")
    return named


def _begin(ladder: Ladder, draft: Plan, named: contenders.Contenders) -> Plan:
    """Enter the bots, and note what is played."""
    if named.left_out:
        say(f"Left out, as remote bots play on standing ladders only: {', '.join(named.left_out)}.")
    entrants = tuple(version.id for version in enter(ladder, named.each))
    plan = replace(draft, entrants=entrants)
    contest.begin(ladder, plan)
    return plan


def _check_plan(
    ladder: Ladder, plan: Plan, draft: Plan, entrants: list[str], deals: int | None
) -> None:
    """Raise `SettingsError` if something else is asked for than was begun in this folder."""
    asked: dict[str, tuple[object, object]] = {
        "FORMAT": (draft.kind, plan.kind),
        "--rounds": (draft.rounds, plan.rounds),
        "--deals": (deals, plan.deals),
        "--group-size": (draft.group_size, plan.group_size),
        "--advancing": (draft.advancing, plan.advancing),
    }
    if entrants:
        with ladder.database.read() as tx:
            known = bots.all_versions(tx)
        playing = [known[e].bot for e in plan.entrants]
        asked["BOT..."] = (_bots(entrants), playing)
    for name, (now, begun) in asked.items():
        if now is not None and now != begun:
            said = ", ".join(begun) if isinstance(begun, list) else begun
            raise SettingsError(
                f"{ladder.home.path}: the tournament in this folder was begun with {name} "
                f"{said or 'left out'}; name another folder for another one"
            )


def _bots(entrants: list[str]) -> list[str]:
    """Return the names of bots that are named on the command line."""
    return [contenders.bot_of(word) for word in entrants]


def _now(ladder: Ladder, plan: Plan) -> Course:
    """Return how far it is."""
    seats = ladder.settings.seats
    with ladder.database.read() as tx:
        return course(plan, seats, stored_rounds(tx, seats))


def _tell(ladder: Ladder, plan: Plan, json: Path | None, csv: Path | None) -> None:
    """Print the rules, the rounds and the table, and write what is to be written."""
    settings = ladder.settings
    with ladder.database.read() as tx:
        versions = bots.all_versions(tx)
    now = _now(ladder, plan)
    entered = {e: versions[e] for e in plan.entrants}
    show = Shown(plan, settings.seats, contest.labels(entered), now)
    game = game_named(settings.game).title
    console.print()
    console.print(Text(show.title(game), style="bold"))
    tell_topics(show.rules())
    if now.field.rounds:
        console.print()
        tables.print_table(console, show.rounds_table())
    console.print()
    tables.print_table(console, show.final_table())
    if now.over:
        say(f"\n{show.names[now.lines[0].entrant]} wins.")
    for file, text in ((json, show.to_json()), (csv, show.to_csv())):
        if file is not None:
            write(file, text)
    tell_more(ladder)
