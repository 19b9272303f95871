"""Stories of the game: one promise of the rules a test."""

from my_game import MyState


def played(*coins: int) -> MyState:
    """Return a game of one round and two seats, with the cards 3 and 5, after these payments."""
    state = MyState(deck=9, cards=(3, 5), rounds_left=1)
    for one in coins:
        state, _ = state.apply(one)
    return state


def test_the_seat_that_paid_most_takes_the_pot() -> None:
    """The others lose what they paid."""
    state = played(2, 1)

    assert state.to_act is None
    assert state.points() == [1, -1]


def test_among_equals_the_higher_card_takes_the_pot() -> None:
    """Seat 1 has the higher card."""
    assert played(1, 1).points() == [-1, 1]


def test_coins_are_hidden_until_all_have_paid() -> None:
    """The other seat sees the same, whatever was paid."""
    assert played(1).view(1) == played(2).view(1)
    assert played(1).view(0) != played(2).view(0)
