"""Creates a ladder and manages its bots."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli import tables
from ladder.cli.console import (
    REQUEST_STEP,
    BotArgument,
    DatabaseOption,
    LadderOption,
    command_line,
    console,
    contained,
    open_ladder,
    say,
    say_heading,
    say_last,
    say_plainly,
)
from ladder.cli.remote.commands import TokenFileOption, UrlOption, reach, submit_there
from ladder.cli.repro import print_validation_repro, there
from ladder.cli.seeds import ReproducibleOption, SeedOption, chosen_secret
from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.errors import LadderError
from ladder.model.settings import (
    LONGEST_STEP_MS,
    Aim,
    BuildNetwork,
    Deals,
    RatedBy,
    SameAuthor,
    Scheduling,
    title_of,
)
from ladder.storage.db.server import Server
from referee.cli.settings import game_settings, milliseconds
from referee.cli.terminal import complete_game, print_error
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.games import DEFAULT_GAME, game_named
from referee.games.base import usual_seats
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder

_DEFAULT_CLOCK = ClockConfig()


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The ladder's new folder.")],
    game: Annotated[
        str,
        typer.Option(help="The game; `ladder games` lists them.", autocompletion=complete_game),
    ] = DEFAULT_GAME,
    seats: Annotated[
        int | None, typer.Option(help="Seats at each table. Default: 4, or the nearest number.")
    ] = None,
    seed: SeedOption = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game's configuration."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The values printed on the game's pieces, in TOML."),
    ] = None,
    decision_limit: Annotated[
        float, typer.Option(help="The time limit of one decision, in seconds.")
    ] = _DEFAULT_CLOCK.decision_limit_ms / 1000,
    bank: Annotated[
        float, typer.Option(help="Each bot's time bank for a match, in seconds.")
    ] = _DEFAULT_CLOCK.bank_ms / 1000,
    increment: Annotated[
        float, typer.Option(help="Time added to the bank for each decision, in seconds.")
    ] = _DEFAULT_CLOCK.increment_ms / 1000,
    startup: Annotated[
        float, typer.Option(help="The time limit of a bot's start, in seconds.")
    ] = _DEFAULT_CLOCK.startup_ms / 1000,
    scheduler: Annotated[
        Scheduling, typer.Option(help="How to choose which bots meet.")
    ] = Scheduling.MIXED,
    aim: Annotated[
        Aim, typer.Option(help="What to determine: the order of all bots, or the best three.")
    ] = Aim.RANKING,
    by: Annotated[
        RatedBy,
        typer.Option(help="What ratings use: places alone, or points too as far as they help."),
    ] = RatedBy.POINTS,
    title: Annotated[
        str, typer.Option(help="The ladder's title. Default: its folder and its game.")
    ] = "",
    database: DatabaseOption = None,
    deals: Annotated[
        Deals,
        typer.Option(help="Play each deal on all rotations of the seats, or only once."),
    ] = Deals.INDEPENDENT,
    same_author: Annotated[
        SameAuthor,
        typer.Option(
            help="Whether bots of one author may meet; bots of the ladder's owner always may."
        ),
    ] = SameAuthor.APART,
    *,
    reproducible: ReproducibleOption = False,
    sandbox: Annotated[
        Level | None,
        typer.Option(
            help="The sandbox level. Default: the strongest that the machine offers.",
        ),
    ] = None,
    build_network: Annotated[
        BuildNetwork, typer.Option(help="Whose bots may use the network during builds.")
    ] = BuildNetwork.OWNER,
    request_step: Annotated[
        int, typer.Option(min=0, max=LONGEST_STEP_MS, metavar="MS", help=REQUEST_STEP)
    ] = 0,
) -> None:
    """Create a ladder in a folder."""
    from ladder.storage.ladder import create
    from referee.sandbox.levels import open_sandbox

    level = open_sandbox(sandbox).level
    clock = ClockConfig(
        startup_ms=milliseconds(startup),
        decision_limit_ms=milliseconds(decision_limit),
        bank_ms=milliseconds(bank),
        increment_ms=milliseconds(increment),
    )
    config = game_settings(game, settings or [], data)
    seats = usual_seats(game_named(game).seats) if seats is None else seats
    home = create(
        folder,
        game=game,
        seats=seats,
        config=config,
        clock=clock,
        secret=chosen_secret(seed, reproducible=reproducible),
        sandbox=sandbox,
        build_network=build_network,
        scheduler=scheduler,
        aim=aim,
        deals=deals,
        same_author=same_author,
        rated_by=by,
        request_step_ms=request_step,
        title=title_of(title),
        server=None if database is None else Server(database),
    )
    say(f"Created a ladder of {game_named(game).title} for {seats} seats in {folder}.")
    say(contained(level, wanted=sandbox))
    say(f"Next: {command_line('submit PATH', home)}")


def submit(
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT", help="Folders with a bot.toml, or names of sample bots."),
    ],
    author: Annotated[
        str | None,
        typer.Option(help="The bots' author, whose token lets remote bots join. Default: you."),
    ] = None,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Submit bots, or new versions of them.

    The ladder copies the files; submit a bot again after you change it. The copy omits what the
    bot's .gitignore names, unless its bot.toml includes it, and virtual environments. The ladder
    builds each bot and plays two validation matches against random play in one process. A bot that
    commits a fault in them is rejected, and its previous version plays on. So it does if the bot
    answers the requests of that version's last matches as it did: a comment is no new try; another
    `release` in bot.toml makes one all the same. Several bots are built
    and validated at once, one per core, and entered in the order given; a failure does not affect
    the others. After Ctrl-C, bots already entered stay. With --url the files are uploaded; repeat
    the command to resume an interrupted upload.
    """
    failed: list[str] = []
    if url is not None and author is not None:
        raise LadderError(
            "--author is for local ladders; on a remote one the token identifies the author"
        )
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            paths = _folders(bots, remote.game)
            for path in paths:
                submission = submit_there(remote, path, there(url, token_file))
                say_plainly(str(submission))
                if submission.outcome is SubmissionOutcome.REJECTED:
                    failed.append(submission.version.bot)
        _fail_if(failed)
        return
    from ladder.submission.process import submit_each

    with open_ladder(ladder) as opened:
        paths = _folders(bots, opened.settings.game)
        if opened.settings.contest is not None:
            _enter_late(opened, paths, author)
            return
        for path, outcome in submit_each(opened, paths, say_plainly, [author] * len(paths)):
            if isinstance(outcome, CourtyardError):
                if len(paths) == 1:
                    raise outcome
                failed.append(str(path))
                print_error(str(outcome))
                continue
            say_plainly(str(outcome))
            if outcome.outcome is SubmissionOutcome.REJECTED:
                failed.append(outcome.version.bot)
                _print_why(opened, outcome.version, path)
    _fail_if(failed)


