"""Plays matches between bots in processes of their own, and keeps these warm in between.

Starting a Python bot costs as much as hundreds of decisions, so a bot plays match after match on
one stream, but never two with the same seed: it would know the deal from the first one. A bot that
was late, broke the protocol or vanished is not kept. Bots that are not to
move are frozen, those that wait for a match too.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import uvloop
from courtyard.v1 import record_pb2

from referee.bot import SECONDS_UNTIL_FROZEN, Entrant, RunningBot
from referee.clock import ClockConfig
from referee.errors import RefereeError, UsageError
from referee.faults import BotFault, Fault, FaultKind
from referee.match import Match, MatchSetup, Request
from referee.record import Occupant, record_of
from referee.sandbox.levels import Sandbox, open_sandbox
from referee.sandbox.program import Level
from referee.wire import envelope

_LONGEST_FOLDER = 80
"""A socket's path may have 107 bytes; below the folder come a random name and `seat.sock`."""

Player = RunningBot | BotFault | None
"""Who answers for a seat: a bot, nobody because it failed to start, or the stand-in."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match to play."""

    match_id: str
    game: str
    seats: tuple[Entrant | None, ...]
    """Who sits where; None: the stand-in."""
    master_seed: str
    config: Mapping[str, Any] = field(default_factory=dict)
    """The game's configuration: the fields that differ from its defaults."""
    clock: ClockConfig = ClockConfig()  # noqa: RUF009 -- frozen
    patient: bool = True
    """Whether a bot that is late because the machine did not let it run makes the match void.

    A bot can bring that about; so whoever plays the match again must not be patient forever.
    """


class Host:
    """Plays one match at a time. A context manager: leaving it stops every bot."""

    def __init__(
        self, *, sandbox: Sandbox | None = None, warm_bots: int = 16, tcp: bool = False
    ) -> None:
        """Run bots in this sandbox, by default the strongest here; keep at most `warm_bots` idle.

        With `tcp`, which only a trusted bot can reach, gRPC listens on loopback TCP.
        """
        self._sandbox = sandbox or open_sandbox(Level.TRUSTED if tcp else None)
        if tcp and self._sandbox.level is not Level.TRUSTED:
            raise UsageError(
                f"a bot at the level {self._sandbox.level} cannot reach TCP: "
                "let it use Unix sockets, or trust it"
            )
        self._most_idle = warm_bots
        self._tcp = tcp
        self._idle: list[tuple[Entrant, RunningBot]] = []
        """Bots that wait for a match, the longest idle first."""
        self._playing: Sequence[Player] = ()
        self.printed: Mapping[int, str] = {}
        """The end of what each bot printed in the last match, by seat."""
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._folder = _socket_folder()

    def __enter__(self) -> Self:
        """Return the host itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop every bot."""
        self.close()

    def close(self) -> None:
        """Stop every bot and remove every folder."""
        try:
            self._runner.run(self._stop_idle(beyond=0))
        finally:
            self._runner.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def play(self, spec: MatchSpec) -> record_pb2.Record:
        """Play a match to its end and return its record; `RefereeError` if it is void.

        Raise `ConfigError` if the game cannot be played so.
        """
        match = self._runner.run(self._play(spec))
        occupants = [_occupant(entrant) for entrant in spec.seats]
        return record_of(match, occupants, sandbox=self._sandbox.level)

    async def _play(self, spec: MatchSpec) -> Match:
        without_bot = frozenset(i for i, entrant in enumerate(spec.seats) if entrant is None)
        match = Match(
            MatchSetup(
                match_id=spec.match_id,
                game=spec.game,
                seats=len(spec.seats),
                master_seed=spec.master_seed,
                config=spec.config,
                clock=spec.clock,
                without_bot=without_bot,
            )
        )
        players: list[Player] = [None] * len(spec.seats)
        self._playing = players
        resting = asyncio.ensure_future(self._keep_at_rest())
        try:
            await self._seat(spec, players)
            await _drive(match, players, patient=spec.patient)
        finally:
            resting.cancel()
            await self._release(spec.seats, players)
        self.printed = {
            seat: player.output() if isinstance(player, RunningBot) else player.printed
            for seat, player in enumerate(players)
            if player is not None
        }
        return match

    async def _keep_at_rest(self) -> None:
        """Freeze bots that are not to move, in this match or in any."""
        while True:
            await asyncio.sleep(SECONDS_UNTIL_FROZEN)
            for player in [*self._playing, *[bot for _, bot in self._idle]]:
                if isinstance(player, RunningBot):
                    player.rest()

    async def _seat(self, spec: MatchSpec, players: list[Player]) -> None:
        """Fill in a warm bot for each seat that has an entrant, starting those that are missing."""

        async def fill(seat: int, entrant: Entrant) -> None:
            try:
                players[seat] = bot = await RunningBot.start(
                    entrant, spec.clock.startup_ms, self._folder, self._sandbox, tcp=self._tcp
                )
                bot.seeds.add(spec.master_seed)
            except BotFault as error:
                players[seat] = error
            except OSError as error:
                raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error

        starting = []
        for seat, entrant in enumerate(spec.seats):
            if entrant is not None:
                players[seat] = await self._take_idle(entrant, spec.master_seed)
                if players[seat] is None:
                    starting.append(fill(seat, entrant))
        for failure in await asyncio.gather(*starting, return_exceptions=True):
            if failure is not None:
                raise failure

    async def _take_idle(self, entrant: Entrant, seed: str) -> RunningBot | None:
        """Return a bot that waits for a match and has not played with this seed.

        One that ended meanwhile is put away.
        """
        for idle, bot in list(self._idle):
            if idle == entrant and seed not in bot.seeds:
                self._idle.remove((idle, bot))
                if not bot.has_ended():
                    bot.seeds.add(seed)
                    bot.begin_match()
                    return bot
                await bot.stop()
        return None

    async def _release(self, entrants: Sequence[Entrant | None], players: Sequence[Player]) -> None:
        for entrant, player in zip(entrants, players, strict=True):
            if entrant is not None and isinstance(player, RunningBot):
                if player.usable:
                    self._idle.append((entrant, player))
                else:
                    await player.stop()
        await self._stop_idle(beyond=self._most_idle)

    async def _stop_idle(self, beyond: int) -> None:
        surplus = self._idle[: max(0, len(self._idle) - beyond)]
        del self._idle[: len(surplus)]
        for _, bot in surplus:
            await bot.stop()


