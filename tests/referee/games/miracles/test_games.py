"""Whole games: they end, nothing is lost, and no seat is told what is hidden."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.base import IllegalAction
from referee.games.miracles import action as actions
from referee.games.miracles.action import Action
from referee.games.miracles.config import Config
from referee.games.miracles.event import Event, PlotsDrawn, RogueSunk
from referee.games.miracles.facts import rogue_of
from referee.games.miracles.observation import Decision
from referee.games.miracles.pieces import (
    LINES,
    SPOTS,
    STARTING_ROGUES,
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
)
from referee.games.miracles.position import renown_of
from referee.games.miracles.scoring import Ending
from referee.games.miracles.state import MiraclesState
from referee.games.randomness import Stream
from tests.support.sampling import examples

Step = tuple[MiraclesState, Action, tuple[Event, ...], MiraclesState]
RandomGame = Callable[..., Iterator[Step]]
Start = Callable[..., MiraclesState]

SEATS = (2, 3, 4, 5)
MOST_DECISIONS = 3_000
"""Far beyond 40 rounds of five players."""

seat_numbers = st.sampled_from(SEATS)
seeds = st.integers(0, 2**32).map(str)
configs = st.builds(
    Config,
    max_rounds=st.integers(1, 40),
    king_ends_at_once=st.booleans(),
    move_may_stay=st.booleans(),
    income_without_action=st.booleans(),
    wrath_on_empty=st.booleans(),
    controller_places_again=st.booleans(),
    nearest_swordsman_first=st.booleans(),
    courtesan_frees_contested=st.booleans(),
    plots_at_any_time=st.booleans(),
)


def all_rogues(state: MiraclesState) -> Counter[Rogue]:
    """Every rogue token that takes part, wherever it is."""
    now = state.position
    found = Counter(rogue for hand in now.hands for rogue in hand)
    found.update(rogue_of(fact) for fact in now.board)
    found.update(now.bag)
    found.update(sunk.rogue for sunk in now.seine)
    found.update([now.drawn] if now.drawn else [])
    found[Rogue.RIGHT_HAND] += now.right_hands.count(False)
    return found


def all_cards(state: MiraclesState) -> Counter[PlotCard]:
    """Every Plot card, wherever it is."""
    now = state.position
    hands = [card for hand in now.plots for card in hand]
    return Counter([*hands, *now.pile, *now.discards, *([now.playing] if now.playing else [])])


def check_pieces(state: MiraclesState) -> None:
    """32 rogues but those in the box, 24 cards, at most 6 Renown tokens each, no debts.

    Hands and discards are sorted, so that their order tells nothing of how they came.
    """
    now, data = state.position, state.config.data
    seats = len(now.coins)
    due = Counter(data.bag())
    for _ in range(seats):
        due.update((*STARTING_ROGUES, Rogue.RIGHT_HAND))
    assert all_rogues(state) == due
    assert due.total() == 32 - 4 * (5 - seats)
    assert all_cards(state) == Counter(data.all_plot_cards())
    assert all(coins >= 0 for coins in now.coins)
    assert all(len(hand) <= 4 for hand in now.plots)
    for pieces in (*now.hands, *now.plots, now.discards):
        assert list(pieces) == sorted(pieces)
    renown = [renown_of(now, seat) for seat in range(seats)]
    assert max(renown) <= 6
    assert (6 in renown) is (now.ending is Ending.RENOWN)
    spots = [fact.public.spot for fact in now.board]
    assert spots == sorted(set(spots))
    assert 0 <= now.king <= data.king.final_space


def check_game(steps: Iterator[Step]) -> MiraclesState:
    """The pieces are all there at every step, and the game ends in good time."""
    number, state = 0, None
    for number, (_, _, _, state) in enumerate(steps, 1):
        check_pieces(state)
        assert number <= MOST_DECISIONS
    assert state is not None
    assert state.to_act is None
    assert state.legal_actions() == ()
    assert 1 in state.ranks()
    return state


@pytest.mark.parametrize("seats", SEATS)
def test_games_end(seats: int, random_game: RandomGame) -> None:
    """With all pieces there at every step."""
    for seed in range(5):
        check_game(random_game(seats, f"game {seed}"))


@pytest.mark.proof
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("seats", SEATS)
def test_ten_thousand_games(
    seats: int,
    part: int,
    random_game: RandomGame,
    proof_cases: Callable[[int], int],
    record_property: Callable[[str, object], None],
) -> None:
    """The same for 10,000 games of each number of players; how they ended is recorded."""
    games = proof_cases(1_000)
    endings, rounds = Counter[str](), 0
    for seed in range(games):
        result = check_game(random_game(seats, f"proof {part} {seed}")).result()
        endings[result.ending.name] += 1
        rounds += result.round
    for ending in Ending:
        record_property(f"{ending.name} share", endings[ending.name] / games)
    record_property("mean rounds", rounds / games)
    assert endings["RENOWN"] + endings["KING"] >= 0.9 * games


@examples(25)
@given(seat_numbers, seeds, configs)
def test_games_end_with_any_configuration(
    random_game: RandomGame, seats: int, seed: str, config: Config
) -> None:
    """Whatever is chosen where the rules are silent."""
    state = check_game(random_game(seats, seed, config))
    assert state.result().round <= config.max_rounds


@examples(25)
@given(seat_numbers, seeds, st.data())
def test_every_choice_applies(
    random_game: RandomGame, seats: int, seed: str, data: st.DataObject
) -> None:
    """At any moment each legal action passes the check and leads on with all pieces."""
    state = data.draw(st.sampled_from(list(random_game(seats, seed))))[0]
    for action in state.legal_actions():
        state.check(action)
        following, events = state.apply(action)
        check_pieces(following)
        # A spot may have nothing to give: its effect is then no event.
        assert events or isinstance(action, (actions.EndTurn, actions.TakeEffect))


def every_action(seats: int) -> list[Action]:
    """All that could ever be sent, and some that could not."""
    places, pairs = tuple(Neighbourhood), list(product(SPOTS, SPOTS))
    tokens = [RenownPlace(place, 0) for place in places]
    tokens += [RenownPlace(None, line) for line in LINES]
    return [
        *(
            actions.PlaceRogue(rogue, spot, first)
            for rogue, spot, first in product(Rogue, SPOTS, (False, True))
        ),
        *(actions.MoveRogue(*pair, first) for pair, first in product(pairs, (False, True))),
        *(actions.MoveOther(*pair) for pair in pairs),
        actions.TakeEffect(),
        *(kind(*pair) for kind in (actions.PlayChariot, actions.PlayTower) for pair in pairs),
        actions.PerformAction(),
        actions.EndTurn(),
        *map(actions.BuyRenown, range(7)),
        *map(actions.PlayCard, PlotCard),
        *(actions.PlayEmpress(token, place) for token in tokens for place in places),
        *map(actions.PlayDevil, range(-1, seats + 1)),
        *map(actions.PlayHangedMan, SPOTS),
        *map(actions.PlayHermit, SPOTS),
        *map(actions.PlayFool, range(4)),
        *map(actions.SinkRogue, (None, *Rogue)),
        *map(actions.DiscardPlot, PlotCard),
        *map(actions.ChooseWrath, places),
        *map(actions.SettleNext, places),
        *map(actions.UseCourtesan, places),
        *map(actions.PaySwordsman, (False, True)),
        *map(actions.RevealLone, (False, True)),
    ]


def named(action: Action) -> tuple[str, Action]:
    """The action with its kind, which tuples do not compare."""
    return type(action).__name__, action


@examples(25)
@given(seat_numbers, seeds, configs, st.data())
def test_everything_else_is_refused(
    random_game: RandomGame, seats: int, seed: str, config: Config, data: st.DataObject
) -> None:
    """What passes the check is exactly what is listed as legal, each once."""
    steps = list(random_game(seats, seed, config))
    decisions = {step[0].legal().decision for step in steps}
    wanted = data.draw(st.sampled_from(sorted(d for d in decisions if d)))
    state = data.draw(st.sampled_from([s[0] for s in steps if s[0].legal().decision is wanted]))
    passed = set()
    for action in every_action(seats):
        try:
            state.check(action)
        except IllegalAction as error:
            assert "received" in str(error)  # noqa: PT017 the others must not raise at all
        else:
            passed.add(named(action))
    listed = list(map(named, state.legal_actions()))
    assert passed == set(listed)
    assert len(listed) == len(passed)


@examples(25)
@given(seat_numbers, seeds)
def test_no_seat_is_told_what_is_hidden(random_game: RandomGame, seats: int, seed: str) -> None:
    """A face is shown to its owner, to who looked, and when it was revealed; hands to none."""
    for _, _, events, state in random_game(seats, seed):
        for seat in range(seats):
            seen = state.observation(seat)
            for shown, fact in zip(seen.in_play, state.position.board, strict=True):
                assert (shown.rogue is None) is not (shown.revealed or seat in fact.seers)
            if seen.active != seat or seen.decision not in (Decision.SINK, Decision.DISCARD):
                assert seen.drawn is None
            forms = [state.event_for(event, seat) for event in events]
            for form, event in zip(forms, events, strict=True):
                if isinstance(form, PlotsDrawn) and form.seat != seat:
                    assert form.cards == ()
                if isinstance(form, RogueSunk) and form.seat != seat:
                    assert form[1:] == (None, None)
                assert type(form) is type(event)


@pytest.mark.costly
def test_random_actions_are_uniform(start: Start) -> None:
    """Each legal action is about equally often drawn."""
    state, stream = start(2), Stream("uniform")
    size = len(state.legal_actions())
    draws = Counter(named(state.random_action(stream)) for _ in range(200 * size))
    assert len(draws) == size
    assert 100 < min(draws.values()) <= max(draws.values()) < 300


def test_a_finished_game_has_no_choices(random_game: RandomGame) -> None:
    """No seat may act, and asking for an action is a bug of the caller."""
    *_, (_, _, _, over) = random_game(3, "s")
    assert over.legal().decision is None
    assert over.observation(0).to_act is None
    with pytest.raises(RuntimeError, match="over"):
        over.random_action(Stream("s"))
