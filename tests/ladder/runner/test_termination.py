"""SIGTERM and SIGHUP that reach a run's workers and bots as well end it in good order.

No match is void, no bot forfeits, and nothing is left.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.model.matches import MatchLine
from ladder.results import queries
from ladder.runner.interrupts import Interrupts, StopRequests
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.lacking import need_proc
from tests.support.processes import family

COMMAND = Path(sys.executable).with_name("ladder")
Run = subprocess.Popen[str]
MakeBot = Callable[..., Path]
Enter = Callable[..., object]

WAITS = """
from courtyard_kit.courtisans import run

def choose(position):
    with open({fifo!r}, "w") as fifo:
        fifo.write("It is my turn.\\n")
    while True:
        pass

run(choose, name="waits")
"""


def matches(home: Home) -> list[MatchLine]:
    """Return all matches, in order."""
    with Ladder.open(home) as ladder:
        return queries.latest(ladder, 1000)[::-1]


@pytest.mark.costly
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_worker_plays_on(
    home: Home,
    gate: Home,
    start: Callable[..., Run],
    make_bot: MakeBot,
    enter: Enter,
    number: signal.Signals,
) -> None:
    """A signal to the process group, as from shells, stops the run after the match."""
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("gate"))
    run = start(5, workers=1, start_new_session=True)
    (gate.path / "started").read_text()

    os.killpg(run.pid, number)
    (gate.path / "go").write_text("")
    out, err = run.communicate(timeout=240)

    assert (err, run.returncode) == ("", 0)
    assert out.splitlines()[-1] == "report 1 0 0 True"
    assert [(line.state, line.attempts) for line in matches(home)] == [("done", 0)]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("number", "bot_hears_it"),
    [(signal.SIGTERM, True), (signal.SIGTERM, False), (signal.SIGHUP, True)],
)
def test_a_match_whose_bots_were_ended_is_played_again(
    home: Home,
    tmp_path: Path,
    make_bot: MakeBot,
    enter: Enter,
    number: signal.Signals,
    *,
    bot_hears_it: bool,
) -> None:
    """A signal to every process, as from systemd, costs no attempt and causes no forfeit.

    Sent to all but the program of the bot, which its supervisor ends, neither. No folder is left.
    """
    need_proc()
    fifo = tmp_path / "deciding"
    os.mkfifo(fifo)
    with Ladder.open(home) as ladder:
        program = WAITS.format(fifo=str(fifo))
        enter(ladder, make_bot("waits", program, manifest='transport = "stdio"\n'))
    command = [str(COMMAND), "run", "--workers", "1", "--ladder", str(home.path)]
    (scratch := tmp_path / "scratch").mkdir()
    run = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert fifo.read_text() == "It is my turn.\n"

    everybody = family(run.pid)
    for pid in everybody if bot_hears_it else everybody[:-1]:
        os.kill(pid, number)
    out, _ = run.communicate(timeout=240)

    assert "To continue: " in out, out
    assert "warning" not in out
    (match,) = matches(home)
    assert (match.state, match.attempts, match.reason) == ("planned", 0, None)
    assert all(seat.result is None for seat in match.seats)
    assert list(scratch.iterdir()) == []


def test_a_signal_that_is_heard_twice_is_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM to a process and then to its group asks once; a second later it asks again."""
    now = [10.0]
    monkeypatch.setattr("ladder.runner.interrupts.time.monotonic", lambda: now[0])
    requests = StopRequests()

    assert requests.is_new(signal.SIGTERM)
    now[0] += 0.9
    assert not requests.is_new(signal.SIGTERM)
    now[0] += 1.1
    assert requests.is_new(signal.SIGTERM)
    assert not requests.is_new(signal.SIGHUP)
    assert requests.is_new(signal.SIGINT)
    assert requests.is_new(signal.SIGINT)


def test_who_ignores_a_hang_up_goes_on() -> None:
    """A run under `nohup` survives the closing of the terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as heard:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not heard.asked
    finally:
        signal.signal(signal.SIGHUP, before)


def test_two_signals_at_once_stop_in_good_order() -> None:
    """Two SIGTERMs at once are one request to stop in good order."""
    with Interrupts() as heard:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)

        assert (heard.asked, heard.terminated) == (True, True)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
