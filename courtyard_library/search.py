"""A player for any game whose states can be redrawn: it searches, by playouts."""

import math
from itertools import count, islice
from typing import Any

from courtyard_kit.search import Budget, best_of

from courtyard_library.seats import InProcessBot, Player
from courtyard_library.states import State
from referee.core.clock import NOT_MEASURED
from referee.core.errors import UsageError
from referee.games.randomness import Stream
from referee.hosting.playouts import player_named, usual_player
from referee.match.match import Match
from referee.match.review import ASKED_WORLDS, Option, compared


class SearchBot(InProcessBot):
    """A player that searches; see `search`."""

    def __init__(self, playouts: int) -> None:
        """Spend this number of playouts on a decision."""
        if playouts < 1:
            raise UsageError(f"a search takes at least one playout, not {playouts}")
        self.playouts = playouts
        self.name = "search"

    def sit_down(self, game: str) -> "_Searching":  # noqa: ARG002 -- it plays any
        """Return the player of one match."""
        return _Searching(self)

    def choose(self, state: State) -> Any:
        """Return the action that does best for the seat to act, judged by what it may know.

        Raise `UsageError` if the game is over or has no `redraw` here.
        """
        seat, legal = state.to_act, state.legal_actions
        if seat is None:
            raise UsageError("the game is over")
        if len(legal) == 1:
            return legal[0]
        name = f"{state.game} {seat} {len(state.actions_taken)}"
        player = player_named(usual_player(state.game), state.game)
        budget = Budget(math.inf, self.playouts)
        worlds = ((f"{name} {n}", state.redraw(seat, f"{name} {n}").full) for n in count())
        liked = (player.choose(world, draws) for draws, world in islice(worlds, ASKED_WORLDS))
        options = compared((), liked, legal, Stream(name, "options"))

        def play_out(world: tuple[str, Any], option: Option) -> float:
            budget.spend(1)
            return player.worth(world[1], option[1], world[0])

        return best_of(dict.fromkeys(options, 0.0), worlds, play_out, budget)[1]


def search(playouts: int = 400) -> SearchBot:
    """Seat a player that searches, in any game with a `redraw`; it decides the same each time.

    In states that its seat cannot tell from the true one it tries its actions, and takes the one
    that does best: by the playouts of the game's sample bot if it has one, else by playing on to
    the end at random. `choose(state)` returns its action in a `State`.
    """
    return SearchBot(playouts)


class _Searching(Player):
    """Searches from the states of one match, of which it uses what its seat may know."""

    speaks_plain = True

    def __init__(self, bot: SearchBot) -> None:
        super().__init__(bot.name)
        self._bot = bot

    def act(self, match: Match) -> None:
        """Answer the pending decision, step by step."""
        if match.step is None:
            raise RuntimeError("no step is pending")
        setup, taken = match.setup, tuple(one.action for one in match.decisions)
        state = State(setup.game, setup.seats, match.state, taken, match.config, match.deal)
        for index in match.step.path(self._bot.choose(state)):
            match.choose(index, NOT_MEASURED)
