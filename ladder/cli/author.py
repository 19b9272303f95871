"""For the authors of bots: a kit to start from, logs, and a match to debug."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text
from rich.theme import Theme

from ladder.cli import completion, tables
from ladder.cli.console import (
    BotArgument,
    LadderOption,
    LimitOption,
    MatchArgument,
    command_line,
    console,
    open_ladder,
    program,
    say,
    say_output,
)
from ladder.cli.remote.commands import TokenFileOption, UrlOption, reach
from ladder.cli.repro import tell_match_again, tell_match_again_there, tell_trial_again, there
from ladder.model.bots import ValidationResult, Version
from ladder.model.errors import LadderError, UnknownBotError, UnknownMatchError
from ladder.submission import reference, starter_kits
from referee.cli.repro import CommandArgument, SeatOption, TransportOption, repro_command
from referee.cli.terminal import complete_game
from referee.core.faults import Fault
from referee.core.plain import plain
from referee.games import GAME_NAMES

if TYPE_CHECKING:
    from ladder.cli.remote.client import RemoteLadder
    from ladder.results import author_log
    from ladder.storage.ladder import Ladder


def new_bot(
    name: Annotated[
        Path, typer.Argument(metavar="NAME", help="Its name, and that of its new folder.")
    ],
    language: Annotated[
        str,
        typer.Option(
            help=f"The language: {', '.join(starter_kits.KITS)}.",
            autocompletion=completion.languages,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help=f"The one game that it will play: {', '.join(GAME_NAMES)}. "
            "Default: as the kit does.",
            autocompletion=complete_game,
        ),
    ] = None,
) -> None:
    """Make a bot of your own from a kit: it builds, and plays at random."""
    made = starter_kits.new_bot(name, language, game)
    games = " and ".join(made.games)
    say(f"Made {name}, a bot in {language} that plays {games} at random. Next:")
    steps = [
        (f"referee build {name}", "whenever its files have changed"),
        (f"referee play --game {made.games[0]} {name}", "a match against chance"),
        (f"referee check {name}", "whether it keeps every rule"),
        (f"{program()} submit {name}", "let it play on a ladder"),
    ]
    if not made.build:
        del steps[0]
    width = max(len(step) for step, _ in steps)
    for step, what in steps:
        say(f"  {step:{width}}  {what}")
    if (name / "README.md").is_file():
        say(f"What to change is told in {name / 'README.md'}.")
    say(f"The protocol and the rules are in {name / reference.FOLDER}.")


def log(
    bot: BotArgument,
    match_id: Annotated[
        str | None,
        typer.Argument(
            metavar="MATCH",
            help="A match's id, or how that begins.",
            autocompletion=completion.matches,
        ),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000, help="Show instead how this version was built and validated."
        ),
    ] = None,
    limit: LimitOption = 20,
    *,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="With --version: print the record of its validation match, for `referee repro`.",
        ),
    ] = False,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show a bot's author what it printed, how long it thought and what it did wrong.

    Nothing is shown that the bot's own seat was not told.
    """
    from ladder.results import author_log
    from ladder.storage.records import unpack

    if json and version is None:
        raise LadderError("--json is for --version alone: a match's record tells of all its bots")
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            options = there(url, token_file)
            _log_there(remote, bot, match_id, version, limit, json=json, options=options)
        return
    with open_ladder(ladder) as opened:
        versions = opened.versions(bot)
        if json and version is not None:
            _print_record(_numbered(versions, version), opened)
        elif match_id is not None:
            _tell_match(opened, bot, match_id)
        elif version is not None:
            numbered = _numbered(versions, version)
            tried = opened.trial(numbered)
            packed = tried.record if tried else None
            _tell_trial(numbered, tried, unpack(packed) if packed else None)
            if packed:
                say("")
                log = command_line(f"log {bot} --version {version}", opened.home)
                tell_trial_again(numbered, log)
        else:
            for each in versions:
                _tell_submission(each, opened.trial(each))
            console.print()
            tables.print_table(console, tables.lives_table(author_log.latest(opened, bot, limit)))


def _log_there(
    remote: "RemoteLadder",
    bot: str,
    match_id: str | None,
    number: int | None,
    limit: int,
    *,
    json: bool,
    options: str,
) -> None:
    """Show the logs of a ladder elsewhere, which these options name on a command line."""
    from referee.match.record import record_to_json

    if number is not None:
        version, trial, record = remote.trial(bot, number)
        if json and record is None:
            raise UnknownMatchError(f"{version} has played no validation match")
        if json:
            sys.stdout.write(record_to_json(record))
        else:
            _tell_trial(version, trial, record)
        if record is not None and not json:
            log = f"{program()} log {bot} --version {number} {options}"
            say("")
            tell_trial_again(version, log)
    elif match_id is not None:
        lived = remote.log(bot, match_id)
        _tell_lived(lived)
        tell_match_again_there(bot, lived.match.match_id, lived.seat, options)
    else:
        for version in remote.versions():
            if version.bot == bot:
                _tell_submission(version, remote.trial(bot, version.number)[1])
        console.print()
        tables.print_table(console, tables.lives_table(remote.logs(bot, limit)))


