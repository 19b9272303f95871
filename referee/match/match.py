"""One game played to its end over its seats: clocks, faults, forfeits and the stand-in.

Theory of operation. A match does no I/O and reads no clock. It is always in one of two states: a
seat is due (`due` holds the bytes to send and the time allowed), or the match is over (`due` is
None). The match runner sends those bytes, measures, and reports the answer:

    due ─ answer(bytes, elapsed) ─► read, checked, applied ──────────► next due, or over
     │                                │ not the answer due, illegal, or late
     └─ forfeit(fault, elapsed) ──────┴─► forfeits, stand-in decides ► next due, or over

A bot that speaks the plain dialect decides in steps: it stays due, with a new request a step, until
its last step is answered. Its clock runs through all of them.

The stand-in plays a seat that forfeited, or that had no bot from the start: uniformly random legal
actions from a random stream of that seat's own. Stand-ins never become due.

Events are encoded as they happen, in the form that the game makes for each seat; the rest of a
message is encoded when the seat is due.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from referee.core.clock import NOT_MEASURED, Clock, ClockConfig, Measured
from referee.core.faults import BotFault, Fault, FaultKind, timeout
from referee.games import game_named
from referee.games.base import IllegalAction, Seat, State, plain_names
from referee.games.choice import Choice
from referee.games.markup import unstyled
from referee.games.randomness import Stream
from referee.wire import codec_named, envelope
from referee.wire.envelope import Outcome
from referee.wire.plain import PlainCodec, encode_position, encode_view

_RECEIVED_KEPT = 512

FORMATS = (1, 2)
"""The record formats that can be replayed. They differ in what is derived from the master seed:
format 1 derived the nonce and the stand-ins' choices from it alone, the same in every match of a
deal; format 2 also uses the match id, so that no bot can recognise a deal by them."""

StandIn = Callable[[State, Seat], Any]
"""Decides for a seat without a bot; returns a legal action."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The parameters of a match, fixed before it begins."""

    match_id: str
    """1 to 64 characters; every message carries it."""
    game: str
    """The game's name."""
    seats: int
    """Number of seats."""
    master_seed: str
    """The source of every random choice of the referee; secret while the match matters."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The game's configuration: the fields that differ from its defaults."""
    clock: ClockConfig = ClockConfig()  # noqa: RUF009 -- frozen
    """The time control."""
    without_bot: frozenset[Seat] = frozenset()
    """The seats that the stand-in plays from the start."""
    format: int = FORMATS[-1]
    """The record format, one of `FORMATS`."""

    def stream(self, *names: str) -> Stream:
        """Return a random stream unique to this match, even among matches of one deal."""
        of_match = () if self.format == 1 else (self.match_id,)
        return Stream(self.master_seed, *names, *of_match)


class Request(NamedTuple):
    """The request to the seat that is due."""

    seat: Seat
    payload: bytes
    """The RefereeMessage to send."""
    allowed_us: int
    """Time allowed, in microseconds."""


class Decided(NamedTuple):
    """One decision, as the record keeps it."""

    seat: Seat
    action: Any
    elapsed_us: int
    """The charged time."""
    bank_left_us: int
    """The time bank afterwards."""
    fault: Fault | None
    """The fault with which the seat forfeited here."""
    stand_in: bool
    """Whether the stand-in decided."""
    measured: Measured = NOT_MEASURED
    """The measured times besides the charged one."""
    steps: tuple[int, ...] = ()
    """The options taken at the steps before a fault, in the plain dialect."""
    own_stand_in: bool = False
    """Whether the bot said that a stand-in of its own decided."""


@dataclass(frozen=True, slots=True)
class Forfeited:
    """The event of a forfeit, added to the game's own events."""

    seat: Seat
    kind: FaultKind