def _folders(words: list[str], game: str) -> list[Path]:
    """Return the folders that words mean.

    Raise `LadderError` if some share a bot's name: each would replace the one before.
    """
    from referee.hosting.manifest import load_manifest
    from referee.hosting.sample_bots import bot_folder

    paths = [bot_folder(word, game) for word in words]
    named: dict[str, dict[Path, Path]] = {}
    for path in paths:
        with suppress(CourtyardError):  # reported when it is its turn
            manifest = load_manifest(path)
            named.setdefault(manifest.name, {}).setdefault(manifest.directory, path)
    for name, folders in named.items():
        if len(folders) > 1:
            raise LadderError(
                f"{', '.join(map(str, folders.values()))}: they all have the name {name}, and each "
                "would replace the one before; give each bot.toml a name of its own, or submit the "
                "versions of one bot one by one"
            )
    return paths


def _enter_late(ladder: "Ladder", paths: list[Path], author: str | None) -> None:
    """Enter bots late in the ladder's tournament; raise `LadderError` if it takes none."""
    from ladder.scheduling.tournament import directing
    from ladder.submission.submit import submit
    from referee.hosting.manifest import load_manifest

    plan = directing.plan_of(ladder)
    failed: list[str] = []
    for path in paths:
        manifest = load_manifest(path)
        if manifest.is_remote:
            raise LadderError(
                f"{manifest.name} is a remote bot: remote bots play only on standing ladders"
            )
        directing.check_late(ladder, manifest.name)
        submission = submit(ladder, path, say_plainly, author=author)
        if submission.outcome is SubmissionOutcome.REJECTED:
            say_plainly(str(submission))
            failed.append(submission.version.bot)
            _print_why(ladder, submission.version, path)
            continue
        missed = directing.enter_late(ladder, submission.version)
        half = missed if plan.half_if_late is None else min(missed, plan.half_if_late)
        byes = f"; the rounds that it missed ({missed}) score {half / 2:g}" if missed else ""
        say_plainly(f"{submission.version.bot} enters in round {missed + 1}{byes}.")
    _fail_if(failed)


def _fail_if(failed: list[str]) -> None:
    if failed:
        raise LadderError(f"not entered: {', '.join(failed)}")


def bots(
    ladder: LadderOption = None, url: UrlOption = None, token_file: TokenFileOption = None
) -> None:
    """List the bots."""
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            heading = remote.heading
            versions = remote.versions()
    else:
        from ladder.results import queries

        with open_ladder(ladder) as opened:
            heading = opened.heading
            versions = queries.all_versions(opened)
    say_heading(heading)
    tables.print_table(console, tables.bots_table(versions))


def retire(
    name: BotArgument,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Stop scheduling a bot.

    Its matches still count; submit it again to let it play again.
    """
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            was_active = remote.retire(name)
    else:
        from ladder.storage.sweep import sweep

        with open_ladder(ladder) as opened:
            if opened.settings.contest is not None:
                _refuse_to_retire(opened, name)
            was_active = opened.retire(name)
            sweep(opened)
    say(f"{name} is retired." if was_active else f"{name} was already retired.")


def _refuse_to_retire(ladder: "Ladder", name: str) -> None:
    """Raise `LadderError` naming the command to use in a tournament or duel."""
    from ladder.scheduling.tournament import directing

    directing.plan_of(ladder)
    withdraw = command_line(f"withdraw {name}", ladder.home)
    raise LadderError(f"this ladder plays a tournament; to take a bot out of it: `{withdraw}`")


def _print_why(ladder: "Ladder", version: Version, path: Path) -> None:
    """Print the last output of a rejected version's build or match, and how to see all of it."""
    from ladder.results import queries

    validation = queries.validation(ladder, version)
    log = f"log {version.bot} --version {version.number}"
    if validation is not None and validation.record is None:
        say_last("the build", validation.build_log or "")
    elif validation is not None:
        say_last(version.bot, validation.printed)
    show_log = command_line(log, ladder.home)
    say(f"\nFull log:        {show_log}")
    if validation is not None and validation.record is not None:
        print_validation_repro(version, show_log, path)
