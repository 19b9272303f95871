"""A match without bots, transports or time: what each seat learns, and what follows."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from courtyard.v1 import courtisans_pb2, referee_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.conformance.testing import (
    Behaviour,
    Script,
    SentMessage,
    exits,
    is_silent,
    late_by,
    play,
    sends,
)
from referee.core.clock import ClockConfig, Measured
from referee.core.faults import Fault, FaultKind
from referee.games.base import ConfigError
from referee.games.courtisans.deal import TURNS
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import record_of
from referee.wire import envelope
from referee.wire.encoding import field, text, uint

NewMatch = Callable[..., Match]

SEATS = st.integers(2, 5)
SEEDS = st.text("abcdef", max_size=6)
BEHAVIOURS = st.sampled_from([exits(1), is_silent, late_by(1), sends(b"\xff"), sends(b"")])


def begin(seats: int, seed: str, **more: Any) -> Match:
    """Begin a match; Hypothesis reruns cannot use the fixture."""
    return Match(MatchSetup("a match", "courtisans", seats, seed, **more))


@st.composite
def scripts(draw: st.DrawFn, seats: int) -> dict[int, Script]:
    """Seats that break a rule, each at one of its decisions."""
    offenders = draw(st.sets(st.integers(0, seats - 1)))
    turns = st.integers(1, TURNS[seats])
    return {seat: {draw(turns): draw(BEHAVIOURS)} for seat in sorted(offenders)}


def read(message: SentMessage) -> referee_pb2.RefereeMessage:
    """A seat's message."""
    return referee_pb2.RefereeMessage.FromString(message.payload)


def requests(told: list[SentMessage], seat: int) -> list[referee_pb2.DecisionRequest]:
    """A seat's requests, in order."""
    messages = [read(one) for one in told if one.seat == seat]
    return [message.request for message in messages if message.HasField("request")]


def end(told: list[SentMessage], seat: int) -> referee_pb2.MatchEnd:
    """A seat's end of the match."""
    (message,) = [read(one) for one in told if one.seat == seat and read(one).HasField("end")]
    return message.end


def events_told(told: list[SentMessage], seat: int) -> list[referee_pb2.MatchEvent]:
    """A seat's events, in order."""
    with_requests = [event for request in requests(told, seat) for event in request.events]
    return with_requests + list(end(told, seat).events)


def public_form(event: referee_pb2.MatchEvent, reader: int) -> referee_pb2.MatchEvent:
    """An event as this seat may see it: without others' draws and their spies' families."""
    form = referee_pb2.MatchEvent()
    form.CopyFrom(event)
    turn = form.game.courtisans.turn_played
    if event.HasField("game") and turn.seat != reader:
        del turn.drawn[:]
        for placed in (turn.table, turn.own_domain, turn.opponent_domain):
            if placed.card.role == courtisans_pb2.ROLE_SPY:
                placed.card.ClearField("family")
    return form


# What seats learn


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_seat_gets_a_request_for_each_of_its_decisions(new_match: NewMatch, seats: int) -> None:
    """Each seat is asked once a turn, from number 1, and the match ends after the last."""
    match = new_match(seats)
    told = play(match)

    for seat in range(seats):
        numbers = [request.number for request in requests(told, seat)]
        assert numbers == [*range(1, TURNS[seats] + 1)]
    assert Counter(decided.seat for decided in match.decisions) == dict.fromkeys(
        range(seats), TURNS[seats]
    )


def test_every_message_bears_the_id_of_its_match(new_match: NewMatch) -> None:
    """Requests, faults and ends all name the match."""
    told = play(new_match(3), {0: {2: exits(1)}})

    assert {read(one).match_id for one in told} == {"a match"}
    assert {read(one).WhichOneof("body") for one in told} == {"request", "fault", "end"}


def test_the_first_request_says_what_the_match_is(new_match: NewMatch) -> None:
    """The first has game, rules, configuration, seats, own seat, clock and commitment."""
    clock = ClockConfig(startup_ms=1, decision_limit_ms=2, bank_ms=3, increment_ms=4)
    match = new_match(4, config={"noble_weight_in_missions": 1}, clock=clock)
    told = play(match, {seat: {1: is_silent} for seat in range(4)})

    for seat in range(4):
        start = requests(told, seat)[0].start
        assert (start.game, start.rules_version) == ("courtisans", match.game.rules_version)
        assert start.config.courtisans.noble_weight_in_missions == 1
        assert (start.seats, start.seat) == (4, seat)
        assert start.clock == referee_pb2.ClockConfig(
            startup_ms=1, decision_limit_ms=2, bank_ms=3, increment_ms=4
        )
        assert start.deal_commitment == match.commitment