@dataclass(slots=True)
class _Pending:
    """A decision that a bot has begun; in the plain dialect it may take several requests."""

    allowed_us: int
    events: Sequence[bytes]
    """The events to send with the next request."""
    spent_us: int = 0
    """The time charged for the steps taken."""
    measured: Measured = NOT_MEASURED
    path: tuple[int, ...] = ()
    """The options taken at the steps so far, in the plain dialect."""
    index: int = 0
    """The option of the last answer."""
    choice: Choice | None = None
    """The pending step, once its request is made."""
    taken: tuple[Choice, ...] = ()
    """The steps before it."""
    view: bytes = b""
    """The seat's observation, encoded."""
    own_stand_in: bool = False
    """Whether the bot said of a step that a stand-in of its own decided."""

    @property
    def left_us(self) -> int:
        """The time left for the decision."""
        return self.allowed_us - self.spent_us

    @property
    def step(self) -> int:
        """The number of the pending step."""
        return len(self.path)

    def take_step(self, following: Choice, elapsed_us: int, measured: Measured) -> None:
        """Go on to the next step."""
        self.spent_us, self.measured = self.times(elapsed_us, measured)
        if self.choice is not None:
            self.taken = (*self.taken, self.choice)
        self.choice = following
        self.path = (*self.path, self.index)
        self.events = ()

    def take_back(self) -> None:
        """Return to the step before."""
        *before, self.choice = self.taken
        self.taken, self.path = tuple(before), self.path[:-1]

    def times(self, elapsed_us: int, measured: Measured) -> tuple[int, Measured]:
        """Return charged and measured times of the whole decision, given those of its last step."""
        if self.measured is NOT_MEASURED and not self.spent_us:  # as in a decision of one step
            return elapsed_us, measured
        return self.spent_us + elapsed_us, self.measured.plus(measured)


