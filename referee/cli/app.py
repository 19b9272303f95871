"""The command `referee`: play a match, build and check a bot, verify and show records."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from referee.cli.games import games
from referee.cli.repro import CommandArgument, SeatOption, TransportOption, repro_command
from referee.cli.settings import game_settings, milliseconds
from referee.cli.terminal import VersionOption, complete_game, run
from referee.cli.unix_command import UnixCommand
from referee.conformance.check import SECONDS as CHECK_SECONDS
from referee.core.clock import ClockConfig
from referee.core.console import SafeConsole
from referee.core.errors import CourtyardError, UsageError
from referee.core.plain import plain, shortened
from referee.games import DEFAULT_GAME, game_named
from referee.games.base import seats_in_words
from referee.hosting.manifest import Manifest, load_manifest
from referee.hosting.playouts import PLAYOUTS
from referee.sandbox.program import Level

SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a field of the game's configuration."),
]
DataOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A TOML file with the values printed on the game's pieces."),
]

SandboxOption = Annotated[
    Level | None, typer.Option(help="How to contain bots. Default: the strongest level available.")
]

app = typer.Typer(
    help="Run a match between bots, verify its record, replay it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


@app.callback()
def _options(*, version: VersionOption = False) -> None:
    """Parse the options of the program itself."""


@app.command(
    cls=UnixCommand,
    epilog="Example: referee play --seed 7 --record match.json my-bot greedy random",
)
def play(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT",
            help="Folders with a bot.toml, or names of sample bots; one per seat, from seat 0.",
        ),
    ] = None,
    game: Annotated[
        str,
        typer.Option(help="The game; `referee games` lists them.", autocompletion=complete_game),
    ] = DEFAULT_GAME,
    seats: Annotated[
        int | None,
        typer.Option(help="Number of seats; the stand-in plays seats without a BOT at random."),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            help="Seed of every random choice. A bot can guess a short seed and so learn the deal. "
            "Default: a new random seed."
        ),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the record to this file as JSON.")
    ] = None,
    settings: SettingsOption = None,
    data: DataOption = None,
    decision_limit: Annotated[
        float, typer.Option(help="Time limit of one decision, in seconds.")
    ] = ClockConfig().decision_limit_ms / 1000,
    bank: Annotated[
        float, typer.Option(help="Time bank of each bot for the match, in seconds.")
    ] = ClockConfig().bank_ms / 1000,
    increment: Annotated[
        float, typer.Option(help="Time that each decision adds to the bank, in seconds.")
    ] = ClockConfig().increment_ms / 1000,
    startup: Annotated[
        float, typer.Option(help="Time limit for a bot to start, in seconds.")
    ] = ClockConfig().startup_ms / 1000,
    sandbox: SandboxOption = None,
    tcp: Annotated[
        bool,
        typer.Option(
            "--tcp", help="Use loopback TCP instead of Unix sockets; implies --sandbox trusted."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show the result alone.")] = False,
    human: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT",
            help="Play this seat yourself, here at the terminal; the BOTs take the others. "
            "You see what a bot sees there, and have all the time you need.",
        ),
    ] = None,
    browser: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT",
            help="Play this seat yourself in a browser on this machine, at the address that is "
            "printed. You have five minutes for a decision.",
        ),
    ] = None,
    hints: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            help="With --human or --browser: this bot says what it would do in your seat, told "
            "what you are told, whenever you ask.",
        ),
    ] = None,
) -> None:
    """Play one match and show it, turn by turn.

    The same seed gives the same deal. The command succeeds if a bot forfeits during the match,
    but fails if a bot does not start.
    """
    from referee.cli.browser import in_browser
    from referee.cli.human import LEFT, at_terminal
    from referee.cli.play import (
        MatchReport,
        bot_in_folder,
        full_table,
        match_spec,
        not_started,
        seed_or_new,
    )
    from referee.hosting.host import Host
    from referee.hosting.sample_bots import bot_folder
    from referee.match.record import check_folder
    from referee.sandbox.levels import open_sandbox
    from referee.sandbox.trusted import WARNING

    if None not in (human, browser):
        raise UsageError("a person plays at the terminal or in a browser: --human or --browser")
    person = human if browser is None else browser
    if hints is not None and person is None:
        raise UsageError("--hints needs a person who asks for them: --human or --browser")
    console = SafeConsole()
    hinting = None if hints is None else bot_in_folder(bot_folder(hints, game), game)
    at_screen = at_terminal(console, human, hinting)
    way = at_screen if browser is None else in_browser(browser, hinting)
    if record is not None:
        check_folder(record)  # before the match, not after
    named = [bot_folder(bot, game) for bot in bots or []]
    bot_specs = {folder: bot_in_folder(folder, game) for folder in named}
    folders = full_table(named, game, seats, person)
    spec = match_spec(
        game,
        tuple(bot_specs[folder] if folder else None for folder in folders),
        seed_or_new(seed),
        game_settings(game, settings or [], data),
        ClockConfig(
            startup_ms=milliseconds(startup),
            decision_limit_ms=milliseconds(decision_limit),
            bank_ms=milliseconds(bank),
            increment_ms=milliseconds(increment),
        ),
    )
    contained = open_sandbox(sandbox or (Level.TRUSTED if tcp else None))
    if contained.level is Level.TRUSTED and (any(folders) or hinting):
        typer.echo(WARNING, err=True)
    report = MatchReport(console, folders, record, quiet=quiet, whole=person is None)
    with Host(sandbox=contained, tcp=tcp) as host:
        ended = host.run(lambda runner: way(runner, spec, report.show))
    if ended is None:
        typer.echo(LEFT)
    elif failures := not_started(ended.record, folders):
        raise UsageError(" ".join(failures))


@app.command()
def verify(
    records: Annotated[list[Path], typer.Argument(metavar="RECORD", help="Record files.")],
) -> None:
    """Verify records: replay each from its seed and actions, and compare every field.

    Verifies all files. Exits with status 1 if any field of any record is wrong. A match of other
    rules than those installed is not replayed: a line reports that, and its seals, its commitment,
    its times and its forfeits are checked.
    """
    from referee.match.verify import examine_file

    console = SafeConsole(highlight=False, markup=False, emoji=False, soft_wrap=True)
    edited, unread = [], []
    for path in records:
        others = ""
        try:
            found = examine_file(path)
            others = found.other_rules
            problems = [shortened(plain(problem)) for problem in found.problems]
            if others:
                console.print(f"{path}: not replayed: {plain(others)}")
        except UsageError as error:
            problems = [shortened(plain(str(error)))]
            unread.append(f"{path}: {problems[0]}")
        else:
            edited.extend([str(path)] if problems else [])
        whole = "what does not depend on the rules is true" if others else "true in every field"
        for problem in problems or [whole]:
            console.print(f"{path}: {problem}")
    if edited:
        unread.insert(0, f"not true in every field: {', '.join(edited)}")
    if unread:
        raise UsageError("; ".join(unread))


@app.command(cls=UnixCommand, epilog="Example: referee luck match.json")
def luck(
    records: Annotated[list[Path], typer.Argument(metavar="RECORD", help="Record files.")],
) -> None:
    """Show how much of a match's points was luck.

    The luck of each seat is measured after the match, from its record alone, as
    docs/ranking.md explains. It is 0 in the mean for every bot. The record is verified first.
    """
    from referee.match.record import load_record
    from referee.view.luck import show_luck

    console = SafeConsole(highlight=False)
    for path in records:
        try:
            show_luck(console, str(path), load_record(path))
        except CourtyardError as error:
            raise UsageError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None


@app.command(
    cls=UnixCommand,
    epilog="Example: referee review match.json --seat 2",
)
def review(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A record file.")],
    seat: SeatOption,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            help="The sample bot that plays on in playouts, or `random`. Default: searcher, "
            "greedy or random, the first that the game has.",
        ),
    ] = None,
    playouts: Annotated[
        int,
        typer.Option(
            min=8,
            metavar="N",
            help="Playouts for each decision; four times as many halve the errors.",
        ),
    ] = PLAYOUTS,
    json: Annotated[bool, typer.Option("--json", help="Print the review as JSON.")] = False,
) -> None:
    """Show what each decision of a seat cost, judged only by what the seat knew then.

    What the seat could not see is drawn anew, many times. The cost is how many rivals fewer the
    seat may expect to beat than with the best other option that was found; ± is half the 95 %
    interval. docs/review.md explains it. The record is verified first.
    """
    from referee.cli.review import reviewed_with_progress
    from referee.match.record import load_record
    from referee.view.review import as_json, show_review

    try:
        reviewed = reviewed_with_progress(load_record(record), seat, player, playouts)
    except CourtyardError as error:
        raise UsageError(f"{record}: {str(error).removeprefix(f'{record}: ')}") from None
    if json:
        typer.echo(as_json(reviewed))
    else:
        show_review(SafeConsole(highlight=False), reviewed)


@app.command()
def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A record file.")],
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat saw. Default: everything.")
    ] = None,
    *,
    review: Annotated[
        bool,
        typer.Option(
            "--review",
            help="With --seat: add what each decision of the seat cost, as `review` does.",
        ),
    ] = False,
) -> None:
    """Show a recorded match as the audience or one seat saw it."""
    from referee.cli.review import reviewed_with_progress
    from referee.match.record import load_record
    from referee.view.review import notes
    from referee.view.show import seat_names, show_record

    if review and seat is None:
        raise UsageError("--review judges one seat: add --seat")
    try:
        loaded, judged = load_record(record), {}
        if review and seat is not None:
            found = reviewed_with_progress(loaded, seat, None, PLAYOUTS)
            judged = notes(found, seat_names(loaded))
        show_record(SafeConsole(), loaded, seat, judged)
    except CourtyardError as error:
        raise UsageError(f"{record}: {str(error).removeprefix(f'{record}: ')}") from None


@app.command(cls=UnixCommand, epilog="Example: referee build my-bot")
def build(
    bot: Annotated[Path, typer.Argument(metavar="BOT", help="A folder with a bot.toml.")],
    *,
    sandbox: Annotated[Level, typer.Option(help="How to contain the build.")] = Level.TRUSTED,
    network: Annotated[
        bool, typer.Option(help="Let the build use the network; at level trusted it always can.")
    ] = True,
) -> None:
    """Run the build steps of a bot in its own folder.

    A ladder builds every submission itself.
    """
    from referee.hosting.build import build_in_place
    from referee.sandbox.levels import open_sandbox

    manifest = load_manifest(bot)
    if not manifest.build:
        typer.echo(f"{manifest.name} has nothing to build.")
        return
    built = build_in_place(manifest, open_sandbox(sandbox), network=network, on_command=typer.echo)
    if built.failure:
        typer.echo(_plain_lines(built.log), err=True)
        raise UsageError(built.failure)
    typer.echo(f"{manifest.name} is built.")


@app.command(cls=UnixCommand, epilog="Example: referee check my-bot")
def check(
    bot: Annotated[Path, typer.Argument(metavar="BOT", help="A folder with a bot.toml.")],
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            help="Check this game only; may be repeated.",
            autocompletion=complete_game,
        ),
    ] = None,
    sandbox: SandboxOption = None,
    seconds: Annotated[
        float, typer.Option(min=1, help="Time limit of all steps after the build, in seconds.")
    ] = CHECK_SECONDS,
) -> None:
    """Build a bot and test it against the rules of the protocol, step by step.

    A failed step shows what the referee sent, what the bot answered, knew and printed.
    docs/protocol.md explains each rule under the name shown here.

    A quick bot passes in 5 to 10 seconds. One that never says Hello takes 10, one that hangs
    at its first decision 5 more. The check stops when its time is up, see `--seconds`.
    """
    from referee.cli.play import bot_in_folder
    from referee.conformance.check.report import StepPrinter, StepStatus, rules_broken, summary
    from referee.conformance.check.run import check as run_check
    from referee.sandbox.levels import open_sandbox

    manifest, limit_ms = load_manifest(bot), milliseconds(seconds)
    for game in games or []:
        bot_in_folder(bot, game)
    contained = open_sandbox(sandbox)
    console = SafeConsole(highlight=False)
    console.print(f"{manifest.name}: {manifest.transport}, at level {contained.level}")
    _show_left_out(console, manifest)
    report = StepPrinter(console)
    results = run_check(
        manifest,
        games or manifest.installed_games(),
        contained,
        on_result=report.take,
        seconds=limit_ms / 1000,
    )
    report.close()
    console.print(summary(results))
    if broken := rules_broken(results):
        raise UsageError(f"{manifest.name} breaks {', '.join(broken)}")
    if any(result.verdict is StepStatus.LEFT for result in results):
        raise UsageError(f"{manifest.name}: steps were left out; raise --seconds to try all")


@app.command(name="new-game", cls=UnixCommand, epilog="Example: referee new-game blind-pot")
def new_game(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The game's name in commands and files.")
    ],
    *,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A new folder. Default: the name.")
    ] = None,
) -> None:
    """Make a package with a small game that works at once, to change into another one.

    It holds rules, tests, a random bot and what installs them; docs/games.md explains them.
    """
    from referee.cli.new_game import make

    for file in make(name, folder or Path(name)):
        typer.echo(file)
    typer.echo(
        f"Install it with `pip install -e {folder or name}`, then: referee check-game {name}"
    )


@app.command(
    name="check-game", cls=UnixCommand, epilog=f"Example: referee check-game {DEFAULT_GAME}"
)
def check_game(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="The game; `referee games` lists them.",
            autocompletion=complete_game,
        ),
    ],
    *,
    settings: SettingsOption = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Random games of each step, for each number of seats. Default: by their length.",
        ),
    ] = None,
) -> None:
    """Test a game against what every game promises, step by step.

    The game is played at random with every number of seats: it gives the same game in every
    process, ends, takes its options and no others, changes no state, and tells each seat only what
    it may know. A failed step shows what is wrong and the position where it shows.
    docs/games.md explains how to write a game.
    """
    from referee.conformance.check.report import StepStatus
    from referee.conformance.game_check.run import check as run_check
    from referee.conformance.game_check.run import show
    from referee.conformance.game_check.subject import CheckedGame
    from referee.games.registry import origin_of

    subject = CheckedGame(game, game_settings(game, settings or [], None), games)
    console = SafeConsole(highlight=False)
    title = f"{subject.game.title}, rules {subject.game.rules_version}"
    console.print(f"{game}: {title}, of {origin_of(game).origin}", markup=False)
    results = run_check(subject, partial(show, console))
    failed = [result.fault.promise for result in results if result.fault is not None]
    if failed:
        raise UsageError(f"{game} breaks {', '.join(dict.fromkeys(failed))}")
    skipped = sum(result.verdict is StepStatus.SKIPPED for result in results)
    console.print(f"{len(results) - skipped} of {len(results)} steps passed")


@app.command(
    cls=UnixCommand,
    epilog="Examples: referee repro match.json --seat 1 my-bot; "
    "referee repro match.json --seat 1 -- python3 -m pdb bot.py",
)
def repro(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A record file.")],
    seat: SeatOption,
    bot: CommandArgument = None,
    transport: TransportOption = None,
) -> None:
    """Send a bot the recorded requests of one seat, and show where its answers differ.

    There are no opponents and no clocks, so the bot may run in a debugger. It gets every recorded
    request, whatever it answers. The output shows only what the seat knew.
    """
    from referee.match.record import load_record

    repro_command(load_record(record), seat, bot, transport)


app.command()(games)


@app.command(epilog=f"Example: referee survey --game {DEFAULT_GAME} --games 1000")
def survey(
    game: Annotated[
        str,
        typer.Option(help="The game; `referee games` lists them.", autocompletion=complete_game),
    ] = DEFAULT_GAME,
    games: Annotated[int, typer.Option(min=1, help="Games per number of seats.")] = 1000,
    seats: Annotated[
        list[int] | None, typer.Option(help="Play with this number of seats only; may be repeated.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Seed of the games.")] = "survey",
    settings: SettingsOption = None,
    data: DataOption = None,
) -> None:
    """Play many random games and show how they end, how long they take and which seat wins."""
    from rich.progress import Progress

    from referee.view.game_statistics import survey as run_survey
    from referee.view.show import survey_lines

    allowed = game_named(game).seats
    for number in seats or []:
        if number not in allowed:
            raise UsageError(f"{game} has {seats_in_words(allowed)}, not {number}")
    config = game_settings(game, settings or [], data)
    console = SafeConsole(highlight=False)
    with Progress(console=SafeConsole(stderr=True), transient=True) as progress:
        for number in seats or allowed:
            task = progress.add_task(f"{number} seats", total=games)
            advance = partial(progress.advance, task)
            processes = os.cpu_count() or 1
            tally = run_survey(game, number, games, seed, config, processes, advance)
            for line in survey_lines(game, tally, standard=not config):
                console.print(line, soft_wrap=True)


def _show_left_out(console: Console, manifest: Manifest) -> None:
    """Print the files of a checked bot's folder that a ladder will not have."""
    from referee.hosting.bot_files import LeftOut

    try:
        left_out = LeftOut(manifest)
    except UsageError as error:
        console.print(f"No ladder will take it: {error}", markup=False, soft_wrap=True)
        return
    for path in sorted(manifest.directory.iterdir()):
        left_out(path.name)
    if summary := left_out.summary():
        console.print(f"Not part of the bot on a ladder: {summary}", markup=False, soft_wrap=True)


def _plain_lines(text: str) -> str:
    """Return lines with a dot for each character that could control a terminal."""
    return "\n".join(plain(line.expandtabs()) for line in text.splitlines())


def main() -> NoReturn:
    """Run the command `referee`."""
    run(app)
