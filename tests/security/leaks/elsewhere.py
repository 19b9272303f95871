"""A match of the leak test once more, from its actions alone, here or in another world."""

from typing import Any

from referee.core.faults import Fault
from referee.games.base import Seat, State
from referee.games.randomness import Stream
from referee.match.match import Decided, Match, MatchSetup
from tests.security.leaks.harness import Played


def rebuilt(here: Played, deal: Any, actions: list[Any], until: int, seed: str) -> Match:
    """Play these actions, up to a number of decisions; the stand-ins after them play on at random.

    Who forfeited, forfeits for a reason that bears the seed: no other may know it.
    """
    script = [
        action for action, decided in zip(actions, here.decisions, strict=False) if decided.stand_in
    ]
    script.reverse()
    stream = Stream(seed, "beyond")

    def stand_in(state: State, seat: Seat) -> Any:
        return script.pop() if script else state.random_action(stream)

    setup = MatchSetup(
        here.setup.match_id,
        here.setup.game,
        seats=here.setup.seats,
        master_seed=seed,
        config=here.setup.config,
        without_bot=here.setup.without_bot,
    )
    match = Match(setup, deal=deal, commitment=bytes(32), stand_in=stand_in)
    while match.due is not None and len(match.decisions) < until:
        decided: Decided = here.decisions[len(match.decisions)]
        if decided.fault is not None:
            kind = decided.fault.kind
            match.forfeit(Fault(kind, f"a reason of {seed}"), 1)
        else:
            match.decide(actions[len(match.decisions)], 1)
    return match
