"""The bot that was trained scores every turn that it may play."""

import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from courtyard_kit.courtisans import Eliminated, Family, Mission, Position

Bots = Mapping[str, ModuleType]


def test_every_different_turn_is_scored(bots: Bots, table: Any) -> None:
    """Those that the kit lists as distinct, each once, and never more than it may take."""
    trained, seen = bots["trained"], 0
    for turn in table("scored", [Position.random_action] * 4).turns():
        here = Position(turn)
        offered = trained.turns(here.observation, here.rng, 400)
        assert len(offered.actions) == min(400, len(here.distinct_actions))
        assert len(set(offered.actions)) == len(offered.actions)
        assert set(offered.actions) <= set(here.distinct_actions)
        seen += len(offered.actions) == 400
    assert seen


def test_a_family_is_known_by_its_cards_alone(bots: Bots, table: Any) -> None:
    """With the families renamed in all that a seat sees, turns have the same scores."""
    trained = bots["trained"]
    others = dict(zip(Family, random.Random(1).sample(list(Family), 6), strict=True))

    def renamed(cards: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(card._replace(family=card.family and others[card.family]) for card in cards)

    for turn in table("renamed", [Position.random_action] * 3).turns():
        seen = Position(turn).observation._replace(
            white=Mission.FOUR_GUARDS, blue=Mission.FIVE_BELOW
        )
        cards = [card for card, _ in seen.eliminated]
        places = [place for _, place in seen.eliminated]
        there = seen._replace(
            hand=renamed(seen.hand),
            table=renamed(seen.table),
            domains=tuple(map(renamed, seen.domains)),
            eliminated=tuple(map(Eliminated, renamed(cards), places)),
        )
        here, moved = (
            np.sort(
                trained.scores(trained.own_weights(), trained.turns(one, random.Random(1), 10**6))
            )
            for one in (seen, there)
        )
        assert np.allclose(here, moved, atol=1e-3)


def test_the_weights_are_small(folder: Path) -> None:
    """They are part of every copy of the bot."""
    assert (folder / "trained" / "weights.npz").stat().st_size < 100_000
