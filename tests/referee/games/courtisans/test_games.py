"""Whole games: how long they last, what is conserved, and what no seat is told."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games import game_named
from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import CARDS, WEIGHTS, Card, Family, Role, Side
from referee.games.courtisans.event import TurnPlayed
from referee.games.courtisans.observation import CardInPlay, Observation
from referee.games.courtisans.scoring import ranks
from referee.games.courtisans.state import CourtisansState
from referee.games.randomness import Stream

Step = tuple[CourtisansState, Action, TurnPlayed, CourtisansState]
RandomGame = Callable[..., Iterator[Step]]
Start = Callable[..., CourtisansState]

TURNS = {2: 10, 3: 8, 4: 7, 5: 6}

seat_numbers = st.sampled_from(sorted(TURNS))
seeds = st.integers(0, 2**32).map(str)


def all_cards(state: CourtisansState) -> Counter[Card]:
    """Every card of a state, wherever it is."""
    in_play = [fact.whole for area in (state.table, *state.domains) for fact in area]
    gone = [fact.whole.card for fact in state.eliminated]
    faces = [Card(card.family, card.role) for card in (*in_play, *gone)]
    return Counter((*state.deal.removed, *state.deck, *sum(state.hands, ()), *faces))


def check_game(steps: Iterable[Step], seats: int) -> None:
    """All cards are there at every step, and every seat plays its number of turns and no more."""
    state, played = None, []
    for before, action, event, state in steps:
        before.check(action)
        assert all_cards(state) == Counter(CARDS)
        assert state.turn == before.turn + 1 == event.turn + 1
        played.append(event.seat)
    assert state is not None
    first = state.deal.starting_seat
    assert played == [(first + i) % seats for i in range(seats * TURNS[seats])]
    assert state.to_act is None
    assert state.deck == ()
    assert set(state.hands) == {()}
    assert state.turns_left == (0,) * seats


@pytest.mark.sweep
@pytest.mark.parametrize("seats", TURNS)
def test_every_seat_plays_its_number_of_turns(seats: int, random_game: RandomGame) -> None:
    """10, 8, 7 or 6 turns each with 2, 3, 4 or 5 players, clockwise from the starter."""
    for seed in range(100):
        check_game(random_game(seats, f"game {seed}"), seats)


@pytest.mark.proof
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("seats", TURNS)
def test_ten_thousand_games(
    seats: int, part: int, random_game: RandomGame, proof_cases: Callable[[int], int]
) -> None:
    """The same for 10,000 games of each number of players."""
    for seed in range(proof_cases(1_000)):
        check_game(random_game(seats, f"proof {part} {seed}"), seats)


@given(seat_numbers, seeds, st.data())
def test_every_choice_applies(
    random_game: RandomGame, seats: int, seed: str, data: st.DataObject
) -> None:
    """At any moment each legal action passes the check and leads to a state with all cards."""
    steps = list(random_game(seats, seed))
    state = data.draw(st.sampled_from(steps))[0]
    actions = state.legal_actions()
    for number in {0, len(actions) - 1, *data.draw(st.lists(st.integers(0, len(actions) - 1)))}:
        state.check(actions[number])
        following, _ = state.apply(actions[number])
        assert all_cards(following) == Counter(CARDS)


def shown_cards(seen: Observation) -> list[CardInPlay]:
    """Every card in play or eliminated that an observation shows."""
    gone = [eliminated.card for eliminated in seen.eliminated]
    return [*seen.table, *sum(seen.domains, ()), *gone]


def assert_only_own_spies(cards: Iterable[CardInPlay], seat: int) -> None:
    """A family is hidden if, and only if, the card is a spy that another seat placed."""
    for card in cards:
        hidden = card.role is Role.SPY and card.played_by != seat
        assert (card.family is None) is hidden


@given(seat_numbers, seeds)
def test_no_seat_is_told_a_hidden_family(random_game: RandomGame, seats: int, seed: str) -> None:
    """Neither an observation nor an event holds the family of another seat's spy."""
    for _, _, event, state in random_game(seats, seed):
        for seat in range(seats):
            assert_only_own_spies(shown_cards(state.observation(seat)), seat)
            form = state.event_for(event, seat)
            placed = (form.table.card, form.own_domain.card, form.opponent_domain.card)
            assert_only_own_spies(placed, seat)
            assert form.drawn == (event.drawn if seat == event.seat else ())
            assert form[:2] == event[:2]


