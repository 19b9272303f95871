"""The commands `ladder run` and `ladder demo`."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ladder.cli import tables
from ladder.cli.cluster import ClusterCertificatesOption, ClusterOption, cluster_of
from ladder.cli.console import (
    LadderOption,
    LogFormat,
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
from ladder.cli.run_ends import Ends, UntilRoundOption, limits_of
from ladder.model.cores import cores
from ladder.model.errors import LadderError
from ladder.model.presence import Presence
from ladder.model.settings import Aim
from ladder.scheduling.planner import Planner, RunLimits
from referee.cli.terminal import INTERRUPTED, complete_game
from referee.core.lossy_output import lossy_output

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ladder.cli.demo import Demonstration
    from ladder.model.progress import Progress
    from ladder.runner.cluster.reach import Cluster
    from ladder.runner.pool import Workers
    from ladder.runner.remote.gateway import Gateway
    from ladder.runner.remote.gateway_process import GatewaySettings
    from ladder.runner.report import Report
    from ladder.storage.ladder import Ladder


@lossy_output()
def run(
    rounds: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Stop after N new rounds. In a round every bot plays about one deal. "
            "Default: 1, if no other option ends the run.",
        ),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Stop after N matches.", metavar="N")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Stop after M minutes.", metavar="M")
    ] = None,
    workers: WorkersOption = None,
    *,
    until_settled: Annotated[
        bool,
        typer.Option(
            "--until-settled", help="Stop when the ranking is right with a probability of 0.95."
        ),
    ] = False,
    forever: Annotated[
        bool,
        typer.Option("--forever", help="Play until settled, then again whenever a bot changes."),
    ] = False,
    aim: Annotated[
        Aim | None,
        typer.Option(
            help="With --until-settled or --forever: what to settle. Default: the ladder's aim."
        ),
    ] = None,
    until_round: UntilRoundOption = None,
    log: LogOption = LogFormat.TEXT,
    remote: RemoteOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    client_ca: ClientRootsOption = None,
    cluster: ClusterOption = None,
    certificates: ClusterCertificatesOption = None,
    ladder: LadderOption = None,
) -> None:
    """Play rounds, starting with matches left over from an interrupted run.

    You can combine --rounds, --matches, --minutes and --until-settled: the first one reached ends
    the run. Running matches finish; the next run starts with the matches already planned.
    Ctrl-C stops after the running matches, a second Ctrl-C at once; neither loses a result.
    A run can settle the order of all bots (ranking) or the best three (top). Two bots that win at
    most 55 % against each other may stand in either order.
    A ladder of a tournament or duel is played to its end. Remote bots play only while --remote
    keeps their gateway open.
    """
    limits = limits_of(matches, minutes)
    bounded = rounds is not None or until_settled or limits != RunLimits()
    if forever and bounded:
        raise LadderError("--forever excludes --rounds, --matches, --minutes and --until-settled")
    if aim is not None and not (until_settled or forever):
        raise LadderError(
            "--aim needs --until-settled or --forever; `ladder settings --aim` sets the ladder's"
        )
    if log is LogFormat.JSON and not forever:
        raise LadderError("--log json needs --forever")
    if cluster is not None and (workers or remote):
        raise LadderError("--cluster excludes --workers and --remote")
    number = cluster_of(cluster, certificates) or workers or cores()
    with _started(number, forever=forever) as crew, open_ladder(ladder) as opened:
        from ladder.runner.remote.gateway import opened_gateway
        from ladder.scheduling.contest import planner_of

        if planner := planner_of(opened):
            if bounded or forever or remote:
                raise LadderError(
                    "this ladder plays a tournament or duel to its end: omit these options"
                )
            _play_contest(opened, planner, until_round, crew)
            return
        if until_round is not None:
            raise LadderError("--until-round is for tournaments; a ladder takes --rounds")
        gateway_settings = gateway_settings_of(remote, tls_cert, tls_key, client_ca)
        if forever:
            _play_forever(opened, number, aim, log, gateway_settings)
            return
        wanted = Ends(rounds if bounded else 1, limits, until_settled, aim)
        with opened_gateway(opened, gateway_settings) as gateway:
            _gather(opened, gateway)
            _play(opened, wanted, crew, gateway)


def _play_contest(
    ladder: "Ladder", planner: Planner, until_round: str | None, workers: "Workers"
) -> None:
    """Play a tournament or duel to its end, or a tournament until a round."""
    from ladder.cli.tournament_text import print_pairings
    from ladder.cli.until_round import planner_until, print_stopped, repeated, summary_of
    from ladder.scheduling import contest
    from ladder.scheduling.tournament.planner import TournamentPlan

    command = command_line("run", ladder.home)
    plan = contest.read(ladder)
    if until_round is None:
        play(ladder, planner, workers, lambda _: command)
        if isinstance(plan, TournamentPlan):
            print_stopped(ladder, plan, until_round, command)
        return
    if not isinstance(plan, TournamentPlan):
        raise LadderError("--until-round is for tournaments, and this is a duel")
    if first := planner_until(ladder, plan, until_round):
        play(ladder, first, workers, lambda _: repeated(command, until_round))
    print_pairings(console, summary_of(ladder, plan))
    print_stopped(ladder, plan, until_round, command)


def _started(workers: "Cluster | int", *, forever: bool) -> "AbstractContextManager[Workers]":
    """Start the workers of a run now, if it is to have them from the beginning to the end."""
    from ladder.runner.crew import Crew

    return Crew(workers) if isinstance(workers, int) and not forever else nullcontext(workers)


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder for its ladders, one per game.")
    ] = Path("demo"),
    workers: WorkersOption = None,
    *,
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            help="Play this game only; may be repeated. A game without sample bots gets random "
            "ones.",
            autocompletion=complete_game,
        ),
    ] = None,
    cluster: Annotated[
        bool,
        typer.Option(
            "--cluster", help="Play on a cluster: a scheduler and two workers on this machine."
        ),
    ] = False,
) -> None:
    """Play the sample bots of each game on a ladder; repeat the command to play more."""
    from ladder.cli.demo import demo_cluster, demonstrations, with_search

    if cluster and workers:
        raise LadderError("--cluster excludes --workers")
    with demo_cluster() if cluster else nullcontext(workers) as players:
        for number, tournament in enumerate(demonstrations(folder, games or [])):
            if number:
                console.print()
            _demonstrate(with_search(tournament), players)
    say(f"\nThe ladders are in {folder}, one folder per game.")


def _demonstrate(tournament: "Demonstration", workers: "Workers | None") -> None:
    """Play one game's part of the demo."""
    from ladder.cli.demo import ROUNDS
    from ladder.results import queries
    from ladder.storage.ladder import Ladder
    from ladder.submission.submit import submit

    console.print(Text(tournament.title, style="bold"))
    home = tournament.home()
    with Ladder.open(home) as opened:
        for path in tournament.bots:
            say(str(submit(opened, path, say_plainly)))
        _play(opened, Ends(ROUNDS), workers)
        rows = queries.standings(opened)
        newest = queries.latest(opened, 1)[0].match_id[: tables.ID_SHOWN]
    console.print()
    tables.print_standings(console, rows)
    say("\nTo see its last match turn by turn, and to list all matches:")
    say(f"  {command_line(f'replay {newest}', home)}")
    say(f"  {command_line('matches', home)}")


