"""Commands for authors: start a bot, read its logs, and debug a match."""

import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    say_incidents,
    say_output,
)
from ladder.cli.remote.commands import TokenFileOption, UrlOption, reach
from ladder.cli.repro import print_match_repro, print_remote_repro, print_validation_repro, there
from ladder.model.bots import VALIDATION_SEAT, ValidationResult, Version
from ladder.model.errors import LadderError, UnknownBotError, UnknownMatchError
from ladder.model.moments import when
from ladder.submission import starter_kits
from referee.cli.repro import CommandArgument, SeatOption, TransportOption, repro_command
from referee.cli.terminal import complete_game
from referee.core.faults import Fault
from referee.core.plain import plain
from referee.core.system import IS_UNIX
from referee.games import DEFAULT_GAME, game_named
from referee.hosting.sample_bots import sample_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.cli.remote.client import RemoteLadder
    from ladder.model.incidents import Incident
    from ladder.model.matches import MatchLine, SeatLog
    from ladder.storage.ladder import Ladder
    from referee.match.record import Record


def new_bot(
    name: Annotated[
        Path, typer.Argument(metavar="NAME", help="The name of the bot and of its new folder.")
    ],
    language: Annotated[
        str | None,
        typer.Option(
            help=f"The language: {', '.join(starter_kits.KITS)}.",
            autocompletion=completion.languages,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            help="The game that the bot plays; `ladder games` lists them. "
            "Default: the games of the kit.",
            autocompletion=complete_game,
        ),
    ] = None,
    *,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="A short bot for every game: it picks one of some labelled options."
        ),
    ] = False,
    sample: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="SAMPLE", help="Copy this sample bot, such as greedy, not a kit."
        ),
    ] = None,
) -> None:
    """Create a bot from a starter kit, which plays at random, or from a sample bot."""
    if (sample is None) == (language is None) or (plain and sample is not None):
        raise LadderError("say either --language, which --plain may follow, or --from")
    if language is not None:
        source = starter_kits.kit_folder(language, game, plain=plain)
    else:
        source = sample_named(sample or "", game or DEFAULT_GAME)
    made = starter_kits.new_bot(name, source, game)
    if (name / starter_kits.VENDOR_SCRIPT).is_file():
        _vendor(name)
    games = " and ".join(made.games).replace("*", "every game")
    how = f" like {sample}" if sample else " at random"
    say(f"Created {name}, a bot in {language or made.language} that plays {games}{how}. Next:")
    first = made.installed_games()[0]
    steps = [
        (f"referee build {name}", "build it, after every change"),
        (
            f"referee play --game {first} {name}",
            "play a match against random play",
        ),
        (f"referee check {name}", "test it against every rule of the protocol"),
        (f"{program()} submit {name}", "enter it in a ladder"),
    ]
    if not made.build:
        del steps[0]
    if made.is_remote:
        steps = [(f"{program()} submit {name}", "enter it in a ladder, then start it")]
    elif not IS_UNIX:
        steps = [(f"{program()} submit {name} --url URL", "enter it in a ladder elsewhere")]
    width = max(len(step) for step, _ in steps)
    for step, what in steps:
        say(f"  {step:{width}}  {what}")
    if (name / "README.md").is_file():
        say(f"{name / 'README.md'} says what to change.")
    say(f"{name / starter_kits.REFERENCE} holds the protocol and the rules.")


def _vendor(bot: Path) -> None:
    """Fetch what a new bot's build needs, or print what to do later."""
    again = f"cd {bot} && sh {starter_kits.VENDOR_SCRIPT}"
    say(f"Fetching what the build needs, so that a ladder needs no network for it: {again}")
    if failure := starter_kits.vendor(bot):
        say(f"That failed: {failure}. Run it before you build or submit the bot.")


