"""What a match leaves behind when it has been played."""

from courtyard.v1 import record_pb2

from referee.hosting.match_runner import Ended


def test_an_ended_match_is_not_written_out_as_text() -> None:
    """Asyncio makes the repr of what a match returns: that is short, whatever the record holds."""
    record = record_pb2.Record(match_id="m", master_seed="s" * 10_000)
    assert len(repr(Ended(record, {0: "printed" * 1000}))) < 200
