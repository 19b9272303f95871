"""What the tests of the sample bots share: the strategies, matches in one process, positions."""

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from courtyard.v1 import game_pb2, referee_pb2
from courtyard_kit import courtisans, miracles
from courtyard_kit.connection import Turn
from courtyard_kit.courtisans import (
    Card,
    CardInPlay,
    Config,
    Eliminated,
    Family,
    Legal,
    Mission,
    Position,
    Role,
    Side,
)

from referee.core.clock import ClockConfig
from referee.games.courtisans.observation import Observation
from referee.match.match import Match, MatchSetup
from referee.wire import codec_named

Choose = Callable[[Any], Any]

PYTHON = Path(__file__).parents[2] / "sample_bots" / "python"
FOLDER = PYTHON / "courtisans"
POSITIONS = {"courtisans": courtisans.Position, "miracles": miracles.Position}
MEMORIES = {"courtisans": dict, "miracles": lambda: {"memory": miracles.Memory()}}
"""What makes a position besides the request, the same for all requests of a seat."""
NAMES = ("random", "greedy", "counter")
NODES = 100
"""How far the bot that searches may look in tests: so it decides by no clock."""
PATIENT = ClockConfig(decision_limit_ms=600_000, bank_ms=3_600_000)
CODEC = codec_named("courtisans")
FAMILIES = {family.name.lower(): family for family in Family}
ROLES = {role.name.lower(): role for role in Role}
SIDES = {side.name.lower(): side for side in Side}


def bot_module(game: str, name: str) -> ModuleType:
    """Return the program of a sample bot in Python."""
    path = PYTHON / game / name / "bot.py"
    spec = importlib.util.spec_from_file_location(f"sample_bot_{game}_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def folder() -> Path:
    """The folder that holds a folder for each sample bot for Courtisans in Python."""
    return FOLDER


@pytest.fixture(scope="session")
def bots() -> Mapping[str, ModuleType]:
    """The program of each sample bot for Courtisans by the bot's name."""
    modules = {name: bot_module("courtisans", name) for name in (*NAMES, "searcher", "trained")}
    searcher = modules["searcher"]
    searcher.choose = partial(searcher.choose, nodes=NODES)  # type: ignore[attr-defined]
    return modules


def begin(module: ModuleType) -> Callable[[], Choose]:
    """Return what a bot does at the start of a match: it returns what decides there."""
    if hasattr(module, "choose"):
        return lambda: module.choose
    return lambda: module.Counter().choose


@pytest.fixture(scope="session")
def strategies() -> Mapping[str, Mapping[str, Callable[[], Choose]]]:
    """By game and bot, what makes the strategy of one match."""
    return {game: {name: begin(bot_module(game, name)) for name in NAMES} for game in POSITIONS}


class Table:
    """A match whose seats are played by functions of this process, or by the stand-in (None)."""

    def __init__(self, seed: str, seats: Sequence[Choose | None], game: str = "courtisans") -> None:
        self.seats = seats
        self.game = game
        without_bot = frozenset(seat for seat, choose in enumerate(seats) if choose is None)
        setup = MatchSetup(
            f"match {seed}", game, len(seats), seed, clock=PATIENT, without_bot=without_bot
        )
        self.match = Match(setup)
        self._starts: dict[int, referee_pb2.MatchStart] = {}
        self._memories = [MEMORIES[game]() for _ in seats]

    def turns(self) -> Iterator[Turn]:
        """Yield each request, then have it answered."""
        while (due := self.match.due) is not None:
            message = referee_pb2.RefereeMessage.FromString(due.payload)
            if message.request.HasField("start"):
                self._starts[due.seat] = message.request.start
            turn = Turn(message.match_id, self._starts[due.seat], message.request)
            yield turn
            choose = self.seats[due.seat]
            assert choose is not None
            action = choose(POSITIONS[self.game](turn, **self._memories[due.seat]))
            self.match.state.check(action)
            self.match.decide(action, elapsed_us=0)

    def play(self) -> tuple[int, ...]:
        """Play to the end and return the place of every seat, equal places for equals."""
        for _ in self.turns():
            pass
        return self.match.state.ranks()


@pytest.fixture(scope="session")
def table() -> type[Table]:
    """A match from a seed and what plays each seat."""
    return Table


def _face(words: Sequence[str]) -> Card:
    family = next((FAMILIES[word] for word in words if word in FAMILIES), None)
    return Card(family, next((ROLES[word] for word in words if word in ROLES), Role.PLAIN))


def _hand(text: str) -> tuple[Card, ...]:
    return tuple(sorted(_face(words.split()) for words in text.split(", ")))


def _area(text: str) -> tuple[CardInPlay, ...]:
    """Read cards such as "2 carp noble above, toad spy below, spy above"; the last is hidden."""
    cards: list[CardInPlay] = []
    for words in map(str.split, filter(None, text.split(", "))):
        copies = int(words[0]) if words[0].isdigit() else 1
        family, role = _face(words)
        side = next((SIDES[word] for word in words if word in SIDES), None)
        player = 0 if family else 1
        for _ in range(copies):
            cards.append(CardInPlay(len(cards) + 1, player, role, family, side))
    return tuple(cards)


def _targets(area: Sequence[CardInPlay]) -> tuple[int, ...]:
    return tuple(card.turn for card in area if card.role is not Role.GUARD)


def make_position(
    hand: str,
    *,
    table: str = "",
    domains: Sequence[str] = ("", "", "", ""),
    gone: str = "",
    missions: tuple[Mission, Mission] = (Mission.FOUR_GUARDS, Mission.FIVE_BELOW),
    turns_left: Sequence[int] = (1, 0, 0, 0),
    time_ms: int = 5000,
) -> Position:
    """Return a position of seat 0, its cards in words; `gone` are the eliminated cards."""
    at_table, in_domains = _area(table), tuple(map(_area, domains))
    cards = _hand(hand)
    observation = Observation(
        seat=0,
        turn=1 + max(map(len, (at_table, *in_domains))),
        to_act=0,
        deck_size=0,
        turns_left=tuple(turns_left),
        hand=cards,
        white=missions[0],
        blue=missions[1],
        table=at_table,
        domains=in_domains,
        eliminated=tuple(Eliminated(card, None) for card in _area(gone)),
    )
    opponents = tuple(range(1, len(domains)))
    if any(card.role is Role.ASSASSIN for card in cards):
        legal = Legal(opponents, _targets(at_table), tuple(map(_targets, in_domains)))
    else:
        legal = Legal(opponents, (), ((),) * len(domains))
    config = game_pb2.GameConfig.FromString(CODEC.encode_config(Config()))
    start = referee_pb2.MatchStart(seats=len(domains), seat=0, config=config)
    request = referee_pb2.DecisionRequest(
        number=1,
        observation=game_pb2.GameObservation.FromString(CODEC.encode_observation(observation)),
        legal=game_pb2.GameLegal.FromString(CODEC.encode_legal(legal)),
        time_ms=time_ms,
        bank_ms=time_ms,
    )
    return Position(Turn("handmade", start, request))


@pytest.fixture(scope="session")
def position() -> Callable[..., Position]:
    """A position from words."""
    return make_position
