"""Stories of Leduc poker. Cards are 0 and 1 (jacks), 2 and 3 (queens), 4 and 5 (kings)."""

from leduc_poker import CALL, FOLD, RAISE, Leduc


def played(hands: tuple[int, int], board: int, *actions: str) -> Leduc:
    """Play these actions, with this board card."""
    state = Leduc(hands, "key")
    for action in actions:
        assert action in state.options()
        state, _ = state.apply(action)
        if state.board is not None:
            state = Leduc(hands, "key", board, state.rounds, state.paid, state.folded)
    return state


def test_a_pair_beats_a_higher_card() -> None:
    """The jack with a jack on the board wins the ante and all bets."""
    state = played((0, 5), 1, CALL, RAISE, CALL, RAISE, CALL)

    assert state.to_act is None
    assert state.points() == [7, -7]


def test_equal_ranks_share() -> None:
    """Neither wins."""
    assert played((2, 3), 0, CALL, CALL, CALL, CALL).points() == [0, 0]


def test_who_folds_loses_what_it_paid() -> None:
    """The other seat wins without a showdown, and the cards stay hidden."""
    state = played((0, 5), 1, RAISE, RAISE, FOLD)

    assert state.to_act is None
    assert state.points() == [-3, 3]
    assert state.view(1).facts["other_card"] is None


def test_a_round_has_two_raises() -> None:
    """Then a seat folds or calls."""
    assert list(played((0, 5), 1, RAISE, RAISE).options()) == [FOLD, CALL]


def test_without_a_bet_a_seat_does_not_fold() -> None:
    """It checks or raises."""
    assert list(played((0, 5), 1).options()) == [CALL, RAISE]
