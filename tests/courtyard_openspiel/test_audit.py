"""The audit finds what a game tells too much, and is silent about games that are right."""

from typing import Any

import pytest

from courtyard_openspiel import audit as audits
from courtyard_openspiel.audit import audit
from courtyard_openspiel.family import openspiel
from courtyard_openspiel.game import OpenSpielState
from referee.games.plain import View
from tests.support.lacking import need_open_spiel


@pytest.fixture(autouse=True)
def _needs_openspiel() -> None:
    need_open_spiel()


def found(name: str, games: int) -> set[str]:
    """Return the kinds of findings."""
    game = openspiel(name)
    return {finding.what for finding in audit(game, game.seats[0], games).findings.values()}


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker", "liars_dice", "phantom_ttt"])
def test_games_that_are_right_raise_no_alarm(name: str) -> None:
    """They redraw other worlds, and look alike in worlds that a seat cannot tell apart."""
    assert found(name, 40) == set()


@pytest.mark.proof
def test_gin_rummy_gives_the_knocker_the_defenders_hand() -> None:
    """Resampled at layoff, it is the true one although the knocker has never seen it."""
    game = openspiel("gin_rummy")
    assert "the true world is resampled" in game.leaks(2)[0]
    done = audit(game, 2, 8)
    (finding,) = done.findings.values()
    assert finding.what == "always the true world is resampled, and another looks the same"

    node: Any = game.game_for(2).new_initial_state()
    for action in finding.history:
        node.apply_action(action)
    assert "Phase: Layoff" in str(node)


@pytest.mark.proof
def test_the_tensor_of_kriegspiel_counts_the_others_moves() -> None:
    """A hidden pawn move resets a number that no text shows."""
    assert found("kriegspiel", 12) == {"the tensor tells more than all texts"}


@pytest.mark.parametrize(
    ("planted", "what"),
    [
        ("view", "the text differs in a resampled world"),
        ("features", "the tensor differs in a resampled world"),
        ("labels", "the options tell more than all views"),
    ],
)
def test_a_planted_leak_is_found(planted: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other player's card of Kuhn poker, in text, tensor or option."""
    view = OpenSpielState.view

    def secret(state: OpenSpielState, seat: int) -> int:
        return int(state.node.history()[1 - seat])

    def leaky(state: OpenSpielState, seat: int) -> View:
        one = view(state, seat)
        if planted == "view":
            return View([*one.text, f"psst: {secret(state, seat)}"], one.facts, one.features)
        return View(one.text, one.facts, [*one.features, secret(state, seat)])

    def labels(_: Any, node: Any) -> tuple[str, ...]:
        return (f"bet against {node.history()[1 - node.current_player()]}",)

    if planted == "labels":
        monkeypatch.setattr(audits, "_labels", labels)
    else:
        monkeypatch.setattr(OpenSpielState, "view", leaky)
    assert what in found("kuhn_poker", 20)


def test_redrawing_that_redraws_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The true world each time: a search bot would play with open cards."""
    monkeypatch.setattr(OpenSpielState, "redraw", lambda state, *_: state)
    assert found("kuhn_poker", 20) == {
        "always the true world is resampled, and another looks the same",
        "one world is resampled for ever, and another looks the same",
    }