def test_later_requests_do_not_say_it_again(new_match: NewMatch) -> None:
    """Only each seat's first request has the start of the match."""
    told = play(new_match(3))

    for seat in range(3):
        with_start = [request.HasField("start") for request in requests(told, seat)]
        assert with_start == [True] + [False] * 7


@given(data=st.data(), seats=SEATS, seed=SEEDS)
def test_events_reach_every_seat_whole_and_in_order(
    data: st.DataObject, seats: int, seed: str
) -> None:
    """A seat's requests and end, joined, hold every event of the match in its form."""
    match = begin(seats, seed)
    told = play(match, data.draw(scripts(seats)))
    events = record_of(match, [None] * seats).events

    for seat in range(seats):
        assert events_told(told, seat) == [public_form(event, seat) for event in events]


def test_every_event_is_told_as_what_it_is() -> None:
    """An event is encoded by its type, though tuples of two types may be equal."""
    match = Match(MatchSetup("a match", "miracles", 4, "types"))
    stream = Stream("types")
    while match.due is not None:
        match.decide(match.state.random_action(stream), 0)

    assert len({*match.events}) < len({(type(event), event) for event in match.events})
    for event, encoded in zip(match.events, match.encoded_events, strict=True):
        assert encoded == envelope.game_event(match.codec.encode_event(event))


@given(data=st.data(), seats=SEATS, seed=SEEDS)
def test_a_request_tells_all_that_happened_before_it(
    data: st.DataObject, seats: int, seed: str
) -> None:
    """A seat's request for a turn follows its events of every turn before."""
    told = play(begin(seats, seed), data.draw(scripts(seats)))

    for seat in range(seats):
        heard: list[int] = []
        for request in requests(told, seat):
            games = [event.game for event in request.events if event.HasField("game")]
            heard += [game.courtisans.turn_played.turn for game in games]
            assert heard == [*range(1, request.observation.courtisans.turn)]


def test_all_seats_are_told_the_same_outcome(new_match: NewMatch) -> None:
    """The ends differ only in events: outcomes and result are the match's."""
    match = new_match(4)
    told = play(match, {1: {3: late_by(5)}})
    record = record_of(match, [None] * 4)

    for seat in range(4):
        assert list(end(told, seat).seats) == list(record.outcomes)
        assert end(told, seat).result == record.result


# Verdicts


def fault_of(match: Match, behave: Behaviour, at: int = 1) -> Fault:
    """Seat 0's fault if it behaves like this at one of its decisions."""
    play(match, {0: {at: behave}})
    (fault,) = [decided.fault for decided in match.decisions if decided.fault is not None]
    return fault


def message(
    *, match_id: str = "a match", number: int = 1, body: str = "decision", action: bytes = b""
) -> bytes:
    """A BotMessage built by hand."""
    built = referee_pb2.BotMessage(match_id=match_id)
    if body == "hello":
        built.hello.protocol_version = 1
    elif body == "decision":
        built.decision.number = number
        built.decision.action.MergeFromString(action)
    return built.SerializeToString()


NO_CARDS = b"\x0a\x00"  # an empty GameAction of Courtisans

PROTOCOL_ERRORS = {
    "bytes that are no message": (b"\xff\xff", "cannot be parsed"),
    "a message cut short": (message(action=NO_CARDS)[:-1], "cannot be parsed"),
    "65,537 bytes": (bytes(65_537), "may have 65536 bytes: this one has 65537"),
    "nothing": (b"", "a Decision is due: the message has nothing"),
    "a body of a later version": (b"\x7a\x01x", "a Decision is due: the message has nothing"),
    "a second Hello": (message(body="hello"), "a Decision is due: the message has hello"),
    "another match": (message(match_id="other", action=NO_CARDS), "this one is for 'other'"),
    "no match": (message(match_id="", action=NO_CARDS), "this one is for ''"),
    "number 0": (message(number=0, action=NO_CARDS), "request 1 is due: this one is to request 0"),
    "the next number": (message(number=2, action=NO_CARDS), "this one is to request 2"),
    "no action": (message(), "an action of courtisans is due: the Decision holds nothing"),
}


@pytest.mark.parametrize(("sent", "reason"), PROTOCOL_ERRORS.values(), ids=PROTOCOL_ERRORS.keys())
def test_a_message_that_is_not_due_is_a_protocol_error(
    new_match: NewMatch, sent: bytes, reason: str
) -> None:
    """Anything but the one Decision that is due forfeits, and the reason names it."""
    fault = fault_of(new_match(), sends(sent))

    assert fault.kind is FaultKind.PROTOCOL_ERROR
    assert reason in fault.reason


def test_a_message_may_have_65536_bytes(new_match: NewMatch) -> None:
    """The limit is allowed: the match reads the message, and refuses its content."""
    longest = message(match_id="x" * 65_524, action=NO_CARDS)
    assert len(longest) == 65_536
    fault = fault_of(new_match(), sends(longest))

    assert "for match a match is due" in fault.reason
    assert len(fault.reason) < 200


