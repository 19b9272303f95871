"""La Cour des Miracles as a `Game`."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.miracles import text
from referee.games.miracles.choice import decision_choice
from referee.games.miracles.config import Config, config_from
from referee.games.miracles.deal import Deal, draw_deal
from referee.games.miracles.features import features_of
from referee.games.miracles.guide import GUIDE
from referee.games.miracles.observation import Observation
from referee.games.miracles.pieces import SEATS
from referee.games.miracles.redraw import Redraw
from referee.games.miracles.scene import MiraclesScene
from referee.games.miracles.state import MiraclesState, initial_state
from referee.games.plain_data import facts_of, to_json
from referee.games.randomness import Stream

_MOST_A_TURN = 60
"""Five standoffs with three answers each, cards drawn one discard at a time, and room to spare."""


class Miracles:
    """The game La Cour des Miracles for 2 to 5 seats."""

    name = "miracles"
    title = "La Cour des Miracles"
    rules_version = "1"
    seats = SEATS
    codec = "referee.wire.miracles:MiraclesCodec"
    text = text
    scene = MiraclesScene
    guide = GUIDE
    rules = ""
    choice = staticmethod(decision_choice)
    redraw = Redraw
    luck = None

    def config(self, fields: Mapping[str, Any]) -> Config:
        """Return the configuration with these fields set; raise `ConfigError` on a bad one."""
        return config_from(fields)

    def most_decisions(self, config: Config, seats: int) -> int:
        """Return an upper bound on the decisions; most turns have four or five."""
        return config.max_rounds * seats * _MOST_A_TURN

    def deal(self, config: Config, seats: int, stream: Stream) -> Deal:
        """Draw a deal for this many seats from the configured data set."""
        return draw_deal(config.data, seats, stream)

    def initial_state(self, config: Config, seats: int, deal: Deal) -> MiraclesState:
        """Return the state before the first decision; raise `ConfigError` on an impossible deal."""
        return initial_state(config, seats, deal)

    def facts(self, observation: Observation) -> str:
        """Return an observation as JSON."""
        return to_json(facts_of(observation))

    def features(self, observation: Observation) -> Sequence[float]:
        """Return an observation as a vector."""
        return features_of(observation)


MIRACLES = Miracles()
