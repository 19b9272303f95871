"""Making a ladder, and who plays in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli import completion, tables
from ladder.cli.console import (
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
from ladder.cli.repro import tell_trial_again, there
from ladder.cli.seeds import ReproducibleOption, SeedOption, chosen_secret
from ladder.model.bots import Submission, SubmissionOutcome, Version
from ladder.model.errors import LadderError
from ladder.model.settings import (
    Aim,
    BuildNetwork,
    Deals,
    RatedBy,
    SameAuthor,
    Scheduling,
    title_of,
)
from referee.cli.settings import game_settings, milliseconds
from referee.cli.terminal import complete_game, print_error
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.games import DEFAULT_GAME, GAME_NAMES, game_named
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder

_DEFAULT_CLOCK = ClockConfig()


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to make it.")],
    game: Annotated[
        str,
        typer.Option(help=f"The game: {', '.join(GAME_NAMES)}.", autocompletion=complete_game),
    ] = DEFAULT_GAME,
    seats: Annotated[int, typer.Option(help="Seats at each table.")] = 4,
    seed: SeedOption = None,
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
    scheduler: Annotated[
        Scheduling, typer.Option(help="How it is chosen who meets whom.")
    ] = Scheduling.OPTIMAL,
    aim: Annotated[
        Aim, typer.Option(help="What to find out: the order of all, or who the best three are.")
    ] = Aim.RANKING,
    by: Annotated[
        RatedBy,
        typer.Option(help="What ratings go by: places alone, or points too as far as they help."),
    ] = RatedBy.POINTS,
    title: Annotated[
        str, typer.Option(help="What people call it. Default: as its folder and its game are.")
    ] = "",
    deals: Annotated[
        Deals,
        typer.Option(help="Play each deal with the same bots on every seat in turn, or only once."),
    ] = Deals.INDEPENDENT,
    same_author: Annotated[
        SameAuthor,
        typer.Option(
            help="Whether bots of one author may sit at one table; those of the ladder's owner "
            "always may."
        ),
    ] = SameAuthor.APART,
    *,
    reproducible: ReproducibleOption = False,
    sandbox: Annotated[
        Level | None,
        typer.Option(
            help="How bots are contained, always. Default: as well as the machine can that plays.",
        ),
    ] = None,
    build_network: Annotated[
        BuildNetwork, typer.Option(help="Whose bots may use the network while they are built.")
    ] = BuildNetwork.OWNER,
) -> None:
    """Make a ladder in a folder."""
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
        title=title_of(title),
    )
    say(f"Made a ladder of {game_named(game).title} for {seats} seats in {folder}.")
    say(contained(level, wanted=sandbox))
    say(f"Next: {command_line('submit PATH', home)}")


def submit(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Folders with a bot.toml.")],
    author: Annotated[
        str | None,
        typer.Option(help="Whose they are, who may join with remote ones. Default: the owner's."),
    ] = None,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Let bots play, or new versions of them.

    The files are copied; later changes count when the bot is submitted again. What a .gitignore
    names is left out if the bot has build steps: these are run here, and then the bot has to get
    through a match without a fault. One that does not is rejected, and whatever played plays on.
    Several are built and tried at once, one a core, and entered in the order given; one that fails
    does not keep the others out. After Ctrl-C those that were entered are, and no others.
    To a ladder elsewhere the files are sent; sent again after a cut, they go on where they were.
    """
    from ladder.submission.pool import submit_each

    failed: list[str] = []
    if url is not None and author is not None:
        raise LadderError("--author is for a ladder here; elsewhere the token tells whose they are")
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            for path in paths:
                submission = submit_there(remote, path, there(url, token_file))
                say_plainly(what_became(submission))
                if submission.outcome is SubmissionOutcome.REJECTED:
                    failed.append(submission.version.bot)
        _fail_if(failed)
        return
    with open_ladder(ladder) as opened:
        if opened.settings.contest is not None:
            _enter_late(opened, paths, author)
            return
        for path, outcome in submit_each(opened, paths, say_plainly, author):
            if isinstance(outcome, CourtyardError):
                if len(paths) == 1:
                    raise outcome
                failed.append(str(path))
                print_error(str(outcome))
                continue
            say_plainly(what_became(outcome))
            if outcome.outcome is SubmissionOutcome.REJECTED:
                failed.append(outcome.version.bot)
                _tell_why(opened, outcome.version, path)
    _fail_if(failed)


