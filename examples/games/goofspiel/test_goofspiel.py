"""Stories of Goofspiel."""

from goofspiel import Bids


def played(seats: int, prizes: tuple[int, ...], *bids: int) -> Bids:
    """Make these bids, seat after seat."""
    state = Bids(seats, prizes)
    for bid in bids:
        assert bid in state.options()
        state, _ = state.apply(bid)
    return state


def test_the_highest_bid_takes_the_prize() -> None:
    """The card is gone afterwards."""
    state = played(2, (3, 1, 2), 1, 3)

    assert state.points() == [0, 3]
    assert list(state.options()) == [2, 3]


def test_equal_highest_bids_take_nothing() -> None:
    """The prize goes to none, not even to a lower bid."""
    assert played(3, (3, 1, 2), 3, 3, 1).points() == [0, 0, 0]


def test_the_last_cards_play_themselves() -> None:
    """The game ends when one prize is left, and that one is given, too."""
    state = played(2, (3, 1, 2), 1, 3, 2, 1)

    assert state.to_act is None
    assert state.points() == [1 + 2, 3]


def test_a_bid_is_hidden_until_all_are_in() -> None:
    """Others are told that a card is chosen, not which."""
    state, (event,) = played(2, (3, 1, 2)).apply(2)

    assert "2" not in event.public
    assert state.view(1) == played(2, (3, 1, 2), 3).view(1)
    assert state.view(0).facts["own_choice"] == 2
