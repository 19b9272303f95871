"""A plain game is played like any other, and its faults are told in one line."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from courtyard.v1 import referee_pb2

from referee.games.base import ConfigError, IllegalAction, RulesError
from referee.games.plain import Choice, Event, Option, PlainGame, PlainState, Stream, View, ask
from referee.games.plain.adapter import AdaptedGame, PlainAction
from referee.wire.plain import PlainCodec


@dataclass(frozen=True)
class Bids(PlainState):
    """Each seat bids in turn; a point for each coin bid."""

    cards: tuple[int, ...]
    bids: tuple[Any, ...] = ()

    @property
    def to_act(self) -> int | None:
        return len(self.bids) if len(self.bids) < len(self.cards) else None

    def prompt(self) -> str:
        return f"How much does @{len(self.bids)} bid?"

    def options(self) -> Mapping[Any, str] | Choice:
        def amounts(kind: str) -> Any:
            options = {n: Option(f"{n} [{kind}]") for n in range(3)}
            return ask("How many?", options, lambda bid: bid[1], lambda n: (kind, n))

        kinds = {kind: Option(kind) for kind in ("gold", "silver")}
        return ask("Which coins?", kinds, lambda bid: bid[0], amounts)  # type: ignore[no-any-return]

    def apply(self, action: Any) -> tuple["Bids", Sequence[Event]]:
        seat = len(self.bids)
        told = Event(f"@{seat} bids", {seat: f"@{seat} bids {action}"})
        return replace(self, bids=(*self.bids, action)), [told]

    def view(self, seat: int) -> View:
        return View([f"@{seat} holds {self.cards[seat]}"], {"card": self.cards[seat]}, [1.0])

    def points(self) -> Sequence[int]:
        return [amount - 1 for _, amount in self.bids]


class Bidding(PlainGame):
    """A game to test with."""

    name = "bidding"
    title = "Bidding"
    seats = range(2, 11)
    config: Mapping[str, Any] = {"high": 9, "mild": True}

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> Any:
        return [stream.below(config["high"]) for _ in range(seats)]

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> PlainState:
        del config, seats
        return Bids(deal)

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        del config
        return seats


GAME = AdaptedGame(Bidding())


def test_random_play_ends_with_points_and_shared_ranks() -> None:
    """A game of ten seats is played to its end."""
    state = GAME.initial_state({"high": 9}, 10, "[1,2,3,4,5,6,7,8,9,0]")
    stream = Stream("s")
    while state.to_act is not None:
        action = state.random_action(stream)
        state.check(action)
        state, _ = state.apply(action)
    assert len(state.scores()) == 10
    assert min(state.ranks()) == 1
    assert [1 + sum(o > p for o in state.scores()) for p in state.scores()] == list(state.ranks())


@dataclass(frozen=True)
class Lucky(Bids):
    """A card is worth its number, and nine cards were as likely."""

    def worths(self, stream: Stream) -> list[list[float]]:
        """Of the seat to act, with its own card and with two others."""
        cards = [self.cards[self.to_act or 0], stream.below(9), stream.below(9)]
        return [
            [card if seat == self.to_act else 0 for seat, _ in enumerate(self.cards)]
            for card in cards
        ]


class Measured(Bidding):
    """Measures luck."""

    luck_version = "1"

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> PlainState:
        """Begin."""
        del config, seats
        return Lucky(deal)


def test_a_plain_game_may_measure_luck() -> None:
    """Its own worths count; a table of the wrong size is the author's fault."""
    game = AdaptedGame(Measured())
    state = game.initial_state({"high": 9}, 2, "[7,2]")

    assert GAME.luck is None
    assert game.luck is not None
    assert game.luck.version == "1"
    assert game.luck.worths(state, Stream("s"))[0] == [7.0, 0.0]
    with pytest.raises(RulesError, match="worths"):
        game.luck.worths(replace(state, seats=3), Stream("s"))


def test_a_decision_in_steps_has_each_action_once() -> None:
    """The paths through an author's choice are the actions, and lead back to them."""
    state = GAME.initial_state({"high": 9}, 2, "[1,2]")
    actions = list(state.legal_actions())

    assert len(set(actions)) == len(actions) == 6
    legal = state.legal()
    assert legal is not None
    first = GAME.choice(state.observation(0), legal, ["Ann", "Bob"])
    for action in actions:
        step: Any = first
        for index in first.path(action):
            step = step.take(index)
        assert step == action


@pytest.mark.parametrize(
    "action",
    [
        PlainAction((0,), ("gold",)),
        PlainAction((0, 0, 0), ("gold", "0 [gold]", "more")),
        PlainAction((0, 1), ("gold", "0 [gold]")),
        PlainAction((5, 0), ("gold", "0 [gold]")),
        PlainAction((), ()),
        PlainAction((0, 0), ("gold",)),
    ],
)
def test_a_path_that_leads_to_no_action_is_illegal(action: PlainAction) -> None:
    """Too short, too long, unknown, or with labels of other options."""
    state = GAME.initial_state({"high": 9}, 2, "[1,2]")
    with pytest.raises(IllegalAction):
        state.check(action)


