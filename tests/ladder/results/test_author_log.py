"""`ladder log` gives authors all about their own bots, and no more."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.model.matches import PlannedMatch, Played
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches, outputs
from ladder.storage.tables.records import pack
from referee.core.clock import Measured
from referee.core.faults import Fault, FaultKind
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_from_json, record_of
from referee.match.verify import verify
from referee.view.transcript import transcript_of

MATCH = "1a" * 16
PRIVATE = "my plan is secret"


def record(names: list[str], fault: Fault | None) -> Any:
    """Play a match of these bots; "bob" thinks for 10, 20, 30, ... ms and then makes the fault."""
    match = Match(MatchSetup(MATCH, "courtisans", len(names), "seed"))
    stream = Stream("play", "it")
    asked = 0
    while (due := match.due) is not None:
        asked += names[due.seat] == "bob"
        took = 10_000 * asked if names[due.seat] == "bob" else 777_000
        measured = Measured(took + 500, took // 2, took // 4)
        if fault and names[due.seat] == "bob" and asked == 3:
            match.forfeit(fault, took, measured)
        else:
            match.decide(match.state.random_action(stream), took, measured)
    return record_of(match, [SeatInfo(name, "1") for name in names], sandbox="strict")


@pytest.fixture
def add_match(ladder: Ladder) -> Callable[..., None]:
    """Store a finished match."""

    def add(fault: Fault | None = None) -> None:
        with ladder.database.write() as tx:
            four = tuple(bots.active(tx))
            planned = PlannedMatch(MATCH, 1, 0, four)
            matches.add(tx, [planned])
            spec = MatchSpec(MATCH, "courtisans", (None,) * 4, "seed")
            printed = {0: f"{PRIVATE} of ann", 1: "hm\x1b[2J\n\tthinking\n", 2: ""}
            played = pack(record([v.bot for v in four], fault), printed, spec)
            matches.finish(tx, played)

    return add


FAULT = Fault(FaultKind.PROTOCOL_ERROR, "a Decision is due", received=b"rubbish")


def test_overview(command: Callable[..., Any], ladder: Ladder, add_match: Any) -> None:
    """Each submission and match has a line, with times, output and fault."""
    add_match(FAULT)

    lines = command("log", "bob", "--ladder", ladder.home.path).out.splitlines()

    assert lines[0].startswith("Version 1, ")
    assert lines[0].endswith(": validated.")
    (match,) = (line for line in lines if line.startswith("1a1a"))
    assert match.split()[1:2] == ["1"]
    assert match.split()[4:11] == ["3", "20.0", "ms", "30.0", "ms", "30.5", "ms"]
    assert match.rstrip().endswith("PROTOCOL_ERROR: a Decision is due")


def test_one_match(command: Callable[..., Any], ladder: Ladder, add_match: Any) -> None:
    """The log has every decision, its times, the level, and the output, made safe."""
    add_match()

    out = command("log", "bob", "1a", "--ladder", ladder.home.path).out

    first = out.splitlines()[2].split()
    assert first == ["1", "10.0", "ms", "10.5", "ms", "5.0", "ms", "2.5", "ms", "29.99", "s"]
    assert "Sandbox level: strict." in out
    assert "  hm·[2J\n          thinking\n" in out
    assert "forfeited" not in out


def test_fault_with_what_led_to_it(
    command: Callable[..., Any], ladder: Ladder, add_match: Any
) -> None:
    """The log shows a fault with rule, error, message, and what the seat knew before."""
    add_match(FAULT)

    out = command("log", "bob", "1a", "--ladder", ladder.home.path).out

    assert "Forfeit: PROTOCOL_ERROR at decision 3." in out
    assert "expected  An answer MUST hold a Decision. (answer.decision in docs/" in out
    assert "fault     a Decision is due\n" in out
    assert "received  7 bytes that are no BotMessage: 72 75 62 62 69 73 68\n" in out
    assert "  Hand  " in out


def test_nothing_of_the_others(command: Callable[..., Any], ladder: Ladder, add_match: Any) -> None:
    """The log never shows others' output or times."""
    add_match(FAULT)

    shown = [
        command("log", "bob", *more, "--ladder", ladder.home.path).out
        for more in ([], ["1a"], ["--version", "1"])
    ]

    assert all(shown)
    for out in shown:
        assert PRIVATE not in out
        assert "777" not in out


def test_log_of_a_rejected_version(
    command: Callable[..., Any], ladder: Ladder, make_bot: Callable[..., Path]
) -> None:
    """The validation match is logged like any other, after the build."""
    step = 'build = [["python3", "-c", "print(6 * 7)"]]\n'
    ended = command("submit", make_bot("ann", "forfeits", step), "--ladder", ladder.home.path)

    assert ended.status == 1
    assert ended.err == "error: not entered: ann\n"
    assert "ann version 2 is rejected: it forfeited its validation match: PROTOCOL_ER" in ended.out
    assert "  ann was here\n" in ended.out
    assert "ladder log ann --version 2" in ended.out
    out = command("log", "ann", "--version", "2", "--ladder", ladder.home.path).out
    assert "Build output:\n  $ python3 -c 'print(6 * 7)'\n  42\n" in out
    assert "Forfeit: PROTOCOL_ERROR at decision 2." in out
    assert "Output:\n  ann was here\n" in out
    overview = command("log", "ann", "--ladder", ladder.home.path).out
    assert "rejected: it forfeited its validation match" in overview
    listed = command("bots", "--ladder", ladder.home.path).out
    assert [line.split()[:3] for line in listed.splitlines()[2:4]] == [
        ["ann", "1", "plays"],
        ["ann", "2", "rejected:"],
    ]


