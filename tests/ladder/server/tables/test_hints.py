"""Hints at a table: for whom, when, and what happens if the bot fails or is slow."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from courtyard.v1 import referee_pb2

from ladder.server.tables.messages import Kind, TableError
from ladder.server.tables.table import Table
from referee.core.faults import BotFault, Fault, FaultKind
from referee.hosting.adviser import ADVICE_S
from referee.hosting.running_bot import BotSpec
from referee.match.match import Request
from referee.wire.envelope import choice_answer
from tests.ladder.server.tables.test_table import PEOPLE, Runner, look, order, settled
from tests.support.fake_time import run

BOT = BotSpec("oracle", Path(), ())
NEVER = 1e9
GAME = "courtisans"


class Advising(Runner):
    """Plays a match, and runs bots of the plain dialect that take the last option after a while."""

    def __init__(self, thinks_s: float = 0.0, fault: Fault | None = None) -> None:
        super().__init__()
        self.thinks_s = thinks_s
        self.fault = fault
        self.running = 0
        self.started = 0

    @asynccontextmanager
    async def beside(self, bot_spec: BotSpec, _: int) -> AsyncIterator[Any]:
        """Run one within the block."""
        assert bot_spec == BOT
        if self.fault is not None and self.fault.kind is FaultKind.FAILED_TO_START:
            raise BotFault(self.fault)
        self.running += 1
        self.started += 1
        try:
            yield SimpleNamespace(speaks_plain=True, ask=self.ask)
        finally:
            self.running -= 1

    async def ask(self, due: Request) -> Any:
        """Answer a request."""
        await asyncio.sleep(self.thinks_s)
        if self.fault is not None:
            return SimpleNamespace(reply=self.fault)
        number, options = asked_in(due)
        return SimpleNamespace(reply=choice_answer("a match", number, options - 1))


def asked_in(due: Request) -> tuple[int, int]:
    """The number of a request, and that of its options."""
    request = referee_pb2.RefereeMessage.FromString(due.payload).request
    return request.number, len(request.plain.options)


def table(runner: Any, seats: Any = PEOPLE, hints: BotSpec | None = BOT) -> Table:
    """A table with hints, whose opener has come."""
    laid = Table(replace(order(GAME, seats), hints=hints))
    laid.begin(runner, lambda: None)
    laid.join(laid.secret, "")
    return laid


async def begun(runner: Any, hints: BotSpec | None = BOT) -> tuple[Table, str, str]:
    """A table of two people; the secrets of the one who is asked and of the other."""
    laid = table(runner, hints=hints)
    ((_, invitation),) = (await look(laid, laid.secret))["invitations"]
    other = laid.join(invitation, "")
    if (await settled(laid, laid.secret))["asked"]:
        return laid, laid.secret, other
    return laid, other, laid.secret


def refused(laid: Table, secret: str) -> tuple[int, str]:
    """Why a hint is refused."""
    with pytest.raises(TableError) as refusal:
        laid.hint(secret)
    return refusal.value.status, str(refusal.value)


def test_only_the_person_who_is_asked_gets_a_hint() -> None:
    """No spectator, nobody at a table without hints, and nobody else sees that one was given."""

    async def main() -> None:
        runner = Advising(thinks_s=5.0)
        laid, key, other = await begun(runner)
        views = [await look(laid, secret) for secret in (other, "")]
        for forged, status in (("", 403), ("x", 403), (other, 409)):
            assert refused(laid, forged)[0] == status
        laid.hint(key)
        thinks = await settled(laid, key)
        assert thinks["asked"]["hint"] == {
            "bot": "oracle",
            "steps": None,
            "option": None,
            "why": "",
        }
        seen = thinks
        while not seen["asked"]["hint"]["steps"]:
            seen = await look(laid, key, seen["version"])
        hint = seen["asked"]["hint"]
        options = seen["asked"]["options"]
        assert hint["option"] == len(options) - 1
        assert hint["steps"][0] == options[-1][0]
        assert [await look(laid, secret) for secret in (other, "")] == views
        await laid.close()
        assert runner.running == 0

    run(main())


def test_a_table_has_no_hints_unless_they_were_switched_on() -> None:
    """All viewers see whether they are."""

    async def main() -> None:
        laid, key, other = await begun(Advising(), hints=None)
        assert refused(laid, key) == (HTTPStatus.CONFLICT, "This table has no hints.")
        assert [(await look(laid, one))["hints"] for one in (key, other, "")] == [""] * 3
        await laid.close()
        laid, key, other = await begun(Advising())
        assert [(await look(laid, one))["hints"] for one in (key, other, "")] == ["oracle"] * 3
        await laid.close()

    run(main())


def test_a_hint_lasts_for_its_decision_as_long_as_it_is_followed() -> None:
    """It is asked once a decision; the next decision has none yet, and the bot goes on."""

    async def main() -> None:
        runner = Advising()
        laid = table(runner, (Kind.PERSON, Kind.STAND_IN, Kind.STAND_IN))
        key, hinted = laid.secret, 0
        seen = await look(laid, key)
        while hinted < 3:
            asked = seen["asked"]
            if asked and not asked["taken"]:
                assert asked["hint"] is None
                laid.hint(key)
                laid.hint(key)
                seen = await settled(laid, key)
                hinted += 1
                asked = seen["asked"]
            if asked:
                assert asked["hint"]["option"] == len(asked["options"]) - 1
                laid.answer(key, asked["question"], len(asked["options"]) - 1)
            seen = await look(laid, key, seen["version"])
        assert runner.started == 1
        laid.answer(key, (await settled(laid, key))["asked"]["question"], 0)
        await laid.close()

    run(main())


def test_another_step_than_the_hint_leaves_its_words() -> None:
    """The option to take is none then; taken back, it is the hint's again."""

    async def main() -> None:
        laid, key, _ = await begun(Advising())
        laid.hint(key)
        before = (await settled(laid, key))["asked"]
        laid.answer(key, before["question"], 0)
        asked = (await settled(laid, key))["asked"]
        assert asked["hint"] == {**before["hint"], "option": None}
        laid.answer(key, asked["question"], None)
        assert (await settled(laid, key))["asked"]["hint"] == before["hint"]
        await laid.close()

    run(main())


