"""The deal: how it is drawn, and which ones are refused."""

from collections import Counter
from collections.abc import Callable

import pytest

from referee.games import game_named
from referee.games.base import ConfigError
from referee.games.courtisans.cards import CARDS, Card, Family, Role
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import Deal, check_deal, draw_deal
from referee.games.courtisans.missions import BLUE, WHITE, Mission
from referee.games.randomness import Stream

SEATS = (2, 3, 4, 5)


@pytest.mark.parametrize(("seats", "removed"), [(2, 30), (3, 18), (4, 6), (5, 0)])
def test_a_deal_has_all_cards(seats: int, removed: int) -> None:
    """30, 18, 6 or no cards are taken out, each seat gets 3, and the deck has the rest."""
    deal = draw_deal(seats, Stream("s", "deal"))

    assert len(deal.removed) == removed
    assert [len(hand) for hand in deal.hands] == [3] * seats
    assert Counter((*deal.removed, *deal.deck, *sum(deal.hands, ()))) == Counter(CARDS)


@pytest.mark.parametrize("seats", SEATS)
def test_drawn_deals_are_accepted(seats: int) -> None:
    """Whatever is drawn can be played."""
    for seed in range(50):
        check_deal(draw_deal(seats, Stream(str(seed))), seats)


def test_one_stream_gives_one_deal() -> None:
    """The same stream gives the same deal, another one another."""
    deals = [draw_deal(4, Stream(seed, "deal")) for seed in ("7", "7", "8")]
    assert deals[0] == deals[1]
    assert deals[0] != deals[2]


def test_the_deal_of_a_seed_is_fixed() -> None:
    """A seed gives the same deal for ever, or old records could not be checked by their seed."""
    deal = draw_deal(4, Stream("7", "deal"))

    assert deal.starting_seat == 2
    assert deal.hands[0] == (
        Card(Family.STAG, Role.SPY),
        Card(Family.BUTTERFLY, Role.NOBLE),
        Card(Family.HARE, Role.PLAIN),
    )
    assert deal.deck[:2] == (Card(Family.TOAD, Role.GUARD), Card(Family.HARE, Role.ASSASSIN))
    assert deal.removed[0] == Card(Family.STAG, Role.NOBLE)
    assert deal.missions[3] == (Mission.TWO_ASSASSINS, Mission.FALLEN_BUTTERFLIES)


def test_cards_missions_and_starter_come_from_streams_of_their_own() -> None:
    """The number of cards dealt never shifts the missions, nor the order of the shuffle."""
    two, five = draw_deal(2, Stream("s")), draw_deal(5, Stream("s"))

    assert two.missions == five.missions[:2]
    assert (*two.removed, *two.hands[0]) == (*sum(five.hands, ()), *five.deck)[:33]


@pytest.mark.parametrize("seats", SEATS)
def test_every_seat_starts_equally_often(seats: int) -> None:
    """The starting player is drawn fairly."""
    draws = 2_000
    counts = Counter(draw_deal(seats, Stream(str(i))).starting_seat for i in range(draws))
    assert all(abs(counts[seat] - draws / seats) < 0.15 * draws / 2 for seat in range(seats))


@pytest.mark.parametrize("seats", [-1, 0, 1, 6])
def test_other_numbers_of_seats_are_refused(seats: int) -> None:
    """The game is for 2 to 5."""
    game = game_named("courtisans")
    with pytest.raises(ConfigError, match=f"2 to 5 seats, not {seats}"):
        game.deal(Config(), seats, Stream("s"))
    with pytest.raises(ConfigError, match=f"2 to 5 seats, not {seats}"):
        game.initial_state(Config(), seats, draw_deal(2, Stream("s")))


SPARE = Card(Family.TOAD, Role.SPY)


def swapped_in(deal: Deal, card: Card) -> Deal:
    """The deal with this card in place of the first of another kind in the deck."""
    index = next(i for i, other in enumerate(deal.deck) if other != card)
    return deal._replace(deck=(*deal.deck[:index], card, *deal.deck[index + 1 :]))


WRONG: dict[str, tuple[Callable[[Deal], Deal], str]] = {
    "too few removed": (
        lambda d: d._replace(removed=d.removed[1:]),
        "has 18 removed cards, this one has 17",
    ),
    "too many in the deck": (
        lambda d: d._replace(deck=(*d.deck, SPARE)),
        "has 63 cards in the deck, this one has 64",
    ),
    "a hand is missing": (
        lambda d: d._replace(hands=d.hands[:2]),
        "has 3 hands, this one has 2",
    ),
    "a hand of two": (
        lambda d: d._replace(hands=(d.hands[0], d.hands[1][:2], d.hands[2])),
        "gives seat 1 2 cards, not 3",
    ),
    "missions are missing": (
        lambda d: d._replace(missions=d.missions[:1]),
        "has 3 pairs of missions, this one has 1",
    ),
    "a third copy": (lambda d: swapped_in(d, SPARE), "3 times toad spy, of which 2 exist"),
    "a card of no family": (
        lambda d: swapped_in(d, Card(None, Role.GUARD)),
        "a guard of no family",
    ),
    "a mission twice": (
        lambda d: d._replace(missions=((d.missions[1][0], d.missions[0][1]), *d.missions[1:])),
        "gives the mission .* to 2 seats",
    ),
    "missions swapped": (
        lambda d: d._replace(missions=((d.missions[0][1], d.missions[0][0]), *d.missions[1:])),
        "seat 0 must be dealt a white and a blue mission",
    ),
    "two white missions": (
        lambda d: d._replace(missions=(*d.missions[:2], (WHITE[0], WHITE[1]))),
        "seat 2 must be dealt a white and a blue mission, not FEWER_BUTTERFLIES and FEWER_TOADS",
    ),
    "starter too high": (lambda d: d._replace(starting_seat=3), "lets seat 3 start a game of 3"),
    "starter negative": (lambda d: d._replace(starting_seat=-1), "lets seat -1 start"),
}


@pytest.mark.parametrize("case", WRONG)
def test_impossible_deals_are_refused(case: str) -> None:
    """A deal that no shuffle gives is refused with what is wrong."""
    change, reason = WRONG[case]
    deal = draw_deal(3, Stream("s"))
    with pytest.raises(ConfigError, match=reason):
        game_named("courtisans").initial_state(Config(), 3, change(deal))


def test_all_missions_can_be_dealt() -> None:
    """Every white and every blue mission comes to somebody."""
    dealt = {m for i in range(60) for pair in draw_deal(5, Stream(str(i))).missions for m in pair}
    assert dealt == {*WHITE, *BLUE}
