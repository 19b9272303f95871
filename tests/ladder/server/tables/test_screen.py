"""A person's question on a page: who may answer it, how often, and for how long."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ladder.server.tables.messages import TableError
from ladder.server.tables.screen import DECISION_S, MOST_MISSED, PageScreen
from referee.games.choice import Choice, Option, first_choice
from referee.hosting.person import Asked, LeftError
from tests.support.fake_time import run


def step(number: int, *, again: bool = False) -> Asked:
    """A step of a decision between three options."""
    answers = {part: Option(f"option {part}") for part in range(3)}
    choice = first_choice("Which?", answers, lambda action: action, lambda part: part)
    assert isinstance(choice, Choice)
    return Asked(b"", [], None, choice, number, begins=not number and not again)


async def ask(screen: PageScreen, number: int, *options: int | None) -> int | None:
    """Ask a step, and answer the question that comes, if any options are given."""
    asking = asyncio.create_task(screen.ask(step(number)))
    await asyncio.sleep(0)
    for option in options:
        assert screen.question is not None
        screen.answer(screen.question.number, option)
    return await asking


def on_a_screen(
    act: Callable[[PageScreen], Coroutine[Any, Any, None]],
) -> list[float]:
    """Act on a screen; return when it changed."""
    changes: list[float] = []

    async def main() -> None:
        await act(PageScreen(lambda: changes.append(asyncio.get_running_loop().time())))

    run(main())
    return changes


def test_an_answer_goes_to_its_question_alone() -> None:
    """Late, early, doubled and impossible answers are refused, and the question stays."""

    async def act(screen: PageScreen) -> None:
        assert await ask(screen, 0, 2) == 2
        with pytest.raises(TableError):
            screen.answer(1, 2)  # late: nothing is asked
        asking = asyncio.create_task(screen.ask(step(0)))
        await asyncio.sleep(0)
        for number, option in ((1, 0), (3, 0), (2, 3), (2, -1), (2, None)):
            with pytest.raises(TableError):
                screen.answer(number, option)
        screen.answer(2, 1)
        with pytest.raises(TableError):
            screen.answer(2, 0)  # doubled
        assert await asking == 1

    on_a_screen(act)


def test_a_step_can_be_taken_back_but_the_first() -> None:
    """From the second step on; the clock of the decision runs on."""

    async def act(screen: PageScreen) -> None:
        loop = asyncio.get_running_loop()
        assert await ask(screen, 0, 1) == 1
        await asyncio.sleep(100)
        assert await ask(screen, 1, None) is None
        asking = asyncio.create_task(screen.ask(step(0, again=True)))
        await asyncio.sleep(0)
        assert screen.left_s == DECISION_S - 100
        assert await asking in range(3)
        assert loop.time() == DECISION_S

    on_a_screen(act)


def test_a_decision_is_completed_at_random_once_its_time_is_up() -> None:
    """The person is warned a minute before; the next decision has its own time."""

    async def act(screen: PageScreen) -> None:
        assert await ask(screen, 0) in range(3)
        assert screen.was_late
        assert await screen.ask(step(1)) in range(3)  # without a question
        assert asyncio.get_running_loop().time() == DECISION_S
        assert await ask(screen, 0, 1) == 1
        assert not screen.was_late

    assert on_a_screen(act)[:3] == [0, DECISION_S - 60, DECISION_S]


def test_a_person_who_misses_three_decisions_in_a_row_is_gone() -> None:
    """An answer in between counts."""

    async def act(screen: PageScreen) -> None:
        for _ in range(MOST_MISSED - 1):
            await ask(screen, 0)
        await ask(screen, 0, 1)
        for _ in range(MOST_MISSED - 1):
            await ask(screen, 0)
        with pytest.raises(LeftError):
            await ask(screen, 0)

    on_a_screen(act)
