"""OpenSpiel's games are played as OpenSpiel itself plays them, and told to no other seat."""

import sys
from typing import Any

import pytest

from courtyard_openspiel.family import openspiel
from referee.conformance.game_check.promises import GameFault, Promise
from referee.conformance.game_check.steps import ends
from referee.conformance.game_check.subject import CheckedGame
from referee.games.base import ConfigError
from referee.games.choice import Choice
from referee.games.plain.adapter import AdaptedGame
from referee.games.randomness import Stream
from referee.games.registry import game_named
from tests.support.lacking import need_open_spiel

KEY = "0123456789abcdef" * 2
PLAYED = [
    "leduc_poker",
    "leduc_poker(players=3)",
    "liars_dice",
    "hearts",
    "kriegspiel",
    "tarok",
    "negotiation",
    "goofspiel(num_cards=4,imp_info=True)",
    "coop_box_pushing",
    "matrix_pd",
    "colored_trails",
    "universal_poker",
    "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    "go(board_size=9)",
    "hex",
]


@pytest.fixture(autouse=True)
def _needs_openspiel(request: pytest.FixtureRequest) -> None:
    if "without" not in request.node.name:
        need_open_spiel()


def play(game: AdaptedGame, deal: str, seats: int) -> list[Any]:
    """Play at random; return all that was seen on the way."""
    state = game.initial_state({}, seats, f'"{deal}"')
    stream = Stream("play")
    log: list[Any] = []
    while state.to_act is not None:
        log += [state.observation(seat) for seat in range(seats)]
        action = state.random_action(stream)
        state.check(action)
        state, events = state.apply(action)
        log += [action, events]
    return [*log, state.scores(), state.ranks(), state.result()]


@pytest.mark.sweep
@pytest.mark.parametrize("name", PLAYED)
def test_a_game_follows_from_its_key_alone(name: str) -> None:
    """The same key and choices give the same game again, to the last text; another key does not."""
    game = AdaptedGame(openspiel(name))
    seats = game.seats[0]

    first = play(game, KEY, seats)

    assert play(game, KEY, seats) == first
    features = {len(each.features) for each in first if hasattr(each, "features")}
    assert len(features) == 1


def test_chance_is_drawn_from_the_key() -> None:
    """Different keys deal different cards."""
    game = AdaptedGame(openspiel("leduc_poker"))
    dealt = {
        game.initial_state({}, 2, f'"{Stream(str(n)).bytes(16).hex()}"').observation(0).text
        for n in range(30)
    }
    assert len(dealt) == 6


def test_every_move_and_text_is_openspiels() -> None:
    """A hundred games: same legal actions, texts and returns as its own state."""
    import pyspiel  # noqa: PLC0415 optional

    game = openspiel("leduc_poker(players=3)")
    for number in range(100):
        stream = Stream(str(number))
        state: Any = game.initial_state({}, 3, stream.bytes(16).hex())
        while (seat := state.to_act) is not None:
            legal = list(state.options())
            theirs = pyspiel.load_game("leduc_poker(players=3)").new_initial_state()
            for action in state.node.history():
                theirs.apply_action(action)
            assert legal == theirs.legal_actions()
            assert state.view(seat).facts == {"player": seat, "legal_actions": legal}
            assert "\n".join(state.view(seat).text) == theirs.information_state_string(seat)
            state, _ = state.apply(stream.choice(legal))
        returns = state.node.returns()
        assert state.points() == [round(100 * value) for value in returns]


def test_who_chooses_at_once_learns_nothing_of_the_others() -> None:
    """The second seat sees the same after each choice of the first; then both are told."""
    game = openspiel("goofspiel(num_cards=4)")
    start: Any = game.initial_state({}, 2, KEY)
    views = set()
    for action in start.options():
        state, (event,) = start.apply(action)
        assert state.to_act == 1
        assert event.public == ""
        assert list(event.own) == [0]
        views.add((tuple(state.view(1).text), tuple(state.view(1).features)))
        assert "You have chosen: " in state.view(0).text[-1]

    assert len(views) == 1
    events = state.apply(2)[1]
    assert events[1].public.startswith("All have chosen: @0: ")


