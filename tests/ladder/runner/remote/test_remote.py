"""Remote bots on a ladder: real processes, a real gateway, and bots that come and go."""

import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from courtyard.v1 import referee_pb2
from courtyard_kit.connection import Turn
from rich.console import Console

from ladder.cli.progress import shown
from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine, MatchState
from ladder.results import queries
from ladder.results.spars import spar
from ladder.runner import run as running
from ladder.runner.remote import gateway as gateway_module
from ladder.runner.remote.gateway import Gateway
from ladder.runner.remote.gateway_process import GatewaySettings
from ladder.runner.report import Report
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.verify import check_match
from ladder.submission.spars import ask
from ladder.submission.submit import submit
from referee.match.verify import verify
from referee.sandbox.program import Level
from tests.chaos.far import Far
from tests.support import bot_clients
from tests.support.bot_clients import BotClients, choose
from tests.support.ladders import Command
from tests.support.processes import children, is_python_child
from tests.support.remote_bots import HERE, Keys

MakeBot = Callable[..., Path]
ROOT = Path(__file__).parents[4]
STOP_S = 3.0
SOON = 60.0
"""Seconds within which every bot joins, however busy the machine is."""


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """The certificates of a gateway."""
    return Keys.made(tmp_path_factory.mktemp("keys"))


@contextmanager
def gate_of(home: Home, keys: Keys, port: int = 0) -> Iterator[Gateway]:
    """Open the gateway of a ladder."""
    settings = GatewaySettings(f"{HERE}:{port}", keys.of_gate)
    with Gateway(home, settings, Level.TRUSTED) as gateway:
        yield gateway


class Club:
    """A ladder with remote bots of one author, who has a token."""

    def __init__(self, home: Home, make_remote_bot: MakeBot) -> None:
        """Begin without bots."""
        self.ladder = Ladder.open(home)
        self.token = tokens.create(self.ladder, "eve")
        self._make = make_remote_bot

    def enter(self, *names: str) -> dict[str, str]:
        """Submit remote bots; return the token with which each joins."""
        for name in names:
            submit(self.ladder, self._make(name), lambda _: None, author="eve")
        return dict.fromkeys(names, self.token)

    def play(self, gateway: Gateway, rounds: int, waiting_for: int) -> Report:
        """Wait for `waiting_for` remote bots, and play."""
        remote = [
            tally.version for tally in queries.tallies(self.ladder) if tally.version.is_remote
        ]
        missing = gateway.gather(remote[:waiting_for], SOON)
        assert not missing, f"{missing} never joined"
        planner = LadderPlanner(self.ladder, rounds, presence=gateway.presence)
        with shown(Console(file=StringIO())) as progress:
            return run(self.ladder, planner, 1, progress, gateway=gateway)

    def matches(self) -> list[MatchLine]:
        """Return all matches."""
        return queries.latest(self.ladder, 1000)


@pytest.fixture
def club(home: Home, make_remote_bot: MakeBot) -> Iterator[Club]:
    """Make a ladder for remote bots."""
    made = Club(home, make_remote_bot)
    with made.ladder:
        yield made


def bots_of(match: MatchLine) -> set[str]:
    """Return the bots of a match, without the stand-in."""
    return {seat.version.bot for seat in match.seats if seat.version}


@pytest.mark.costly
def test_remote_bots_and_bots_of_this_machine_play_each_other(club: Club, keys: Keys) -> None:
    """Connected remote bots play, several matches at once; absent bots hold up no one."""
    here = club.enter("ada", "ben", "cat")
    club.enter("zoe")
    local = ROOT / "sample_bots" / "python" / "courtisans" / "random"
    submit(club.ladder, local, lambda _: None)

    with (
        gate_of(club.ladder.home, keys) as gateway,
        BotClients(gateway.address, keys.roots, here, max_matches=2),
    ):
        report = club.play(gateway, rounds=3, waiting_for=3)

    matches = club.matches()
    assert (report.void, report.left_over) == (0, 0)
    assert {match.state for match in matches} == {MatchState.DONE}
    assert set.union(*map(bots_of, matches)) == {"ada", "ben", "cat", "random"}
    assert not any(seat.result.forfeit for m in matches for seat in m.seats if seat.result)
    for match in matches:
        assert verify(queries.record(club.ladder, match)) == []


