"""Matches between bots in own processes, most of which misbehave."""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from courtyard.v1 import record_pb2

import referee.hosting.match_runner
from referee.core.clock import ClockConfig
from referee.core.errors import RefereeError
from referee.core.faults import FaultKind
from referee.games.base import ConfigError
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec, RunningBot
from referee.match.verify import verify
from referee.sandbox.levels import Sandbox, open_sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level
from tests.support.voids import counted

Processes = Callable[[Host], set[int]]
Ends = Callable[[int], bool]
Play = Callable[..., record_pb2.Record]


@pytest.fixture(scope="module")
def play(
    bots: Path, random_bot: Path, entrant: Callable[[Path], BotSpec], patient: ClockConfig
) -> Play:
    """Play a match; seats are named by their bots' folders, "random", or None for the stand-in.

    Without a named seed, each match has its own.
    """
    numbers = count()

    def match(
        host: Host,
        *seats: str | BotSpec | None,
        clock: ClockConfig = patient,
        match_id: str = "m",
        seed: str = "",
    ) -> record_pb2.Record:
        table = [named(seat) if isinstance(seat, str) else seat for seat in seats]
        seed = seed or f"seed {next(numbers)}"
        return host.play(MatchSpec(match_id, "courtisans", tuple(table), seed, clock=clock))

    def named(name: str) -> BotSpec:
        return entrant(random_bot if name == "random" else bots / name)

    return match


def fault_of(record: record_pb2.Record, seat: int = 0) -> record_pb2.RecordDecision:
    """The decision at which only this seat forfeited."""
    (decision,) = [decision for decision in record.decisions if decision.HasField("fault")]
    assert decision.seat == seat
    assert [outcome.forfeit for outcome in record.outcomes].count(decision.fault.kind) == 1
    return decision


# Bots that break a rule

MACHINE = r"the referee waited for a core for \d+ ms, the bot for \d+ ms(; pressure: .*)?$"
"""What a verdict about time adds."""

FORFEITS = {
    "crasher": (FaultKind.DISCONNECTED, "its process exited with status 3", 3, None),
    "killed": (FaultKind.DISCONNECTED, "its process was ended by SIGKILL", None, 9),
    "killed_oddly": (FaultKind.DISCONNECTED, "its process was ended by signal 40", None, 40),
    "forker": (FaultKind.DISCONNECTED, "its process exited with status 4", 4, None),
    "colossus": (FaultKind.DISCONNECTED, "ended its stream instead of answering", 1, None),
    "exits": (FaultKind.FAILED_TO_START, "no Hello: its process exited with status 7", 7, None),
    "wrong_token": (FaultKind.FAILED_TO_START, "no Hello (the token is wrong)", 1, None),
    "wrong_version": (FaultKind.FAILED_TO_START, "version 1: Hello has 99", 1, None),
    "garbage": (FaultKind.PROTOCOL_ERROR, "of 100 bytes cannot be parsed", None, None),
    "giant": (FaultKind.PROTOCOL_ERROR, "may have 65536 bytes: this one has 65537", None, None),
    "twice": (FaultKind.PROTOCOL_ERROR, ("exactly one answer", "this one is to"), None, None),
    "other_match": (FaultKind.PROTOCOL_ERROR, "this one is for 'elsewhere'", None, None),
    "liar": (FaultKind.ILLEGAL_ACTION, "received seat 0, which is your own", None, None),
}


@pytest.mark.sweep
@pytest.mark.parametrize("name", FORFEITS)
def test_a_bot_that_breaks_a_rule_forfeits_and_the_others_play_on(
    play: Play, host: Host, name: str
) -> None:
    """The fault has its kind and reason, the match ends, and its record is true."""
    kind, reason, exit_code, by_signal = FORFEITS[name]
    record = play(host, name, "random", None)
    fault = fault_of(record).fault

    assert FaultKind(fault.kind) is kind
    # The second answer may come before the next request or after.
    assert any(why in fault.reason for why in ([reason] if isinstance(reason, str) else reason))
    assert (fault.exit_code if fault.HasField("exit_code") else None) == exit_code
    assert (fault.signal if fault.HasField("signal") else None) == by_signal
    assert [outcome.rank == 3 for outcome in record.outcomes] == [True, False, False]
    assert verify(record) == []


