"""Replay a record: the same deal and decisions, without bots and clocks.

`replay` rebuilds the whole match, with every message and the stand-ins' choices from their streams.
`retrace` steps through the states only, takes the stand-ins' choices from the record, and trusts
that all decisions are legal: for viewers, at a fraction of the cost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig, Measured
from referee.core.errors import UsageError
from referee.core.faults import Fault
from referee.games import game_named
from referee.games.base import ConfigError, Game, GameError, IllegalAction, Seat, State
from referee.match.match import FORMATS, Match, MatchSetup
from referee.wire import codec_named
from referee.wire.envelope import read_fault


def setup_of(record: record_pb2.Record) -> MatchSetup:
    """Return the setup of a recorded match; raise `UsageError` if it cannot be replayed."""
    _check_playable(record)
    clock = record.clock
    return MatchSetup(
        match_id=record.match_id,
        game=record.game,
        seats=len(record.seats),
        master_seed=record.master_seed,
        config=codec_named(record.game).decode_config(record.config),
        clock=ClockConfig(
            startup_ms=clock.startup_ms,
            decision_limit_ms=clock.decision_limit_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
        ),
        without_bot=frozenset(i for i, seat in enumerate(record.seats) if seat.stand_in),
        format=record.format,
    )


def unreadable(record: record_pb2.Record) -> str:
    """Return the error text for a record of an unknown format."""
    known = ", ".join(map(str, FORMATS))
    return f"format: {record.format} is none of {known}, those that this referee reads"


def game_of(record: record_pb2.Record) -> Game:
    """Return the game of a record; raise `UsageError` if it is not installed."""
    try:
        return game_named(record.game)
    except ConfigError as error:
        brought = f"{record.game_distribution} {record.game_version}"
        advice = f"; {brought} brought it: install that" if record.game_distribution else ""
        raise UsageError(f"game: {error}{advice}") from None


def other_rules(record: record_pb2.Record) -> str:
    """Return which rules played a record and which are installed; empty if they are the same.

    Raise `UsageError` if its game is not installed.
    """
    enforced = game_of(record).rules_version
    if record.rules_version == enforced:
        return ""
    return (
        f"played by rules {record.rules_version!r} of {_origin(record)}; rules {enforced!r} are "
        "installed here"
    )


def why_unplayable(record: record_pb2.Record) -> str:
    """Return why no installed rules can replay a record; empty if they can."""
    try:
        return other_rules(record)
    except UsageError as error:
        return str(error)


def _origin(record: record_pb2.Record) -> str:
    """Return the distribution that brought the game, with its version."""
    if record.game_distribution:
        return f"{record.game_distribution} {record.game_version}"
    return f"courtyard {record.referee_version}"


def _check_playable(record: record_pb2.Record) -> None:
    if record.format not in FORMATS:
        raise UsageError(unreadable(record))
    if others := other_rules(record):
        raise UsageError(f"rules_version: {others}: to replay it, install {_origin(record)}")
    game = game_of(record)
    if len(record.seats) not in game.seats:
        raise UsageError(f"seats: {game.title} has no game for {len(record.seats)}")


def replay(
    record: record_pb2.Record,
    *,
    recorded_deal: bool,
    watch: Callable[[Match], None] = lambda _: None,
) -> Match:
    """Replay a record and return the match; raise `UsageError` where it cannot go on.

    Uses the recorded deal, or the one that the master seed gives. Calls `watch` before every
    decision of a bot.
    """
    try:
        setup = setup_of(record)
        codec = codec_named(record.game)
        deal = codec.decode_deal(record.deal) if recorded_deal else None
        match = Match(setup, deal=deal)
    except GameError as error:
        raise UsageError(str(error)) from None
    while match.due is not None:
        watch(match)
        i = len(match.decisions)
        if i >= len(record.decisions):
            raise UsageError(f"decisions: there are {i}, and the game is not over")
        _decide(match, record.decisions[i], f"decisions[{i}]")
    if len(record.decisions) > len(match.decisions):
        raise UsageError(f"decisions[{len(match.decisions)}]: the game was over before it")
    return match


class PlayedDecision(NamedTuple):
    """One decision of a game and its effects."""

    seat: Seat
    fault: Fault | None
    """The fault with which the seat forfeited here."""
    state: State
    """The state after the decision."""
    events: Sequence[Any]
    """The events, in the form that hides nothing."""
    elapsed_us: int
    """The time that was charged."""
    bank_left_us: int
    """The time in the bank afterwards."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A recorded game: deal, first state and decisions."""

    deal: Any
    first: State
    """The state before the first decision."""
    taken: Iterable[PlayedDecision]
    """The decisions in order; iterate once."""


