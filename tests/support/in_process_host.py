"""A host whose bots play in this process, so that thousands of matches take seconds."""

from collections.abc import Coroutine, Mapping
from typing import Any, Self

from courtyard.v1 import record_pb2

from courtyard_library.seats import Choose, Chooser, InProcessBot, Player
from referee.hosting.match_runner import MatchSpec
from referee.hosting.person import Person
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of


class InProcessHost:
    """Plays one match at a time."""

    def __init__(self, bots: Mapping[str, Choose | InProcessBot]) -> None:
        """Know each bot by its name."""
        self._bots = bots

    def __enter__(self) -> Self:
        """Return the host."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def play(self, spec: MatchSpec, people: Mapping[int, Person]) -> record_pb2.Record:
        """Play a match to its end."""
        players = [
            people[seat] if bot is None else self._player(bot.name, spec.game)
            for seat, bot in enumerate(spec.seats)
        ]
        match = Match(
            MatchSetup(spec.match_id, spec.game, len(players), spec.master_seed, spec.config)
        )
        match.use_plain_dialect(seat for seat, one in enumerate(players) if one.speaks_plain)
        while match.due is not None:
            _finish(players[match.due.seat].decide(match, match.due.seat))
        names = [bot.name if bot else people[seat].name for seat, bot in enumerate(spec.seats)]
        return record_of(match, [SeatInfo(name) for name in names])

    def _player(self, name: str, game: str) -> Player:
        bot = self._bots[name]
        return bot.sit_down(game) if isinstance(bot, InProcessBot) else Chooser(bot)


def _finish(answer: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        answer.send(None)
    except StopIteration:
        return
    raise AssertionError("the player waits")
