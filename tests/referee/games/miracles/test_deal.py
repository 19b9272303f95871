"""What chance decides before the first decision."""

from collections import Counter
from typing import Any

import pytest

from referee.games.base import ConfigError
from referee.games.miracles.config import Config
from referee.games.miracles.deal import Deal, reshuffled, seed_with_orders
from referee.games.miracles.game import Miracles
from referee.games.miracles.pieces import PlotCard, Rogue
from referee.games.miracles.reading import standard_data
from referee.games.randomness import Stream

SEATS = (2, 3, 4, 5)


def deal(seats: int, seed: str = "seed") -> Deal:
    """A deal of the standard data."""
    return Miracles().deal(Config(), seats, Stream(seed, "deal"))


@pytest.mark.parametrize("seats", SEATS)
def test_a_deal_holds_all(seats: int) -> None:
    """24 Plot cards, one a seat, and the 12 rogues of the bag."""
    dealt, data = deal(seats), standard_data()
    assert len(dealt.hands) == seats
    assert Counter(dealt.hands + dealt.pile) == Counter(data.all_plot_cards())
    assert Counter(dealt.bag) == Counter(data.bag())
    assert dealt.data == "standard-reconstruction-1"


def test_chance_decides_everything() -> None:
    """Over many seeds every seat starts, and every card and rogue comes first."""
    deals = [deal(3, str(seed)) for seed in range(300)]
    assert {one.starting_seat for one in deals} == {0, 1, 2}
    assert {one.pile[0] for one in deals} == {one.hands[2] for one in deals} == set(PlotCard)
    assert {one.bag[0] for one in deals} == set(deals[0].bag)
    assert len({one.reshuffle_seed for one in deals}) == 300


def test_a_reshuffle_depends_on_its_number_and_cards_alone() -> None:
    """In which order the cards were discarded makes no difference."""
    cards = standard_data().all_plot_cards()[:12]
    first = reshuffled(deal(2), 1, cards)
    assert reshuffled(deal(2), 1, tuple(reversed(cards))) == first
    assert sorted(first) == sorted(cards)
    assert reshuffled(deal(2), 2, cards) != first


def test_a_deal_may_name_the_orders_of_its_first_reshuffles() -> None:
    """The seed gives later ones, and those for which the order names other cards."""
    cards = standard_data().all_plot_cards()[:12]
    order = tuple(reversed(cards))
    named = deal(2)._replace(reshuffle_seed=seed_with_orders(Stream("seed"), [order]))
    plain = deal(2)._replace(reshuffle_seed=named.reshuffle_seed[:32])

    assert Miracles().initial_state(Config(), 2, named).deal == named
    assert reshuffled(named, 1, cards) == order != reshuffled(plain, 1, cards)
    assert reshuffled(named, 2, cards) == reshuffled(plain, 2, cards)
    assert reshuffled(named, 1, cards[1:]) == reshuffled(plain, 1, cards[1:])


SUN, BRUTE = PlotCard.THE_SUN, Rogue.BRUTE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": "my-board-1"}, "the deal is for the data set 'my-board-1', this is 'standard-"),
        ({"hands": (SUN,)}, "a deal for 2 seats has 2 hands, not 1"),
        ({"starting_seat": 2}, "the deal lets seat 2 start a game of 2 seats"),
        ({"starting_seat": -1}, "the deal lets seat -1 start"),
        ({"reshuffle_seed": ""}, "reshuffle seed is not 32 hexadecimal digits"),
        ({"reshuffle_seed": f"{'0' * 32}/d"}, "reshuffle seed is not 32 hexadecimal digits"),
        ({"pile": ()}, "the deal has . times .*, the data set has 2"),
        ({"bag": (BRUTE,) * 12}, "the deal has 12 times Brute in the bag, the data set has 2"),
    ],
)
def test_impossible_deals(changes: dict[str, Any], message: str) -> None:
    """A record from a stranger is refused in one line."""
    with pytest.raises(ConfigError, match=message):
        Miracles().initial_state(Config(), 2, deal(2)._replace(**changes))


@pytest.mark.parametrize("seats", [1, 6])
def test_seats(seats: int) -> None:
    """Two to five."""
    with pytest.raises(ConfigError, match=f"played with 2 to 5 seats, not {seats}"):
        deal(seats)


def test_the_game_describes_itself() -> None:
    """What the referee asks of every game."""
    game = Miracles()
    assert (game.name, game.title, game.rules_version) == ("miracles", "La Cour des Miracles", "1")
    assert list(game.seats) == list(SEATS)
    assert game.config({"max_rounds": 7}).max_rounds == 7