async def _drive(match: Match, players: Sequence[Player], *, patient: bool) -> None:
    """Carry a match's requests to its bots and their answers back, to its end."""
    while (due := match.due) is not None:
        player = players[due.seat]
        if isinstance(player, BotFault):
            match.forfeit(player.fault, 0)
        elif player is not None:
            await _decide(match, due, player, patient=patient)
    for player, ending in zip(players, match.endings(), strict=True):
        if isinstance(player, RunningBot) and player.usable:
            await player.tell(ending)


async def _decide(match: Match, due: Request, bot: RunningBot, *, patient: bool) -> None:
    """Get one decision from the bot that is due, or let it forfeit."""
    bot.usable = False  # whatever interrupts this leaves an answer under way
    answer = await bot.ask(due)
    if answer.starved and patient:
        measured = answer.measured
        raise RefereeError(
            f"the bot on seat {due.seat} had to wait for a core for {measured.delay_us // 1000} of "
            f"{measured.wall_us // 1000} ms: the machine is too busy"
        )
    fault: Fault | None
    if isinstance(answer.reply, Fault):
        fault = answer.reply
        match.forfeit(fault, answer.charged_us, answer.measured)
    else:
        fault = match.answer(answer.reply, answer.charged_us, answer.measured)
    bot.usable = fault is None or fault.kind is FaultKind.ILLEGAL_ACTION
    if fault is not None:
        await bot.tell(envelope.told_fault(match.setup.match_id, fault))


def _occupant(entrant: Entrant | None) -> Occupant | None:
    if entrant is None:
        return None
    return Occupant(entrant.name, entrant.version, entrant.digest)


def _socket_folder() -> Path:
    """Make a private folder whose path is short enough to hold sockets."""
    folder = Path(tempfile.mkdtemp(prefix="courtyard-"))
    if len(str(folder)) <= _LONGEST_FOLDER:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix="courtyard-", dir="/tmp"))
