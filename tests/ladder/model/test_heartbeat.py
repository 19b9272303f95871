"""How long a process was paused, as its parent sees it."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from ladder.model.heartbeat import Heartbeat
from referee.sandbox.kernel import kernel
from tests.support.waiting import until

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

STOP_S = 2.0


def work(heartbeat: Heartbeat, link: "Connection[str, str]") -> None:
    """Beat, and compute when asked."""
    heartbeat.begin()
    link.send("begun")
    while link.recv() == "compute":
        over = time.process_time() + STOP_S
        while time.process_time() < over:
            sorted(range(1_000_000))  # holds the interpreter lock
        link.send("computed")


@contextmanager
def process() -> Iterator[tuple[Heartbeat, int, Callable[[str], str]]]:
    """Start a process; yield its heartbeat, its id, and a function to ask it something."""
    heartbeat, context = Heartbeat(), get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=work, args=(heartbeat, theirs))
    child.start()
    assert ours.recv() == "begun"

    def ask(what: str) -> str:
        ours.send(what)
        return str(ours.recv())

    yield heartbeat, child.pid or 0, ask
    ours.send("end")
    child.join()


def without_core_s(began: float) -> float:
    """Return how long a computation has got no core since then, where that looks like a pause."""
    return 0.0 if kernel.MEASURES_WAITS else time.monotonic() - began - STOP_S


@pytest.mark.costly
def test_a_stop_is_counted_while_it_lasts_and_afterwards() -> None:
    """A pause counts once: the total during the pause is the total after it."""
    with process() as (heartbeat, pid, ask):
        before = heartbeat.paused_s
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        until(lambda: heartbeat.paused_s >= before + STOP_S)
        os.kill(pid, signal.SIGCONT)
        lasted = time.monotonic() - began
        resumed = time.monotonic()
        ask("compute")  # it beats again by then

        most = before + lasted + 1.0 + without_core_s(resumed)
        assert before + STOP_S / 2 <= heartbeat.paused_s <= most


@pytest.mark.costly
def test_what_a_process_computes_is_no_pause() -> None:
    """A long computation does not count as a pause."""
    with process() as (heartbeat, _, ask):
        before, began = heartbeat.paused_s, time.monotonic()
        assert ask("compute") == "computed"
        until(lambda: time.monotonic() - heartbeat._memory[0] <= 0.4)

        assert heartbeat.paused_s - before < STOP_S / 2 + without_core_s(began)
