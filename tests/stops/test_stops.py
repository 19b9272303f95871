"""Proofs that no bot pays for a stop of the ladder's processes; `make proof` runs them whole."""

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.sandbox.levels import offered
from tests.stops.lines import REMOTE, STOPS, Line, cpp_bots, made, played, python_bots
from tests.support.lacking import need_program

pytestmark = [pytest.mark.long, pytest.mark.proof]


@pytest.fixture(scope="module")
def local(
    tmp_path_factory: pytest.TempPathFactory, proof_cases: Callable[[int], int]
) -> list[Path]:
    """Quick bots in Python and C++, over gRPC and stdio; of a sample's few cases, in Python."""
    folder = tmp_path_factory.mktemp("bots")
    if proof_cases(2) < 2:
        return [*python_bots(folder), *python_bots(folder, "other")]
    need_program("g++", "apt-get install g++")
    need_program("grpc_cpp_plugin", "apt-get install protobuf-compiler-grpc libgrpc++-dev")
    return [*python_bots(folder), *cpp_bots(folder)]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("where", [*offered(), REMOTE])
def test_no_bot_pays_for_a_stop(
    local: list[Path], tmp_path: Path, where: str, stop: str, proof_cases: Callable[[int], int]
) -> None:
    """Matches are played, no bot forfeits, and none is void: 34 stops of each kind everywhere."""
    fresh = tmp_path / "fresh"
    if where != REMOTE:
        made(fresh, where, local)
    found = played(Line(stop, where, proof_cases(34)), tmp_path, fresh)

    assert list(found.forfeits) == []
    assert found.matches > 0
    assert found.void == 0
