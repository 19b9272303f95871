"""The command `ladder`: parses, calls, prints."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import track
from rich.text import Text

from ladder import checking, tables
from ladder.demo import ROUNDS, Demonstration, demonstrations
from ladder.errors import LadderError
from ladder.home import Home, find_home
from ladder.ladder import Ladder, create
from ladder.models import Outlook, Rating, Submission
from ladder.progress import rates, shown
from ladder.records import fault_reasons
from ladder.running import run_rounds
from ladder.standings import standings as ranked
from ladder.standings import to_csv, to_json
from referee.clock import ClockConfig
from referee.games import GAMES, game_named
from referee.record import record_to_json
from referee.settings import game_settings, milliseconds
from referee.show import show_record
from referee.terminal import INTERRUPTED
from referee.terminal import run as run_command

app = typer.Typer(
    help="Rank bots: they play match after match, each in a process of its own.",
    epilog="Try it: ladder demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
console = Console(highlight=False)

_LINES_OF_OUTPUT = 20
_DEFAULT_CLOCK = ClockConfig()

LadderOption = Annotated[
    Path | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="The ladder's folder. Default: this folder or the nearest above it with a ladder.",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Matches played at once. Default: one a core."),
]


@app.command(epilog="Example: ladder init my-ladder --game courtisans --seats 4")
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to make it.")],
    game: Annotated[str, typer.Option(help=f"The game: {', '.join(GAMES)}.")] = "courtisans",
    seats: Annotated[int, typer.Option(help="Seats at each table.")] = 4,
    seed: Annotated[
        str | None,
        typer.Option(
            help="Decides everything that chance decides; whoever knows it knows every deal. "
            "Default: a secret one."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game's configuration."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What is printed on the game's pieces, as TOML."),
    ] = None,
    decision_limit: Annotated[
        float, typer.Option(help="Seconds that one decision may take.")
    ] = _DEFAULT_CLOCK.decision_limit_ms / 1000,
    bank: Annotated[
        float, typer.Option(help="Seconds that each bot has for a match.")
    ] = _DEFAULT_CLOCK.bank_ms / 1000,
    increment: Annotated[
        float, typer.Option(help="Seconds that each decision adds to the bank.")
    ] = _DEFAULT_CLOCK.increment_ms / 1000,
    startup: Annotated[
        float, typer.Option(help="Seconds that a bot has to start.")
    ] = _DEFAULT_CLOCK.startup_ms / 1000,
) -> None:
    """Make a ladder in a folder."""
    clock = ClockConfig(
        startup_ms=milliseconds(startup),
        decision_limit_ms=milliseconds(decision_limit),
        bank_ms=milliseconds(bank),
        increment_ms=milliseconds(increment),
    )
    config = game_settings(game, settings or [], data)
    home = create(folder, game=game, seats=seats, config=config, clock=clock, seed=seed)
    _say(f"Made a ladder of {game_named(game).title} for {seats} seats in {folder}.")
    _say(f"Next: {_command('submit PATH', home)}")


@app.command(epilog="Example: ladder submit bots/first bots/second")
def submit(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Folders with a bot.toml.")
    ],
    ladder: LadderOption = None,
) -> None:
    """Let bots play, or new versions of them.

    The files are copied; later changes count when the bot is submitted again.
    """
    with _open(ladder) as opened:
        for path in paths:
            _say(_what_became(opened.submit(path)))


@app.command()
def bots(ladder: LadderOption = None) -> None:
    """List the bots."""
    with _open(ladder) as opened:
        versions = [tally.version for tally in opened.tallies(everybody=True)]
    tables.print_table(console, tables.bots_table(versions))


@app.command()
def retire(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot.")],
    ladder: LadderOption = None,
) -> None:
    """Let a bot play no more.

    Its matches stay; it plays again when it is submitted again.
    """
    with _open(ladder) as opened:
        was_active = opened.retire(name)
    _say(f"{name} plays no more." if was_active else f"{name} was retired already.")


@app.command(epilog="Example: ladder run --rounds 20")
def run(
    rounds: Annotated[
        int, typer.Option(min=0, help="New rounds; in each, every bot plays once or twice.")
    ] = 1,
    workers: WorkersOption = None,
    ladder: LadderOption = None,
) -> None:
    """Play rounds, after what is left over from an interrupted run.

    Ctrl-C stops after the matches under way, a second one at once; nothing is lost either way.
    """
    with _open(ladder) as opened:
        _play(opened, rounds, workers)


@app.command()
def standings(
    json: Annotated[bool, typer.Option("--json", help="As a JSON list of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV, names in the first line.")] = False,
    ladder: LadderOption = None,
) -> None:
    """Show who is strongest.

    score = mu - 3 sigma is what a bot almost surely is worth; wins, points and faults are per
    match. JSON and CSV have the fields rank, bot, version, mu, sigma, conservative, matches,
    win_share, average_points, fault_rate.
    """
    if json and csv:
        raise LadderError("choose one of --json and --csv")
    with _open(ladder) as opened:
        rows = ranked(opened.tallies())
        waiting = opened.waiting()
    if json or csv:
        sys.stdout.write(to_json(rows) if json else to_csv(rows))
        return
    tables.print_table(console, tables.standings_table(rows))
    if waiting:
        _say(f"Not rated until one before is played: {_matches(waiting)}.")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot.")],
    ladder: LadderOption = None,
) -> None:
    """Show one bot: its versions, how they did, and its faults."""
    with _open(ladder) as opened:
        opened.versions(name)
        every = opened.tallies(everybody=True)
        forfeits = opened.forfeits(name)
    tallies = [tally for tally in every if tally.version.bot == name]
    tables.print_table(console, tables.versions_table(tallies))
    if forfeits:
        kinds = ", ".join(f"{times} by {kind}" for kind, times in forfeits.items())
        _say(f"Forfeited: {kinds}.")


@app.command()
def matches(
    bot: Annotated[str | None, typer.Option(help="Only matches that this bot was in.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    ladder: LadderOption = None,
) -> None:
    """List the last matches, the newest first."""
    with _open(ladder) as opened:
        lines = opened.latest(limit, bot)
    tables.print_table(console, tables.matches_table(lines))


@app.command(epilog="Example: ladder match 3f9a --json > match.json; referee verify match.json")
def match(
    match_id: Annotated[str, typer.Argument(metavar="ID", help="Its id, or how that begins.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print the whole record, for `referee verify`.")
    ] = False,
    ladder: LadderOption = None,
) -> None:
    """Show one match: who sat where and how it ended."""
    with _open(ladder) as opened:
        line = opened.match(match_id)
        if json:
            sys.stdout.write(record_to_json(opened.record(line)))
            return
        reasons = fault_reasons(opened.record(line)) if line.decisions is not None else {}
    _say(f"match {line.match_id}, number {line.index + 1} of round {line.round}: {line.state}")
    tables.print_table(console, tables.seats_table(line, reasons))
    if line.decisions is not None:
        _say(f"{line.decisions} decisions, finished {line.finished_at}")
    if line.reason is not None:
        _say(f"void {line.attempts} times, the last because: {line.reason}")
    for seat, taken in enumerate(line.seats):
        if taken.version and taken.result and taken.result.printed is not None:
            _say(f"\nThe last that {taken.version.bot} (seat {seat}) printed:")
            lines = taken.result.printed.strip().splitlines() or ["(nothing)"]
            for text in lines[-_LINES_OF_OUTPUT:]:
                _say(f"  {tables.plain(text)}")


@app.command(epilog="Example: ladder replay 3f9a --seat 2")
def replay(
    match_id: Annotated[str, typer.Argument(metavar="ID", help="Its id, or how that begins.")],
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat saw. Default: everything.")
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Show a match again, turn by turn."""
    with _open(ladder) as opened:
        record = opened.record(opened.match(match_id))
    show_record(console, record, seat)