def repro(
    match_id: MatchArgument,
    seat: SeatOption,
    bot: CommandArgument = None,
    transport: TransportOption = None,
    ladder: LadderOption = None,
) -> None:
    """Ask a bot here again what a seat was asked in a match, and show where it answers differently.

    There are no opponents and no clocks: the bot may run in a debugger. Its requests are those of
    the match, whatever it answers. Shown is only what the seat knew.
    """
    with open_ladder(ladder) as opened:
        record = opened.record(opened.match(match_id))
    repro_command(record, seat, bot, transport)


def _numbered(versions: list[Version], number: int) -> Version:
    for version in versions:
        if version.number == number:
            return version
    last = versions[-1]
    raise UnknownBotError(
        f"{last.bot} has no version {number}: its versions are 1 to {last.number}"
    )


def _tell_submission(version: Version, trial: ValidationResult | None) -> None:
    """Say in a line what came of submitting a version."""
    if trial is None:
        say(f"Version {version.number}, {version.submitted_at}: not tried, as in older ladders.")
        return
    if version.is_remote:
        say(f"Version {version.number}, {version.submitted_at}: not tried, as it is a remote bot.")
        return
    built = "" if trial.build_log is None else "built and "
    outcome = f"rejected: {trial.rejected}" if trial.rejected else f"{built}validated."
    say(f"Version {version.number}, {trial.tried_at}: {plain(outcome)}")


def _tell_trial(version: Version, trial: ValidationResult | None, record: Any) -> None:
    """Tell all that is kept of building and validating a version."""
    from ladder.submission.submit import SEAT

    _tell_submission(version, trial)
    if trial is None:
        return
    if trial.build_log is not None:
        say_output("Its build:", trial.build_log)
    if record is not None:
        say("\nIts validation match, against the stand-in:")
        _tell(record, SEAT, trial.printed)


def _print_record(version: Version, ladder: "Ladder") -> None:
    """Print the record of a validation match: nobody else was in it, and its deal is its own."""
    from ladder.storage.records import unpack
    from referee.match.record import record_to_json

    trial = ladder.trial(version)
    if trial is None or trial.record is None:
        raise UnknownMatchError(f"{version} has played no validation match")
    sys.stdout.write(record_to_json(unpack(trial.record)))


def _tell_match(ladder: "Ladder", bot: str, match_id: str) -> None:
    """Tell all that is kept of a bot in one match."""
    from ladder.results import author_log

    line = ladder.match(match_id)
    record = ladder.record(line)
    lived = author_log.lived(ladder, line, bot)
    _tell_place(lived)
    _tell(record, lived.seat, lived.printed)
    tell_match_again(bot, line.match_id, lived.seat, ladder.home)


def _tell_place(lived: "author_log.Lived") -> None:
    say(
        f"{lived.version} on seat {lived.seat} of match {lived.match.match_id}: "
        f"place {lived.result.rank}, {lived.result.points} points"
    )


def _tell_lived(lived: "author_log.Lived") -> None:
    """Tell all that is known elsewhere of a bot in one match."""
    _tell_place(lived)
    tables.print_table(console, tables.thoughts_table(lived.thoughts))
    if lived.fault is not None:
        console.print(f"\n[bold]It forfeited by {lived.fault.kind.name}.[/]")
        _tell_reason(lived.fault, "")
    _tell_printed(lived.printed)


def _tell(record: Any, seat: int, printed: str | None) -> None:
    """Tell the times, the fault, and what was printed of a seat in a match."""
    from ladder.results import author_log
    from ladder.storage.records import fault_of

    tables.print_table(console, tables.thoughts_table(author_log.thoughts_of(record, seat)))
    if record.sandbox:
        say(f"Contained at the level {record.sandbox}.")
    fault = fault_of(record, seat)
    if fault is not None:
        _tell_fault(record, seat, fault)
    _tell_printed(printed)


def _tell_printed(printed: str | None) -> None:
    if printed is None:
        say("\nNothing is kept of what it printed: it printed nothing, or long ago.")
    else:
        say_output("It printed:", printed)


def _tell_reason(fault: Fault, answer: str) -> None:
    """Say what was expected, what came, and what is wrong with it.

    `answer` is what came, as markup; empty if it is to be shown as it is.
    """
    from referee.conformance.check.rules import DEMANDS, rule_of_fault
    from referee.wire.shown import answer_text

    rule = rule_of_fault(fault)
    say(f"expected  {DEMANDS[rule].replace('`', '')} ({rule} in docs/protocol.md)")
    say(f"fault     {plain(fault.reason)}")
    if fault.received:
        shown = answer or escape(plain(answer_text(fault.received)))
        console.print(f"received  {shown}", soft_wrap=True, emoji=False)


def _tell_fault(record: Any, seat: int, fault: Fault) -> None:
    """Tell what the seat was asked, what it sent and what it should have done."""
    from referee.games import TEXTS
    from referee.view.show import seat_names
    from referee.view.transcript import transcript_of
    from referee.wire.shown import answer_line

    turn = transcript_of(record, seat).turns[-1]
    console.print(f"\n[bold]It forfeited by {fault.kind.name} at request {turn.number}.[/]")
    with console.use_theme(Theme(dict(TEXTS[record.game].STYLES))):
        _tell_reason(fault, answer_line(fault.received, record.game, seat_names(record)))
        console.print(Text("asked with this before it:", style="dim"))
        for text in turn.situation:
            console.print(f"  {text}", highlight=False, emoji=False, soft_wrap=True)