def _gather(ladder: "Ladder", gateway: "Gateway | None") -> None:
    """Wait briefly for remote bots to connect."""
    from ladder.results import queries
    from ladder.runner.run import SECONDS_TO_COME_BACK

    remote = [version for version in queries.playing(ladder) if version.is_remote]
    if not remote:
        return
    if gateway is None:
        say("Remote bots cannot play in this run: they join only with --remote.")
        return
    say(f"Remote bots can join at {gateway.address}; waiting for {len(remote)} of them.")
    if missing := gateway.gather(remote, SECONDS_TO_COME_BACK):
        say(f"Not connected: {', '.join(version.bot for version in missing)}.")


def _play(
    ladder: "Ladder",
    wanted: Ends,
    workers: "Workers | None",
    gateway: "Gateway | None" = None,
) -> None:
    """Play until the conditions are met, and report; exit with a status if interrupted."""
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
    say(wanted.summary(planner.matches_a_round()))

    def again(report: "Report") -> str:
        return command_line(wanted.again(planner.left, report), ladder.home)

    report = play(ladder, planner, workers, again, gateway=gateway, limits=wanted.limits)
    rating_of_record(ladder)  # fills the cache for the next reader
    if answer := planner.settled():
        say(f"So far {answer}." if report.limited else f"Settled: {answer}.")


