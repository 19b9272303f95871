"""Plays matches between bots, many at once, and keeps the bots' processes warm in between.

Starting a Python bot costs as much as hundreds of decisions, so a bot plays match after match on
one stream, but never two with the same seed: it would know the deal from the first one. A bot that
was late, broke the protocol or vanished is not kept, nor one that has played for long, as all its
seeds have to be remembered. Bots that are not to move are stopped, those
that wait for a match too, also while none is played. A stream that is lost meanwhile makes the
match void, and no bot forfeit.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig
from referee.core.errors import PausedError, RefereeError
from referee.core.faults import BotFault, Fault, FaultKind
from referee.games.base import Seat
from referee.hosting.manifest import REMOTE
from referee.hosting.remote_bot import RemoteBot
from referee.hosting.running_bot import Answer, BotSpec, RunningBot
from referee.hosting.void_allowance import VoidAllowance
from referee.match.match import Match, MatchSetup, Request
from referee.match.record import SeatInfo, record_of
from referee.sandbox.levels import Sandbox
from referee.sandbox.pauses import Pauses
from referee.transports.gateway import BotGateway
from referee.wire import envelope

MATCHES_A_PROCESS = 10_000
"""After so many matches a bot's process is ended: what is known of it must not grow for months."""

Player = RunningBot | RemoteBot | BotFault | None
"""Who answers for a seat: a bot, nobody because it failed to start, or the stand-in."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match to play."""

    match_id: str
    game: str
    seats: tuple[BotSpec | None, ...]
    """Who sits where; None: the stand-in."""
    master_seed: str
    config: Mapping[str, Any] = field(default_factory=dict)
    """The game's configuration: the fields that differ from its defaults."""
    clock: ClockConfig = ClockConfig()  # noqa: RUF009 -- frozen
    patient: bool = True
    """Whether the match is void when a bot is late because the machine did not let it run, or has
    lost its stream while it was stopped.

    A bot can bring that about; so whoever plays the match again must not be patient forever. That
    the referee was paused no bot brings about, and the match is void in any case.
    """


@dataclass(frozen=True, slots=True)
class Ended:
    """A match that came to its end."""

    record: record_pb2.Record
    printed: Mapping[int, str]
    """The end of what each bot printed in it, by seat."""