def test_names_of_seats_stand_in_prompts_and_labels() -> None:
    """Readers see names where the author wrote "@0"."""
    state = GAME.initial_state({"high": 9}, 2, "[1,2]")
    lines = list(GAME.text.observation_lines(state.observation(1), ["Ann", "[b]Bob"]))

    assert lines == ["[seat]\\[b]Bob[/] [plain]holds 2[/]"]


def test_each_seat_gets_its_own_form_of_an_event() -> None:
    """Others are told the public line alone."""
    state = GAME.initial_state({"high": 9}, 2, "[1,2]")
    state, (event,) = state.apply(state.legal_actions()[0])

    assert state.event_for(event, 0) == Event("@0 bids ('gold', 0)")
    assert state.event_for(event, 1) == Event("@0 bids")


def test_an_event_without_a_public_line_is_told_to_those_it_names_alone() -> None:
    """Others get nothing, so they cannot even count what happened in secret."""
    state = GAME.initial_state({"high": 9}, 2, "[1,2]")
    event = Event("", {0: "@0 looks"})

    assert state.event_for(event, 0) == Event("@0 looks")
    assert state.event_for(event, 1) is None
    scene = GAME.scene(state, ["Ann", "Bob"])
    (step,) = scene.steps(lambda seat: state.event_for(event, seat))
    assert step.words == "[plain](hidden)[/]"
    assert step.own_words == {0: "[seat]Ann[/] [plain]looks[/]"}


def test_values_travel() -> None:
    """Configuration, deal and action come back from their messages."""
    codec = PlainCodec()
    message = referee_pb2.MatchStart()
    config = GAME.config({"high": 3})
    message.config.MergeFromString(codec.encode_config(config))
    assert GAME.config(codec.decode_config(message.config)) == {"high": 3, "mild": True}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"low": 1}, "unknown setting 'low'; known: high, mild"),
        ({"high": "x"}, "high is 'x': it must be of the type int"),
        ({"high": True}, "high is True: it must be of the type int"),
        ({"mild": 1}, "mild is 1: it must be of the type bool"),
    ],
)
def test_a_bad_setting_is_refused(fields: dict[str, Any], problem: str) -> None:
    """The error names the field and what it takes."""
    with pytest.raises(ConfigError) as caught:
        GAME.config(fields)
    assert str(caught.value) == problem


def test_other_numbers_of_seats_are_refused() -> None:
    """The error names those that the game has."""
    with pytest.raises(ConfigError, match="bidding is played with 2 to 10 seats, not 11"):
        GAME.deal({"high": 9}, 11, Stream("s"))


FAULTS: dict[str, tuple[str, Any, str]] = {
    "raises": ("view", lambda *_: 1 // 0, "failed in view: ZeroDivisionError: "),
    "two labels": ("options", lambda *_: {1: "a", 2: "a"}, "failed in options: none, or two with"),
    "no options": ("options", lambda *_: {}, "failed in options: none, or two with one label"),
    "no event": (
        "apply",
        lambda self, _: (self, ["done"]),
        "failed in apply: it returned 'done' as",
    ),
    "endless": (
        "apply",
        lambda self, _: (self, []),
        "failed in to_act: the game goes on beyond",
    ),
    "no data": ("view", lambda *_: View([], {1, 2}), "failed in view: ValueError: it is no plain"),
    "no number": ("view", lambda *_: View([], float("nan")), "failed in view: ValueError: "),
    "large": (
        "view",
        lambda *_: View(["x" * 600_000], 0),
        "failed in view: ValueError: the view has",
    ),
    "few points": ("points", lambda *_: [1], "failed in points: there are 1 for 2 seats"),
    "odd ranks": ("ranks", lambda *_: [1, 3], "failed in ranks: they are (1, 3): ties share"),
    "odd seat": ("to_act", property(lambda *_: 7), "failed in to_act: it is 7, and there are 2"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_rules_is_one_line(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the game, the part that failed, and why; the match is void."""
    part, replacement, problem = FAULTS[fault]
    monkeypatch.setattr(Bids, part, replacement)

    with pytest.raises(RulesError) as caught:
        _play()

    assert str(caught.value).startswith("the game 'bidding' failed in ")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
    if fault == "raises":
        assert f"{__file__}, line" in str(caught.value)


def _play() -> None:
    state = GAME.initial_state({"high": 9}, 2, "[1,2]")
    stream = Stream("s")
    while (seat := state.to_act) is not None:
        state.observation(seat)
        action = state.random_action(stream)
        state, _ = state.apply(action)
    state.scores()
    state.ranks()


def test_rules_import_no_messages() -> None:
    """A plain game is written with the standard library and the contract alone."""
    assert "courtyard" not in {
        name.partition(".")[0] for name in vars(sys.modules[PlainGame.__module__])
    }
