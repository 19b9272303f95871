"""Playing rounds, and the demonstration."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ladder.cli import tables
from ladder.cli.bots import what_became
from ladder.cli.console import (
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
from ladder.cli.options import (
    CertificateOption,
    ClientRootsOption,
    KeyOption,
    RemoteOption,
    gateway_settings_of,
)
from ladder.cli.run_ends import Ends, limits_of
from ladder.model.cores import cores
from ladder.model.errors import LadderError
from ladder.model.presence import Presence
from ladder.model.settings import Aim
from ladder.results.standings import standings as ranked
from ladder.scheduling.planner import Planner, RunLimits
from referee.cli.terminal import INTERRUPTED
from referee.core.lossy_output import lossy_output

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ladder.cli.demo import Demonstration
    from ladder.model.progress import Progress
    from ladder.runner.remote.gateway import Gateway
    from ladder.runner.remote.gateway_process import GatewaySettings
    from ladder.runner.run import Report
    from ladder.storage.ladder import Ladder


@lossy_output()
def run(
    rounds: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="End after so many new rounds. In each every bot plays about one deal. "
            "Default: 1, if nothing else says when to end.",
        ),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="End after so many matches.", metavar="N")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="End after so many minutes.", metavar="M")
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

    --rounds, --matches, --minutes and --until-settled may be combined: whichever comes first ends
    it. The matches under way are finished; what is planned and not played comes first next time.
    Ctrl-C stops after the matches under way, a second one at once; nothing is lost either way.
    What is settled is the order of all (ranking) or who the best three are (top). Bots of which
    neither wins more than 55 % against the other may stand in either order.
    The ladder of a tournament or duel is played to its end. Remote bots play while their gateway is
    open, which --remote does.
    """
    from ladder.runner.remote.gateway import opened_gateway
    from ladder.scheduling.contest import planner_of

    limits = limits_of(matches, minutes)
    bounded = rounds is not None or until_settled or limits != RunLimits()
    if forever and bounded:
        raise LadderError(
            "--forever has no end: leave out --rounds, --matches, --minutes and --until-settled"
        )
    if aim is not None and not (until_settled or forever):
        raise LadderError(
            "--aim is for --until-settled and --forever; `ladder settings --aim` sets the ladder's"
        )
    if log is Log.JSON and not forever:
        raise LadderError("--log json is for --forever")
    with open_ladder(ladder) as opened:
        if planner := planner_of(opened):
            if bounded or forever or remote:
                raise LadderError("this ladder is played for a tournament or duel, to its end")
            play(opened, planner, workers, lambda _: command_line("run", opened.home))
            return
        gateway_settings = gateway_settings_of(remote, tls_cert, tls_key, client_ca)
        if forever:
            _play_forever(opened, workers, aim, log, gateway_settings)
            return
        wanted = Ends(rounds if bounded else 1, limits, until_settled, aim)
        with opened_gateway(opened, gateway_settings) as gateway:
            _gather(opened, gateway)
            _play(opened, wanted, workers, gateway)


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where its ladders are made, one a game.")
    ] = Path("demo"),
    workers: WorkersOption = None,
) -> None:
    """Play a small tournament of the sample bots in each game; once more adds to it."""
    from ladder.cli.demo import demonstrations

    for number, tournament in enumerate(demonstrations(folder)):
        if number:
            console.print()
        _demonstrate(tournament, workers)
    say(f"\nThe ladders are in {folder}, a folder for each game.")


def _demonstrate(tournament: "Demonstration", workers: int | None) -> None:
    """Play one game's part of the demo."""
    from ladder.cli.demo import ROUNDS
    from ladder.results.strengths import rating_of_record
    from ladder.storage.ladder import Ladder
    from ladder.submission.submit import submit

    console.print(Text(tournament.title, style="bold"))
    home = tournament.home()
    with Ladder.open(home) as opened:
        for path in tournament.bots:
            say(what_became(submit(opened, path, say_plainly)))
        _play(opened, Ends(ROUNDS), workers)
        rows = ranked(opened.tallies(), rating_of_record(opened).strengths)
        newest = opened.latest(1)[0].match_id[: tables.ID_SHOWN]
    console.print()
    tables.print_standings(console, rows)
    say("\nSee its last match turn by turn, and all matches:")
    say(f"  {command_line(f'replay {newest}', home)}")
    say(f"  {command_line('matches', home)}")


def _gather(ladder: "Ladder", gateway: "Gateway | None") -> None:
    """Wait for the remote bots that are to play, but not for long."""
    from ladder.runner.run import SECONDS_TO_COME_BACK

    remote = [tally.version for tally in ladder.tallies() if tally.version.is_remote]
    if not remote:
        return
    if gateway is None:
        say("Remote bots do not play now: they can join only with --remote.")
        return
    say(f"Remote bots can join at {gateway.address}; waiting for {len(remote)} of them.")
    if missing := gateway.gather(remote, SECONDS_TO_COME_BACK):
        say(f"Not here: {', '.join(version.bot for version in missing)}.")


