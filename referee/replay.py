"""Playing a record again: the same deal, the same decisions, no bots and no clocks."""

from collections.abc import Callable
from typing import Any

from courtyard.v1 import record_pb2

from referee.clock import ClockConfig, Measured
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.base import ConfigError, IllegalAction
from referee.match import Match, MatchSetup
from referee.wire import CODECS
from referee.wire.envelope import read_fault


def setup_of(record: record_pb2.Record) -> MatchSetup:
    """Return the setup that a record was played with; raise `UsageError` if it cannot be played."""
    if record.game not in GAMES:
        raise UsageError(f"game: {record.game!r} is none of {', '.join(GAMES)}")
    game = GAMES[record.game]
    if record.rules_version != game.rules_version:
        raise UsageError(
            f"rules_version: the record has {record.rules_version!r}, this referee enforces "
            f"{game.rules_version!r}: use the referee {record.referee_version!r} that played it"
        )
    if len(record.seats) not in game.seats:
        raise UsageError(f"seats: {game.title} has no game for {len(record.seats)}")
    clock = record.clock
    return MatchSetup(
        match_id=record.match_id,
        game=record.game,
        seats=len(record.seats),
        master_seed=record.master_seed,
        config=CODECS[record.game].decode_config(record.config),
        clock=ClockConfig(
            startup_ms=clock.startup_ms,
            decision_limit_ms=clock.decision_limit_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
        ),
        without_bot=frozenset(i for i, seat in enumerate(record.seats) if seat.stand_in),
    )


def replay(
    record: record_pb2.Record,
    *,
    recorded_deal: bool,
    watch: Callable[[Match], None] = lambda _: None,
) -> Match:
    """Play a record again and return the match; raise `UsageError` where it cannot go on.

    The deal is the recorded one or the one that the master seed gives. `watch` is called before
    every decision of a bot.
    """
    try:
        setup = setup_of(record)
        codec = CODECS[record.game]
        deal = codec.decode_deal(record.deal) if recorded_deal else None
        match = Match(setup, deal=deal)
    except ConfigError as error:
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


def _decide(match: Match, decision: record_pb2.RecordDecision, path: str) -> None:
    measured = Measured(decision.wall_us, decision.cpu_us, decision.delay_us)
    if decision.HasField("fault"):
        try:
            match.forfeit(read_fault(decision.fault), decision.elapsed_us, measured)
        except ValueError as error:
            raise UsageError(f"{path}.fault: {error}") from None
        return
    action: Any
    try:
        action = match.codec.decode_action(decision.action)
        match.state.check(action)
    except IllegalAction as error:
        raise UsageError(f"{path}.action: {error}") from None
    match.decide(action, decision.elapsed_us, measured)