def log(
    bot: BotArgument,
    match_id: Annotated[
        str | None,
        typer.Argument(
            metavar="MATCH",
            help="A match's id, or a prefix of it.",
            autocompletion=completion.matches,
        ),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000, help="Show the build and the validation match of this version."
        ),
    ] = None,
    limit: LimitOption = 20,
    *,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="List the last matches as JSON; with --version, print the record of the "
            "validation match, for `referee repro`.",
        ),
    ] = False,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Show a bot's output, decision times and faults, for its author.

    It lists events out of the ordinary in matches, such as pauses, lost workers and
    annulments; a reason follows once the deal of its match is played on all seats. The log never
    shows more than the bot's own seat saw.
    """
    if json and version is None and (match_id is not None or url is not None):
        raise LadderError(
            "--json needs --version here: the record of any other match would reveal all its bots"
        )
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            options = there(url, token_file)
            _log_there(remote, bot, match_id, version, limit, json=json, options=options)
        return
    from ladder.results import author_log, incidents, queries
    from ladder.storage.tables.records import unpack

    with open_ladder(ladder) as opened:
        versions = queries.versions(opened, bot)
        if json and version is not None:
            _print_record(_numbered(versions, version), opened)
        elif json:
            _print_matches(opened, bot, limit)
        elif match_id is not None:
            _print_match(opened, bot, match_id)
        elif version is not None:
            numbered = _numbered(versions, version)
            tried = queries.validation(opened, numbered)
            packed = tried.record if tried else None
            _print_validation(numbered, tried, unpack(packed) if packed else None)
            if packed:
                say("")
                log = command_line(f"log {bot} --version {version}", opened.home)
                print_validation_repro(numbered, log)
        else:
            for each in versions:
                _print_submission(each, queries.validation(opened, each))
            console.print()
            tables.print_table(console, tables.logs_table(author_log.latest(opened, bot, limit)))
            found = incidents.of_bot(opened, bot, limit)
            _print_incidents([(each, line) for line, of_it in found for each in of_it])


def _print_matches(ladder: "Ladder", bot: str, limit: int) -> None:
    """Print a bot's last matches as JSON, the newest first, with what happened to them."""
    from ladder.results import incidents

    listed = [
        {
            "match": line.match_id,
            "round": line.round,
            "state": line.state,
            "version": taken.version.number,
            "seat": seat,
            "place": taken.result.rank if taken.result else None,
            "points": taken.result.points if taken.result else None,
            "forfeit": taken.result.forfeit if taken.result else None,
            "incidents": [incidents.to_data(each) for each in happened],
        }
        for line, happened in incidents.of_bot(ladder, bot, limit)
        for seat, taken in enumerate(line.seats)
        if taken.version and taken.version.bot == bot
    ]
    sys.stdout.write(f"{dumps(listed, indent=2, ensure_ascii=False)}\n")


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
    """Show the logs of a remote ladder; `options` name that ladder on a command line."""
    from referee.match.record import record_to_json

    if number is not None:
        version, validation, record = remote.validation(bot, number)
        if json:
            if record is None:
                raise UnknownMatchError(f"{version} has played no validation match")
            sys.stdout.write(record_to_json(record))
            return
        _print_validation(version, validation, record)
        if record is not None:
            log = f"{program()} log {bot} --version {number} {options}"
            say("")
            print_validation_repro(version, log)
    elif match_id is not None:
        line, happened, seat_log = remote.log(bot, match_id)
        if seat_log is None:
            _print_without_result(line, happened)
        else:
            print_seat_log(seat_log, happened)
            print_remote_repro(bot, line.match_id, seat_log.seat, options)
    else:
        for version in remote.versions():
            if version.bot == bot:
                _print_submission(version, remote.validation(bot, version.number)[1])
        console.print()
        logs, found = remote.logs(bot, limit)
        tables.print_table(console, tables.logs_table(logs))
        _print_incidents(found)


def repro(
    match_id: MatchArgument,
    seat: SeatOption,
    bot: CommandArgument = None,
    transport: TransportOption = None,
    ladder: LadderOption = None,
    url: UrlOption = None,
    token_file: TokenFileOption = None,
) -> None:
    """Replay a seat's requests of a match to a local bot, and show where its answers differ.

    There are no opponents and no clocks, so the bot can run in a debugger. It gets the requests of
    the match, whatever it answers. The output shows only what the seat knew. A remote ladder gives
    the record once the match is public.
    """
    if url is not None:
        with reach(url, token_file, ladder) as remote:
            record = remote.record(match_id)
    else:
        from ladder.results import queries

        with open_ladder(ladder) as opened:
            record = queries.record(opened, queries.match(opened, match_id))
    repro_command(record, seat, bot, transport)


def _numbered(versions: list[Version], number: int) -> Version:
    for version in versions:
        if version.number == number:
            return version
    last = versions[-1]
    raise UnknownBotError(
        f"{last.bot} has no version {number}: its versions are 1 to {last.number}"
    )


def _print_submission(version: Version, validation: ValidationResult | None) -> None:
    """Print the result of submitting a version, in one line."""
    submitted = f"Version {version.number}, {when(version.submitted_at)}"
    if validation is None:
        say(f"{submitted}: not validated (older Courtyard).")
        return
    if version.is_remote:
        say(f"{submitted}: not validated (remote bot).")
        return
    built = "" if validation.build_log is None else "built and "
    outcome = f"rejected: {validation.rejected}" if validation.rejected else f"{built}validated."
    say(f"Version {version.number}, {when(validation.tried_at)}: {plain(outcome)}")


