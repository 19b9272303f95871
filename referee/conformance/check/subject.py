"""The bot under test: started when a step needs it, restarted after a violation."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.conformance.check.check_match import Change, CheckMatch, Times, unchanged
from referee.conformance.check.probe import Probe
from referee.conformance.check.rules import broken_rule
from referee.conformance.check.violation import CheckedMatch, Violation
from referee.core.clock import ClockConfig
from referee.core.faults import BotFault
from referee.core.verdicts import judge, void
from referee.games import game_named
from referee.hosting.running_bot import BotSpec
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.levels import Sandbox

MOST_DECISIONS = 12
"""Decisions of the bot in a match that a step need not play to the end."""
_SHOWN_OF_A_COMMAND = 200


@dataclass(slots=True)
class CheckedBot:
    """The bot under test, and the matches it gets."""

    bot_spec: BotSpec
    games: Sequence[str]
    clock: ClockConfig
    sandbox: Sandbox
    folder: Path
    """Private folder for sockets."""
    alone: bool = False
    """Whether it fails on a second match: later steps then start a process for each match."""
    talks: bool = False
    """Whether it sends messages right after Welcome, which hides any later ones."""
    refused: Violation | None = None
    """Why it did not start; None if it did."""
    deadline: float | None = None
    """When the check has to end, in event loop time; None: never."""
    hopeless: str = ""
    """Why further steps are pointless; empty if they are not."""
    pauses: Pauses = field(default_factory=Pauses)
    """Pauses of the check itself; they do not count against the bot."""
    _probe: Probe | None = None
    matches: int = field(default=0)
    """Number of matches it got."""
    _answered: int = 0
    """Requests answered by its earlier processes."""

    @property
    def answered(self) -> int:
        """Number of requests that it answered correctly."""
        return self._answered + (self._probe.answered if self._probe else 0)

    async def bot(self) -> Probe:
        """Return the bot, started if necessary; raise `Violation` if it does not start."""
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
        """Start another process of the bot; the caller stops it."""
        try:
            return await Probe.launch(
                self.bot_spec, self.clock.startup_ms, self.folder, self.sandbox, self.pauses
            )
        except BotFault as error:
            if error.facts is not None and (row := judge(error.facts)).is_void:
                raise void(row, error.facts, self.bot_spec.name, str(error)) from None
            reason, command = str(error), " ".join(self.bot_spec.command)
            sent = f"the command {command[:_SHOWN_OF_A_COMMAND]}"
            rule = broken_rule(error.fault)
            raise Violation(rule, sent, reason, printed=error.printed) from None

    async def stop(self) -> str:
        """Stop the bot if it runs; return the end of its output."""
        probe = self._probe
        if probe is None:
            return ""
        self._answered += probe.answered
        self._probe = None
        await probe.stop()
        return probe.output()

    def begin_again(self, first_match: int, paused_s: float) -> None:
        """Undo a step that a pause of this length spoilt.

        `first_match` is the number of the step's first match. The bot must be stopped.
        """
        self.matches, self.refused, self.hopeless = first_match, None, ""
        if self.deadline is not None:
            self.deadline += paused_s

    def table(self, game: str | None = None, seats: int | None = None) -> CheckedMatch:
        """Return a new table; rotates through games, numbers of seats and seats."""
        number, self.matches = self.matches, self.matches + 1
        game = game or self.games[number % len(self.games)]
        allowed = game_named(game).seats
        seats = seats or allowed[number // len(self.games) % len(allowed)]
        return CheckedMatch(
            game, seats, number % seats, f"check-{number + 1}", f"{number}", self.clock
        )

    async def play(
        self,
        table: CheckedMatch | None = None,
        change: Change = unchanged,
        most: int | None = MOST_DECISIONS,
    ) -> Times:
        """Let the bot play one match."""
        if self.alone:
            await self.stop()
        return await CheckMatch(await self.bot(), table or self.table(), change).play(most)


def again(table: CheckedMatch, match_id: str) -> CheckedMatch:
    """Return a table with the same deal and another match id."""
    return replace(table, match_id=match_id)
