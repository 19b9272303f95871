"""A host that plays validation matches without bots."""

import asyncio
import copy
from collections.abc import Callable, Coroutine
from typing import Any, Self

from referee.conformance.testing import play, sends
from referee.core.errors import PausedError, RefereeError
from referee.core.faults import Fault, FaultKind
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from referee.view.transcript import Transcript
from referee.wire.envelope import choice_answer

_RECORDS: dict[str, Any] = {}
"""What was played, for the same bots in later tests."""


class FakeHost:
    """Plays validation matches without bots, which follow words in their files."""

    def __init__(self) -> None:
        """Start with no output."""
        self.printed: dict[int, str] = {}
        self.played: list[MatchSpec] = []
        self.lets_forfeit = True
        """Whether a bot forfeits that does so by its file."""

    def __enter__(self) -> Self:
        """Return the host."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def play(self, spec: MatchSpec) -> Any:
        """Play a match: a bot plays legally, or "forfeits", or is "void" if one may be.

        Or the referee was "paused", in the first five matches.
        """
        self.played.append(spec)
        (bot, *others) = spec.seats
        assert bot is not None
        assert others == [None] * len(others)
        program = (bot.directory / "bot.py").read_text()
        if "paused" in program and len(self.played) <= 5:
            raise PausedError("the referee was paused for 12.0 s")
        if "always void" in program or ("void" in program and spec.patient):
            raise RefereeError("the machine is tired")
        setup = MatchSetup(
            match_id=spec.match_id,
            game=spec.game,
            seats=len(spec.seats),
            master_seed=spec.master_seed,
            config=spec.config,
            clock=spec.clock,
            without_bot=frozenset(range(1, len(spec.seats))),
        )
        self.printed = {0: f"{bot.name} was here\n"}
        forfeits = self.lets_forfeit and "forfeits" in program
        key = repr((setup, bot.name, bot.digest, forfeits))
        if key not in _RECORDS:
            match = Match(setup)
            play(match, {0: {2: sends(b"rubbish")}} if forfeits else {})
            seats = [SeatInfo(bot.name, "", bot.digest), *[None for _ in others]]
            _RECORDS[key] = record_of(match, seats, sandbox="trusted")
        return copy.deepcopy(_RECORDS[key])

    def run(self, play: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        """Let a coroutine ask a bot for recorded decisions; most bots fail at the first."""
        return asyncio.run(play(self))

    async def ask_again(
        self, bot: BotSpec, transcript: Transcript, _: int
    ) -> tuple[Transcript, list[bytes | Fault]]:
        """Answer as is recorded if the bot's file says "alike", but for the last if "almost"."""
        program = (bot.directory / "bot.py").read_text()
        transcript = transcript.in_plain_dialect()
        if "alike" not in program:
            return transcript, [Fault(FaultKind.DISCONNECTED, "no bot is started here")]
        choices = [turn.answer or 0 for turn in transcript.turns]
        if "almost" in program:
            last = transcript.turns[-1].step
            assert last is not None
            choices[-1] = (choices[-1] + 1) % len(last.options)
        asked = zip(transcript.turns, choices, strict=True)
        return transcript, [choice_answer(transcript.match_id, t.number, own) for t, own in asked]
