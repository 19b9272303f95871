"""A seat that speaks the plain dialect decides in steps, by the index of an option."""

from collections.abc import Iterator
from typing import Any

import pytest
from courtyard.v1 import referee_pb2

from referee.core.clock import ClockConfig, Measured
from referee.core.faults import FaultKind
from referee.core.rules import Rule
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from referee.match.replay import replay
from referee.match.verify import verify
from tests.support.games import GAMES

CLOCK = ClockConfig(decision_limit_ms=1_000, bank_ms=5_000, increment_ms=100)
in_every_game = pytest.mark.parametrize("game", GAMES)


def new_match(game: str, plain: tuple[int, ...] = (0,), **options: Any) -> Match:
    """A match of two in which seat 1 has no bot."""
    setup = MatchSetup(
        "m", game, seats=2, master_seed="7", clock=CLOCK, without_bot=frozenset({1}), **options
    )
    match = Match(setup)
    match.use_plain_dialect(plain)
    return match


def request(match: Match) -> referee_pb2.DecisionRequest:
    """The request that is due."""
    assert match.due is not None
    return referee_pb2.RefereeMessage.FromString(match.due.payload).request


def answer(match: Match, **fields: Any) -> bytes:
    """An answer to the request that is due."""
    decision = referee_pb2.Decision(number=request(match).number, **fields)
    return referee_pb2.BotMessage(match_id="m", decision=decision).SerializeToString()


def steps(match: Match, stream: Stream) -> Iterator[referee_pb2.DecisionRequest]:
    """Choose at random until the match is over; yield each request before its answer."""
    while match.due is not None:
        due = request(match)
        yield due
        choice = stream.below(len(due.plain.options))
        assert match.answer(answer(match, choice=choice), 1_000, Measured(cpu_us=10)) is None


@in_every_game
def test_a_match_is_played_by_options_alone(game: str) -> None:
    """Each request has text, facts, a question and options, and no typed position."""
    match = new_match(game)
    for number, due in enumerate(steps(match, Stream("a")), start=1):
        assert due.number == number
        assert due.plain.text
        assert due.plain.facts
        assert due.plain.prompt
        assert 1 <= len(due.plain.options) <= 250
        assert len(set(due.plain.options)) == len(due.plain.options)
        assert not due.HasField("observation")
        assert not due.HasField("legal")
    assert {decided.stand_in for decided in match.decisions if decided.seat == 0} == {False}


@in_every_game
def test_its_record_is_that_of_any_match(game: str) -> None:
    """It holds one action a decision with the time of all its steps, and verifies."""
    match = new_match(game)
    asked = [due.plain.step for due in steps(match, Stream("b"))]
    record = record_of(match, [SeatInfo("ada"), None])

    own = [decided for decided in match.decisions if decided.seat == 0]
    assert len(own) == asked.count(0) < len(asked)
    assert sum(decided.elapsed_us for decided in own) == 1_000 * len(asked)
    assert sum(decided.measured.cpu_us for decided in own) == 10 * len(asked)
    assert verify(record) == []
    assert replay(record, recorded_deal=False).outcomes == match.outcomes


@pytest.mark.parametrize("first", [True, False])
def test_a_bots_own_stand_in_marks_the_whole_decision(*, first: bool) -> None:
    """Whichever of its steps it took; the next decision is marked only if it says so again."""
    match = new_match("courtisans")
    marks = iter([first, not first])
    while match.due is not None:
        said = answer(match, choice=0, stand_in=next(marks, False))
        assert match.answer(said, 1_000) is None
    record = record_of(match, [SeatInfo("ada"), None])
    marked = [one.own_stand_in for one in record.decisions if not one.stand_in]

    assert marked == [True] + [False] * (len(marked) - 1)
    assert verify(record) == []


def test_the_clock_runs_through_all_steps() -> None:
    """The increment comes once a decision; each step has the time that the steps before left."""
    match = new_match("courtisans")
    first = request(match)
    assert (first.time_ms, first.bank_ms) == (1_000, 5_000)

    assert match.answer(answer(match, choice=0), 300_000) is None

    second = request(match)
    assert (second.plain.step, second.time_ms, second.bank_ms) == (1, 700, 4_700)
    assert not second.events
    while request(match).plain.step:
        assert match.answer(answer(match, choice=0), 0) is None
    assert request(match).bank_ms == 4_800


def test_a_late_step_forfeits_with_the_time_of_all_steps() -> None:
    """A decision that is over its limit in its second step is late."""
    match = new_match("courtisans")
    assert match.answer(answer(match, choice=0), 900_000) is None

    fault = match.answer(answer(match, choice=0), 200_000)

    assert fault is not None
    assert (fault.kind, fault.overrun_ms) == (FaultKind.TIMEOUT, 100)
    assert match.decisions[0].elapsed_us == 1_100_000
    assert match.due is None


@pytest.mark.parametrize(
    ("plain", "fields", "kind", "rule", "reason"),
    [
        ((0,), {"choice": 999}, FaultKind.ILLEGAL_ACTION, None, "an option has an index from 0 to"),
        ((0,), {}, FaultKind.PROTOCOL_ERROR, Rule.ANSWER_CHOICE, "the Decision holds nothing"),
        (
            (0,),
            {"action": {}},
            FaultKind.PROTOCOL_ERROR,
            Rule.ANSWER_CHOICE,
            "the choice of an option is due: the Decision holds an action",
        ),
        ((), {"choice": 0}, FaultKind.PROTOCOL_ERROR, Rule.ANSWER_GAME, "holds a choice"),
    ],
)
def test_what_is_no_choice_of_an_option_forfeits(
    plain: tuple[int, ...], fields: dict[str, Any], kind: FaultKind, rule: Rule, reason: str
) -> None:
    """Each dialect takes its own answers, and the reason names what is due and what came."""
    match = new_match("courtisans", plain)

    fault = match.answer(answer(match, **fields), 0)

    assert fault is not None
    assert (fault.kind, fault.rule) == (kind, rule)
    assert reason in fault.reason


def test_time_runs_on_through_a_step_that_is_taken_back() -> None:
    """The step before is asked again, with the same options and what is left of the time."""
    match = new_match("courtisans")
    first = request(match)
    assert match.answer(answer(match, choice=0), 300_000) is None

    match.take_back()

    again = request(match)
    assert (again.number, again.plain.step, again.time_ms) == (3, 0, 700)
    assert again.plain == first.plain
    assert match.path == ()
    assert match.answer(answer(match, choice=1), 100_000) is None
    while request(match).plain.step:
        assert match.answer(answer(match, choice=0), 0) is None
    assert match.decisions[0].elapsed_us == 400_000


def test_nothing_is_taken_back_before_the_second_step() -> None:
    """That is an error of the caller."""
    with pytest.raises(ValueError, match="no step has been taken"):
        new_match("courtisans").take_back()