STARTS_NOT = Fault(FaultKind.FAILED_TO_START, "no Hello came")
DIES = Fault(FaultKind.DISCONNECTED, "it ended its stream")


@pytest.mark.parametrize(
    ("runner", "why"),
    [
        (Advising(fault=STARTS_NOT), "no Hello came"),
        (Advising(fault=DIES), "it ended its stream"),
        (Advising(thinks_s=NEVER), f"it took more than {ADVICE_S:.0f} s"),
    ],
    ids=["it does not start", "it dies", "it is slow"],
)
def test_a_bot_without_a_hint_is_one_sentence(runner: Advising, why: str) -> None:
    """The match goes on meanwhile, and no process is left; the decision has no second try."""

    async def main() -> None:
        laid, key, _ = await begun(runner)
        laid.hint(key)
        seen = await settled(laid, key)
        while not (seen["asked"]["hint"]["why"]):
            seen = await look(laid, key, seen["version"])
        assert seen["asked"]["hint"]["why"] == f"oracle has no hint: {why}."
        assert runner.running == 0
        started = runner.started
        laid.hint(key)
        laid.answer(key, seen["asked"]["question"], 0)
        await settled(laid, key)
        assert runner.started == started
        await laid.close()

    run(main())


def test_an_answer_does_not_wait_for_a_hint() -> None:
    """A hint that comes after the decision is not shown; a table that ends asks no more."""

    async def main() -> None:
        runner = Advising(thinks_s=5.0)
        laid, key, other = await begun(runner)
        laid.hint(key)
        seen = await settled(laid, key)
        while seen["asked"]:
            laid.answer(key, seen["asked"]["question"], 0)
            seen = await settled(laid, key)
        before = (await look(laid, key))["version"]
        await asyncio.sleep(40.0)
        assert (await look(laid, key))["version"] == before
        for one in (key, other):
            laid.leave(one)
        await laid.over()
        assert runner.running == 0

    run(main())