def test_a_second_answer_to_one_request_is_a_protocol_error(new_match: NewMatch) -> None:
    """A repeated answer arrives as the answer to the next request, and is refused."""
    answers: list[bytes] = []

    def remember(asked: Any) -> bytes:
        answers.append(asked.legal_answer())
        return answers[0]

    match = new_match()
    play(match, {0: {1: remember, 2: lambda _: answers[0]}})
    (fault,) = [decided.fault for decided in match.decisions if decided.fault is not None]

    assert fault.kind is FaultKind.PROTOCOL_ERROR
    assert "the answer to request 2 is due: this one is to request 1" in fault.reason


def test_an_illegal_action_says_which_rule_it_breaks(new_match: NewMatch) -> None:
    """A Decision that the rules refuse is an illegal action, with their reason."""
    fault = fault_of(new_match(), sends(message(action=NO_CARDS)))

    assert fault.kind is FaultKind.ILLEGAL_ACTION
    assert fault.reason == "a turn plays one card to each area: table has none"


LONG = 10**9


def test_a_protocol_error_counts_before_lateness(new_match: NewMatch) -> None:
    """A late message that is not due is a protocol error."""
    assert fault_of(new_match(), sends(b"\xff", LONG)).kind is FaultKind.PROTOCOL_ERROR


def test_an_illegal_action_counts_before_lateness(new_match: NewMatch) -> None:
    """A late illegal action is an illegal action."""
    late_and_illegal = sends(message(action=NO_CARDS), LONG)

    assert fault_of(new_match(), late_and_illegal).kind is FaultKind.ILLEGAL_ACTION


@pytest.mark.parametrize(("late_us", "overrun_ms"), [(1, 1), (1_000, 1), (1_001, 2), (LONG, 10**6)])
def test_a_legal_answer_that_is_late_is_a_timeout(
    new_match: NewMatch, late_us: int, overrun_ms: int
) -> None:
    """A timeout has its overrun in ms, rounded up."""
    fault = fault_of(new_match(), late_by(late_us))

    assert (fault.kind, fault.overrun_ms) == (FaultKind.TIMEOUT, overrun_ms)
    assert f"came {overrun_ms} ms after the 5000 ms" in fault.reason


@pytest.mark.parametrize(
    ("wall_us", "told"),
    [
        (10_900_000, " (charged 6000 ms, 10900 ms on the wall)"),
        (6_050_000, ""),
        (0, ""),
    ],
)
def test_a_timeout_tells_charged_time_and_wall_time_apart(
    new_match: NewMatch, wall_us: int, told: str
) -> None:
    """A timeout's reason has both times if they differ much."""
    match = new_match()
    action = match.state.random_action(Stream("any"))
    body = uint(1, 1) + field(2, match.codec.encode_action(action))
    answer = text(1, "a match") + field(3, body)
    fault = match.answer(answer, 6_000_000, Measured(wall_us=wall_us))

    assert fault is not None
    assert fault.reason == f"the answer came 1000 ms after the 5000 ms that were left{told}"


def test_an_answer_at_the_last_microsecond_counts(new_match: NewMatch) -> None:
    """An answer may take exactly its whole limit."""
    match = new_match()
    play(match, {0: {1: late_by(0)}})

    assert all(decided.fault is None for decided in match.decisions)


def test_no_answer_is_a_timeout_without_an_overrun(new_match: NewMatch) -> None:
    """A silent bot learns its time limit."""
    fault = fault_of(new_match(), is_silent)

    assert fault == Fault(FaultKind.TIMEOUT, "no answer within the 5000 ms that were left")


def test_no_seat_is_due_in_a_match_that_is_over(new_match: NewMatch) -> None:
    """An answer after the end is the match driver's mistake."""
    match = new_match()
    play(match)

    with pytest.raises(RuntimeError, match="the match is over"):
        match.answer(b"", 0)


@pytest.mark.parametrize(
    ("game", "seats", "config", "problem"),
    [
        ("chess", 2, {}, "there is no game 'chess'"),
        ("courtisans", 1, {}, "2 to 5 seats, not 1"),
        ("courtisans", 6, {}, "2 to 5 seats, not 6"),
        ("courtisans", 2, {"jokers": 2}, "no setting 'jokers'"),
        ("courtisans", 2, {"noble_weight_in_missions": 3}, "must be 1 or 2, not 3"),
    ],
)
def test_a_match_that_cannot_be_played_does_not_begin(
    game: str, seats: int, config: dict[str, Any], problem: str
) -> None:
    """The start checks game, seats and configuration."""
    with pytest.raises(ConfigError, match=problem):
        Match(MatchSetup("a match", game, seats, "a seed", config))


# Forfeits