class MatchRunner:
    """Where matches are played, in one event loop."""

    def __init__(
        self,
        sandbox: Sandbox,
        folder: Path,
        *,
        warm_bots: int,
        tcp: bool = False,
        gateway: BotGateway | None = None,
    ) -> None:
        """Run bots in this sandbox, with what they need in this folder; keep at most so many idle.

        With `tcp` gRPC listens on loopback TCP. Remote bots are those that are at the gateway.
        """
        self._sandbox = sandbox
        self._folder = folder
        self._most_idle = warm_bots
        self._tcp = tcp
        self._gate = gateway
        self._idle: list[tuple[BotSpec, RunningBot]] = []
        """Bots that wait for a match, the longest idle first."""
        self._voids = VoidAllowance()
        self.pauses = Pauses()
        """When this loop did not run, while matches were played."""

    async def play(self, spec: MatchSpec) -> Ended:
        """Play a match to its end; raise `RefereeError` if it is void.

        Raise `ConfigError` if the game cannot be played so.
        """
        match = _match(spec)
        players: list[Player] = [None] * len(spec.seats)
        with self.pauses.watching():
            before = self.pauses.total
            try:
                await self._seat(spec, players)
                await self._drive(match, spec, players)
            finally:
                await self._release(spec.seats, players)
            pauses = [pause.lasted_us for pause in self.pauses.since(before)]
        self._voids.count(entrant.name for entrant in spec.seats if entrant)
        seats = [_seat_info(entrant) for entrant in spec.seats]
        record = record_of(match, seats, sandbox=self._sandbox.level, pauses_us=pauses)
        return Ended(record, _printed(players))

    async def close(self) -> None:
        """Stop every bot that waits for a match."""
        await self._stop_idle(beyond=0)

    async def _seat(self, spec: MatchSpec, players: list[Player]) -> None:
        """Fill in a bot for each seat that has an entrant: remote ones first, they may be gone."""
        seats = [(seat, entrant) for seat, entrant in enumerate(spec.seats) if entrant is not None]
        for seat, entrant in seats:
            if entrant.transport == REMOTE:
                players[seat] = self._remote(entrant, spec.match_id)
        filling = (
            self._fill(spec, seat, entrant, players)
            for seat, entrant in seats
            if entrant.transport != REMOTE
        )
        for failure in await asyncio.gather(*filling, return_exceptions=True):
            if failure is not None:
                raise failure

    async def _fill(
        self, spec: MatchSpec, seat: Seat, entrant: BotSpec, players: list[Player]
    ) -> None:
        """Let a bot take a seat: one that waits and has not played with this seed, or a new one.

        One that ended meanwhile, or lost its stream, is put away: it owed no answer.
        """
        while chosen := self._next_idle(entrant, spec.master_seed):
            self._idle.remove(chosen)
            _, bot = chosen
            bot.usable = False  # until it is known that it is
            players[seat] = bot
            if not bot.has_ended() and await bot.is_connected():
                bot.usable = True
                bot.seeds.add(spec.master_seed)
                bot.begin_match()
                return
            players[seat] = None
            await bot.stop()
        await self._start(spec, seat, entrant, players)

    async def _start(
        self, spec: MatchSpec, seat: Seat, entrant: BotSpec, players: list[Player]
    ) -> None:
        """Start a bot for a seat."""
        try:
            players[seat] = bot = await RunningBot.start(
                entrant,
                spec.clock.startup_ms,
                self._folder,
                self._sandbox,
                self.pauses,
                tcp=self._tcp,
            )
            bot.seeds.add(spec.master_seed)
        except BotFault as error:
            if error.excuse and spec.patient:
                raise RefereeError(f"seat {seat}, {entrant.name}: {error.excuse}") from error
            players[seat] = error
        except OSError as error:
            raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error

    def _remote(self, entrant: BotSpec, match_id: str) -> RemoteBot:
        """Return a remote bot on a seat; raise `RefereeError` if it is not there to take one."""
        name = f"{entrant.name}@{entrant.version}"
        if self._gate is None:
            raise RefereeError(f"{name} plays from elsewhere, and there is no gateway here")
        return RemoteBot(self._gate.seat(name, match_id), self.pauses)

    def _next_idle(self, entrant: BotSpec, seed: str) -> tuple[BotSpec, RunningBot] | None:
        fit = (one for one in self._idle if one[0] == entrant and seed not in one[1].seeds)
        return next(fit, None)

    async def _release(self, entrants: Sequence[BotSpec | None], players: Sequence[Player]) -> None:
        for entrant, player in zip(entrants, players, strict=True):
            if isinstance(player, RemoteBot):
                player.rise()
            elif entrant is not None and isinstance(player, RunningBot):
                if player.usable and len(player.seeds) < MATCHES_A_PROCESS:
                    self._idle.append((entrant, player))
                else:
                    await player.stop()
        await self._stop_idle(beyond=self._most_idle)

    async def _stop_idle(self, beyond: int) -> None:
        surplus = self._idle[: max(0, len(self._idle) - beyond)]
        del self._idle[: len(surplus)]
        for _, bot in surplus:
            await bot.stop()

    async def _drive(self, match: Match, spec: MatchSpec, players: Sequence[Player]) -> None:
        """Carry a match's requests to its bots and their answers back, to its end."""
        while (due := match.due) is not None:
            player = players[due.seat]
            if isinstance(player, BotFault):
                match.forfeit(player.fault, 0)
            elif player is not None:
                await self._decide(match, spec, due, player)
        for player, ending in zip(players, match.endings(), strict=True):
            if isinstance(player, RunningBot | RemoteBot) and player.usable:
                await player.tell(ending)

    async def _decide(
        self, match: Match, spec: MatchSpec, due: Request, bot: RunningBot | RemoteBot
    ) -> None:
        """Get one decision from the bot that is due, or let it forfeit."""
        bot.usable = False  # whatever interrupts this leaves an answer under way
        answer = await bot.ask(due)
        self._excuse(spec, due.seat, answer)
        fault: Fault | None
        if isinstance(answer.reply, Fault):
            fault = answer.reply
            match.forfeit(fault, answer.charged_us, answer.measured)
        else:
            fault = match.answer(answer.reply, answer.charged_us, answer.measured, answer.machine)
        bot.usable = fault is None or fault.kind is FaultKind.ILLEGAL_ACTION
        if fault is not None:
            await bot.tell(envelope.told_fault(match.setup.match_id, fault))

    def _excuse(self, spec: MatchSpec, seat: Seat, answer: Answer) -> None:
        """Raise `RefereeError` if what came of a request may be the machine's fault."""
        entrant = spec.seats[seat]
        name = entrant.name if entrant is not None else ""
        reason = answer.reply.reason if isinstance(answer.reply, Fault) else "its answer was late"
        if answer.pause is not None:
            raise PausedError(f"{answer.pause}; seat {seat}, {name}: {reason}")
        held_up = answer.held_up
        if held_up is not None and (spec.patient or (answer.unfit and self._voids.grant(name))):
            raise RefereeError(
                f"the bot on seat {seat}, or the referee, had to wait for a core for "
                f"{held_up.delay_us // 1000} of {held_up.wall_us // 1000} ms: the machine is too "
                "busy"
            )
        if spec.patient and answer.lost and self._voids.grant(name):
            raise RefereeError(f"seat {seat}, {name}: {reason}")


def _match(spec: MatchSpec) -> Match:
    """Return the match that begins; raise `ConfigError` if the game cannot be played so."""
    without_bot = frozenset(i for i, entrant in enumerate(spec.seats) if entrant is None)
    return Match(
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


def _printed(players: Sequence[Player]) -> dict[int, str]:
    """Return the end of what each bot printed here, by seat; a remote one prints elsewhere."""
    return {
        seat: player.output() if isinstance(player, RunningBot) else player.printed
        for seat, player in enumerate(players)
        if isinstance(player, RunningBot | BotFault)
    }


def _seat_info(entrant: BotSpec | None) -> SeatInfo | None:
    if entrant is None:
        return None
    return SeatInfo(entrant.name, entrant.version, entrant.digest)
