"""Skips tests that need what this machine lacks, and reports at the end of a run.

Each reason names what is missing and the command that installs it, once, with its number of skipped
tests. Where COURTYARD_MAY_SKIP is set, as in CI, a run that skips anything else fails; it holds
beginnings of reasons, separated by vertical bars.
"""

import importlib.util
import os
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import pytest

from ladder.model.cores import cores
from referee.sandbox import portable_kernel
from referee.sandbox.kernel import IS_LINUX
from referee.sandbox.levels import STRONGEST_FIRST, offered, survey
from referee.sandbox.program import Level

_ON_LINUX = "run this on Linux"
_VARIABLE = "COURTYARD_MAY_SKIP"


def skip(missing: str, command: str) -> NoReturn:
    """Skip this test for something missing; the command installs it."""
    pytest.skip(f"{missing}: {command}")


def need_program(name: str, command: str) -> str:
    """Return a program's path; skip this test if it is not installed."""
    return shutil.which(name) or skip(f"{name} is not installed", command)


def need_chromium() -> str:
    """Return the browser's path, under any name; skip this test without one."""
    found = map(shutil.which, ("chromium-browser", "google-chrome"))
    return next(filter(None, found), "") or need_program("chromium", "apt-get install chromium")


def need_cores(number: int) -> None:
    """Skip this test on a machine with fewer cores."""
    if cores() < number:
        skip(f"fewer than {number} cores", "run this on a machine that has them")


def need_level(level: Level) -> None:
    """Skip this test where this level is not available."""
    if level not in offered():
        checks = survey()
        of_level = checks if level is STRONGEST_FIRST[0] else checks[: max(1, len(checks) - 1)]
        wrong = next(check for check in of_level if not check.ok)
        skip(f"no sandbox at the level {level}, as {wrong.lacking}", wrong.advice)


def need_linux() -> None:
    """Skip this test where Linux's calls or its /proc are missing."""
    if not IS_LINUX:
        skip("no Linux with /proc", _ON_LINUX)


def need_proc() -> None:
    """Skip this test, which looks into processes itself, where there is no /proc."""
    if not Path("/proc/self/stat").exists():
        skip("no /proc to look at processes in", _ON_LINUX)


def need_watching() -> None:
    """Skip this test where the referee knows a bot's process group, but not its processes."""
    if not (IS_LINUX or portable_kernel.watches()):
        skip("psutil does not work here, so bots are not watched", _ON_LINUX)


def need_open_spiel() -> None:
    """Skip this test without OpenSpiel, which `make setup` does not install."""
    need_module("pyspiel", "make openspiel")


def need_module(name: str, remedy: str) -> None:
    """Skip this test without a module that `make setup` does not install."""
    if importlib.util.find_spec(name) is None:
        skip(f"{name} is not installed", remedy)


def need_dask() -> None:
    """Skip this test where Dask, which a cluster is made of, cannot be imported."""
    if not _has_dask():
        skip("psutil does not work here, and so no cluster", _ON_LINUX)


def _has_dask() -> bool:
    return IS_LINUX or portable_kernel.watches()


class _Module(pytest.Module):
    """A module of tests, which may need what can be imported only elsewhere."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the tests; skip the module if it cannot be imported without Dask."""
        try:
            return super().collect()
        except self.CollectError:
            need_dask()
            raise


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Have modules skipped that import Dask, where it cannot be."""
    return None if _has_dask() else _Module.from_parent(parent, path=module_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report each reason for skips, and whether it may be."""
    reasons = _reasons(terminalreporter)
    if reasons:
        terminalreporter.section("skipped")
    for reason, count in reasons.most_common():
        terminalreporter.line(f"{count} skipped: {reason}")
    for reason in _unexpected(reasons):
        terminalreporter.line(f"Not to be skipped here ({_VARIABLE}): {reason}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that skipped what it may not skip."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.exitstatus == 0 and _unexpected(_reasons(reporter)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _reasons(reporter: pytest.TerminalReporter) -> Counter[str]:
    """Return how many tests were skipped, by reason."""
    reports = reporter.stats.get("skipped", [])
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)


def _unexpected(reasons: Counter[str]) -> list[str]:
    """Return the reasons that may not skip."""
    if _VARIABLE not in os.environ:
        return []
    allowed = tuple(filter(None, os.environ[_VARIABLE].split("|")))
    return [reason for reason in reasons if not reason.startswith(allowed)]
