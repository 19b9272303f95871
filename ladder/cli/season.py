"""Commands for seasons, in which commands edit the bots between rounds."""

import json
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ladder.cli import tables
from ladder.cli.console import WorkersOption, console, program, say, say_heading, say_plainly
from ladder.cli.seeds import ReproducibleOption, SeedOption, chosen_secret
from ladder.model.errors import LadderError, SettingsError
from ladder.results.standings import DEVIATIONS
from referee.cli.terminal import INTERRUPTED
from referee.cli.unix_command import UnixCommand
from referee.core.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.scheduling.planner import Planner
    from ladder.season.folder import SeasonFolder
    from ladder.season.report import Progress, RoundLine, SeasonReport
    from ladder.storage.ladder import Ladder

app = typer.Typer(
    help="Let agents edit their bots between rounds, and rate what that brings.",
    no_args_is_help=True,
)
SeasonArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The season's folder.")]
JsonOption = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the report to this file.")
]
_SURE = 0.95


@app.command(cls=UnixCommand, epilog="Example: ladder season run examples/season/plan.toml spring")
def run(
    plan: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN", help="The plan: game, rounds, entrants and budget, in TOML."
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR", help="The season's folder; created if missing. Default: the plan's name."
        ),
    ] = None,
    seed: SeedOption = None,
    json_file: JsonOption = None,
    workers: WorkersOption = None,
    *,
    reproducible: ReproducibleOption = False,
) -> None:
    """Play a season, or continue one that was interrupted.

    Between rounds the command of each entrant edits its bot in a workspace that shows its own
    matches, the standings and the docs. The bot's folder is then sealed, built and validated as any
    submission, and plays the next round; of a bot that is rejected the version before plays on.
    """
    from ladder.season.folder import SeasonFolder
    from ladder.season.plan import read_plan
    from ladder.season.play import begin

    season, read = SeasonFolder(folder or Path(plan.stem)), read_plan(plan)
    if not season.has_begun:
        begin(season, read, chosen_secret(seed, reproducible=reproducible))
    elif season.plan.read_text("utf-8") != read.text:
        raise SettingsError(
            f"{season.path}: this season was begun with another plan, which is {season.plan}; "
            "name another folder for another season"
        )
    _play(season, read.rounds, workers)
    _show(season, json_file)


@app.command(cls=UnixCommand, epilog="Example: ladder season report spring --json report.json")
def report(folder: SeasonArgument, json_file: JsonOption = None) -> None:
    """Show ratings by round, changes, faults and costs, also of a season under way."""
    _show(_begun(folder), json_file)


@app.command(cls=UnixCommand, epilog="Example: ladder season rerun spring again")
def rerun(
    folder: SeasonArgument,
    again: Annotated[
        Path, typer.Argument(metavar="NEW", help="The new folder in which to play it again.")
    ],
    workers: WorkersOption = None,
) -> None:
    """Play a season again from its sealed folders, without commands, and compare.

    Bots that take all chance from the match's seed, and do not run out of time, play the same
    matches again. The status is 1 if any result or rating differs.
    """
    from ladder.season.folder import SeasonFolder
    from ladder.season.play import repeat
    from ladder.season.report import outcome
    from ladder.storage.ladder import Ladder

    season, new = _begun(folder), SeasonFolder(again)
    if again.exists():
        raise SettingsError(f"{again} exists: name a new folder")
    _play(new, repeat(season, new), workers)
    _show(new, None)
    with Ladder.open(season.ladder) as one, Ladder.open(new.ladder) as other:
        first, second = outcome(one), outcome(other)
    different = sum(match not in first for match in second)
    if different:
        raise LadderError(f"{different} of {len(second)} results and ratings differ")
    say(f"\nThe same {len(second) - 1} matches with the same results and ratings.")


def _begun(folder: Path) -> "SeasonFolder":
    from ladder.season.folder import SeasonFolder

    season = SeasonFolder(folder)
    if not season.has_begun:
        raise LadderError(f"{folder}: there is no season in this folder")
    return season


def _play(season: "SeasonFolder", rounds: int, workers: int | None) -> None:
    """Play a season until a round is over; exit with a status if interrupted."""
    from ladder.cli.play import play
    from ladder.season.play import run
    from ladder.storage.ladder import Ladder

    again = f"{program()} season run {quote(str(season.plan))} {quote(str(season.path))}"

    def play_on(ladder: "Ladder", planner: "Planner") -> None:
        play(ladder, planner, workers, lambda _: again)

    try:
        with season.locked(), Ladder.open(season.ladder) as ladder:
            run(season, ladder, play_on, say_plainly, rounds)
    except KeyboardInterrupt:
        say(
            "Interrupted: sessions that had not ended begin anew, with what is left of their "
            f"budget. To continue: {again}"
        )
        raise typer.Exit(INTERRUPTED) from None


def _show(season: "SeasonFolder", json_file: Path | None) -> None:
    from ladder.cli.contest import write
    from ladder.season.report import report
    from ladder.storage.ladder import Ladder

    with Ladder.open(season.ladder) as ladder:
        found = report(season, ladder)
    _print(found)
    if json_file is not None:
        write(json_file, json.dumps(found.to_json(), indent=2) + "\n")


def _print(found: "SeasonReport") -> None:
    console.print()
    say_heading(f"{found.title}: {found.played} of {found.rounds} rounds played")
    tables.print_standings(console, found.standings)
    if not found.by_round:
        return
    console.print()
    say_heading("Rating by round, ± 2 sigma, of the version that played it")
    tables.print_table(console, _ratings(found))
    console.print()
    say_heading("Sessions")
    tables.print_table(console, _sessions(found.by_round))
    console.print()
    for one in found.progress:
        say_plainly(_in_words(one))


def _ratings(found: "SeasonReport") -> Table:
    names = [one.bot for one in found.progress]
    table = Table(box=None, pad_edge=False)
    for name in ("round", *names):
        table.add_column(plain(name), justify="right")
    lines = {(line.round, line.bot): line for line in found.by_round}
    for number in range(1, found.played + 1):
        cells = [_rating(lines[number, name]) for name in names]
        table.add_row(str(number), *cells)
    return table


def _rating(line: "RoundLine") -> str:
    return f"{line.mu:.1f}±{DEVIATIONS * line.sigma:.1f} v{line.version}"


def _sessions(by_round: "Sequence[RoundLine]") -> Table:
    """Return what each session changed, cost and led to; of sessions without any, no line."""
    table = Table(box=None, pad_edge=False)
    for name in ("round", "bot", "v", "lines", "seconds", "tokens", "cost", "faults", "problem"):
        table.add_column(name, justify="left" if name in ("bot", "problem") else "right")
    for line in by_round:
        if line.seconds or line.forfeits or line.problem:
            table.add_row(
                *(str(line.round), plain(line.bot), str(line.version)),
                f"+{line.added} -{line.removed}",
                f"{line.seconds:.0f}",
                f"{line.tokens:,}",
                f"{line.cost:.2f}",
                f"{line.forfeits} of {line.matches}",
                plain(line.problem),
            )
    return table


def _in_words(one: "Progress") -> str:
    if one.first == one.last:
        return f"{one.bot} played one version all along."
    versions = f"version {one.last} is stronger than version {one.first}"
    if one.p_better >= _SURE:
        return f"{one.bot} has improved: {versions} with P = {one.p_better:.3f}."
    if one.p_better <= 1 - _SURE:
        return f"{one.bot} has become weaker: {versions} with P = {one.p_better:.3f} only."
    return f"{one.bot} may have changed or not: {versions} with P = {one.p_better:.2f}."