def _play(
    ladder: "Ladder", wanted: Ends, workers: int | None, gateway: "Gateway | None" = None
) -> None:
    """Play as far as is wanted, and tell how it went; exit as interrupted if it was."""
    from ladder.results.strengths import rating_of_record
    from ladder.scheduling.ladder.planner import LadderPlanner

    planner = LadderPlanner(
        ladder,
        wanted.rounds,
        until_settled=wanted.until_settled,
        aim=wanted.aim,
        presence=gateway.presence if gateway else Presence(),
    )
    if notice := planner.notice():
        say(notice)
    say(wanted.told(planner.matches_a_round()))

    def again(report: "Report") -> str:
        return command_line(wanted.again(planner.left, report), ladder.home)

    report = play(ladder, planner, workers, again, gateway=gateway, limits=wanted.limits)
    rating_of_record(ladder)  # kept, so that whoever looks next need not wait for it
    if said := planner.settled():
        say(f"So far {said}." if report.limited else f"Settled: {said}.")


@lossy_output()
def play(
    ladder: "Ladder",
    planner: Planner,
    workers: int | None,
    again: Callable[["Report"], str],
    progress: "AbstractContextManager[Progress] | None" = None,
    gateway: "Gateway | None" = None,
    limits: RunLimits = RunLimits(),  # noqa: B008 -- it is frozen
) -> "Report":
    """Play until the planner has no more and tell how it went; exit as interrupted if it was.

    `again` returns the command that goes on; `progress` is shown instead of the usual bar.
    """
    from ladder.cli.progress import shown
    from ladder.runner.line_progress import rates
    from ladder.runner.run import run as run_planned
    from referee.sandbox.levels import open_sandbox

    wanted = ladder.settings.sandbox
    say(contained(open_sandbox(wanted).level, wanted))
    try:
        with progress or shown(console) as told:
            report = run_planned(
                ladder, planner, workers or cores(), told, gateway=gateway, limits=limits
            )
    except KeyboardInterrupt:
        say("Interrupted: the matches under way are played when the ladder is run again.")
        raise typer.Exit(INTERRUPTED) from None
    speed = rates(report.matches, report.decisions, report.seconds)
    played = f"Played {in_matches(report.matches)} in {report.seconds:.1f} s"
    say(f"{played} ({speed})." if speed else f"{played}.")
    if lost := report.void - report.postponed:
        say(f"{in_matches(lost)} given up as void.")
    if report.postponed:
        told_postponed = f"{in_matches(report.postponed)} given up for now"
        if ladder.settings.contest is not None and not (report.interrupted or report.paused):
            raise LadderError(f"{told_postponed}, so this is not over. To go on: {again(report)}")
        say(f"{told_postponed}. To play what was given up: {again(report)}")
    if report.paused:
        resume = command_line("resume", ladder.home)
        say(f"Paused by the director: {_to_come(report, planner)}. To go on: {resume}")
        raise typer.Exit(INTERRUPTED)
    if report.interrupted:
        say(f"Interrupted: {_to_come(report, planner)}. To continue: {again(report)}")
        raise typer.Exit(INTERRUPTED)
    if report.limited:
        say(f"Ended as was asked: {_to_come(report, planner)}. To continue: {again(report)}")
    return report


def _to_come(report: "Report", planner: Planner) -> str:
    """Return what is left of a run that ended early."""
    planned = f"{in_matches(report.left_over)} planned and not played"
    ahead = planner.ahead()
    if ahead is None:
        return f"{planned}, more to plan"
    return f"{planned}, {in_matches(ahead)} to plan" if ahead else planned


def _play_forever(
    ladder: "Ladder",
    workers: int | None,
    aim: Aim | None,
    log: Log,
    gateway_settings: "GatewaySettings | None",
) -> None:
    """Play until somebody asks to stop, which is how it ends."""
    from ladder.cli.progress import shown
    from ladder.runner.forever import play_forever
    from ladder.runner.json_log import logged
    from ladder.runner.remote.gateway import opened_gateway
    from referee.sandbox.levels import open_sandbox

    wanted = ladder.settings.sandbox
    level = contained(open_sandbox(wanted).level, wanted)
    try:
        with (
            logged(ladder.home.path) if log is Log.JSON else shown(console) as told,
            opened_gateway(ladder, gateway_settings) as gateway,
        ):
            told.say(level)
            if gateway is not None:
                told.say(f"Remote bots can join at {gateway.address}.")
            play_forever(ladder, workers or cores(), told, aim, gateway=gateway)
            told.say("Stopped.")
    except KeyboardInterrupt:
        say("Interrupted: the matches under way are played when the ladder is run again.")
        raise typer.Exit(INTERRUPTED) from None