def retrace(record: record_pb2.Record) -> PlayedGame:
    """Return a recorded game without replaying the match.

    Raise `UsageError`, also during iteration over the decisions, if the record cannot be played.
    """
    _check_playable(record)
    try:
        config = _config(record.game, record.config.SerializeToString(deterministic=True))
        deal = codec_named(record.game).decode_deal(record.deal)
        first = game_named(record.game).initial_state(config, len(record.seats), deal)
    except GameError as error:
        raise UsageError(str(error)) from None
    return PlayedGame(deal, first, _taken(record, first))


@lru_cache(maxsize=16)  # a ladder's matches share one, and parsing a board takes long
def _config(game: str, encoded: bytes) -> Any:
    record = record_pb2.Record()
    record.config.ParseFromString(encoded)
    return game_named(game).config(codec_named(game).decode_config(record.config))


def _taken(record: record_pb2.Record, state: State) -> Iterator[PlayedDecision]:
    codec = codec_named(record.game)
    for i, decision in enumerate(record.decisions):
        path = f"decisions[{i}]"
        if state.to_act is None:
            raise UsageError(f"{path}: the game was over before it")
        if decision.seat != state.to_act:
            raise UsageError(f"{path}.seat: seat {state.to_act} is to act, not {decision.seat}")
        action = _action(codec, decision, path)
        fault = fault_in(decision, path) if decision.HasField("fault") else None
        state, events = state.apply(action)
        times = decision.elapsed_us, decision.bank_left_us
        yield PlayedDecision(decision.seat, fault, state, events, *times)
    if state.to_act is not None:
        raise UsageError(f"decisions: there are {len(record.decisions)}, and the game is not over")


def _decide(match: Match, decision: record_pb2.RecordDecision, path: str) -> None:
    measured = Measured(decision.wall_us, decision.cpu_us, decision.delay_us)
    if decision.HasField("fault"):
        fault = fault_in(decision, path)
        match.forfeit(fault, decision.elapsed_us, measured, tuple(decision.steps))
    else:
        action = legal_action_in(match.codec, match.state, decision, path)
        own = decision.own_stand_in
        match.decide(action, decision.elapsed_us, measured, own_stand_in=own)


def fault_in(decision: record_pb2.RecordDecision, path: str) -> Fault:
    """Return the fault of a recorded decision; raise `UsageError`, which names its path."""
    try:
        return read_fault(decision.fault)
    except ValueError as error:
        raise UsageError(f"{path}.fault: {error}") from None


def _action(codec: Any, decision: record_pb2.RecordDecision, path: str) -> Any:
    try:
        return codec.decode_action(decision.action)
    except IllegalAction as error:
        raise UsageError(f"{path}.action: {error}") from None


def legal_action_in(
    codec: Any, state: State, decision: record_pb2.RecordDecision, path: str
) -> Any:
    """Return the action of a recorded decision; raise `UsageError`, which names its path."""
    action = _action(codec, decision, path)
    try:
        state.check(action)
    except IllegalAction as error:
        raise UsageError(f"{path}.action: {error}") from None
    return action
