"""Playing rounds, and the demonstration."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ladder import tables
from ladder.commands.common import (
    LadderOption,
    Log,
    LogOption,
    WorkersOption,
    command_line,
    console,
    contained,
    in_matches,
    open_ladder,
    say,
    say_plainly,
)
from ladder.commands.entrants import what_became
from ladder.commands.gates import (
    CertificateOption,
    ClientRootsOption,
    KeyOption,
    RemoteOption,
    gate_settings,
)
from ladder.contest import planner_of
from ladder.demo import ROUNDS, Demonstration, demonstrations
from ladder.errors import LadderError
from ladder.execution.attendance import Attendance
from ladder.execution.gatehouse import Gatehouse, opened_gate
from ladder.execution.gatekeeper import GateSettings
from ladder.journal import logged
from ladder.ladder import Ladder
from ladder.machine import cores
from ladder.planning import Planner
from ladder.progress import rates, shown
from ladder.running import SECONDS_TO_COME_BACK, Progress
from ladder.running import run as run_planned
from ladder.settings import Aim
from ladder.standings import standings as ranked
from ladder.submitting import submit
from referee.sandbox.levels import open_sandbox
from referee.terminal import INTERRUPTED


def run(
    rounds: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="New rounds: a seat for every bot, or a fiftieth more blocks. Default: 1.",
        ),
    ] = None,
    workers: WorkersOption = None,
    *,
    until_settled: Annotated[
        bool,
        typer.Option(
            "--until-settled", help="Play until the ranking is right with a probability of 0.95."
        ),
    ] = False,
    forever: Annotated[
        bool,
        typer.Option(
            "--forever", help="Play until settled, then wait for bots to change, and so on."
        ),
    ] = False,
    aim: Annotated[
        Aim | None,
        typer.Option(
            help="With --until-settled or --forever: what is to be right. Default: the ladder's "
            "aim."
        ),
    ] = None,
    log: LogOption = Log.TEXT,
    remote: RemoteOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    client_ca: ClientRootsOption = None,
    ladder: LadderOption = None,
) -> None:
    """Play rounds, after what is left over from an interrupted run.

    Ctrl-C stops after the matches under way, a second one at once; nothing is lost either way.
    What is settled is the order of all (ranking) or who the best three are (top). Bots of which
    neither wins more than 52.5 % against the other may stand in either order.
    The ladder of a tournament or duel is played to its end. Remote bots play while their gate is
    open, which --remote does.
    """
    if (rounds is not None) + until_settled + forever > 1:
        raise LadderError("choose one of --rounds, --until-settled and --forever")
    if aim is not None and not (until_settled or forever):
        raise LadderError(
            "--aim is for --until-settled and --forever; `ladder settings --aim` sets the ladder's"
        )
    if log is Log.JSON and not forever:
        raise LadderError("--log json is for --forever")
    with open_ladder(ladder) as opened:
        if planner := planner_of(opened):
            if rounds is not None or until_settled or forever or remote:
                raise LadderError("this ladder is played for a tournament or duel, to its end")
            play(opened, planner, workers, lambda: command_line("run", opened.home))
            return
        gate = gate_settings(remote, tls_cert, tls_key, client_ca)
        if forever:
            _play_forever(opened, workers, aim, log, gate)
            return
        left = None if until_settled else 1 if rounds is None else rounds
        with opened_gate(opened, gate) as gatehouse:
            _gather(opened, gatehouse)
            _play(opened, left, workers, aim, gatehouse)


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where its ladders are made, one a game.")
    ] = Path("demo"),
    workers: WorkersOption = None,
) -> None:
    """Play a small tournament of the sample bots in each game; once more adds to it."""
    for number, tournament in enumerate(demonstrations(folder)):
        if number:
            console.print()
        _demonstrate(tournament, workers)
    say(f"\nThe ladders are in {folder}, a folder for each game.")


def _demonstrate(tournament: Demonstration, workers: int | None) -> None:
    """Play one game's part of the demo."""
    console.print(Text(tournament.title, style="bold"))
    home = tournament.home()
    with Ladder.open(home) as opened:
        for path in tournament.bots:
            say(what_became(submit(opened, path, say_plainly)))
        _play(opened, ROUNDS, workers)
        rows = ranked(opened.tallies(), opened.strengths())
        newest = opened.latest(1)[0].match_id[: tables.ID_SHOWN]
    console.print()
    tables.print_standings(console, rows)
    say("\nSee its last match turn by turn, and all matches:")
    say(f"  {command_line(f'replay {newest}', home)}")
    say(f"  {command_line('matches', home)}")


