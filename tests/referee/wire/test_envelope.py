"""What the referee says, whatever the game, is what the protobuf library would write."""

import pytest
from courtyard.v1 import game_pb2, referee_pb2

from referee.core.clock import ClockConfig
from referee.core.faults import Fault, FaultKind
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.wire import envelope
from referee.wire.envelope import LARGEST_REFEREE_MESSAGE, Outcome

CONFIG = game_pb2.GameConfig(courtisans={"noble_weight_in_missions": 2})
OBSERVATION = game_pb2.GameObservation(courtisans={"deck_size": 300, "turns_left": [1, 2]})
LEGAL = game_pb2.GameLegal(courtisans={"opponents": [1]})
EVENT = game_pb2.GameEvent(courtisans={"turn_played": {"turn": 3, "seat": 1}})
RESULT = game_pb2.GameResult(courtisans={"seats": [{"points": -4}]})
CLOCK = ClockConfig(startup_ms=1, decision_limit_ms=200, bank_ms=30_000, increment_ms=0)


def start_message(seat: int) -> referee_pb2.MatchStart:
    """What a match is, for one seat."""
    return referee_pb2.MatchStart(
        game="courtisans",
        rules_version="1",
        config=CONFIG,
        seats=3,
        seat=seat,
        clock=referee_pb2.ClockConfig(
            startup_ms=1, decision_limit_ms=200, bank_ms=30_000, increment_ms=0
        ),
        deal_commitment=bytes(range(32)),
    )


def start(seat: int) -> bytes:
    """The same by the code under test."""
    return envelope.match_start(
        game="courtisans",
        rules_version="1",
        config=CONFIG.SerializeToString(),
        seats=3,
        seat=seat,
        clock=CLOCK,
        commitment=bytes(range(32)),
    )


def test_a_welcome() -> None:
    """Welcome has the protocol's version and the referee's."""
    welcome = referee_pb2.Welcome(protocol_version=1, referee_version="0.1.0")
    message = referee_pb2.RefereeMessage(welcome=welcome)
    assert envelope.welcome("0.1.0") == message.SerializeToString()


def test_the_start_of_a_match() -> None:
    """MatchStart is right for the first seat, whose number is 0, and for another."""
    assert start(0) == start_message(0).SerializeToString()
    assert start(2) == start_message(2).SerializeToString()


def test_a_first_request() -> None:
    """A seat's first request holds the start of the match."""
    message = referee_pb2.RefereeMessage(
        match_id="m",
        request=referee_pb2.DecisionRequest(
            number=1,
            start=start_message(1),
            observation=OBSERVATION,
            legal=LEGAL,
            time_ms=200,
            bank_ms=30_000,
        ),
    )
    request = envelope.request(
        "m",
        number=1,
        start=start(1),
        events=[],
        observation=OBSERVATION.SerializeToString(),
        legal=LEGAL.SerializeToString(),
        time_ms=200,
        bank_ms=30_000,
    )
    assert request == message.SerializeToString()


def test_a_later_request() -> None:
    """A later request has no start, holds events in their order, and may have no time left."""
    forfeit = referee_pb2.Forfeit(seat=2, kind=referee_pb2.FAULT_KIND_TIMEOUT)
    message = referee_pb2.RefereeMessage(
        match_id="m",
        request=referee_pb2.DecisionRequest(
            number=200,
            events=[
                referee_pb2.MatchEvent(game=EVENT),
                referee_pb2.MatchEvent(forfeit=forfeit),
            ],
            observation=OBSERVATION,
            legal=LEGAL,
        ),
    )
    request = envelope.request(
        "m",
        number=200,
        start=b"",
        events=[
            envelope.game_event(EVENT.SerializeToString()),
            envelope.forfeit_event(2, FaultKind.TIMEOUT),
        ],
        observation=OBSERVATION.SerializeToString(),
        legal=LEGAL.SerializeToString(),
        time_ms=0,
        bank_ms=0,
    )
    assert request == message.SerializeToString()


def test_a_fault() -> None:
    """A fault tells its seat all that is known of it, an exit code of 0 included."""
    fault = Fault(FaultKind.DISCONNECTED, "it exited", overrun_ms=3, exit_code=0, signal=9)
    message = referee_pb2.RefereeMessage(
        match_id="m",
        fault=referee_pb2.Fault(
            kind=referee_pb2.FAULT_KIND_DISCONNECTED,
            reason="it exited",
            overrun_ms=3,
            exit_code=0,
            signal=9,
        ),
    )
    assert envelope.fault_notice("m", fault) == message.SerializeToString()
    assert envelope.read_fault(envelope.fault_message(fault)) == fault


def test_the_end_of_a_match() -> None:
    """MatchEnd holds the last events, every seat's outcome, and the result."""
    outcomes = [Outcome(1, -3, None), Outcome(2, 0, FaultKind.ILLEGAL_ACTION)]
    message = referee_pb2.RefereeMessage(
        match_id="m",
        end=referee_pb2.MatchEnd(
            events=[referee_pb2.MatchEvent(game=EVENT)],
            seats=[
                referee_pb2.SeatOutcome(rank=1, points=-3),
                referee_pb2.SeatOutcome(rank=2, forfeit=referee_pb2.FAULT_KIND_ILLEGAL_ACTION),
            ],
            result=RESULT,
        ),
    )
    end = envelope.match_end(
        "m",
        [envelope.game_event(EVENT.SerializeToString())],
        map(envelope.encode_outcome, outcomes),
        RESULT.SerializeToString(),
    )
    assert end == message.SerializeToString()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_message_of_a_match(seats: int) -> None:
    """Each message to each seat is as the library writes it, and far below its limit."""
    match = Match(MatchSetup(match_id="m", game="courtisans", seats=seats, master_seed="wire"))
    stream, messages = Stream("wire"), []
    while match.due is not None:
        messages.append(match.due.payload)
        match.decide(match.state.random_action(stream), elapsed_us=123_456)
    for data in (*messages, *match.endings()):
        assert referee_pb2.RefereeMessage.FromString(data).SerializeToString() == data
        assert len(data) < LARGEST_REFEREE_MESSAGE / 100
