"""Skips tests that need what this machine lacks, and reports at the end of a run.

Each reason names what is missing and the command that installs it, once, with its number of skipped
tests. Where COURTYARD_MAY_SKIP is set, as in CI, a run that skips anything else fails; it holds
beginnings of reasons, separated by vertical bars.
"""

import os
import shutil
from collections import Counter
from typing import NoReturn

import pytest

from ladder.model.cores import cores
from referee.sandbox.levels import STRONGEST_FIRST, offered, survey
from referee.sandbox.program import Level

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
        checks = survey() if level is STRONGEST_FIRST[0] else survey()[:-1]
        wrong = next(check for check in checks if not check.ok)
        skip(f"no sandbox at the level {level}, as {wrong.lacking}", wrong.advice)


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
