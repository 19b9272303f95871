"""Every registered game keeps the contract, and has a golden playthrough a seat count."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from referee.conformance.check.report import StepStatus
from referee.conformance.game_check.run import check
from referee.conformance.game_check.subject import CheckedGame
from referee.conformance.testing import random_record
from referee.games import game_named
from referee.games.randomness import Stream
from referee.view.show import show_record
from tests.support.games import GAMES

PLAYTHROUGHS = Path(__file__).resolve().parents[2] / "playthroughs"
TABLES = [(name, seats) for name in GAMES for seats in game_named(name).seats]


def playthrough(name: str, seats: int) -> str:
    """A random game as readable text: all of it, then as seat 0 saw it."""
    record = random_record(name, seats, "golden")
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=False, color_system=None)
    show_record(console, record)
    show_record(console, record, seat=0)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def expected_files() -> Iterator[str]:
    """The expected files' names."""
    return (f"{name}-{seats}.txt" for name, seats in TABLES)


@pytest.mark.costly
@pytest.mark.parametrize(
    "name",
    [
        name if name == "courtisans" else pytest.param(name, marks=pytest.mark.proof)
        for name in GAMES
    ],
)
def test_a_game_keeps_its_promises(name: str) -> None:
    """Every step of `referee check-game` passes."""
    results = check(CheckedGame(name, {}, games=2), lambda _: None)

    assert [str(one.fault) for one in results if one.fault is not None] == []
    assert {one.verdict for one in results} == {StepStatus.PASSED}


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_nothing_can_be_done_after_the_end(name: str, seats: int) -> None:
    """No action is legal and none is drawn; another seed has given another deal."""
    game, config, stream = game_named(name), game_named(name).config({}), Stream("to the end")
    deal = game.deal(config, seats, Stream("one"))
    assert deal != game.deal(config, seats, Stream("other"))
    state = game.initial_state(config, seats, deal)
    while state.to_act is not None:
        state, _ = state.apply(state.random_action(stream))

    assert len(state.legal_actions()) == 0
    with pytest.raises(RuntimeError):
        state.random_action(stream)


@pytest.mark.costly
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_game_reads_as_it_did(name: str, seats: int) -> None:
    """The golden playthrough is unchanged; `make playthroughs` rewrites it, for review."""
    file = PLAYTHROUGHS / f"{name}-{seats}.txt"

    assert file.exists(), f"{file.name} is missing: run `make playthroughs` and review it"
    assert file.read_text() == playthrough(name, seats)


def test_there_is_no_playthrough_of_a_game_that_is_gone() -> None:
    """The golden files belong to the registered games."""
    assert {file.name for file in PLAYTHROUGHS.glob("*.txt")} == set(expected_files())


if __name__ == "__main__":
    PLAYTHROUGHS.mkdir(exist_ok=True)
    for stale in PLAYTHROUGHS.glob("*.txt"):
        stale.unlink()
    for table in TABLES:
        (PLAYTHROUGHS / "{}-{}.txt".format(*table)).write_text(playthrough(*table))
