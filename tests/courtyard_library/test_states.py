"""Any installed game can be stepped through from Python."""

import random

import courtyard
import pytest

from referee.match.match import Match, MatchSetup


@pytest.mark.parametrize("game", courtyard.games())
def test_every_installed_game_is_played_by_options(game: str) -> None:
    """To its end, where there are points and places and nothing to choose."""
    state, stream = courtyard.start(game, seed="steps"), random.Random(game)
    while not state.is_over:
        assert state.view().options == state.options
        state = state.take(stream.randrange(len(state.options)))
    assert len(state.points) == len(state.places) == state.seats
    assert state.options == []
    assert state.view(0).step is None
    with pytest.raises(courtyard.UsageError, match="over"):
        state.take(0)


def test_a_state_begins_as_a_match_of_its_seed() -> None:
    """With the same deal, and whole actions lead on as options do."""
    match = Match(MatchSetup("an id", "miracles", 4, "beginning"))
    state = courtyard.start("miracles", 4, seed="beginning")
    assert state.full == match.state
    action = state.legal_actions[0]
    after = state.apply(action)
    path = state.step.path(action) if state.step else ()
    for index in path:
        state = state.take(index)
    assert state.full == after.full


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_a_redrawn_state_looks_the_same_to_its_seat(game: str) -> None:
    """And not to the others; it can be played on."""
    state, stream = courtyard.start(game, 3, seed="redraw"), random.Random(1)
    for _ in range(20):
        state = state.take(stream.randrange(len(state.options)))
    others = [state.redraw(0, seed=str(number)) for number in range(5)]
    assert {other.view(0).text for other in others} == {state.view(0).text}
    assert len({other.view(1).text for other in others}) > 1
    assert not others[0].take(0).is_over


def test_what_the_rules_refuse_is_refused() -> None:
    """An option that is none, an action of another moment, a setting that is unknown."""
    state = courtyard.start("courtisans", 2, seed="refused")
    with pytest.raises(courtyard.IllegalAction):
        state.take(99)
    other = courtyard.start("courtisans", 2, seed="other").legal_actions[0]
    with pytest.raises(courtyard.IllegalAction):
        state.apply(other)
    with pytest.raises(courtyard.ConfigError):
        courtyard.start("courtisans", config={"sides": 2})
