"""Check what a record says without the rules that played it.

Dealing, actions, events and points follow from the rules. The rest does not: the nonce follows from
the master seed, the commitment from the deal, the time banks from the clock, and the forfeits from
the faults.
"""

import hashlib
from collections.abc import Iterator

from courtyard.v1 import record_pb2

from referee.core.clock import Clock, ClockConfig
from referee.core.errors import UsageError
from referee.match.match import MatchSetup


def problems_without_rules(record: record_pb2.Record) -> Iterator[str]:
    """Yield a line for each field that contradicts others, whatever the rules are."""
    seats = len(record.seats)
    setup = MatchSetup(
        record.match_id, record.game, seats, record.master_seed, format=record.format
    )
    nonce = setup.stream("deal nonce").bytes(32)
    yield from _compared("deal_nonce", record.deal_nonce.hex(), nonce.hex(), "the master seed")
    deal = record.deal.SerializeToString(deterministic=True)
    due = hashlib.sha256(record.deal_nonce + deal).hexdigest()
    yield from _compared("deal_commitment", record.deal_commitment.hex(), due, "the deal")
    if strange := [d.seat for d in record.decisions if d.seat >= seats]:
        yield f"decisions: seat {strange[0]} decided, and there are {seats} seats"
        return
    yield from _of_decisions(record)
    yield from _of_outcomes(record)


def _of_decisions(record: record_pb2.Record) -> Iterator[str]:
    """Yield the decisions whose times or stand-in contradict the clock and the faults."""
    clock = record.clock
    try:
        config = ClockConfig(
            startup_ms=clock.startup_ms,
            decision_limit_ms=clock.decision_limit_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
        )
    except UsageError as error:
        yield f"clock: {error}"
        return
    clocks = [Clock(config) for _ in record.seats]
    by_stand_in = {seat for seat, taken in enumerate(record.seats) if taken.stand_in}
    for number, decision in enumerate(record.decisions):
        path, seat = f"decisions[{number}]", decision.seat
        bank_us = 0
        if seat not in by_stand_in:
            clocks[seat].grant()
            clocks[seat].charge(decision.elapsed_us)
            bank_us = clocks[seat].bank_us
        elif decision.elapsed_us or decision.HasField("fault"):
            yield f"{path}: the stand-in decided, which neither takes time nor has faults"
        if decision.HasField("fault"):
            by_stand_in.add(seat)
        own = seat in by_stand_in
        yield from _compared(f"{path}.stand_in", decision.stand_in, own, "the faults")
        yield from _compared(f"{path}.bank_left_us", decision.bank_left_us, bank_us, "the times")


def _of_outcomes(record: record_pb2.Record) -> Iterator[str]:
    """Yield the outcomes and events that contradict the faults, and ranks that no match has."""
    faults = [(d.seat, d.fault.kind) for d in record.decisions if d.HasField("fault")]
    told = [(e.forfeit.seat, e.forfeit.kind) for e in record.events if e.HasField("forfeit")]
    yield from _compared("events", told, faults, "the forfeits of the decisions")
    outcomes = record.outcomes
    if len(outcomes) != len(record.seats):
        yield f"outcomes: there are {len(outcomes)} for {len(record.seats)} seats"
        return
    forfeits = dict(faults)
    kept = [outcome.rank for seat, outcome in enumerate(outcomes) if seat not in forfeits]
    for seat, outcome in enumerate(outcomes):
        path = f"outcomes[{seat}]"
        fault = forfeits.get(seat, 0)
        yield from _compared(f"{path}.forfeit", outcome.forfeit, fault, "the decisions")
        ahead = sum(rank < outcome.rank for rank in kept)
        rank = len(kept) + 1 if fault else ahead + 1
        yield from _compared(f"{path}.rank", outcome.rank, rank, "the other ranks")


def _compared(path: str, recorded: object, due: object, giver: str) -> Iterator[str]:
    if recorded != due:
        yield f"{path}: it is {recorded!r}, by {giver} {due!r}"