def test_validation_can_be_played_again(
    command: Callable[..., Any], home: Home, make_bot: Callable[..., Path], tmp_path: Path
) -> None:
    """The referee verifies a validation match's record and replays its requests."""
    command("submit", make_bot("bad", "forfeits"), "--ladder", home.path)

    printed = command("log", "bad", "--version", 1, "--json", "--ladder", home.path).out

    played = record_from_json(printed)
    assert verify(played) == []
    assert len(transcript_of(played, 0).turns) == 2


def test_records_of_matches_are_not_for_authors(
    command: Callable[..., Any], ladder: Ladder
) -> None:
    """The log prints no match's record: it tells of the others."""
    ended = command("log", "bob", "1a", "--json", "--ladder", ladder.home.path)

    assert (ended.status, ended.out, ended.err.count("\n")) == (1, "", 1)


def test_build_steps_steer_no_terminal(
    command: Callable[..., Any], home: Home, make_bot: Callable[..., Path]
) -> None:
    """The log shows dots for control characters."""
    step = 'build = [["python3", "-c", "raise SystemExit(\'a\\u001b[2Jb\')"]]\n'

    ended = command("submit", make_bot("bad", manifest=step), "--ladder", home.path)
    told = command("log", "bad", "--version", 1, "--ladder", home.path)
    listed = command("bots", "--ladder", home.path)

    for shown in (ended.out, told.out, listed.out):
        assert "a·[2Jb" in shown
        assert "\x1b" not in shown


def test_submitting_goes_on_after_a_rejection(
    command: Callable[..., Any], home: Home, make_bot: Callable[..., Path]
) -> None:
    """Of several bots the fit ones play, and the command fails for the others."""
    bad, good = make_bot("bad", "forfeits"), make_bot("good")

    ended = command("submit", bad, good, "--ladder", home.path)

    assert ended.status == 1
    assert "good version 1 plays." in ended.out
    assert ended.err == "error: not entered: bad\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("zoe",), "no bot 'zoe'"),
        (("bob", "ff"), "no match begins with 'ff'"),
        (("eve", "1a"), "eve is not in match 1a1a"),
        (("bob", "--version", "7"), "bob has no version 7: its versions are 1 to 1"),
    ],
)
def test_what_is_not_there(
    command: Callable[..., Any],
    ladder: Ladder,
    add_match: Any,
    enter: Any,
    make_bot: Callable[..., Path],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    """An unknown bot, match or version is refused in one line."""
    add_match()
    enter(ladder, make_bot("eve"))

    ended = command("log", *arguments, "--ladder", ladder.home.path)

    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert said in ended.err


def test_match_points_to_forfeits(
    command: Callable[..., Any], ladder: Ladder, add_match: Any
) -> None:
    """`ladder match` shows a forfeiting bot's last words, and no others."""
    add_match(FAULT)

    out = command("match", "1a", "--ladder", ladder.home.path).out

    assert "PROTOCOL_ERROR: a Decision is due" in out
    assert "Last output of bob (seat 1):\n  hm·[2J\n" in out
    assert PRIVATE not in out


def finish(ladder: Ladder, number: int, forfeits: tuple[int, ...] = ()) -> PlannedMatch:
    """Finish matches in which every bot prints its number."""
    with ladder.database.write() as tx:
        planned = PlannedMatch(f"{number:032x}", number, 0, tuple(bots.active(tx)))
        matches.add(tx, [planned])
        results = pack(record(["a"] * 4, None), {}, MatchSpec(MATCH, "courtisans", (None,) * 4, ""))
        seats = tuple(
            type(result)(result.rank, result.points, "TIMEOUT" if seat in forfeits else None)
            for seat, result in enumerate(results.seats)
        )
        printed = {0: f"text {number}", 1: "" if number % 2 else "even", 2: "x" * 100_000}
        matches.finish(tx, Played(planned.match_id, seats, 1, b"", printed))
    return planned


def test_outputs_are_kept_for_a_while(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ladder keeps each version's last outputs and those with faults; no empty ones."""
    monkeypatch.setattr(outputs, "OUTPUTS_KEPT", 3)
    finish(ladder, 1, forfeits=(0, 3))
    for number in range(2, 9):
        finish(ladder, number)

    with ladder.database.read() as tx:

        def kept(seat: int) -> dict[int, str]:
            found = {n: outputs.output(tx, f"{n:032x}", seat) for n in range(1, 9)}
            return {n: text for n, text in found.items() if text is not None}

        assert kept(0) == {n: f"text {n}" for n in (1, 6, 7, 8)}
        assert kept(1) == dict.fromkeys((4, 6, 8), "even")
        assert kept(2) == dict.fromkeys((6, 7, 8), "x" * 16 * 1024)
        assert kept(3) == {1: ""}