class Match:
    """One match in progress, or over."""

    def __init__(
        self,
        setup: MatchSetup,
        *,
        deal: Any = None,
        commitment: bytes | None = None,
        stand_in: StandIn | None = None,
    ) -> None:
        """Deal and prepare the first request; raise `ConfigError` if the game rejects the setup.

        The keywords override what the master seed gives, for replays and tests.
        """
        self.setup = setup
        self.game = game_named(setup.game)
        self.codec = codec_named(setup.game)
        self.config = self.game.config(setup.config)
        self.deal = deal or self.game.deal(
            self.config, setup.seats, Stream(setup.master_seed, "deal")
        )
        self.nonce = setup.stream("deal nonce").bytes(32)
        self.encoded_deal = self.codec.encode_deal(self.deal)
        self.commitment = commitment or hashlib.sha256(self.nonce + self.encoded_deal).digest()
        self.state: State = self.game.initial_state(self.config, setup.seats, self.deal)
        self.decisions: list[Decided] = []
        self.events: list[Any] = []
        """Every event so far, the game's and `Forfeited`, in the form that hides nothing."""
        self._clocks = [Clock(setup.clock) for _ in range(setup.seats)]
        self._stand_in = stand_in or self._random_stand_in(setup)
        self._played_by_stand_in = set(setup.without_bot)
        self._forfeits: dict[Seat, FaultKind] = {}
        self._requests = [0] * setup.seats
        self.encoded_events: list[bytes] = []
        """The MatchEvent of each of `events`."""
        self._names = plain_names(setup.seats)
        self._untold: list[list[bytes]] = [[] for _ in range(setup.seats)]
        """The MatchEvents not yet sent to each seat, in its form."""
        # A plain game has no messages for typed requests.
        self._all_plain = isinstance(self.codec, PlainCodec)
        self._plain = frozenset(range(setup.seats) if self._all_plain else ())
        self.due: Request | None = None
        self._advance()

    def use_plain_dialect(self, seats: Iterable[Seat]) -> None:
        """Speak the plain dialect with the bots of these seats; before the first answer."""
        if self._all_plain:
            return
        self._plain = frozenset(seats)
        if self.due is not None:
            self.due = self._request(self.due.seat)

    @property
    def plain_seats(self) -> frozenset[Seat]:
        """The seats whose bots speak the plain dialect."""
        return self._plain

    @property
    def step(self) -> Choice | None:
        """The pending step of the due seat in the plain dialect; None for a typed request."""
        return None if self.due is None else self._pending.choice

    @property
    def path(self) -> tuple[int, ...]:
        """The options taken at the steps of the pending decision, in the plain dialect."""
        return self._pending.path

    @staticmethod
    def _random_stand_in(setup: MatchSetup) -> StandIn:
        streams = cache(lambda seat: setup.stream("stand-in", str(seat)))
        return lambda state, seat: state.random_action(streams(seat))

    def answer(
        self, data: bytes, elapsed_us: int, measured: Measured = NOT_MEASURED, machine: str = ""
    ) -> Fault | None:
        """Take the answer of the due seat; return the fault if it forfeits, else None.

        `machine` describes the machine's load, for the verdict on a late answer.
        """
        due = self._due()
        fault = None
        try:
            decided = self.read(data)
        except BotFault as error:
            fault = replace(error.fault, received=data[:_RECEIVED_KEPT])
        if fault is None and elapsed_us > due.allowed_us:
            fault = timeout(due.allowed_us, elapsed_us, measured.uncharged(elapsed_us), machine)
        if fault is not None:
            self.forfeit(fault, elapsed_us, measured)
        else:
            self._go_on(decided, elapsed_us, measured)
        return fault

    def choose(self, index: int, measured: Measured) -> None:
        """Take an option of the pending step for the due seat, which no bot plays, uncharged.

        Raise `IllegalAction` if there is none of this index.
        """
        self._go_on(self._taken(index), 0, measured)

    def _go_on(self, decided: Any, elapsed_us: int, measured: Measured) -> None:
        """Ask the next step of a decision, or apply its action."""
        if not isinstance(decided, Choice):
            own_stand_in = self._pending.own_stand_in
            self.decide(decided, elapsed_us, measured, own_stand_in=own_stand_in)
            return
        seat = self._due().seat
        self._pending.take_step(decided, elapsed_us, measured)
        self.due = self._next_request(seat)

    def take_back(self) -> None:
        """Ask the due seat its last step again; raise `ValueError` before its second step."""
        seat = self._due().seat
        if not self._pending.taken:
            raise ValueError("no step has been taken")
        self._pending.take_back()
        self.due = self._next_request(seat)

    def decide(
        self,
        action: Any,
        elapsed_us: int,
        measured: Measured = NOT_MEASURED,
        *,
        own_stand_in: bool = False,
    ) -> None:
        """Apply a checked action of the due seat, or of a stand-in that its bot says it has."""
        seat = self._due().seat
        clock = self._clocks[seat]
        elapsed_us, measured = self._pending.times(elapsed_us, measured)
        clock.charge(elapsed_us)
        self._apply(
            Decided(
                seat,
                action,
                elapsed_us,
                clock.bank_us,
                None,
                stand_in=False,
                measured=measured,
                own_stand_in=own_stand_in,
            )
        )
        self._advance()

    def forfeit(
        self,
        fault: Fault,
        elapsed_us: int,
        measured: Measured = NOT_MEASURED,
        steps: tuple[int, ...] | None = None,
    ) -> None:
        """Make the due seat forfeit; its stand-in decides from here on.

        `steps` are the options taken before that, None if they were answered here.
        """
        steps = self._pending.path if steps is None else steps
        seat = self._due().seat
        clock = self._clocks[seat]
        elapsed_us, measured = self._pending.times(elapsed_us, measured)
        clock.charge(elapsed_us)
        self._forfeits[seat] = fault.kind
        self._played_by_stand_in.add(seat)
        action = self._stand_in(self.state, seat)
        self._apply(
            Decided(
                seat,
                action,
                elapsed_us,
                clock.bank_us,
                fault,
                stand_in=True,
                measured=measured,
                steps=steps,
            ),
            Forfeited(seat, fault.kind),
        )
        self._advance()

    @cached_property
    def encoded_result(self) -> bytes:
        """The GameResult of a finished match, encoded."""
        return self.codec.encode_result(self.state.result())

    @cached_property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcome of each seat of a finished match; forfeited seats rank last."""
        return outcomes_of(self.state, self._forfeits)

    def endings(self) -> list[bytes]:
        """Return the MatchEnd for each seat of a finished match."""
        outcomes = [envelope.encode_outcome(outcome) for outcome in self.outcomes]
        return [
            envelope.match_end(
                self.setup.match_id, self._untold[seat], outcomes, self.encoded_result
            )
            for seat in range(self.setup.seats)
        ]

    def encoded_event(self, event: Any) -> bytes:
        """Return the MatchEvent of an event, or of a seat's form of one."""
        if isinstance(event, Forfeited):
            return envelope.forfeit_event(event.seat, event.kind)
        return envelope.game_event(self.codec.encode_event(event))

    def _due(self) -> Request:
        if self.due is None:
            raise RuntimeError("the match is over: no seat is due")
        return self.due

    def read(self, data: bytes) -> Any:
        """Return the checked action of the due seat's answer, or the next step of a plain decision.

        Nothing is applied. Raise `BotFault` if it is not the answer due, or illegal.
        """
        seat = self._due().seat
        number = self._requests[seat]
        try:
            if seat in self._plain:
                decision = envelope.read_choice(data, self.setup.match_id, number)
                self._pending.own_stand_in |= decision.stand_in
                return self._taken(decision.choice)
            decision = envelope.read_decision(data, self.setup.match_id, number, self.setup.game)
            self._pending.own_stand_in = decision.stand_in
            action = self.codec.decode_action(decision.action)
            self.state.check(action)
        except IllegalAction as error:
            raise BotFault(Fault(FaultKind.ILLEGAL_ACTION, str(error))) from None
        return action

    def _taken(self, index: int) -> Any:
        """Return what follows an option; every path ends at a legal action."""
        choice = self._pending.choice
        if choice is None:
            raise RuntimeError("no step is pending")
        self._pending.index = index
        return choice.take(index)

    def _apply(self, decided: Decided, *before: Forfeited) -> None:
        """Apply a decision; a forfeit is announced before what it leads to."""
        self.state, events = self.state.apply(decided.action)
        self.decisions.append(decided)
        for event in (*before, *events):
            self._record_event(event)

    def _record_event(self, event: Any) -> None:
        """Encode an event, and each seat's form of it."""
        whole = self.encoded_event(event)
        self.events.append(event)
        self.encoded_events.append(whole)
        is_public = isinstance(event, Forfeited)
        hidden = encoded = None  # seats that may not know the whole mostly share one form
        for seat, untold in enumerate(self._untold):
            form = event if is_public else self.state.event_for(event, seat)
            if form is None:
                continue
            if form is event:
                untold.append(whole)
                continue
            # Tuples of two types with equal fields are equal.
            if encoded is None or type(form) is not type(hidden) or form != hidden:
                hidden, encoded = form, self.encoded_event(form)
            untold.append(encoded)

    def _advance(self) -> None:
        while (seat := self.state.to_act) is not None and seat in self._played_by_stand_in:
            action = self._stand_in(self.state, seat)
            self._apply(Decided(seat, action, 0, 0, None, stand_in=True))
        self.due = None if seat is None else self._begin(seat)

    def _begin(self, seat: Seat) -> Request:
        """Begin a decision of a seat that a bot plays."""
        events, self._untold[seat] = self._untold[seat], []
        self._pending = _Pending(self._clocks[seat].grant(), events)
        return self._next_request(seat)

    def _next_request(self, seat: Seat) -> Request:
        """Return a new request for the pending step."""
        self._requests[seat] += 1
        return self._request(seat)

    def _request(self, seat: Seat) -> Request:
        """Return the request for the pending decision, or for its pending step."""
        pending, number = self._pending, self._requests[seat]
        position: dict[str, bytes]
        if seat in self._plain:
            position = {"plain": self._position(seat)}
        else:
            position = {
                "observation": self.codec.encode_observation(self.state.observation(seat)),
                "legal": self.codec.encode_legal(self.state.legal()),
            }
        allowed_us = pending.left_us
        payload = envelope.request(
            self.setup.match_id,
            number=number,
            start=self._start(seat) if number == 1 else b"",
            events=pending.events,
            time_ms=allowed_us // 1000,
            bank_ms=max(0, self._clocks[seat].bank_us - pending.spent_us) // 1000,
            **position,
        )
        return Request(seat, payload, allowed_us)

    def _position(self, seat: Seat) -> bytes:
        """Return the PlainPosition of the pending step; the view is the same at each."""
        pending = self._pending
        if pending.choice is None:
            observation = self.state.observation(seat)
            pending.choice = self.game.choice(observation, self.state.legal(), self._names)
            lines = self.game.text.observation_lines(observation, self._names)
            pending.view = encode_view(
                map(unstyled, lines), self.game.facts(observation), self.game.features(observation)
            )
        return encode_position(pending.view, pending.step, pending.choice)

    def _start(self, seat: Seat) -> bytes:
        return envelope.match_start(
            game=self.setup.game,
            rules_version=self.game.rules_version,
            config=self.codec.encode_config(self.config),
            seats=self.setup.seats,
            seat=seat,
            clock=self.setup.clock,
            commitment=self.commitment,
        )


def outcomes_of(state: State, forfeits: Mapping[Seat, FaultKind]) -> list[Outcome]:
    """Return the outcome of each seat of a finished game; forfeited seats rank last."""
    ranks, scores = state.ranks(), state.scores()
    kept = sorted(rank for seat, rank in enumerate(ranks) if seat not in forfeits)
    last = len(kept) + 1
    return [
        Outcome(
            rank=last if seat in forfeits else kept.index(rank) + 1,
            points=scores[seat],
            forfeit=forfeits.get(seat),
        )
        for seat, rank in enumerate(ranks)
    ]
