"""`referee check` finds exactly the rule that a bot breaks, tried with real processes."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from courtyard.v1 import referee_pb2
from rich.text import Text

from referee.conformance.check.check_match import CheckMatch
from referee.conformance.check.report import StepResult, StepStatus, rules_broken, summary
from referee.conformance.check.run import check, results
from referee.conformance.check.steps import CheckStep, steps
from referee.conformance.check.subject import CheckedBot
from referee.conformance.check.violation import CheckedMatch
from referee.core.clock import ClockConfig
from referee.core.rules import Rule
from referee.hosting.manifest import load_manifest
from referee.hosting.running_bot import BotSpec
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

TRIAL = Path(__file__).resolve().parents[2] / "bots" / "check_trial"
TRUSTED = open_sandbox(Level.TRUSTED)
Taken = Callable[..., list[StepResult]]


def trial(fault: str) -> BotSpec:
    """The bot that breaks a rule."""
    return BotSpec("trial", TRIAL, ("python3", "bot.py", fault), transport="stdio-json")


@pytest.fixture
def taken(tmp_path: Path, patient: ClockConfig) -> Taken:
    """Take the steps of some rules with a bot."""

    def take(entrant: BotSpec, *rules: Rule, clock: ClockConfig = patient) -> list[StepResult]:
        subject = CheckedBot(entrant, ["courtisans"], clock, TRUSTED, tmp_path)
        wanted: list[CheckStep] = [step for step in steps(subject) if step.rule in rules]

        async def run() -> list[StepResult]:
            try:
                return [result async for result in results(subject, wanted)]
            finally:
                await subject.stop()

        return asyncio.run(run())

    return take


BREAKS = {
    "no-start": (Rule.START, Rule.START),
    "no-hello": (Rule.HELLO_FIRST, Rule.HELLO_FIRST),
    "version": (Rule.HELLO_VERSION, Rule.HELLO_VERSION),
    "limits": (Rule.HELLO_LIMITS, Rule.HELLO_LIMITS),
    "eager": (Rule.QUIET, Rule.QUIET),
    "thanks": (Rule.QUIET, Rule.QUIET),
    "regrets": (Rule.MATCH_FAULT, Rule.QUIET),
    "dies": (Rule.GAMES_ALL, Rule.STREAM_KEPT),
    "slow": (Rule.ANSWER_TIME, Rule.ANSWER_TIME),
    "no-json": (Rule.GAMES_ALL, Rule.ANSWER_READABLE),
    "no-decision": (Rule.GAMES_ALL, Rule.ANSWER_DECISION),
    "twice": (Rule.GAMES_ALL, Rule.ANSWER_ONCE),
    "short-id": (Rule.ANSWER_MATCH, Rule.ANSWER_MATCH),
    "always-1": (Rule.GAMES_ALL, Rule.ANSWER_NUMBER),
    "other-game": (Rule.GAMES_ALL, Rule.ANSWER_GAME),
    "illegal": (Rule.GAMES_ALL, Rule.ANSWER_LEGAL),
    "plain-action": (Rule.GAMES_ALL, Rule.ANSWER_CHOICE),
    "plain-nothing": (Rule.GAMES_ALL, Rule.ANSWER_CHOICE),
    "plain-beyond": (Rule.GAMES_ALL, Rule.ANSWER_LEGAL),
    "one-match": (Rule.MATCH_NEXT, Rule.MATCH_NEXT),
    "one-deal": (Rule.MATCH_SAME, Rule.MATCH_SAME),
    "no-void": (Rule.MATCH_VOID, Rule.MATCH_VOID),
    "proud": (Rule.MATCH_FAULT, Rule.MATCH_FAULT),
    "strict-fields": (Rule.REQUEST_UNKNOWN, Rule.REQUEST_UNKNOWN),
    "talker": (Rule.REQUEST_UNKNOWN_BODY, Rule.REQUEST_UNKNOWN_BODY),
    "small": (Rule.REQUEST_LARGE, Rule.REQUEST_LARGE),
    "nervous": (Rule.PROCESS_STOPPED, Rule.PROCESS_STOPPED),
    "only-one": (Rule.PROCESS_ANOTHER, Rule.PROCESS_ANOTHER),
    "sore-loser": (Rule.PROCESS_EXIT, Rule.PROCESS_EXIT),
    "status-3": (Rule.PROCESS_EXIT, Rule.PROCESS_EXIT),
    "lingers": (Rule.PROCESS_EXIT, Rule.PROCESS_EXIT),
}
"""The failing step and broken rule of each misbehaviour of the bot on trial."""


@pytest.mark.sweep
@pytest.mark.parametrize("fault", BREAKS)
def test_a_bot_that_breaks_a_rule_is_told_which(taken: Taken, fault: str) -> None:
    """The step fails and names the rule, the message sent and the answer."""
    step, rule = BREAKS[fault]
    failed = [one for one in taken(trial(fault), step) if one.verdict is StepStatus.FAILED]

    assert failed
    assert {one.blamed for one in failed} == {rule}
    assert failed[0].violation is not None
    assert failed[0].violation.sent
    assert failed[0].violation.received


def test_every_rule_is_broken_by_some_bot() -> None:
    """All but those that need a build or a token, which have own tests."""
    broken = {rule for _, rule in BREAKS.values()}
    elsewhere = {Rule.BUILD, Rule.HELLO_TOKEN, Rule.GAMES_ALL, Rule.REQUEST_ENOUGH}

    assert broken | elsewhere == set(Rule)


def test_a_wrong_token_is_told(taken: Taken, bots: Path) -> None:
    """One carrier has tokens."""
    entrant = BotSpec("wrong", bots / "wrong_token", ("python3", "bot.py"))
    (result,) = taken(entrant, Rule.HELLO_TOKEN)

    assert (result.verdict, result.blamed) == (StepStatus.FAILED, Rule.HELLO_TOKEN)


def test_a_bot_that_cannot_play_at_some_table_fails_just_there(taken: Taken) -> None:
    """The other tables are tried with a new process."""
    verdicts = [one.verdict for one in taken(trial("four"), Rule.GAMES_ALL)]

    assert verdicts == [StepStatus.PASSED, StepStatus.PASSED, StepStatus.FAILED, StepStatus.PASSED]


@pytest.mark.costly
def test_a_bot_that_plays_one_match_a_process_is_not_blamed_for_it_again(taken: Taken) -> None:
    """Once known, a new process plays every match."""
    told = taken(trial("one-match"), Rule.GAMES_ALL, Rule.MATCH_NEXT)

    assert [one.rule for one in told if one.verdict is StepStatus.FAILED] == [Rule.MATCH_NEXT]


@pytest.mark.parametrize("step", [Rule.QUIET, Rule.MATCH_FAULT, Rule.REQUEST_UNKNOWN_BODY])
def test_a_second_answer_is_not_taken_for_another_fault(taken: Taken, step: Rule) -> None:
    """The check reads all answers before it listens for unasked messages."""
    failed = [one for one in taken(trial("twice"), step) if one.verdict is StepStatus.FAILED]

    assert {one.blamed for one in failed} == {Rule.ANSWER_ONCE}


class Deaf:
    """A bot that only listens."""

    speaks_plain = False

    def __init__(self) -> None:
        """Begin empty."""
        self.sent: list[bytes] = []

    async def notify(self, message: bytes) -> None:
        """Take a message."""
        self.sent.append(message)


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_a_bot_is_told_all_that_happens_after_its_last_decision(
    game: str, patient: ClockConfig
) -> None:
    """The check plays the rest without the bot and sends a true end."""
    bot = Deaf()
    table = CheckedMatch(game, seats=3, seat=1, match_id="m", seed="a seed", clock=patient)
    asyncio.run(CheckMatch(bot, table).play(most=0))  # type: ignore[arg-type]
    (end,) = [referee_pb2.RefereeMessage.FromString(message).end for message in bot.sent]
    turns = [one.game.courtisans.turn_played.turn for one in end.events]

    assert len(end.events) > 20
    assert game != "courtisans" or turns == [*range(1, 25)]
    assert len(end.seats) == 3


def test_what_a_bot_should_do_is_advice(taken: Taken) -> None:
    """A bot that needs a request's events gets advice, no failure."""
    (result,) = taken(trial("events"), Rule.REQUEST_ENOUGH)

    assert (result.verdict, result.blamed) == (StepStatus.ADVICE, Rule.REQUEST_ENOUGH)
    assert rules_broken([result]) == []


