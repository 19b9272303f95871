"""The referee commits to the deal before the first decision."""

import hashlib

import pytest
from courtyard.v1 import record_pb2, referee_pb2

from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_from_json, record_of, record_to_json


def played(seats: int, seed: str) -> tuple[list[referee_pb2.MatchStart], record_pb2.Record]:
    """The start that each seat was told, and the record from its file."""
    match = Match(MatchSetup(match_id="m", game="courtisans", seats=seats, master_seed=seed))
    stream, starts = Stream(seed, "players"), []
    while match.due is not None:
        request = referee_pb2.RefereeMessage.FromString(match.due.payload).request
        starts += [request.start] if request.HasField("start") else []
        match.decide(match.state.random_action(stream), elapsed_us=0)
    record = record_of(match, [SeatInfo(f"bot {seat}") for seat in range(seats)])
    return starts, record_from_json(record_to_json(record))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_seat_is_told_the_commitment_that_the_record_reveals(seats: int) -> None:
    """SHA-256 of the record's nonce and deal is what each seat got in its first request."""
    starts, record = played(seats, "a seed")
    revealed = record.deal_nonce + record.deal.SerializeToString(deterministic=True)
    commitment = hashlib.sha256(revealed).digest()
    assert sorted(start.seat for start in starts) == [*range(seats)]
    assert {start.deal_commitment for start in starts} == {commitment}
    assert record.deal_commitment == commitment


def test_matches_of_one_deal_cannot_be_recognised_by_their_commitments() -> None:
    """Nonce, commitment and stand-ins' choices depend on the match, not on the deal."""
    one, other = (
        Match(MatchSetup(match_id, "courtisans", 3, "a seed", without_bot=frozenset({0, 1, 2})))
        for match_id in ("one", "other")
    )

    assert one.encoded_deal == other.encoded_deal
    assert one.nonce != other.nonce
    assert one.commitment != other.commitment
    assert [d.action for d in one.decisions] != [d.action for d in other.decisions]


def test_each_match_has_a_nonce_of_its_own() -> None:
    """The nonce has 32 bytes, and varies with the master seed like the deal."""
    _, one = played(3, "a seed")
    _, other = played(3, "another seed")
    assert len(one.deal_nonce) == len(other.deal_nonce) == 32
    assert one.deal_nonce != other.deal_nonce
    assert one.deal != other.deal