def test_a_bot_that_does_not_answer_times_out(play: Play, host: Host) -> None:
    """The referee waits its limit once; then the stand-in plays."""
    clock = ClockConfig(startup_ms=120_000, decision_limit_ms=200, bank_ms=5_000)
    record = counted(lambda: play(host, "sleeper", None, None, clock=clock))
    decision = fault_of(record)

    assert FaultKind(decision.fault.kind) is FaultKind.TIMEOUT
    told, _, machine = decision.fault.reason.partition("; ")
    assert told == "no answer within the 200 ms that were left"
    assert re.match(MACHINE, machine)
    assert decision.elapsed_us >= 200_000
    assert sum(decision.elapsed_us > 0 for decision in record.decisions) == 1
    assert verify(record) == []


def test_a_bot_that_never_says_hello_fails_to_start(play: Play, host: Host) -> None:
    """The bot forfeits its first decision after the start-up budget."""
    clock = ClockConfig(startup_ms=200)
    record = counted(lambda: play(host, "mute", None, clock=clock))
    decision = fault_of(record)

    assert FaultKind(decision.fault.kind) is FaultKind.FAILED_TO_START
    told, advice, machine = decision.fault.reason.split("; ", 2)
    assert told == "no Hello within 200 ms"
    assert advice == "the bot never called Play at the address in COURTYARD_ADDRESS"
    assert re.match(MACHINE, machine)
    assert decision.elapsed_us == 0
    assert verify(record) == []


NOT_EXECUTABLE = "./bot.py is not executable: run `chmod +x ./bot.py`"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("no-such-program",), "'no-such-program' cannot be started: No such file or directory"),
        (("./bot.py",), f"'./bot.py' cannot be started: Permission denied; {NOT_EXECUTABLE}"),
    ],
)
def test_a_command_that_cannot_be_started_fails_to_start(
    play: Play, host: Host, bots: Path, command: tuple[str, ...], reason: str
) -> None:
    """The author reads the system's reason."""
    record = play(host, BotSpec("missing", bots / "mute", command), None)

    assert FaultKind(fault_of(record).fault.kind) is FaultKind.FAILED_TO_START
    assert fault_of(record).fault.reason == reason


@pytest.mark.costly
def test_when_all_forfeit_the_match_still_has_an_end(play: Play, host: Host) -> None:
    """Stand-ins play on, and all share the first place."""
    record = play(host, "exits", "killed", "garbage")

    assert len(record.decisions) == 24
    assert [outcome.rank for outcome in record.outcomes] == [1, 1, 1]
    assert verify(record) == []


@pytest.mark.parametrize("name", ["flooder", "stubborn", "closer"])
def test_what_is_odd_but_no_fault_is_none(play: Play, host: Host, name: str) -> None:
    """A bot may print, ignore signals and close streams, as long as it answers."""
    record = play(host, name, None)

    assert not any(decision.HasField("fault") for decision in record.decisions)
    assert sum(not decision.stand_in for decision in record.decisions) == 10


# What stays, and what goes


def test_a_bot_that_behaves_plays_on_in_the_same_process(play: Play, processes: Processes) -> None:
    """Matches share a stream; another host has its own bots."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "random", None)
        first = processes(host)
        for number in range(3):
            play(host, None, "random", match_id=str(number))

        assert len(first) == 1
        assert processes(host) == first


@pytest.mark.costly
def test_a_bot_that_ended_between_matches_is_started_anew(
    play: Play, processes: Processes, ends: Ends
) -> None:
    """A bot that owes no answer forfeits nothing."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "random", None)
        (first,) = processes(host)
        os.kill(first, signal.SIGKILL)
        assert ends(first)
        record = play(host, "random", None, match_id="next")

        assert not any(outcome.forfeit for outcome in record.outcomes)
        assert first not in processes(host)