def test_a_bot_that_does_not_start_is_not_started_again_and_again(taken: Taken) -> None:
    """One step fails, the others are skipped."""
    verdicts = [one.verdict for one in taken(trial("no-start"), *Rule)]

    assert verdicts.count(StepStatus.FAILED) == 1
    assert set(verdicts) == {StepStatus.FAILED, StepStatus.SKIPPED}


def test_the_same_failure_is_told_once(taken: Taken) -> None:
    """Later steps refer to the first."""
    first, *others = taken(trial("dies"), Rule.GAMES_ALL, Rule.MATCH_SAME)

    assert first.seen == ""
    assert "this is too much: dies" in first.printed
    assert {one.seen for one in others} == {f"the same as in step {first.number}"}
    assert rules_broken([first, *others]) == ["stream.kept"]


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("fault", ["now-and-then", "rarely"])
def test_a_rare_illegal_action_is_blamed_once_on_its_own_rule(taken: Taken, fault: str) -> None:
    """The action counts once, in whichever step it shows first, even if it recurs."""
    told = taken(trial(fault), *Rule)
    failed = [one for one in told if one.verdict is StepStatus.FAILED]
    others = {one.seen for one in told if one.verdict is StepStatus.SAME}

    assert [one.blamed for one in failed] == [Rule.ANSWER_LEGAL]
    assert rules_broken(told) == ["answer.legal"]
    assert others == {f"the same as in step {failed[0].number}"}


