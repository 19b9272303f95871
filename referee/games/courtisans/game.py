"""Courtisans as a `Game`."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.courtisans import text
from referee.games.courtisans.choice import turn_choice
from referee.games.courtisans.config import Config, config_from
from referee.games.courtisans.deal import TURNS, Deal, draw_deal
from referee.games.courtisans.features import features_of
from referee.games.courtisans.guide import GUIDE
from referee.games.courtisans.luck import CourtisansLuck
from referee.games.courtisans.observation import Observation
from referee.games.courtisans.redraw import Redraw
from referee.games.courtisans.scene import CourtisansScene
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.plain_data import facts_of, to_json
from referee.games.randomness import Stream


class Courtisans:
    """The game Courtisans for 2 to 5 seats."""

    name = "courtisans"
    title = "Courtisans"
    rules_version = "1"
    seats = range(min(TURNS), max(TURNS) + 1)
    codec = "referee.wire.courtisans:CourtisansCodec"
    text = text
    scene = CourtisansScene
    guide = GUIDE
    rules = ""
    choice = staticmethod(turn_choice)
    redraw = Redraw
    luck = CourtisansLuck()

    def config(self, fields: Mapping[str, Any]) -> Config:
        """Return the configuration with these fields set; raise `ConfigError` on a bad one."""
        return config_from(fields)

    def most_decisions(self, config: Config, seats: int) -> int:  # noqa: ARG002 no setting changes it
        """Return how many turns every game has."""
        return TURNS[seats] * seats

    def deal(self, config: Config, seats: int, stream: Stream) -> Deal:  # noqa: ARG002 no setting changes the deal
        """Draw a deal for this many seats."""
        return draw_deal(seats, stream)

    def initial_state(self, config: Config, seats: int, deal: Deal) -> CourtisansState:
        """Return the state before turn 1; raise `ConfigError` on an impossible deal."""
        return initial_state(config, seats, deal)

    def facts(self, observation: Observation) -> str:
        """Return an observation as JSON."""
        return to_json(facts_of(observation))

    def features(self, observation: Observation) -> Sequence[float]:
        """Return an observation as a vector."""
        return features_of(observation)


COURTISANS = Courtisans()