@pytest.mark.costly
def test_two_seats_of_one_bot_are_two_processes(play: Play, processes: Processes) -> None:
    """Seats share nothing; both processes stay warm."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "random", "random")
        first = processes(host)
        play(host, "random", "random", None)

        assert len(first) == 2
        assert processes(host) == first


def test_a_bot_that_plays_an_illegal_action_is_kept(play: Play, processes: Processes) -> None:
    """The bot forfeits with its stream intact, and plays the next match."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        fault_of(play(host, "liar", None))
        first = processes(host)
        fault_of(play(host, "liar", None, match_id="another"))

        assert len(first) == 1
        assert processes(host) == first


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["crasher", "forker", "garbage", "giant", "twice", "exits"])
def test_a_bot_at_fault_is_gone_with_all_that_it_started(
    play: Play, processes: Processes, ends: Ends, name: str
) -> None:
    """The bot's process, its children and its folder go before the match ends."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, name, None)

        assert all(ends(pid) for pid in processes(host))
        assert list(host._folder.iterdir()) == []


@pytest.mark.costly
def test_a_bot_at_fault_is_started_anew_for_its_next_match(play: Play, host: Host) -> None:
    """A crashed bot gets another chance: it decides again before it crashes again."""
    for match_id in ("first", "second"):
        record = play(host, "crasher", None, match_id=match_id)
        own = [decision.stand_in for decision in record.decisions if decision.seat == 0]
        assert own == [False] + [True] * 9


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["stubborn", "flooder", "random"])
def test_a_host_leaves_neither_process_nor_folder(
    play: Play, processes: Processes, ends: Ends, name: str
) -> None:
    """Closing the host ends all its bots, whatever they do."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, name, None)
        running = processes(host)
        assert running

    assert all(ends(pid) for pid in running)
    assert processes(host) == set()
    assert not host._folder.exists()


def test_a_child_in_a_session_of_its_own_does_not_get_away(
    play: Play, processes: Processes
) -> None:
    """The child holds the output in an own session; it ends before the match does."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        fault_of(play(host, "daemon", None))

        assert processes(host) == set()


@pytest.mark.costly
def test_no_process_knows_a_deal_from_before(play: Play, processes: Processes) -> None:
    """Another process plays a second match with one seed; then both may play on."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "random", None, seed="a deal")
        first = processes(host)
        play(host, None, "random", seed="a deal")
        both = processes(host)
        play(host, "random", "random", seed="another deal")

        assert len(first) == 1
        assert len(both) == 2
        assert processes(host) == both


@pytest.mark.costly
def test_only_the_last_bots_stay_warm(play: Play, processes: Processes, bots: Path) -> None:
    """The longest idle stop first."""
    with Host(sandbox=open_sandbox(Level.TRUSTED), warm_bots=1) as host:
        play(host, "closer", None)
        first = processes(host)
        play(host, "random", None)
        second = processes(host)
        play(host, "random", None)

        assert len(first) == len(second) == 1
        assert first.isdisjoint(second)
        assert processes(host) == second


@pytest.mark.costly
@pytest.mark.parametrize(("plentiful", "stay"), [(True, 2), (False, 1)])
def test_more_bots_stay_warm_while_memory_is_plentiful(
    play: Play, processes: Processes, monkeypatch: pytest.MonkeyPatch, *, plentiful: bool, stay: int
) -> None:
    """Of three bots the one that always stays, and one more if the machine has much memory left."""
    monkeypatch.setattr("referee.sandbox.memory_usage.is_plentiful", lambda: plentiful)
    with Host(sandbox=open_sandbox(Level.TRUSTED), warm_bots=1, more_warm_bots=1) as host:
        play(host, "random", "random", "random")

        assert len(processes(host)) == stay


@pytest.mark.costly
def test_a_bot_that_has_played_for_long_is_replaced(
    play: Play, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host must remember all a bot's seeds, which must not go on for months."""
    monkeypatch.setattr(referee.hosting.match_runner, "MATCHES_A_PROCESS", 2)
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "random", None)
        assert len(processes(host)) == 1
        play(host, "random", None)
        assert processes(host) == set()


