"""The example games that OpenSpiel has, too, play exactly as there, decision by decision."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from referee.games import game_named
from referee.games.plain_data import frozen, to_json
from referee.games.randomness import Stream
from tests.support.lacking import need_open_spiel

DECISIONS = 100_000
"""Of each game, in the whole proof."""


class Table(NamedTuple):
    """One game in both programs."""

    name: str
    there: str
    """Its name in OpenSpiel."""
    seats: int
    config: Mapping[str, Any]
    drawn: Callable[[Any], Iterator[int]]
    """Yields what OpenSpiel's chance has to draw, given our state."""


def _leduc_cards(state: Any) -> Iterator[int]:
    yield from state.hands
    yield state.board


def _prizes(state: Any) -> Iterator[int]:
    return (prize - 1 for prize in state.prizes)


def _goofspiel(seats: int, cards: int) -> Table:
    options = f"players={seats},num_cards={cards},points_order=random,returns_type=total_points"
    there = f"turn_based_simultaneous_game(game=goofspiel({options}))"
    return Table("goofspiel", there, seats, {"cards": cards}, _prizes)


TABLES = {
    "leduc": [Table("leduc", "leduc_poker", 2, {}, _leduc_cards)],
    "goofspiel": [_goofspiel(2, 4), _goofspiel(3, 3), _goofspiel(2, 13), _goofspiel(5, 6)],
}


class Told:
    """What seats are told here and there: each has to follow from the other."""

    def __init__(self) -> None:
        self._here: dict[int, int] = {}
        self._there: dict[int, int] = {}

    def compare(self, here: str, there: str) -> None:
        """Require that both tell the same: equal here where equal there, and the reverse."""
        one, other = hash(here), hash(there)
        assert self._here.setdefault(one, other) == other, f"{here} tells less than {there}"
        assert self._there.setdefault(other, one) == one, f"{here} tells more than {there}"


def play(table: Table, loaded: Any, told: Told, seed: str) -> int:
    """Play one random game in both programs and compare all; return the number of decisions."""
    game = game_named(table.name).plain  # type: ignore[attr-defined]
    config, stream = {**game.config, **table.config}, Stream(seed)
    deal = frozen(game.deal(config, table.seats, stream.sub("deal")))
    here = game.initial_state(config, table.seats, deal)
    there, chances, decisions = loaded.new_initial_state(), 0, 0
    before = [""] * table.seats
    """OpenSpiel's earlier information states of each seat: they do not hold all that came."""
    while True:
        while there.is_chance_node():
            there.apply_action([*table.drawn(here)][chances])
            chances += 1
        assert (here.to_act is None) == there.is_terminal()
        if there.is_terminal():
            break
        assert here.to_act == there.current_player()
        for seat in range(table.seats):
            before[seat] += there.information_state_string(seat)
            facts = to_json(frozen(here.view(seat).facts))
            told.compare(f"{seat} {here.to_act} {facts}", f"{seat} {before[seat]}")
        actions, theirs = list(here.options()), there.legal_actions()
        assert len(actions) == len(theirs)
        number = stream.below(len(actions))
        here, _ = here.apply(actions[number])
        there.apply_action(theirs[number])
        decisions += 1
    assert list(here.points()) == there.returns()
    return decisions


def compared(name: str, decisions: int) -> None:
    """Compare games of every table until `decisions` decisions are made at each."""
    need_open_spiel()
    for table in TABLES[name]:
        loaded, told = importlib.import_module("pyspiel").load_game(table.there), Told()
        made = games = 0
        while made < decisions / len(TABLES[name]):
            made += play(table, loaded, told, f"game {games}")
            games += 1


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("name", TABLES)
def test_a_game_is_openspiels(name: str) -> None:
    """The same seats act, with the same actions, points and knowledge, in some games."""
    compared(name, 2_000)


@pytest.mark.proof
@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("name", TABLES)
def test_a_game_is_openspiels_all_along(name: str, proof_cases: Callable[[int], int]) -> None:
    """The same in 100,000 decisions."""
    compared(name, proof_cases(DECISIONS))