@pytest.mark.parametrize("behave", [exits(3), is_silent, late_by(1), sends(b""), sends(b"\xff")])
def test_a_seat_that_forfeits_is_told_why_and_is_not_asked_again(
    new_match: NewMatch, behave: Behaviour
) -> None:
    """A seat at fault gets its fault, then the end, and nothing in between."""
    match = new_match()
    told = [read(one) for one in play(match, {1: {3: behave}}) if one.seat == 1]
    decided = [decided for decided in match.decisions if decided.seat == 1]

    assert [one.WhichOneof("body") for one in told] == ["request"] * 3 + ["fault", "end"]
    assert [one.stand_in for one in decided] == [False] * 2 + [True] * 6
    assert decided[2].fault is not None
    assert told[3].fault.reason == decided[2].fault.reason


@given(data=st.data(), seats=SEATS, seed=SEEDS)
def test_a_forfeit_never_changes_what_anybody_draws(
    data: st.DataObject, seats: int, seed: str
) -> None:
    """Whatever forfeits occur, each turn draws the deal's next three cards."""
    match = begin(seats, seed)
    play(match, data.draw(scripts(seats)))
    undisturbed = begin(seats, seed)
    drawn = [card for event in match.events if hasattr(event, "drawn") for card in event.drawn]

    assert match.deal == undisturbed.deal
    assert match.commitment == undisturbed.commitment
    assert tuple(drawn) == undisturbed.deal.deck


@given(data=st.data(), seats=SEATS, seed=SEEDS)
def test_a_stand_in_plays_legally_from_its_own_seats_stream(
    data: st.DataObject, seats: int, seed: str
) -> None:
    """A stand-in's choices follow its stream, whatever other stand-ins draw."""
    without_bot = data.draw(st.frozensets(st.integers(0, seats - 1)))
    match = begin(seats, seed, without_bot=without_bot)
    play(match, data.draw(scripts(seats)))
    streams = [Stream(seed, "stand-in", str(seat), match.setup.match_id) for seat in range(seats)]
    state = begin(seats, seed, without_bot=frozenset()).state
    for decided in match.decisions:
        if decided.stand_in:
            assert decided.action == state.random_action(streams[decided.seat])
        state.check(decided.action)
        state, _ = state.apply(decided.action)


@given(data=st.data(), seats=SEATS, seed=SEEDS)
def test_who_forfeits_ranks_behind_all_others(data: st.DataObject, seats: int, seed: str) -> None:
    """The others rank by points; all forfeiting seats share the place behind them."""
    match = begin(seats, seed)
    offenders = data.draw(scripts(seats))
    play(match, offenders)
    points = [outcome.points for outcome in match.outcomes]
    kept = [points[seat] for seat in range(seats) if seat not in offenders]

    assert points == list(match.state.scores())
    for seat, outcome in enumerate(match.outcomes):
        better = len(kept) if seat in offenders else sum(p > points[seat] for p in kept)
        assert outcome.rank == better + 1
        assert (outcome.forfeit is not None) == (seat in offenders)


def test_if_all_forfeit_all_are_first(new_match: NewMatch) -> None:
    """No seat is left to rank behind."""
    match = new_match(4)
    play(match, {seat: {seat + 1: is_silent} for seat in range(4)})

    assert [outcome.rank for outcome in match.outcomes] == [1, 1, 1, 1]


def test_a_stand_in_from_the_start_ranks_as_anybody(new_match: NewMatch) -> None:
    """A seat without a bot gets no request, and forfeits nothing."""
    match = new_match(3, without_bot=frozenset({0, 2}))
    told = play(match)

    assert requests(told, 0) == requests(told, 2) == []
    assert [outcome.rank for outcome in match.outcomes] == list(match.state.ranks())
    assert all(outcome.forfeit is None for outcome in match.outcomes)


@pytest.mark.parametrize(
    "behave",
    [lambda _: Fault(FaultKind.DISCONNECTED, "a private reason", signal=9), sends(b"\xff")],
)
def test_only_the_offender_is_told_the_reason(new_match: NewMatch, behave: Behaviour) -> None:
    """The others learn who forfeited by what kind of fault, and not a byte more."""
    match = new_match(3)
    told = play(match, {1: {2: behave}})
    (fault,) = [decided.fault for decided in match.decisions if decided.fault is not None]

    heard = [one for one in told if fault.reason.encode() in one.payload]
    assert [(one.seat, read(one).fault.reason) for one in heard] == [(1, fault.reason)]
    forfeits = [
        event.forfeit
        for seat in range(3)
        for event in events_told(told, seat)
        if event.HasField("forfeit")
    ]
    assert forfeits == [referee_pb2.Forfeit(seat=1, kind=int(fault.kind))] * 3  # type: ignore[arg-type]
    assert [field.name for field in referee_pb2.Forfeit.DESCRIPTOR.fields] == ["seat", "kind"]