@pytest.mark.costly
def test_a_remote_bot_spars(club: Club, keys: Keys) -> None:
    """An author's own remote bot plays the matches asked for; those of an absent bot wait."""
    here = club.enter("ada")
    club.enter("zoe")
    local = ROOT / "sample_bots" / "python" / "courtisans" / "random"
    submit(club.ladder, local, lambda _: None)
    for bot in ("ada", "zoe"):
        ask(club.ladder, "eve", bot, ["random"], 3)

    with (
        gate_of(club.ladder.home, keys) as gateway,
        BotClients(gateway.address, keys.roots, here),
    ):
        report = club.play(gateway, rounds=1, waiting_for=1)

    played, waiting = (spar(club.ladder, "eve", number).matches for number in (1, 2))
    assert (report.spars, report.void) == (3, 0)
    assert {match.state for match in waiting} == {MatchState.PLANNED}
    assert {match.state for match in played} == {MatchState.DONE}
    assert not any(seat.result.forfeit for m in played for seat in m.seats if seat.result)
    assert [check_match(club.ladder, match, is_spar=True).problems for match in played] == [[]] * 3


@pytest.mark.costly
def test_a_remote_bot_may_play_in_the_plain_dialect(club: Club, keys: Keys) -> None:
    """It is asked step by step, beside bots of this machine that are asked for whole actions."""
    here = club.enter("ada")
    local = ROOT / "sample_bots" / "python" / "courtisans" / "random"
    submit(club.ladder, local, lambda _: None)

    with (
        gate_of(club.ladder.home, keys) as gateway,
        BotClients(gateway.address, keys.roots, here, plain=True),
    ):
        report = club.play(gateway, rounds=2, waiting_for=1)

    assert (report.void, report.left_over) == (0, 0)
    for match in club.matches():
        record = queries.record(club.ladder, match)
        assert verify(record) == []
        assert [seat.name for seat in record.seats if seat.plain] == ["ada"]
        assert not any(outcome.forfeit for outcome in record.outcomes)