def _print_validation(
    version: Version, validation: ValidationResult | None, record: "Record | None"
) -> None:
    """Print everything stored about the build and the validation match of a version."""
    _print_submission(version, validation)
    if validation is None:
        return
    if validation.build_log is not None:
        say_output("Build output:", validation.build_log)
    if record is not None:
        say("\nValidation match against random play:")
        _print_seat(record, VALIDATION_SEAT, validation.printed)


def _print_record(version: Version, ladder: "Ladder") -> None:
    """Print the record of a validation match, which involves no other bot and no other's deal."""
    from ladder.results import queries
    from ladder.storage.tables.records import unpack
    from referee.match.record import record_to_json

    validation = queries.validation(ladder, version)
    if validation is None or validation.record is None:
        raise UnknownMatchError(f"{version} has played no validation match")
    sys.stdout.write(record_to_json(unpack(validation.record)))


def _print_match(ladder: "Ladder", bot: str, match_id: str) -> None:
    """Print everything stored about a bot in one match."""
    from ladder.results import author_log, incidents, queries

    line = queries.match(ladder, match_id)
    seat_log = author_log.seat_log(ladder, line, bot)
    happened = incidents.for_author(ladder, line)
    if seat_log is None:
        _print_without_result(line, happened)
        return
    _print_place(seat_log)
    say_incidents(happened)
    _print_seat(queries.record(ladder, line), seat_log.seat, seat_log.printed)
    print_match_repro(bot, line.match_id, seat_log.seat, ladder.home)


def _print_place(seat_log: "SeatLog") -> None:
    say(
        f"{seat_log.version} on seat {seat_log.seat} of match {seat_log.match.match_id}: "
        f"place {seat_log.result.rank}, {seat_log.result.points} points"
    )


def _print_without_result(line: "MatchLine", happened: "Sequence[Incident]") -> None:
    """Print how far a match without a result is, and what happened to it."""
    say(f"Match {line.match_id} of round {line.round} has no result: it is {line.state}.")
    say_incidents(happened)


def _print_incidents(happened: "Sequence[tuple[Incident, MatchLine]]") -> None:
    if happened:
        say("\nOut of the ordinary:")
        tables.print_table(console, tables.incidents_table(happened))


def print_seat_log(seat_log: "SeatLog", happened: "Sequence[Incident]") -> None:
    """Print everything that a remote ladder reveals about a bot in one match."""
    _print_place(seat_log)
    say_incidents(happened)
    tables.print_table(console, tables.timings_table(seat_log.decisions))
    if seat_log.fault is not None:
        console.print(f"\n[bold]Forfeit: {seat_log.fault.kind.name}.[/]")
        _print_reason(seat_log.fault, "")
    _print_output(seat_log.printed)


def _print_seat(record: "Record", seat: int, printed: str | None) -> None:
    """Print a seat's decision times, fault and output in a match."""
    from ladder.storage.tables.records import decision_times_of, fault_of

    tables.print_table(console, tables.timings_table(decision_times_of(record, seat)))
    if record.sandbox:
        say(f"Sandbox level: {record.sandbox}.")
    fault = fault_of(record, seat)
    if fault is not None:
        _print_fault(record, seat, fault)
    _print_output(printed)


def _print_output(printed: str | None) -> None:
    if printed is None:
        say("\nNo output: the bot printed nothing, or the ladder has deleted it since.")
    else:
        say_output("Output:", printed)


def _print_reason(fault: Fault, answer: str) -> None:
    """Print what the referee expected, what it received, and the fault.

    `answer` is the received answer as markup; empty to print the raw message.
    """
    from referee.conformance.check.rules import DEMANDS, recorded_rule
    from referee.wire.shown import answer_text

    rule = recorded_rule(fault)
    say(f"expected  {DEMANDS[rule].replace('`', '')} ({rule} in docs/protocol.md)")
    say(f"fault     {plain(fault.reason)}")
    if fault.received:
        shown = answer or escape(plain(answer_text(fault.received)))
        console.print(f"received  {shown}", soft_wrap=True, emoji=False)


def _print_fault(record: "Record", seat: int, fault: Fault) -> None:
    """Print the request, the answer and the rule that the answer broke."""
    from referee.view.show import seat_names
    from referee.view.transcript import transcript_of
    from referee.wire.shown import answer_line

    turn = transcript_of(record, seat).turns[-1]
    console.print(f"\n[bold]Forfeit: {fault.kind.name} at decision {turn.number}.[/]")
    with console.use_theme(Theme(dict(game_named(record.game).text.STYLES))):
        _print_reason(fault, answer_line(fault.received, record.game, seat_names(record)))
        console.print(Text("The request showed this situation:", style="dim"))
        for text in turn.situation:
            console.print(f"  {text}", highlight=False, emoji=False, soft_wrap=True)