@lossy_output()
def play(
    ladder: "Ladder",
    planner: Planner,
    workers: "Workers | None",
    again: Callable[["Report"], str],
    progress: "AbstractContextManager[Progress] | None" = None,
    gateway: "Gateway | None" = None,
    limits: RunLimits = RunLimits(),  # noqa: B008 -- it is frozen
) -> "Report":
    """Play until the planner has no more matches, and report; exit with a status if interrupted.

    `again` returns the command that continues; `progress` replaces the usual bar.
    """
    from ladder.cli.progress import shown
    from ladder.runner.line_progress import rates
    from ladder.runner.run import run as run_planned
    from referee.sandbox.levels import open_sandbox

    wanted = ladder.settings.sandbox
    say(contained(open_sandbox(wanted).level, wanted))
    _warn_of_memory(ladder, workers or cores(), say)
    try:
        with progress or shown(console) as reporting:
            report = run_planned(
                ladder, planner, workers or cores(), reporting, gateway=gateway, limits=limits
            )
    except KeyboardInterrupt:
        say("Interrupted: the next run plays the unfinished matches again.")
        raise typer.Exit(INTERRUPTED) from None
    speed = rates(report.matches, report.decisions, report.seconds)
    unrated = f" and {report.spars} unrated" if report.spars else ""
    played = f"Played {in_matches(report.matches)}{unrated} in {report.seconds:.1f} s"
    say(f"{played} ({speed})." if speed else f"{played}.")
    if lost := report.void - report.postponed:
        lost_text = f"{in_matches(lost)} given up as void"
        if not (report.matches or report.postponed or report.interrupted or report.paused):
            raise LadderError(f"{lost_text}, and none played")
        say(f"{lost_text}.")
    if report.postponed:
        postponed_text = f"{in_matches(report.postponed)} given up for now"
        if ladder.settings.contest is not None and not (report.interrupted or report.paused):
            raise LadderError(
                f"{postponed_text}: the contest is not over. To go on: {again(report)}"
            )
        say(f"{postponed_text}. To play them: {again(report)}")
    if report.paused:
        resume = command_line("resume", ladder.home)
        say(f"Paused by the director: {_to_come(report, planner)}. To resume: {resume}")
        raise typer.Exit(INTERRUPTED)
    if report.interrupted:
        say(f"Interrupted: {_to_come(report, planner)}. To continue: {again(report)}")
        raise typer.Exit(INTERRUPTED)
    if report.limited:
        say(f"Limit reached: {_to_come(report, planner)}. To continue: {again(report)}")
    return report


def _warn_of_memory(ladder: "Ladder", workers: "Workers", warn: Callable[[str], None]) -> None:
    """Warn if the bots of a run on this machine may use more memory than there is."""
    from ladder.runner.crew import Crew
    from ladder.runner.memory_need import shortage

    number = len(workers.workers) if isinstance(workers, Crew) else workers
    if isinstance(number, int) and (short := shortage(number, ladder.settings.seats)):
        warn(f"{short[0].upper()}{short[1:]}.")


def _to_come(report: "Report", planner: Planner) -> str:
    """Describe the rest of a run that ended early."""
    planned = f"{in_matches(report.left_over)} planned but not played"
    ahead = planner.ahead()
    if ahead is None:
        return f"{planned}, more to plan"
    return f"{planned}, {in_matches(ahead)} to plan" if ahead else planned


def _play_forever(
    ladder: "Ladder",
    workers: "Cluster | int",
    aim: Aim | None,
    log: LogFormat,
    gateway_settings: "GatewaySettings | None",
) -> None:
    """Play until the user or the service manager stops the run."""
    from ladder.cli.progress import shown
    from ladder.runner.forever import play_forever
    from ladder.runner.json_log import logged
    from ladder.runner.log_limit import limit_log
    from ladder.runner.remote.gateway import opened_gateway
    from referee.sandbox.levels import open_sandbox

    wanted = ladder.settings.sandbox
    level = contained(open_sandbox(wanted).level, wanted)
    limit_log()
    try:
        with (
            logged(ladder.home.path) if log is LogFormat.JSON else shown(console) as reporting,
            opened_gateway(ladder, gateway_settings) as gateway,
        ):
            reporting.say(level)
            _warn_of_memory(ladder, workers, reporting.say)
            if gateway is not None:
                reporting.say(f"Remote bots can join at {gateway.address}.")
            play_forever(ladder, workers, reporting, aim, gateway=gateway)
            reporting.say("Stopped.")
    except KeyboardInterrupt:
        say("Interrupted: the next run plays the unfinished matches again.")
        raise typer.Exit(INTERRUPTED) from None