@app.command()
def verify(ladder: LadderOption = None) -> None:
    """Check everything: the database, the bots' files, and every match by playing it again."""
    with _open(ladder) as opened:
        problems = list(checking.check_files(opened))
        lines = checking.finished_matches(opened)
        silent = not console.is_terminal
        for line in track(lines, "Checking", console=console, disable=silent, transient=True):
            found = checking.check_match(opened, line)
            problems += [f"match {line.match_id}: {problem}" for problem in found]
    for problem in problems:
        _say(problem)
    if problems:
        raise LadderError(f"{len(problems)} found wrong in {_matches(len(lines))} and the files")
    _say(f"Everything is as it should be: {_matches(len(lines))}.")


@app.command()
def rerate(ladder: LadderOption = None) -> None:
    """Rebuild every rating from the matches, and say whether anything differed."""
    with _open(ladder) as opened:
        changed = opened.rerate()
    for version, (before, after) in changed.items():
        _say(f"{version}: {_rating(before)} is now {_rating(after)}")
    _say(f"Ratings that differed: {len(changed)}." if changed else "No rating differed.")


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where its ladders are made, one a game.")
    ] = Path("demo"),
    workers: WorkersOption = None,
) -> None:
    """Play a small tournament of the sample bots in each game; once more adds to it."""
    for number, tournament in enumerate(demonstrations(folder)):
        if number:
            console.print()
        _demonstrate(tournament, workers)
    _say(f"\nThe ladders are in {folder}, a folder for each game.")


