"""What the fuzz tests share: bytes that are nearly right, and matches to throw them at."""

import copy
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from courtyard.v1 import referee_pb2

from referee.core.faults import Fault, FaultKind
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from tests.support.lacking import need_proc

Mutate = Callable[[random.Random, bytes], bytes]
Try = Callable[[bytes], None]

NASTY = (
    b"",
    b"\x00",
    b"\xff" * 11,
    b"\x80" * 9 + b"\x01",
    b"\n",
    b"\r\n",
    b'"',
    b"\\",
    b"\\ud800",
    b"[" * 2_000,
    b'{"hello":' * 500,
    b"null",
    b"-1",
    b"1e999",
    b"9" * 5_000,
    b"NaN",
    b"\xed\xa0\x80",
    b"x" * 70_000,
)
"""What readers of bytes stumble over."""


def _mutated(chance: random.Random, data: bytes) -> bytes:
    """Change some bytes here and there."""
    changed = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 8))):
        at = chance.randint(0, len(changed))
        upto = min(len(changed), at + chance.choice((0, 1, 1, 2, 5, 40)))
        match chance.randrange(6):
            case 0:
                changed[at:upto] = chance.randbytes(upto - at)
            case 1:
                del changed[at:upto]
            case 2:
                changed[at:at] = changed[at:upto] * chance.choice((1, 2, 30))
            case 3:
                changed[at:upto] = chance.choice(NASTY)
            case 4:
                changed[at:at] = chance.randbytes(chance.choice((1, 2, 10, 300)))
            case _ if changed:
                changed[at % len(changed)] ^= 1 << chance.randrange(8)
    return bytes(changed)


@pytest.fixture(scope="session")
def mutated() -> Mutate:
    """Make bytes that are nearly others."""
    return _mutated


def _copied(match: Match) -> Match:
    """Return a match that goes on by itself; states are values, so little has to be copied."""
    other = copy.copy(match)
    lists = ("decisions", "events", "encoded_events", "_forfeits", "_played_by_stand_in")
    for name in (*lists, "_requests"):
        setattr(other, name, copy.copy(getattr(match, name)))
    for name in ("_clocks", "_untold"):
        setattr(other, name, [copy.copy(each) for each in getattr(match, name)])
    return other


def _positions(game: str) -> Iterator[tuple[Match, bytes]]:
    """Yield the last moments of a match, each with a right answer."""
    match = Match(MatchSetup("a match", game, 3, "fuzz"))
    stream, moments = Stream("fuzz", game), []
    while (due := match.due) is not None:
        action = match.state.random_action(stream)
        answer = referee_pb2.BotMessage(match_id="a match")
        answer.decision.number = match._requests[due.seat]
        answer.decision.action.ParseFromString(match.codec.encode_action(action))
        moments.append((_copied(match), answer.SerializeToString()))
        match.decide(action, 0)
    yield from moments[-12:]


class Targets:
    """Matches that are soon over, so that an answer costs little more than its own check."""

    def __init__(self) -> None:
        """Play a match of every game to near its end."""
        self._moments: Sequence[tuple[Match, bytes]] = [
            moment for game in ("courtisans", "miracles") for moment in _positions(game)
        ]
        hello = referee_pb2.Hello(protocol_version=1, name="bot", seat_token="token")
        self.right = [answer for _, answer in self._moments]
        """Right answers, and a Hello."""
        self.right.append(referee_pb2.BotMessage(hello=hello).SerializeToString())
        self.accepted = 0
        self.refused = 0

    def answer(self, number: int, data: bytes) -> None:
        """Answer one of the matches with some bytes: it takes them, or there is a fault."""
        match = _copied(self._moments[number % len(self._moments)][0])
        fault = match.answer(data, 0)
        if fault is None:
            self.accepted += 1
        else:
            check_fault(fault)
            self.refused += 1


def check_fault(fault: Fault) -> None:
    """A fault is one that bytes can make, and fit to be shown to people."""
    assert fault.kind in {FaultKind.PROTOCOL_ERROR, FaultKind.ILLEGAL_ACTION}
    assert fault.reason.isprintable()
    assert len(fault.reason) < 1_000
    assert len(fault.received) <= 512


@pytest.fixture
def targets() -> Targets:
    """Matches to throw bytes at."""
    return Targets()


@pytest.fixture(scope="session")
def checked() -> Callable[[Fault], None]:
    """Check that a fault is one that bytes can make."""
    return check_fault


@pytest.fixture(scope="session")
def memory() -> Callable[[], int]:
    """How many bytes of memory this process holds."""
    need_proc()

    def held() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    return held


@pytest.fixture(scope="session")
def shared_targets() -> Targets:
    """Matches to throw bytes at; what they take is not counted."""
    return Targets()