@given(seat_numbers, seeds)
def test_an_observation_is_made_of_what_the_seat_was_told(
    random_game: RandomGame, seats: int, seed: str
) -> None:
    """The cards in an observation are exactly those of the seat's forms of the events."""
    told: list[set[CardInPlay]] = [set() for _ in range(seats)]
    held = [Counter[Card]() for _ in range(seats)]
    for before, _, event, state in random_game(seats, seed):
        if not any(held):
            held = [Counter(hand) for hand in before.deal.hands]
        for seat in range(seats):
            form, seen = state.event_for(event, seat), state.observation(seat)
            placed = [p.card for p in (form.table, form.own_domain, form.opponent_domain)]
            told[seat].update(placed)
            if seat == event.seat:
                held[seat] = Counter(form.drawn)
            assert set(shown_cards(seen)) <= told[seat]
            assert len(shown_cards(seen)) == 3 * event.turn
            assert seen.hand == tuple(sorted(held[seat].elements()))
            assert (seen.white, seen.blue) == before.deal.missions[seat]
            assert (seen.seat, seen.turn, seen.to_act) == (seat, state.turn, state.to_act)
            assert seen.deck_size == len(state.deck)


def naive_points(state: CourtisansState) -> list[int]:
    """The points of the families by the text of the rules, without the missions."""
    surplus = dict.fromkeys(Family, 0)
    for _, _, card in state.table:
        assert card.family is not None
        surplus[card.family] += WEIGHTS[card.role] * (1 if card.side is Side.ABOVE else -1)
    points = []
    for domain in state.domains:
        total = 0
        for _, _, card in domain:
            assert card.family is not None
            value = surplus[card.family]
            total += WEIGHTS[card.role] * ((value > 0) - (value < 0))
        points.append(total)
    return points


@given(seat_numbers, seeds)
def test_the_parts_of_the_points_add_up(random_game: RandomGame, seats: int, seed: str) -> None:
    """Points are those of the families and 3 a mission; places follow from them."""
    *_, (_, _, _, state) = random_game(seats, seed)
    result = state.result()

    for seat, points in zip(result.seats, naive_points(state), strict=True):
        assert sum(part.points for part in seat.families) == points
        assert seat.points == points + 3 * sum(part.fulfilled for part in seat.missions)
    assert state.scores() == tuple(seat.points for seat in result.seats)
    assert state.ranks() == ranks(state.scores())
    assert [spy.turn for spy in result.spies] == sorted(spy.turn for spy in result.spies)
    in_play = [fact.whole for area in (state.table, *state.domains) for fact in area]
    assert len(result.spies) == sum(card.role is Role.SPY for card in in_play)


def test_tied_players_share_the_victory(random_game: RandomGame) -> None:
    """Some games end with equal points, and then both are first."""
    ends = [list(random_game(2, f"tie {i}"))[-1][3] for i in range(60)]
    ties = [state for state in ends if state.scores()[0] == state.scores()[1]]

    assert ties
    assert {state.ranks() for state in ties} == {(1, 1)}


def test_an_unfinished_game_has_no_result(start: Start) -> None:
    """Asking for the result too early is a bug of the asker, and would tell what is hidden."""
    for ask in (start(2).result, start(2).scores, start(2).ranks):
        with pytest.raises(RuntimeError, match="not over"):
            ask()


def test_a_finished_game_has_no_choices(random_game: RandomGame) -> None:
    """No seat may act, and asking for an action is a bug of the caller."""
    *_, (_, _, _, over) = random_game(3, "s")

    assert over.legal() == ((), (), ((), (), ()))
    assert over.observation(0).to_act is None
    assert over.observation(0).turn == 25
    with pytest.raises(RuntimeError, match="over"):
        over.random_action(Stream("s"))


def test_the_game_describes_itself() -> None:
    """What the referee asks of every game."""
    game = game_named("courtisans")
    assert (game.name, game.title, game.rules_version) == ("courtisans", "Courtisans", "1")
    assert list(game.seats) == sorted(TURNS)