def _demonstrate(tournament: Demonstration, workers: int | None) -> None:
    """Play one game's part of the demo."""
    console.print(Text(tournament.title, style="bold"))
    home = tournament.home()
    with Ladder.open(home) as opened:
        for path in tournament.bots:
            _say(_what_became(opened.submit(path)))
        _play(opened, ROUNDS, workers)
        rows = ranked(opened.tallies())
        newest = opened.latest(1)[0].match_id[: tables.ID_SHOWN]
    console.print()
    tables.print_table(console, tables.standings_table(rows))
    _say("\nSee its last match turn by turn, and all matches:")
    _say(f"  {_command(f'replay {newest}', home)}")
    _say(f"  {_command('matches', home)}")


def _open(given: Path | None) -> Ladder:
    return Ladder.open(find_home(given, Path.cwd()))


def _play(ladder: Ladder, rounds: int, workers: int | None) -> None:
    """Play rounds and tell how it went; exit as interrupted if it was."""
    try:
        with shown(console) as progress:
            report = run_rounds(ladder, rounds, workers or _cores(), progress)
    except KeyboardInterrupt:
        _say("Stopped at once; the matches under way are played when the ladder is run again.")
        raise typer.Exit(INTERRUPTED) from None
    speed = rates(report.matches, report.decisions, report.seconds)
    played = f"Played {_matches(report.matches)} in {report.seconds:.1f} s"
    _say(f"{played} ({speed})." if speed else f"{played}.")
    if report.void:
        _say(f"{_matches(report.void)} given up as void.")
    if report.interrupted:
        again = _command(f"run --rounds {report.rounds_left}", ladder.home)
        _say(f"Stopped with {_matches(report.left_over)} planned. To continue: {again}")
        raise typer.Exit(INTERRUPTED)


def _cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _what_became(submission: Submission) -> str:
    version, replaced = submission.version, submission.replaced
    if submission.outlook is Outlook.UNCHANGED:
        return f"{version.bot} is unchanged: version {version.number} plays already."
    again = (
        ", submitted before, plays again" if submission.outlook is Outlook.RETURNED else " plays"
    )
    instead = f"; version {replaced.number} plays no more" if replaced else ""
    note = " (the bot was retired)" if submission.was_retired else ""
    return f"{version}{again}{instead}{note}."


def _command(words: str, home: Home) -> str:
    """Return a command line for this ladder, as short as it works from the current folder."""
    try:
        here = find_home(None, Path.cwd()).path.resolve() == home.path.resolve()
    except LadderError:
        here = False
    program = "ladder" if shutil.which("ladder") else shlex.quote(sys.argv[0])
    return f"{program} {words}" + ("" if here else f" --ladder {shlex.quote(str(home.path))}")


def _rating(rating: Rating | None) -> str:
    return "no rating" if rating is None else f"mu {rating.mu}, sigma {rating.sigma}"


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count} matches"


def _say(text: str) -> None:
    console.print(Text(text), soft_wrap=True)


def main() -> NoReturn:
    """Run the command `ladder`."""
    run_command(app)