def _gather(ladder: Ladder, gatehouse: Gatehouse | None) -> None:
    """Wait for the remote bots that are to play, but not for long."""
    remote = [tally.version for tally in ladder.tallies() if tally.version.is_remote]
    if not remote:
        return
    if gatehouse is None:
        say("Remote bots do not play now: they can join only with --remote.")
        return
    say(f"Remote bots can join at {gatehouse.address}; waiting for {len(remote)} of them.")
    if missing := gatehouse.gather(remote, SECONDS_TO_COME_BACK):
        say(f"Not here: {', '.join(version.bot for version in missing)}.")


def _play(
    ladder: Ladder,
    rounds: int | None,
    workers: int | None,
    aim: Aim | None = None,
    gatehouse: Gatehouse | None = None,
) -> None:
    """Play rounds, or until settled, and tell how it went; exit as interrupted if it was."""
    from ladder.rounds import Rounds  # noqa: PLC0415 - needs scipy, which is slow to import

    planner = Rounds(ladder, rounds, aim, gatehouse.here if gatehouse else Attendance())

    def again() -> str:
        how = "--until-settled" if planner.left is None else f"--rounds {planner.left}"
        return command_line(f"run {how}" + (f" --aim {aim}" if aim else ""), ladder.home)

    play(ladder, planner, workers, again, gatehouse=gatehouse)
    if said := planner.settled():
        say(f"Settled: {said}.")


def play(
    ladder: Ladder,
    planner: Planner,
    workers: int | None,
    again: Callable[[], str],
    progress: AbstractContextManager[Progress] | None = None,
    gatehouse: Gatehouse | None = None,
) -> None:
    """Play until the planner has no more and tell how it went; exit as interrupted if it was.

    `again` returns the command that goes on; `progress` is shown instead of the usual bar.
    """
    wanted = ladder.settings.sandbox
    say(contained(open_sandbox(wanted).level, wanted))
    try:
        with progress or shown(console) as told:
            report = run_planned(ladder, planner, workers or cores(), told, gatehouse=gatehouse)
    except KeyboardInterrupt:
        say("Interrupted: the matches under way are played when the ladder is run again.")
        raise typer.Exit(INTERRUPTED) from None
    speed = rates(report.matches, report.decisions, report.seconds)
    played = f"Played {in_matches(report.matches)} in {report.seconds:.1f} s"
    say(f"{played} ({speed})." if speed else f"{played}.")
    if report.void:
        say(f"{in_matches(report.void)} given up as void.")
    if report.interrupted:
        say(f"Interrupted: {in_matches(report.left_over)} planned are left. To continue: {again()}")
        raise typer.Exit(INTERRUPTED)


def _play_forever(
    ladder: Ladder, workers: int | None, aim: Aim | None, log: Log, gate: GateSettings | None
) -> None:
    """Play until somebody asks to stop, which is how it ends."""
    from ladder.service import play_forever  # noqa: PLC0415 - needs scipy, which is slow to import

    wanted = ladder.settings.sandbox
    level = contained(open_sandbox(wanted).level, wanted)
    try:
        with (
            logged(ladder.home.path) if log is Log.JSON else shown(console) as told,
            opened_gate(ladder, gate) as gatehouse,
        ):
            told.say(level)
            if gatehouse is not None:
                told.say(f"Remote bots can join at {gatehouse.address}.")
            play_forever(ladder, workers or cores(), told, aim, gatehouse=gatehouse)
            told.say("Stopped.")
    except KeyboardInterrupt:
        say("Interrupted: the matches under way are played when the ladder is run again.")
        raise typer.Exit(INTERRUPTED) from None
