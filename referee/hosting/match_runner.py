"""Play matches between bots, many at once, and keep the bots' processes warm in between.

Starting a Python bot costs as much as hundreds of decisions, so a bot plays match after match on
one stream, but never two with the same seed: it would know the deal from the first one. The runner
drops a bot that was late, broke the protocol or vanished, and one that has played for long, as it
has to remember all its seeds. It stops bots that are not to move, idle ones included.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from courtyard.v1 import record_pb2

from referee.core.by_value import by_value
from referee.core.clock import ClockConfig
from referee.core.errors import NoMemoryError, RefereeError
from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.verdicts import MATCHES_PER_VOID, Facts, judge, void
from referee.games.base import Seat
from referee.hosting.manifest import REMOTE
from referee.hosting.person import Person
from referee.hosting.remote_bot import RemoteBot
from referee.hosting.running_bot import BotSpec, RunningBot
from referee.match.match import Match, MatchSetup, Request
from referee.match.record import SeatInfo, record_of
from referee.sandbox import memory_usage
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.levels import Sandbox
from referee.view.transcript import Transcript
from referee.wire import envelope

if TYPE_CHECKING:
    from referee.transports.gateway import BotGateway  # imports grpc, which few matches need


class RequestSteps:
    """The moments at which the requests of one match may leave.

    A stopped bot reads the clock when it wakes, and so learns how long the others took. If requests
    leave only at whole steps since the match's first one, all answers within a step look alike.
    """

    def __init__(self, step_ms: int) -> None:
        """Let them leave at multiples of this step; 0: at any time."""
        self._step_s = step_ms / 1000
        self._first_s: float | None = None

    def wait_s(self, now_s: float) -> float:
        """Return for how long the next request has to wait; the first one does not."""
        if not self._step_s:
            return 0.0
        if self._first_s is None:
            self._first_s = now_s
        return (self._first_s - now_s) % self._step_s


MATCHES_A_PROCESS = 10_000
"""A bot's process ends after this many matches, so that its seeds cannot pile up for months."""

_BLOCKING_MS = 2
"""A simple bot answers sooner, and nothing minds a loop that is so late."""
_SECONDS_WITHOUT_THE_LOOP = 0.005
"""For its timers, the bots' output, and an interruption."""

_DID_NOT_STAY = "the bot ended its stream with the match before"

OnDecision = Callable[[str, Seat, int], None]
"""Takes a match's id, a seat, and the microseconds that a decision took."""
Player = RunningBot | RemoteBot | Person | BotFault | None
"""The player of a seat: a bot, a person, a bot that failed to start, or (None) the stand-in."""
NO_ONE: Mapping[Seat, Person] = MappingProxyType({})
Watch = Callable[[Match], object]
"""Takes a match before each request and after the last decision; it must change nothing."""


def unwatched(_: Match) -> None:
    """Watch nothing."""


@by_value
@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match to play."""

    match_id: str
    game: str
    seats: tuple[BotSpec | None, ...]
    """The bot of each seat; None: a person or the stand-in."""
    master_seed: str
    config: Mapping[str, Any] = field(default_factory=dict)
    """The game's configuration: the fields that differ from its defaults."""
    clock: ClockConfig = ClockConfig()  # noqa: RUF009 -- frozen
    patient: bool = True
    """Whether there is another attempt if this one is void; the last one excuses less."""
    request_step_ms: int = 0
    """Requests leave at multiples of this time since the first one; 0: at once."""
    goes_on: bool = False
    """Whether each bot has to play in the process of its match before: one that has left forfeits,
    rather than being started again."""
    rules_version: str = ""
    """The rules that are to play it; empty: those that are installed."""


@dataclass(frozen=True, slots=True, repr=False)  # asyncio makes the repr of what a task returns
class Ended:
    """A finished match."""

    record: record_pb2.Record
    printed: Mapping[int, str]
    """The end of each bot's output in the match, by seat."""


