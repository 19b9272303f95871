"""What all tests share."""

import atexit
import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.support import temporary
from tests.support.lacking import (
    pytest_pycollect_makemodule,
    pytest_sessionfinish,
    pytest_terminal_summary,
)
from tests.support.sampling import SAMPLE

__all__ = ["pytest_pycollect_makemodule", "pytest_sessionfinish", "pytest_terminal_summary"]

# A busy machine is slow, not wrong: no example fails for the time that it takes.
settings.register_profile(
    "courtyard",
    max_examples=100 // min(SAMPLE, 4),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("courtyard")

# Hundreds of processes would compile the same modules, where the environment says to keep nothing.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What is imported and collected here stays. Looking through it again and again for garbage took a
# third of the collection's time, and a sixth of the tests'.
gc.disable()

# A shell's background jobs ignore Ctrl-C, those of nohup SIGHUP, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# As it ends, Python obeys the filters that the last warning met. Were these pytest's, it would tell
# of each process that is meant to survive this one.
atexit.register(warnings.warn, "the tests are over", ResourceWarning)

_moved = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Find a place for temporary files."""
    config.stash[_moved] = temporary.settle()


def pytest_report_header(config: pytest.Config) -> str:
    """Say so where temporary files are not in the usual folder."""
    return config.stash[_moved]


def pytest_collection_finish() -> None:
    """Look for garbage from here on, seldom, and in what tests make only."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


_SAMPLED = ("proof", "sweep", "server", "costly")
"""One in SAMPLE is kept of a file's, a folder's costly tests or a sweep, at least one."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sample proofs and sweeps; begin with what takes long, so that no worker waits at the end."""
    if SAMPLE > 1:
        left_out = {
            item
            for marker in _SAMPLED
            for own in _families(items, marker)
            for item in {*own} - {*_spread(own)}
        }
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]
    items.sort(key=lambda item: not any(map(item.get_closest_marker, ("long", "costly"))))


def _families(items: list[pytest.Item], marker: str) -> list[list[pytest.Item]]:
    """Return the marked tests among these: a sweep's each test's, costly ones a folder's.

    All others are a file's.
    """
    end = "[" if marker == "sweep" else "::"
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker(marker):
            family = item.nodeid.partition(end)[0]
            if marker == "costly":
                family = family.rpartition("/")[0]
            found.setdefault(family, []).append(item)
    return [*found.values()]


def _spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return one in SAMPLE of these, at least one, from first to last."""
    number = max(1, len(items) // SAMPLE)
    last, steps = len(items) - 1, max(1, number - 1)
    return [items[i * last // steps] for i in range(number)]


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests' state out of the home of the user who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def proof_cases() -> Callable[[int], int]:
    """Return how many of its cases a proof tries: all, or one in n with `make proof SAMPLE=n`."""
    return lambda cases: max(1, cases // SAMPLE)
