"""Scripted and random games of La Cour des Miracles.

A scene is a position written down: "taverne 1: 0 brute, halles 2: 1 beggar" puts rogues of the
seats 0 and 1 on spots. From there a story is told, decision by decision with " | " between them:

    place henchman taverne 1 | act | end        the first step, the neighbourhood's action, the end
    place henchman taverne 1 and wait | go on   the spot waits for a Plot card; none is played
    move taverne 1 to cour 2                    the first step of who has no rogue at hand
    buy 3 | shift taverne 1 to cour 2           the actions of Les Halles and the Rue
    play the sun | devil 1 | fool 2 | hermit taverne 1 | hanged man taverne 1
    chariot taverne 1 to cour 2 | tower taverne 1 and cour 2 | empress line 1 to cour
    sink drawn | sink beggar | discard the sun
    wrath cour | settle taverne | pay | refuse | reveal | hide | courtesan cour

"1: pay" says besides that seat 1 is the one who is asked.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from referee.games.miracles.action import (
    Action,
    BuyRenown,
    ChooseWrath,
    DiscardPlot,
    EndTurn,
    MoveOther,
    MoveRogue,
    PaySwordsman,
    PerformAction,
    PlaceRogue,
    PlayCard,
    PlayChariot,
    PlayDevil,
    PlayEmpress,
    PlayFool,
    PlayHangedMan,
    PlayHermit,
    PlayTower,
    RevealLone,
    SettleNext,
    SinkRogue,
    TakeEffect,
    UseCourtesan,
)
from referee.games.miracles.agenda import turn_steps
from referee.games.miracles.config import Config
from referee.games.miracles.event import Event
from referee.games.miracles.facts import face_down, ordered
from referee.games.miracles.game import Miracles
from referee.games.miracles.observation import Control
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot
from referee.games.miracles.play import with_at
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.randomness import Stream

PLACES = {
    "taverne": Neighbourhood.TAVERNE,
    "halles": Neighbourhood.LES_HALLES,
    "chatelet": Neighbourhood.LE_CHATELET,
    "rue": Neighbourhood.RUE_DE_L_EGYPTIENNE,
    "cour": Neighbourhood.GRANDE_COUR,
}


def parse_rogue(text: str) -> Rogue:
    """The rogue that a story calls so, such as "right hand"."""
    return Rogue[text.strip().upper().replace(" ", "_")]


def parse_card(text: str) -> PlotCard:
    """The Plot card that a story calls so, such as "the sun"."""
    return PlotCard[text.strip().upper().replace(" ", "_")]


def parse_spot(text: str) -> Spot:
    """The spot that a story calls so, such as "taverne 1"."""
    place, rank = text.split()
    return Spot(PLACES[place], int(rank))


def parse_token(text: str) -> RenownPlace:
    """Where a Renown token lies, such as "line 1" or "taverne"."""
    if text.startswith("line "):
        return RenownPlace(None, int(text[5:]))
    return RenownPlace(PLACES[text], 0)


def _waiting(rest: str) -> tuple[str, bool]:
    """What is told of a first step, and whether its spot waits for a Plot card."""
    return rest.removesuffix(" and wait"), rest.endswith(" and wait")


def _placed(rest: str) -> Action:
    rest, waits = _waiting(rest)
    rogue, place, rank = rest.rsplit(maxsplit=2)
    return PlaceRogue(parse_rogue(rogue), parse_spot(f"{place} {rank}"), waits)


def _moved(rest: str) -> Action:
    rest, waits = _waiting(rest)
    origin, target = map(parse_spot, rest.split(" to "))
    return MoveRogue(origin, target, waits)


def _two_spots(kind: Callable[[Spot, Spot], Action]) -> Callable[[str], Action]:
    return lambda rest: kind(*map(parse_spot, re.split(" to | and ", rest)))


def _empress(rest: str) -> Action:
    token, target = rest.split(" to ")
    return PlayEmpress(parse_token(token), PLACES[target])


READERS: Mapping[str, Callable[[str], Action]] = {
    "place": _placed,
    "move": _moved,
    "go on": lambda _: TakeEffect(),
    "act": lambda _: PerformAction(),
    "buy": lambda rest: BuyRenown(int(rest)),
    "shift": _two_spots(MoveOther),
    "end": lambda _: EndTurn(),
    "play": lambda rest: PlayCard(parse_card(rest)),
    "devil": lambda rest: PlayDevil(int(rest)),
    "fool": lambda rest: PlayFool(int(rest)),
    "hermit": lambda rest: PlayHermit(parse_spot(rest)),
    "hanged man": lambda rest: PlayHangedMan(parse_spot(rest)),
    "chariot": _two_spots(PlayChariot),
    "tower": _two_spots(PlayTower),
    "empress": _empress,
    "sink": lambda rest: SinkRogue(None if rest == "drawn" else parse_rogue(rest)),
    "discard": lambda rest: DiscardPlot(parse_card(rest)),
    "wrath": lambda rest: ChooseWrath(PLACES[rest]),
    "settle": lambda rest: SettleNext(PLACES[rest]),
    "pay": lambda _: PaySwordsman(pays=True),
    "refuse": lambda _: PaySwordsman(pays=False),
    "reveal": lambda _: RevealLone(reveals=True),
    "hide": lambda _: RevealLone(reveals=False),
    "courtesan": lambda rest: UseCourtesan(PLACES[rest]),
}


def parse_action(text: str) -> Action:
    """The action of one decision in a story."""
    for word, reader in READERS.items():
        if text == word or text.startswith(f"{word} "):
            return reader(text[len(word) :].strip())
    raise ValueError(f"no story speaks so: {text}")


class Told(NamedTuple):
    """What came of a story."""

    state: MiraclesState
    events: tuple[Event, ...]
    """All that happened in it."""

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if type(event) is kind]


def tell_story(state: MiraclesState, *turns: str) -> Told:
    """Play a story from a state."""
    events: list[Event] = []
    for decision in " | ".join(turns).split(" | "):
        match = re.fullmatch(r"(?:(\d): )?(.+)", decision)
        assert match, decision
        assert match[1] is None or state.to_act == int(match[1]), f"not asked: {decision}"
        action = parse_action(match[2])
        state.check(action)
        state, made = state.apply(action)
        events += made
    return Told(state, tuple(events))


def _cards(text: str) -> tuple[PlotCard, ...]:
    return tuple(map(parse_card, text.split(", "))) if text else ()


def _rogues(text: str) -> tuple[Rogue, ...]:
    return tuple(map(parse_rogue, text.split(", "))) if text else ()


def make_scene(
    seats: int = 2,
    *,
    coins: tuple[int, ...] | None = None,
    king: int = 0,
    board: str = "",
    hands: Mapping[int, str] | None = None,
    plots: Mapping[int, str] | None = None,
    lines: Mapping[int, tuple[int, ...]] | None = None,
    controls: Mapping[str, int] | None = None,
    active: int = 0,
    config: Config | None = None,
    **others: Any,
) -> MiraclesState:
    """A position in which the active seat begins a turn; no seat holds Plot cards but as said."""
    game = Miracles()
    config = config or Config()
    deal = game.deal(config, seats, Stream("scene", "deal"))._replace(starting_seat=0)
    state = initial_state(config, seats, deal)
    now = state.position
    held, control, bought = now.hands, now.controls, now.lines
    holding: tuple[tuple[PlotCard, ...], ...] = ((),) * seats
    for seat, rogues in (hands or {}).items():
        held = with_at(held, seat, tuple(sorted(_rogues(rogues))))
    for seat, cards in (plots or {}).items():
        holding = with_at(holding, seat, tuple(sorted(_cards(cards))))
    for seat, numbers in (lines or {}).items():
        bought = with_at(bought, seat, numbers)
    for place, seat in (controls or {}).items():
        control = with_at(control, PLACES[place] - 1, Control(seat, 1))
    for name, parse in (("pile", _cards), ("bag", _rogues), ("discards", _cards)):
        if name in others:
            others[name] = parse(others[name])
    position = now._replace(
        active=active,
        agenda=turn_steps(active),
        coins=coins or (0,) * seats,
        king=king,
        hands=held,
        plots=holding,
        lines=bought,
        controls=control,
        board=ordered(_lying(part) for part in board.split(", ") if part),
        **others,
    )
    return MiraclesState(config, deal, position)


def _lying(text: str) -> Any:
    spot, what = text.split(": ")
    seat, rogue = what.split(maxsplit=1)
    return face_down(int(seat), parse_rogue(rogue), parse_spot(spot))


@pytest.fixture(scope="session")
def scene() -> Callable[..., MiraclesState]:
    """Write a position down."""
    return make_scene


@pytest.fixture(scope="session")
def tell() -> Callable[..., Told]:
    """Play a story from a scene."""
    return tell_story


@pytest.fixture(scope="session")
def read() -> Callable[[str], Action]:
    """Read one action as stories write it."""
    return parse_action


@pytest.fixture(scope="session")
def start() -> Callable[..., MiraclesState]:
    """Deal a game for a number of seats from a seed."""

    def begin(seats: int, seed: str = "seed", config: Config | None = None) -> MiraclesState:
        game = Miracles()
        config = config or Config()
        return game.initial_state(config, seats, game.deal(config, seats, Stream(seed, "deal")))

    return begin


Step = tuple[MiraclesState, Action, tuple[Event, ...], MiraclesState]


@pytest.fixture(scope="session")
def random_game(start: Callable[..., MiraclesState]) -> Callable[..., Iterator[Step]]:
    """Play a random game: give state, action, events and next state of every decision."""

    def play(seats: int, seed: str, config: Config | None = None) -> Iterator[Step]:
        state, stream = start(seats, seed, config), Stream(seed, "players")
        while state.to_act is not None:
            action = state.random_action(stream)
            following, events = state.apply(action)
            yield state, action, events, following
            state = following

    return play