class MatchRunner:
    """Plays matches in one event loop."""

    def __init__(
        self,
        sandbox: Sandbox,
        folder: Path,
        *,
        warm_bots: int,
        more_warm_bots: int = 0,
        tcp: bool = False,
        alone: bool = False,
        gateway: "BotGateway | None" = None,
    ) -> None:
        """Run bots in this sandbox, with their sockets in `folder`; keep at most `warm_bots` idle.

        `more_warm_bots` may stay as well while half of the machine's memory is available.

        With `tcp`, gRPC listens on loopback TCP. `alone`: one match at a time has the event loop
        for itself, so a quick answer may block it. Remote bots come from the gateway.
        """
        self._sandbox = sandbox
        self._folder = folder
        self._few_idle, self._most_idle = warm_bots, warm_bots + more_warm_bots
        self._tcp = tcp
        self._alone = alone
        self._gateway = gateway
        self._idle: list[tuple[BotSpec, RunningBot]] = []
        """Idle bots, the longest idle first."""
        self._ran_at = 0.0
        """When the event loop last had a turn of its own, on the monotonic clock."""
        self._since_void: dict[str, int] = {}
        """How many matches each bot has finished since it voided one by what it could feign."""
        self.on_decision: OnDecision | None = None
        """Called after each decision with the time it took."""
        self.pauses = Pauses()
        """Pauses of this loop while it plays matches."""

    async def play(
        self, spec: MatchSpec, people: Mapping[Seat, Person] = NO_ONE, watch: Watch = unwatched
    ) -> Ended:
        """Play a match to its end; raise `RefereeError` if it is void.

        `people` sit where no bot does; `watch` sees the match go on. Raise `GameError` if the game
        rejects the configuration or number of seats, or fails.
        """
        match = _match(spec, people)
        players: list[Player] = [people.get(seat) for seat in range(len(spec.seats))]
        with self.pauses.watching():
            before = self.pauses.total
            try:
                await self._seat(spec, players)
                match.use_plain_dialect(
                    seat
                    for seat, player in enumerate(players)
                    if isinstance(player, RunningBot | RemoteBot | Person) and player.speaks_plain
                )
                await self._drive(match, spec, players, watch)
            except NoMemoryError:
                await self._save_memory()
                raise
            finally:
                await self._release(spec.seats, players)
            pauses = [pause.lasted_us for pause in self.pauses.since(before)]
        for name in self._since_void.keys() & {one.name for one in spec.seats if one}:
            self._since_void[name] += 1
        seats = [_seat_info(bot_spec) for bot_spec in spec.seats]
        for seat, person in people.items():
            seats[seat] = SeatInfo(person.name)
        record = record_of(match, seats, sandbox=self._sandbox.level, pauses_us=pauses)
        return Ended(record, _printed(players))

    async def ask_again(
        self, bot_spec: BotSpec, transcript: Transcript, startup_ms: int
    ) -> tuple[Transcript, Sequence[bytes | Fault]]:
        """Ask a new process of a bot for a recorded seat's decisions, with the time of each.

        Return the transcript in the bot's dialect, and the replies, which end with its first fault.
        Raise `BotFault` if it does not start, `OSError` or `RefereeError` if the machine failed.
        """
        replies: list[bytes | Fault] = []
        async with self.beside(bot_spec, startup_ms) as bot:
            if bot.speaks_plain:
                transcript = await asyncio.to_thread(transcript.in_plain_dialect)
            for turn in transcript.turns:
                due = Request(transcript.seat, turn.payload, turn.allowed_us)
                replies.append((await bot.ask(due)).reply)
                if isinstance(replies[-1], Fault):
                    break
        return transcript, replies

    @asynccontextmanager
    async def beside(self, bot_spec: BotSpec, startup_ms: int) -> AsyncIterator[RunningBot]:
        """Run a new process of a bot that has no seat, within the block.

        Raise `BotFault` if it does not start, `OSError` or `RefereeError` if the machine failed.
        """
        with self.pauses.watching():
            bot = await RunningBot.start(
                bot_spec, startup_ms, self._folder, self._sandbox, self.pauses, tcp=self._tcp
            )
            try:
                yield bot
            finally:
                await bot.stop()

    async def close(self) -> None:
        """Stop every idle bot."""
        await self._stop_idle(beyond=0)

    async def _seat(self, spec: MatchSpec, players: list[Player]) -> None:
        """Seat a bot for each spec: remote bots first, as they may be gone."""
        seats = [
            (seat, bot_spec) for seat, bot_spec in enumerate(spec.seats) if bot_spec is not None
        ]
        for seat, bot_spec in seats:
            if bot_spec.transport == REMOTE:
                players[seat] = self._remote(bot_spec, spec.match_id)
        filling = (
            self._fill(spec, seat, bot_spec, players)
            for seat, bot_spec in seats
            if bot_spec.transport != REMOTE
        )
        for failure in await asyncio.gather(*filling, return_exceptions=True):
            if failure is not None:
                raise failure

    async def _fill(
        self, spec: MatchSpec, seat: Seat, bot_spec: BotSpec, players: list[Player]
    ) -> None:
        """Seat an idle bot that has not played with this seed, or start a new one.

        Stops idle bots that ended or lost their stream: they owed no answer.
        """
        while chosen := self._next_idle(bot_spec, spec.master_seed):
            self._idle.remove(chosen)
            _, bot = chosen
            bot.usable = False  # until it proves to be connected
            players[seat] = bot
            if spec.goes_on:
                bot.rest()
            if not bot.has_ended() and await bot.is_connected():
                bot.usable = True
                bot.seeds.add(spec.master_seed)
                bot.begin_match()
                return
            left = await bot.left() if spec.goes_on else None
            if left is not None:
                self._judge(spec, seat, left.facts, left.fault.reason)
            players[seat] = left
            await bot.stop()
        if not spec.goes_on:
            await self._start(spec, seat, bot_spec, players)
        elif players[seat] is None:
            players[seat] = BotFault(Fault(FaultKind.DISCONNECTED, _DID_NOT_STAY))

    async def _start(
        self, spec: MatchSpec, seat: Seat, bot_spec: BotSpec, players: list[Player]
    ) -> None:
        """Start a bot and seat it."""
        try:
            players[seat] = bot = await RunningBot.start(
                bot_spec,
                spec.clock.startup_ms,
                self._folder,
                self._sandbox,
                self.pauses,
                tcp=self._tcp,
            )
            bot.seeds.add(spec.master_seed)
        except BotFault as error:
            self._judge(spec, seat, error.facts, error.fault.reason)
            players[seat] = error
        except OSError as error:
            raise RefereeError(f"cannot start a bot: {error.strerror}") from error

    def _remote(self, bot_spec: BotSpec, match_id: str) -> RemoteBot:
        """Seat a remote bot; raise `RefereeError` if it is not connected or has no room."""
        name = f"{bot_spec.name}@{bot_spec.version}"
        if self._gateway is None:
            raise RefereeError(f"{name} is a remote bot, and there is no gateway")
        return RemoteBot(self._gateway.seat(name, match_id), self.pauses)

    def _next_idle(self, bot_spec: BotSpec, seed: str) -> tuple[BotSpec, RunningBot] | None:
        fit = (one for one in self._idle if one[0] == bot_spec and seed not in one[1].seeds)
        return next(fit, None)

    async def _release(
        self, bot_specs: Sequence[BotSpec | None], players: Sequence[Player]
    ) -> None:
        for bot_spec, player in zip(bot_specs, players, strict=True):
            if isinstance(player, RemoteBot):
                player.leave()
            elif bot_spec is not None and isinstance(player, RunningBot):
                if player.usable and len(player.seeds) < MATCHES_A_PROCESS:
                    self._idle.append((bot_spec, player))
                else:
                    await player.stop()
        await self._stop_idle(beyond=self._most_idle)
        if len(self._idle) > self._few_idle and not memory_usage.is_plentiful():
            await self._stop_idle(beyond=self._few_idle)

    async def _save_memory(self) -> None:
        """Stop all idle bots, and keep half as many from now on."""
        await self._stop_idle(beyond=0)
        self._few_idle = self._most_idle = self._few_idle // 2

    async def _stop_idle(self, beyond: int) -> None:
        surplus = self._idle[: max(0, len(self._idle) - beyond)]
        del self._idle[: len(surplus)]
        for _, bot in surplus:
            await bot.stop()

    async def _drive(
        self, match: Match, spec: MatchSpec, players: Sequence[Player], watch: Watch
    ) -> None:
        """Pass requests to the bots and answers to the match, until it ends."""
        for player in players:
            if isinstance(player, RunningBot):
                player.blocking_ms = _BLOCKING_MS if self._alone else 0
        steps = RequestSteps(spec.request_step_ms)
        watch(match)
        while (due := match.due) is not None:
            player = players[due.seat]
            if isinstance(player, BotFault):
                match.forfeit(player.fault, 0)
            elif isinstance(player, Person):
                await player.decide(match, due.seat)
            elif player is not None:
                if wait_s := steps.wait_s(time.monotonic()):
                    await asyncio.sleep(wait_s)
                await self._decide(match, spec, due, player)
            watch(match)
        await self._end(match, players)

    async def _end(self, match: Match, players: Sequence[Player]) -> None:
        """Send all players the end of the match."""
        for seat, (player, ending) in enumerate(zip(players, match.endings(), strict=True)):
            if isinstance(player, Person):
                player.end(match, seat)
            elif isinstance(player, RunningBot | RemoteBot) and player.usable:
                await player.notify(ending)

    async def _decide(
        self, match: Match, spec: MatchSpec, due: Request, bot: RunningBot | RemoteBot
    ) -> None:
        """Get one decision from the bot whose turn it is, or let it forfeit."""
        bot.usable = False  # an interruption would leave an answer under way
        answer = await bot.ask(due)
        self._judge(spec, due.seat, answer.facts, answer.reason)
        fault: Fault | None
        if isinstance(answer.reply, Fault):
            fault = answer.reply
            match.forfeit(fault, answer.charged_us, answer.measured)
        else:
            fault = match.answer(answer.reply, answer.charged_us, answer.measured, answer.machine)
        if self.on_decision is not None:
            self.on_decision(spec.match_id, due.seat, answer.charged_us)
        bot.usable = fault is None or fault.kind is FaultKind.ILLEGAL_ACTION
        if fault is not None:
            await bot.notify(envelope.fault_notice(match.setup.match_id, fault))
        await self._let_the_loop_run()

    async def _let_the_loop_run(self) -> None:
        """Give the loop a turn now and then: answers that block it leave it none of their own."""
        now = time.monotonic()
        if now - self._ran_at > _SECONDS_WITHOUT_THE_LOOP:
            self._ran_at = now
            await asyncio.sleep(0)

    def _judge(self, spec: MatchSpec, seat: Seat, facts: Facts | None, reason: str) -> None:
        """Raise `RefereeError` if the match is void, as the machine may be to blame."""
        bot_spec = spec.seats[seat]
        if facts is None or bot_spec is None:
            return
        name = bot_spec.name
        since = self._since_void.get(name, MATCHES_PER_VOID)
        row = judge(
            replace(facts, attempts_left=spec.patient, is_believed=since >= MATCHES_PER_VOID)
        )
        if row.is_void:
            if row.is_feignable:
                self._since_void[name] = 0
            raise void(row, facts, f"seat {seat}, {name}", reason)


def _match(spec: MatchSpec, people: Mapping[Seat, Person]) -> Match:
    """Set up the match; raise `ConfigError` if the game rejects the configuration or seats."""
    without_bot = frozenset(i for i, bot_spec in enumerate(spec.seats) if bot_spec is None)
    return Match(
        MatchSetup(
            match_id=spec.match_id,
            game=spec.game,
            seats=len(spec.seats),
            master_seed=spec.master_seed,
            config=spec.config,
            clock=spec.clock,
            without_bot=without_bot - people.keys(),
        )
    )


def _printed(players: Sequence[Player]) -> dict[int, str]:
    """Return the end of each local bot's output, by seat."""
    return {
        seat: player.output() if isinstance(player, RunningBot) else player.printed
        for seat, player in enumerate(players)
        if isinstance(player, RunningBot | BotFault)
    }


def _seat_info(bot_spec: BotSpec | None) -> SeatInfo | None:
    if bot_spec is None:
        return None
    return SeatInfo(bot_spec.name, bot_spec.version, bot_spec.digest)
