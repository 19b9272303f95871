"""Where a bot is tried: it is started when a step needs it, and anew after one that broke it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.conformance.check.check_match import Change, CheckMatch, Times, unchanged
from referee.conformance.check.probe import Probe
from referee.conformance.check.rules import rule_of_start
from referee.conformance.check.violation import Table, Violation
from referee.core.clock import ClockConfig
from referee.core.faults import BotFault
from referee.games import game_named
from referee.hosting.running_bot import BotSpec
from referee.sandbox.levels import Sandbox
from referee.sandbox.pauses import Pauses

MOST_DECISIONS = 12
"""So often the bot decides in a match that is not there to be played to its end."""
_SHOWN_OF_A_COMMAND = 200


@dataclass(slots=True)
class Subject:
    """The bot on trial, and the matches that it is given."""

    entrant: BotSpec
    games: Sequence[str]
    clock: ClockConfig
    sandbox: Sandbox
    folder: Path
    """Private, for sockets."""
    alone: bool = False
    """It plays only one match in each process, so that this is no reason to fail other steps."""
    talks: bool = False
    """It speaks unasked after Welcome already, so that it cannot be seen whether it does later."""
    refused: Violation | None = None
    """Why it cannot be started."""
    deadline: float | None = None
    """When the whole check has to end, on the clock of the event loop; None: never."""
    hopeless: str = ""
    """Why no other step needs to be tried; empty while there is hope."""
    pauses: Pauses = field(default_factory=Pauses)
    """When the check itself did not run: nothing that the bot did then is held against it."""
    _probe: Probe | None = None
    matches: int = field(default=0)
    """How many it was given."""
    _answered: int = 0
    """How many requests its processes before this one have answered."""

    @property
    def answered(self) -> int:
        """How many requests it has answered as it should."""
        return self._answered + (self._probe.answered if self._probe else 0)

    async def bot(self) -> Probe:
        """Return the bot, started if need be; raise `Violation` if it does not start."""
        if self.refused is not None:
            raise self.refused
        if self._probe is None:
            try:
                self._probe = await self.launch()
            except Violation as violation:
                self.refused = violation
                raise
        return self._probe

    async def launch(self) -> Probe:
        """Start one more process of the bot, for the caller to stop."""
        try:
            return await Probe.launch(
                self.entrant, self.clock.startup_ms, self.folder, self.sandbox, self.pauses
            )
        except BotFault as error:
            reason, command = str(error), " ".join(self.entrant.command)
            sent = f"the command {command[:_SHOWN_OF_A_COMMAND]}"
            raise Violation(rule_of_start(reason), sent, reason, printed=error.printed) from None

    async def stop(self) -> str:
        """Stop the bot, if it runs; return the end of what it printed."""
        probe = self._probe
        if probe is None:
            return ""
        self._answered += probe.answered
        self._probe = None
        await probe.stop()
        return probe.output()

    def begin_again(self, first_match: int, paused_s: float) -> None:
        """Forget what came of a step in which the check was paused for so long.

        The bot is stopped; the step's first match had this number.
        """
        self.matches, self.refused, self.hopeless = first_match, None, ""
        if self.deadline is not None:
            self.deadline += paused_s

    def table(self, game: str | None = None, seats: int | None = None) -> Table:
        """Return a new table; games, numbers of seats and seats take turns."""
        number, self.matches = self.matches, self.matches + 1
        game = game or self.games[number % len(self.games)]
        allowed = game_named(game).seats
        seats = seats or allowed[number // len(self.games) % len(allowed)]
        return Table(game, seats, number % seats, f"check-{number + 1}", f"{number}", self.clock)

    async def play(
        self,
        table: Table | None = None,
        change: Change = unchanged,
        most: int | None = MOST_DECISIONS,
    ) -> Times:
        """Let the bot play one match."""
        if self.alone:
            await self.stop()
        return await CheckMatch(await self.bot(), table or self.table(), change).play(most)


def again(table: Table, match_id: str) -> Table:
    """Return a table with the same deal for a match of another id."""
    return replace(table, match_id=match_id)
