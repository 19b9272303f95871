"""Proofs that no bot pays for a stop of the ladder's processes; `make proof` runs them whole."""

import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder import tokens
from ladder.home import Home
from ladder.ladder import Ladder
from ladder.models import MatchState
from ladder.submitting import submit
from referee.clock import ClockConfig
from referee.sandbox.levels import offered
from tests.crowd import Crowd
from tests.lacking import need_program
from tests.ladder.stops import WAYS, forfeits, make, play_and_stop, states
from tests.remote_bots import HERE, Keys

pytestmark = pytest.mark.proof

ROOT = Path(__file__).parents[2]
CLOCK = ClockConfig(startup_ms=5_000, decision_limit_ms=2_000, bank_ms=20_000, increment_ms=200)
STOP_S = 3.0
"""Longer than a decision may take."""
LONG_S = 70.0
"""Longer than gRPC waits for the answer to a ping."""
Level = str
MakeBot = Callable[..., Path]


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Quick bots in Python and C++, on gRPC and on pipes."""
    need_program("g++", "apt-get install g++")
    place = tmp_path_factory.mktemp("bots")
    piped = place / "piped"
    shutil.copytree(ROOT / "sample_bots" / "python" / "courtisans" / "random", piped)
    (piped / "bot.toml").write_text(
        'name = "piped"\ngames = ["courtisans"]\ntransport = "stdio"\n'
        'command = ["python3", "bot.py"]\n'
    )
    samples = ROOT / "sample_bots"
    python = samples / "python" / "courtisans"
    return [python / "random", python / "greedy", piped, samples / "cpp"]


def nobody_paid(folder: Path) -> None:
    """Whatever was stopped, matches were played and no bot forfeited; none is void for good."""
    assert forfeits(folder) == []
    found = states(folder)
    assert found[MatchState.DONE] > 0
    assert found[MatchState.VOID] == 0


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("level", offered())
def test_no_bot_pays_for_a_stop(
    bots: list[Path], tmp_path: Path, level: Level, how: str, proof_cases: Callable[[int], int]
) -> None:
    """The whole tree, the workers alone, and what Ctrl-Z stops: 34 times at each level."""
    folder = tmp_path / "ladder"
    make(folder, level, CLOCK, bots)

    play_and_stop(folder, how, proof_cases(34), STOP_S, "--workers", "2")

    nobody_paid(folder)


@pytest.mark.parametrize("level", offered())
def test_no_bot_pays_for_a_long_stop(
    bots: list[Path], tmp_path: Path, level: Level, proof_cases: Callable[[int], int]
) -> None:
    """The whole tree is stopped for longer than libraries wait."""
    folder = tmp_path / "ladder"
    make(folder, level, ClockConfig(), bots)

    play_and_stop(folder, "tree", proof_cases(34), LONG_S, "--workers", "2")

    nobody_paid(folder)


@pytest.mark.parametrize("how", ["tree", "workers"])
def test_no_remote_bot_pays_for_a_stop(
    tmp_path: Path, make_remote_bot: MakeBot, how: str, proof_cases: Callable[[int], int]
) -> None:
    """The gateway is stopped, and their streams may end for that: they join again."""
    folder = tmp_path / "ladder"
    make(folder, "trusted", CLOCK, [], "--same-author", "together")
    names = ["ann", "ben", "cat", "dan"]
    with Ladder.open(Home(folder)) as ladder:
        token = tokens.create(ladder, "eve")
        for name in names:
            submit(ladder, make_remote_bot(name), lambda _: None, author="eve")
    keys = Keys.made(tmp_path)
    with socket.create_server((HERE, 0)) as free:
        address = f"{HERE}:{free.getsockname()[1]}"
    certificate = ("--tls-cert", str(keys.of_gate.chain), "--tls-key", str(keys.of_gate.key))

    with Crowd(address, keys.roots, dict.fromkeys(names, token)):
        play_and_stop(folder, how, proof_cases(100), STOP_S, "--remote", address, *certificate)

    nobody_paid(folder)