def _enter_late(ladder: "Ladder", paths: list[Path], author: str | None) -> None:
    """Let bots enter the tournament that is played in a ladder; refuse where that cannot be."""
    from ladder.scheduling.tournament import directing
    from ladder.submission.submit import submit
    from referee.hosting.manifest import load_manifest

    directing.plan_of(ladder)
    failed: list[str] = []
    for path in paths:
        manifest = load_manifest(path)
        if manifest.is_remote:
            raise LadderError(f"{manifest.name} is a remote bot: those play on standing ladders")
        directing.check_late(ladder, manifest.name)
        submission = submit(ladder, path, say_plainly, author=author)
        if submission.outcome is SubmissionOutcome.REJECTED:
            say_plainly(what_became(submission))
            failed.append(submission.version.bot)
            _tell_why(ladder, submission.version, path)
            continue
        missed = directing.enter_late(ladder, submission.version)
        byes = f", with half a point for each of the {missed} before" if missed else ""
        say_plainly(f"{submission.version.bot} enters from round {missed + 1} on{byes}.")
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
        with open_ladder(ladder) as opened:
            heading = opened.heading
            versions = [tally.version for tally in opened.tallies(everybody=True)]
    say_heading(heading)
    tables.print_table(console, tables.bots_table(versions))


def retire(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The bot.", autocompletion=completion.bots)
    ],
    ladder: LadderOption = None,
) -> None:
    """Let a bot play no more.

    Its matches stay; it plays again when it is submitted again.
    """
    from ladder.storage.sweep import sweep

    with open_ladder(ladder) as opened:
        if opened.settings.contest is not None:
            _refuse_to_retire(opened, name)
        was_active = opened.retire(name)
        sweep(opened)
    say(f"{name} plays no more." if was_active else f"{name} was retired already.")


def _refuse_to_retire(ladder: "Ladder", name: str) -> None:
    """Say which command does what is wanted where a tournament or duel is played."""
    from ladder.scheduling.tournament import directing

    directing.plan_of(ladder)
    withdraw = command_line(f"withdraw {name}", ladder.home)
    raise LadderError(f"a tournament is played here, whose entrants stay on record: `{withdraw}`")


def _tell_why(ladder: "Ladder", version: Version, path: Path) -> None:
    """Print the end of what a rejected version's build or match printed, and where the rest is."""
    trial = ladder.trial(version)
    log = f"log {version.bot} --version {version.number}"
    if trial is not None and trial.record is None:
        say_last("the build", trial.build_log or "")
    elif trial is not None:
        say_last(version.bot, trial.printed)
    shown = command_line(log, ladder.home)
    say(f"\nAll of it:       {shown}")
    if trial is not None and trial.record is not None:
        tell_trial_again(version, shown, path)


def what_became(submission: Submission) -> str:
    """Return in words what a submission did."""
    version, replaced = submission.version, submission.replaced
    if submission.outcome is SubmissionOutcome.REJECTED:
        return f"{version} is rejected: {version.rejected}"
    if submission.outcome is SubmissionOutcome.UNCHANGED:
        return f"{version.bot} is unchanged: version {version.number} plays already."
    again = (
        ", submitted before, plays again"
        if submission.outcome is SubmissionOutcome.RETURNED
        else " plays"
    )
    instead = f"; version {replaced.number} plays no more" if replaced else ""
    note = " (the bot was retired)" if submission.was_retired else ""
    return f"{version}{again}{instead}{note}."
