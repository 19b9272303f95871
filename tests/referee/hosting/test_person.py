"""A person's seat: told what a bot is told there, charged nothing, able to take steps back."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig
from referee.games.randomness import Stream
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.person import Asked, Person
from referee.hosting.running_bot import bot_spec_of
from referee.hosting.sample_bots import bot_folder
from referee.match.replay import replay
from referee.match.verify import verify
from referee.sandbox.levels import offered, open_sandbox
from referee.sandbox.program import Level
from referee.view.transcript import transcript_of
from tests.support.games import GAMES

Decide = Callable[[Asked], int | None]
THINK_S = 45.0
"""Longer than the keep-alive of any gRPC library by default."""
in_every_game = pytest.mark.parametrize("game", GAMES)


class Script:
    """Answers by a function, and keeps what it was asked."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.asked: list[Asked] = []
        self.events: list[Any] = []

    async def ask(self, asked: Asked) -> int | None:
        """Answer by the function."""
        self.asked.append(asked)
        self.events.extend(asked.events)
        return self.decide(asked)

    def end(self, events: Sequence[Any]) -> None:
        """Keep the last events."""
        self.events.extend(events)


def at_random(seed: str) -> Decide:
    """Choose at random, the same for the same seed."""
    stream = Stream(seed, "choices")
    return lambda asked: stream.below(len(asked.step.options))


def played(game: str, decide: Decide) -> tuple[record_pb2.Record, Script]:
    """A match of a person on seat 1 and stand-ins, with clocks that no person could keep."""
    script = Script(decide)
    clock = ClockConfig(decision_limit_ms=1, bank_ms=1, increment_ms=0)
    spec = MatchSpec("m", game, (None, None, None), "seed", clock=clock)
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        return host.play(spec, {1: Person("ada", script)}), script


@in_every_game
def test_a_person_is_told_what_a_bot_is_told(game: str) -> None:
    """The bytes of each request are those of a bot that speaks the plain dialect."""
    record, script = played(game, at_random("a"))

    turns = transcript_of(record, 1).in_plain_dialect().turns
    assert [asked.payload for asked in script.asked] == [turn.payload for turn in turns]
    assert [asked.step for asked in script.asked] == [turn.step for turn in turns]


@in_every_game
def test_a_person_is_charged_no_time(game: str) -> None:
    """The record has the name, no forfeit, and verifies; it tells the time that passed."""
    record, _ = played(game, at_random("b"))

    own = [decision for decision in record.decisions if decision.seat == 1]
    assert record.seats[1].name == "ada"
    assert not any(outcome.forfeit for outcome in record.outcomes)
    assert {decision.elapsed_us for decision in own} == {0}
    assert all(decision.wall_us for decision in own)
    assert verify(record) == []


@in_every_game
def test_steps_that_are_taken_back_leave_no_trace(game: str) -> None:
    """A person who takes each second step back once plays the same match."""
    straight, _ = played(game, lambda _: 0)
    returned, times = False, 0

    def hesitant(asked: Asked) -> int | None:
        nonlocal returned, times
        if asked.events:  # a new decision
            returned = False
        if asked.number == 1 and not returned:
            returned, times = True, times + 1
            return None
        return 0

    record, _ = played(game, hesitant)

    assert [d.action for d in record.decisions] == [d.action for d in straight.decisions]
    assert times > 3
    assert verify(record) == []


def test_events_come_once_and_in_the_form_of_the_seat() -> None:
    """No card that another seat draws is among them."""
    record, script = played("courtisans", at_random("c"))

    match = replay(record, recorded_deal=True)
    forms = [match.state.event_for(event, 1) for event in match.events]
    assert script.events == [form for form in forms if form is not None]
    assert script.events != match.events


class Slow(Script):
    """Thinks for long at the first three steps."""

    async def ask(self, asked: Asked) -> int | None:
        """Answer after a while."""
        if len(self.asked) < 3:
            await asyncio.sleep(THINK_S)
        return await super().ask(asked)


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.parametrize("transport", ["stdio", "grpc"])
@pytest.mark.parametrize("level", offered())
def test_bots_wait_for_a_person_without_harm(level: Level, transport: str) -> None:
    """They are stopped meanwhile, for longer than any keep-alive lasts, and do not forfeit."""
    script = Slow(lambda _: 0)
    bot = replace(
        bot_spec_of(load_manifest(bot_folder("greedy", "courtisans"))), transport=transport
    )
    spec = MatchSpec("m", "courtisans", (bot, None, bot), "seed")
    with Host(sandbox=open_sandbox(level)) as host:
        record = host.play(spec, {1: Person("ada", script)})

    assert not any(outcome.forfeit for outcome in record.outcomes)
    assert max(decision.wall_us for decision in record.decisions) >= THINK_S * 1_000_000