def test_moves_of_others_are_not_told_where_they_may_be_secret() -> None:
    """Not even that there was one: the second player of dark hex may have tried several cells."""
    state = openspiel("dark_hex").initial_state({}, 2, KEY)
    _, events = state.apply(4)
    assert [(event.public, list(event.own)) for event in events] == [("", [0])]


def test_many_options_take_several_steps() -> None:
    """Each of go's 362 actions is at the end of one path, and no step asks of more than 250."""
    game = AdaptedGame(openspiel("go"))
    legal = game.initial_state({}, 2, f'"{KEY}"').legal()
    assert isinstance(legal, Choice)
    steps, actions = [legal], list[int]()
    while steps:
        step = steps.pop()
        assert len(step.options) <= 250
        for index in range(len(step.options)):
            following = step.take(index)
            (steps if isinstance(following, Choice) else actions).append(following)
    assert sorted(actions) == list(range(362))


def test_a_redrawn_state_looks_the_same_to_its_seat() -> None:
    """What the others hold differs among redraws."""
    state: Any = openspiel("hearts").initial_state({}, 4, KEY)
    drawn = [state.redraw(0, Stream(str(n))) for n in range(5)]

    assert {tuple(each.view(0).text) for each in drawn} == {tuple(state.view(0).text)}
    assert len({tuple(each.view(1).text) for each in drawn}) == 5
    assert openspiel("battleship").initial_state({}, 2, KEY).redraw(0, Stream("")) is None


def test_fractions_become_whole_points() -> None:
    """Skat's points are hundredths; places follow from the exact returns, which are told."""
    log = play(AdaptedGame(openspiel("skat")), KEY, 3)
    points, _, result = log[-3:]
    assert any(points)
    assert result.text[0].startswith("Returns: @0 ")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("hart", "OpenSpiel 2.0.2 has no game 'hart' (did you mean 'hearts'?)"),
        ("leduc_poker(x=1)", "OpenSpiel refuses 'leduc_poker': Unknown parameter 'x'."),
        ("leduc_poker(players=99)", "OpenSpiel refuses 'leduc_poker': "),
        (
            "universal_poker(numPlayers=3)",
            "OpenSpiel 2.0.2 crashes (SIGSEGV) when it loads 'universal_poker(numPlayers=3)'",
        ),
        ("leduc_poker(", "'leduc_poker(' is no name of an OpenSpiel game: write NAME or"),
        ("efg_game(filename=/etc/passwd)", "'efg_game(filename=/etc/passwd)' is no name of an"),
        ("repeated_game", "OpenSpiel's 'repeated_game' needs parameters: repeated_game(num_"),
        ("mfg_garnet", "'mfg_garnet' cannot be played: its players are a population, not seats"),
        ("morpion_solitaire", "'morpion_solitaire' cannot be played: it is for one player"),
        ("crazy_eights(players=12)", "it is for 12 players, and a table seats at most 10"),
    ],
)
def test_what_cannot_be_played_is_refused(
    name: str, problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line says why, and OpenSpiel prints nothing beside it."""
    with pytest.raises(ConfigError) as caught:
        openspiel(name)

    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_without_openspiel_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the game is enough to learn what is missing."""
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ConfigError, match=r"pip install '\.\[openspiel\]'"):
        game_named("openspiel:hearts")


@pytest.mark.costly
def test_a_game_that_need_not_end_is_found() -> None:
    """From three players on, go_fish goes round for ever if all take the first option."""
    with pytest.raises(GameFault, match="the game goes on beyond most_decisions") as raised:
        ends(CheckedGame("openspiel:go_fish", {}, games=1))

    assert raised.value.promise is Promise.ENDS