def test_what_was_asked_and_answered_is_kept(taken: Taken) -> None:
    """The report has the seat's own view and the answer in the game's words."""
    first, *_ = taken(trial("illegal"), Rule.GAMES_ALL)
    assert first.violation is not None
    moment = first.violation.moment

    assert moment is not None
    position = [Text.from_markup(line).plain for line in moment.position()]
    assert position[0].startswith("Turn 1 of the bot, seen by the bot")
    assert any(line.startswith("Hand  ") for line in position)
    answer = Text.from_markup(moment.answer()).plain
    assert re.fullmatch(r"put the .+ above the mat · keep the .+ · give the bot the .+", answer)


def test_the_option_that_a_plain_bot_chose_is_kept(taken: Taken) -> None:
    """The report has the question with the number of its options, and what came instead of one."""
    first, *_ = taken(trial("plain-beyond"), Rule.GAMES_ALL)
    assert first.violation is not None
    moment = first.violation.moment

    assert moment is not None
    *_, asked = moment.position()
    assert re.search(r"\? Options 0 to \d+$", asked)
    assert "choice" in moment.answer()
    assert "an option has an index from 0 to" in first.violation.received


IMPATIENT = ClockConfig(startup_ms=120_000, decision_limit_ms=300, bank_ms=3_000, increment_ms=0)


def test_a_bot_that_hangs_at_once_is_not_asked_again_and_again(taken: Taken) -> None:
    """One step fails; the others could show nothing."""
    told = taken(trial("hangs"), *Rule, clock=IMPATIENT)
    at = next(i for i, one in enumerate(told) if one.verdict is StepStatus.FAILED)

    assert told[at].blamed is Rule.ANSWER_TIME
    assert "does the bot flush its answer?" in told[at].advice
    assert {(one.verdict, one.seen) for one in told[at + 1 :]} == {
        (StepStatus.SKIPPED, "it has not answered a single request")
    }


@pytest.mark.costly
def test_a_bot_that_hangs_twice_is_given_up(taken: Taken) -> None:
    """The check skips further steps after a second hang."""
    told = taken(trial("stalls"), Rule.GAMES_ALL, clock=IMPATIENT)

    assert [one.verdict for one in told] == [
        StepStatus.FAILED,
        StepStatus.SAME,
        StepStatus.SKIPPED,
        StepStatus.SKIPPED,
    ]
    assert told[-1].seen == "it was silent again"


@pytest.mark.costly
def test_a_check_has_an_end(patient: ClockConfig) -> None:
    """When time is up the report lists the untried steps, neither passed nor failed."""
    manifest = load_manifest(TRIAL)
    told = check(
        manifest, manifest.games, TRUSTED, on_result=lambda _: None, clock=patient, seconds=0.001
    )

    assert {one.verdict for one in told[1:]} == {StepStatus.LEFT}
    assert {one.seen for one in told[1:]} == {"the time limit of 0.001 s is over"}


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("transport", ["stdio", "grpc", "stdio-json"])
def test_a_plain_bot_passes_on_every_carrier(
    transport: str, bots: Path, patient: ClockConfig
) -> None:
    """Each rule is tried in the plain dialect, in a game with messages of its own and in others."""
    manifest = replace(load_manifest(bots / "plain"), transport=transport)
    told = check(
        manifest, manifest.installed_games(), TRUSTED, on_result=lambda _: None, clock=patient
    )

    assert [f"{one.title}: {one.violation} {one.printed}" for one in told if one.violation] == []
    assert {one.verdict for one in told} == {StepStatus.PASSED, StepStatus.SKIPPED}


@pytest.mark.costly
def test_a_bot_with_good_manners_passes_every_step(patient: ClockConfig) -> None:
    """Each step is told as it ends, in order, and nothing failed."""
    told: list[StepResult] = []
    manifest = load_manifest(TRIAL)
    taken = check(manifest, manifest.games, TRUSTED, on_result=told.append, clock=patient)

    assert taken == told
    assert [one.number for one in told] == [*range(1, len(told) + 1)]
    assert {one.rule for one in told} >= {rule for rule in Rule if "answer." not in rule} - {
        Rule.STREAM_KEPT
    }
    assert {one.verdict for one in told} == {StepStatus.PASSED, StepStatus.SKIPPED}
    skipped = [one.rule for one in told if one.verdict is StepStatus.SKIPPED]
    assert skipped == [Rule.BUILD, Rule.HELLO_TOKEN]
    assert summary(told) == f"{len(told)} steps: {len(told) - 2} passed, 2 skipped"