def test_what_a_bot_prints_is_kept_to_a_bound(play: Play) -> None:
    """The last part stays."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "flooder", None)
        ((_, bot),) = host._match_runner._idle

        assert set(bot.output()) <= {"x", "y", "\n"}
        assert 0 < len(bot.output()) <= 16 * 1024


# How bots are reached


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("tcp", [False, True])
def test_bots_are_told_where_to_dial(play: Play, processes: Processes, *, tcp: bool) -> None:
    """Bots get a Unix socket in an own folder or loopback TCP, and a secret token."""
    with Host(sandbox=open_sandbox(Level.TRUSTED), tcp=tcp) as host:
        record = play(host, "random", "random")
        environments = [environment(pid) for pid in processes(host)]
        addresses = {told["COURTYARD_ADDRESS"] for told in environments}
        files = {Path(told["COURTYARD_TOKEN_FILE"]) for told in environments}

        assert not any(decision.stand_in for decision in record.decisions)
        assert len(addresses) == len(files) == len({file.read_text() for file in files}) == 2
        assert all(address.startswith("127.0.0.1:" if tcp else "unix:/") for address in addresses)
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
        assert {file.parent.stat().st_mode & 0o777 for file in files} == {0o700}
        assert not any("token" in command_line(pid) for pid in processes(host))


def environment(pid: int) -> dict[str, str]:
    """A process's environment."""
    pairs = Path(f"/proc/{pid}/environ").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def command_line(pid: int) -> str:
    """A process's arguments."""
    return Path(f"/proc/{pid}/cmdline").read_text()


def test_a_long_path_for_temporary_files_does_not_matter(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sockets need short names: another place serves them."""
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        record = play(host, "random", None)

    assert not any(decision.HasField("fault") for decision in record.decisions)
    assert list(deep.iterdir()) == []


# The referee's failures


def test_a_match_that_cannot_be_played_starts_no_bot(play: Play, processes: Processes) -> None:
    """A table of one fails at once."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        with pytest.raises(ConfigError, match="2 to 5 seats, not 1"):
            play(host, "random")

        assert processes(host) == set()


@pytest.mark.parametrize("tcp", [False, True])
def test_a_machine_that_cannot_start_a_bot_voids_the_match(
    play: Play, monkeypatch: pytest.MonkeyPatch, *, tcp: bool
) -> None:
    """No bot is at fault: none forfeits, and the host plays on."""

    async def start(*_: object) -> BotProcess:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with Host(sandbox=open_sandbox(Level.TRUSTED), tcp=tcp) as host:
        with monkeypatch.context() as patch:
            patch.setattr(Sandbox, "start", start)
            with pytest.raises(RefereeError, match="Too many open files"):
                play(host, "random", None)
        record = play(host, "random", None)

    assert not any(decision.HasField("fault") for decision in record.decisions)


def test_a_machine_without_room_for_a_socket_voids_the_match(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the referee cannot listen, no bot forfeits."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        shutil.rmtree(host._folder)
        with pytest.raises(RefereeError, match="cannot start a bot: No such file"):
            play(host, "random", None)


@pytest.mark.costly
def test_a_void_match_leaves_no_bot_in_use(
    play: Play, processes: Processes, monkeypatch: pytest.MonkeyPatch, ends: Ends
) -> None:
    """Whatever interrupts a match, no bot that owes an answer is kept."""

    async def ask(*_: object) -> None:
        raise KeyboardInterrupt

    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, "random", None)
        (running,) = processes(host)
        with monkeypatch.context() as patch:
            patch.setattr(RunningBot, "ask", ask)
            with pytest.raises(KeyboardInterrupt):
                play(host, "random", None)

        assert ends(running)
        assert len(play(host, "random", None).decisions) == 20


@pytest.mark.costly
def test_no_bot_outlives_a_referee_that_is_killed(
    waiting_bot: Path, asked: Callable[[Path], int], ends: Ends
) -> None:
    """When SIGKILL ends the host's process, the kernel ends its bots."""
    command = [
        str(Path(sys.executable).parent / "referee"),
        "play",
        "--sandbox",
        "trusted",
        str(waiting_bot),
    ]
    environment = os.environ | {"TMPDIR": str(waiting_bot)}
    with subprocess.Popen(command, env=environment) as referee:
        bot = asked(waiting_bot)
        referee.kill()

    assert ends(bot)
