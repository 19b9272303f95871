"""Stories of Liar's dice."""

from liars_dice import LIAR, Round

from referee.games.plain import Choice

CALL = (LIAR, 0)


def played(dice: tuple[tuple[int, ...], ...], *actions: tuple[int, int]) -> Round:
    """Bid and call from seat 0."""
    state = Round("key", dice, turn=0)
    for action in actions:
        assert state.options().path(action)
        state, _ = state.apply(action)
    return state


def test_a_true_bid_costs_the_caller_a_die() -> None:
    """Ones count as any face."""
    state = played(((5, 5), (1, 2)), (3, 5), CALL)

    assert [len(dice) for dice in state.dice] == [2, 1]
    assert state.to_act == 1


def test_a_false_bid_costs_the_bidder_a_die() -> None:
    """The loser begins the next round."""
    state = played(((5, 5), (1, 2)), (4, 5), CALL)

    assert [len(dice) for dice in state.dice] == [1, 2]
    assert state.to_act == 0


def test_a_seat_without_dice_is_out() -> None:
    """The next seat begins; the last one left wins."""
    state = played(((2,), (3,), (4,)), (3, 6), CALL)
    assert state.out == (0,)
    assert state.to_act == 1

    state, _ = state.apply((2, 6))
    state, _ = state.apply(CALL)

    assert state.to_act is None
    assert sorted(state.points()) == [0, 1, 2]


def test_each_bid_is_higher() -> None:
    """A higher number, or the same of a higher face; then there is only the call."""
    options = played(((2,), (3,)), (1, 5)).options()
    assert [option.label for option in options.options] == [
        "at least 1",
        "at least 2",
        "call @0 a liar",
    ]
    assert options.take(0) == (1, 6)
    assert isinstance(options.take(1), Choice)

    assert played(((2,), (3,)), (2, 6)).options().take(0) == CALL
