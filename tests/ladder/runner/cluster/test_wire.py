"""What a run and its workers tell each other arrives as it was, or is refused."""

from pathlib import Path

import msgpack
import pytest

from ladder.model.bots import Version
from ladder.model.errors import LadderError
from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.runner.cluster.wire import (
    Batch,
    BatchEnded,
    Terms,
    WorkerRefused,
    order_of,
    pack_answer,
    pack_batch,
    spec_of,
    unpack_answer,
    unpack_batch,
)
from ladder.runner.worker import Failed
from referee.core.clock import ClockConfig
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec

DIGEST = "0123456789abcdef" * 4
BUILD = (("make", "all"),)
VERSION = Version(7, "ann", 2, DIGEST, ("./ann",), True, "2026-11-23", "stdio", BUILD)  # noqa: FBT003
SPEC = MatchSpec(
    match_id="3f9a",
    game="courtisans",
    seats=(BotSpec("ann", Path("/here"), ("./ann",), "2", DIGEST, "stdio", 5), None),
    master_seed="a seed",
    config={"rounds": 3},
    clock=ClockConfig(bank_ms=7),
    patient=False,
)
MATCH = PlannedMatch("3f9a", 1, 0, (VERSION, None))


def test_a_batch_arrives_as_it_was() -> None:
    """A worker plays the match that the run planned, from its own folders."""
    batch = Batch(Terms("0.1.0", "strict"), (order_of(MATCH, SPEC, lambda _: True),))
    arrived = unpack_batch(pack_batch(batch))

    assert arrived == batch
    assert spec_of(arrived.orders[0], {DIGEST: (Path("/here"), 5)}) == SPEC
    (bot, _) = arrived.orders[0].seats
    assert bot is not None
    assert (bot.build, bot.network) == (BUILD, True)


@pytest.mark.parametrize(
    "answer",
    [
        WorkerRefused("ares", "no sandbox"),
        BatchEnded(
            "ares",
            2.5,
            (
                Played(
                    "a", (SeatResult(1, 9, None), SeatResult(2, 0, "TIMEOUT")), 4, b"\0", {0: "x"}
                ),
                Failed("b", "the machine is tired", paused=True),
            ),
        ),
    ],
)
def test_an_answer_arrives_as_it_was(answer: BatchEnded | WorkerRefused) -> None:
    """A run learns what its worker found."""
    assert unpack_answer(pack_answer(answer)) == answer


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        b"\xc1",
        b"\x80\x05pickle",
        msgpack.packb(3),
        msgpack.packb({}),
        msgpack.packb({"terms": {"more": 1}, "orders": []}),
        msgpack.packb({"worker": "a", "seconds": "x", "outcomes": []}),
        msgpack.packb({"worker": "a", "seconds": 1, "outcomes": [{"played": {}}]}),
    ],
)
def test_rubbish_is_refused(rubbish: bytes) -> None:
    """Whatever else arrives is refused in one line, and nothing in it is run."""
    with pytest.raises(LadderError, match="malformed batch of matches"):
        unpack_batch(rubbish)
    with pytest.raises(LadderError, match="malformed answer of a worker"):
        unpack_answer(rubbish)
