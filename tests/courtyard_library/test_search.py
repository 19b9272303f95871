"""The player that searches plays any game with a `redraw`, by what its seat may know."""

import random
from collections.abc import Callable, Iterator
from statistics import NormalDist, mean, stdev
from typing import Any

import courtyard
import pytest

from tests.support import high_card
from tests.support.lacking import need_open_spiel

GAMES = ["high-card", "openspiel:leduc_poker"]
MATCHES = 400
FEWEST = 60
"""A smaller sample says nothing."""
PLAYOUTS = 60
Z = NormalDist().inv_cdf(0.975)


@pytest.fixture(autouse=True, scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the game High Card, in which one may exchange a bad card."""
    folder = tmp_path_factory.mktemp("high-card")
    high_card.install(folder, "2")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield


@pytest.mark.parametrize("seats", [2, 3])
def test_the_best_card_is_kept_and_the_worst_is_not(seats: int) -> None:
    """Whoever has it, and whatever the others did."""
    bot, decided = courtyard.search(32), set()
    for deal in range(6):
        state = courtyard.start("high-card", seats, seed=f"deal {deal}")
        while not state.is_over:
            card, action = state.view().facts["card"], bot.choose(state)
            if card in (1, 2 * seats):
                decided.add((card, *action.labels))
            state = state.apply(action)
    assert decided == {(1, "take the next card"), (2 * seats, "keep the card")}


@pytest.mark.parametrize("game", ["high-card", "courtisans", "miracles"])
def test_what_is_hidden_decides_nothing(game: str) -> None:
    """In states that its seat cannot tell from this one it decides the same."""
    bot = courtyard.search(PLAYOUTS)
    for deal in range(2):
        state = courtyard.start(game, 2, seed=f"hidden {deal}").take(0)
        action, seat = bot.choose(state), state.to_act or 0
        for number in range(3):
            assert bot.choose(state.redraw(seat, seed=str(number))) == action


def test_it_takes_a_seat_as_other_bots_do() -> None:
    """Beside a function and the stand-in; in the same deal it begins in the same way."""

    def play() -> courtyard.Record:
        return courtyard.play("high-card", [courtyard.search(8), lambda _: 0, None], seed="s")

    record = play()
    assert record.verify() == []
    assert record.bots[0] == "search"
    assert record.decisions()[0]["choice"] == play().decisions()[0]["choice"]


def test_a_search_of_nothing_is_refused() -> None:
    """It takes a playout at least, and a game that is not over."""
    with pytest.raises(courtyard.UsageError, match="at least one playout"):
        courtyard.search(0)
    state = courtyard.start("high-card", seed="over")
    while not state.is_over:
        state = state.take(0)
    with pytest.raises(courtyard.UsageError, match="the game is over"):
        courtyard.search().choose(state)


@pytest.mark.proof
@pytest.mark.parametrize("game", GAMES)
def test_it_beats_chance(game: str, proof_cases: Callable[[int], int]) -> None:
    """The 95 % interval of its points less those of random options is above zero; seats change."""
    if "openspiel" in game:
        need_open_spiel()
    bot, margins, rng = courtyard.search(PLAYOUTS), [], random.Random(game)

    def chance(view: courtyard.View) -> int:
        return rng.randrange(len(view.options))

    for number in range(max(FEWEST, proof_cases(MATCHES))):
        seat = number % 2
        bots: list[Any] = [bot, chance] if seat == 0 else [chance, bot]
        points = courtyard.play(game, bots, seed=f"{number}").points
        margins.append(points[seat] - points[1 - seat])
    error = Z * stdev(margins) / len(margins) ** 0.5
    assert mean(margins) > (error if len(margins) == MATCHES else 0), f"{mean(margins)} ± {error}"