@pytest.mark.costly
def test_a_bot_that_vanishes_holds_up_no_other(
    club: Club, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that vanishes forfeits its match, its later matches are void, all else is played."""
    monkeypatch.setattr(running, "SECONDS_TO_COME_BACK", 0.1)
    names = club.enter(*"abcdefghi")

    with (
        gate_of(club.ladder.home, keys) as gateway,
        BotClients(gateway.address, keys.roots, names, vanishing={"a": 3}),
    ):
        report = club.play(gateway, rounds=4, waiting_for=9)

    matches = club.matches()
    faults = [
        (seat.version.bot, seat.result.forfeit)
        for m in matches
        for seat in m.seats
        if seat.version and seat.result and seat.result.forfeit
    ]
    assert faults == [("a", "DISCONNECTED")]
    void = [match for match in matches if match.state is MatchState.VOID]
    assert len(void) == report.void
    assert all("a" in bots_of(match) for match in void)
    assert {str(match.reason) for match in void} <= {"a version 1 is not connected"}
    assert {match.state for match in matches} <= {MatchState.DONE, MatchState.VOID}


@pytest.mark.costly
def test_time_stands_still_for_who_cannot_come(club: Club, keys: Keys) -> None:
    """The time in which a stopped gateway admits no bots does not count as absence."""
    club.enter("zoe")
    (zoe,) = [tally.version for tally in queries.tallies(club.ladder)]

    with gate_of(club.ladder.home, keys) as gateway:
        (process,) = filter(is_python_child, children(os.getpid()))
        os.kill(process, signal.SIGSTOP)
        waiting = Thread(target=gateway.gather, args=([zoe], STOP_S / 2))
        waiting.start()
        waiting.join(STOP_S)
        is_waiting = waiting.is_alive()
        os.kill(process, signal.SIGCONT)
        waiting.join()

        assert is_waiting
        assert gateway.presence.seconds_away(zoe) >= STOP_S / 2


@pytest.mark.costly
def test_a_gate_that_is_killed_opens_again(club: Club, keys: Keys) -> None:
    """If the gateway is killed, its bots rejoin and its matches are played again."""
    names = club.enter("ada", "ben", "cat", "dan")
    with socket.create_server((HERE, 0)) as listening:
        port = listening.getsockname()[1]

    with gate_of(club.ladder.home, keys, port) as gateway:
        sent = BotClients(gateway.address, keys.roots, names)
        with sent, killed_at_the_first_answer(gateway, sent):
            report = club.play(gateway, rounds=6, waiting_for=4)

    assert (report.void, report.left_over) == (0, 0)
    assert {match.state for match in club.matches()} == {MatchState.DONE}


@contextmanager
def killed_at_the_first_answer(gateway: Gateway, sent: BotClients) -> Iterator[None]:
    """Kill the gateway's process when a match is under way."""
    pid = gateway._child.process.pid
    assert pid is not None
    sent.at_first_answer = lambda: os.kill(pid, signal.SIGKILL)
    yield
    assert gateway._child.process.pid != pid


@pytest.mark.costly
def test_who_is_cut_off_in_a_match_goes_on_with_it(
    club: Club, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Remote bots that are cut off during a match resume it without a forfeit."""
    names = club.enter("ada", "ben", "cat", "dan")
    cuts: set[str] = set()

    with gate_of(club.ladder.home, keys) as gateway:
        far = Far(gateway.address, keys.roots, names)

        def cut_once_a_match(turn: Turn, decision: referee_pb2.Decision) -> None:
            if turn.request.number > 1 and turn.match_id not in cuts:
                cuts.add(turn.match_id)
                with far.cut(0.0):
                    pass
            choose(turn, decision)

        monkeypatch.setattr(bot_clients, "choose", cut_once_a_match)
        with far:
            report = club.play(gateway, rounds=2, waiting_for=4)

    assert cuts
    assert (report.void, report.left_over) == (0, 0)
    assert not any(
        seat.result and seat.result.forfeit for match in club.matches() for seat in match.seats
    )


@pytest.mark.costly
def test_a_gate_without_room_on_the_disk_says_so(
    club: Club, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says what the gateway process lacks: here a folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    reason = (
        rf"the gateway cannot be opened: {tmp_path}/none/courtyard-\w+: No such file or directory"
    )

    with pytest.raises(LadderError, match=f"^{reason}$"), gate_of(club.ladder.home, keys):
        pass


def end_by_sigkill(*_: object) -> None:
    """Kill this process as the kernel does when out of memory."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.costly
def test_a_gate_whose_process_ends_says_by_what(
    club: Club, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run reports how a killed gateway process ended."""
    monkeypatch.setattr(gateway_module, "run_gateway", end_by_sigkill)
    reason = "the gateway cannot be opened: the gateway was ended by SIGKILL"

    with pytest.raises(LadderError, match=f"^{reason}$"), gate_of(club.ladder.home, keys):
        pass


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--remote", "127.0.0.1:0"], "--remote needs --tls-cert FILE and --tls-key FILE"),
        (["--tls-cert", "x"], "--tls-cert, --tls-key and --client-ca need --remote"),
        (
            ["--remote", "here", "--tls-cert", "x", "--tls-key", "x"],
            "here: an address is HOST:PORT",
        ),
        (
            ["--remote", "127.0.0.1:0", "--tls-cert", "none.pem", "--tls-key", "none.key"],
            "none.pem: No such file or directory",
        ),
        (
            ["--remote", "127.0.0.1:99999", "--tls-cert", "x", "--tls-key", "x"],
            "127.0.0.1:99999: an address is HOST:PORT",
        ),
    ],
)
def test_what_a_gate_lacks_is_said_in_one_line(
    home: Home, command: Command, options: list[str], reason: str
) -> None:
    """An error of the gateway is one line, and nothing is played."""
    ended = command("run", "--ladder", home.path, *options)

    assert ended.status == 1
    assert ended.err.startswith(f"error: {reason}")
    assert len(ended.err.splitlines()) == 1
