"""Why a script does not start is said in the author's words, at every level."""

from pathlib import Path

import pytest

from referee.core.faults import FaultKind
from referee.hosting.build import build
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.sandbox.levels import STRONGEST_FIRST, open_sandbox
from referee.sandbox.program import Level
from tests.support.lacking import need_level

CRLF = "has Windows line endings (CRLF)"
MARK = "begins with a byte order mark, which hides its #!"
MISSING = "asks for the interpreter '/no/such/program', which may be missing"
SCRIPTS = {
    "crlf": (b"#!/bin/sh\r\nexit 0\r\n", CRLF),
    "crlf of env": (b"#!/usr/bin/env python3\r\nprint()\r\n", CRLF),
    "byte order mark": (b"\xef\xbb\xbf#!/bin/sh\nexit 1\n", MARK),
    "no interpreter": (b"#!/no/such/program\n", MISSING),
}


def script(folder: Path, content: bytes, mode: int = 0o755) -> Path:
    """Write a script, and return its folder."""
    (folder / "run.sh").write_bytes(content)
    (folder / "run.sh").chmod(mode)
    return folder


def reason(host: Host, folder: Path, *command: str) -> str:
    """Return why a bot with this command did not start."""
    bot = BotSpec("eve", folder, command, transport="stdio-json")
    record = host.play(MatchSpec("m", "courtisans", (bot, None), "a deal"))
    (fault,) = [each.fault for each in record.decisions if each.HasField("fault")]
    assert FaultKind(fault.kind) is FaultKind.FAILED_TO_START
    return str(fault.reason)


@pytest.mark.parametrize("level", STRONGEST_FIRST)
@pytest.mark.parametrize(("content", "told"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_first_line_that_the_system_cannot_use(
    tmp_path: Path, level: Level, content: bytes, told: str
) -> None:
    """The verdict says what is wrong with a script's first line, and names the script."""
    need_level(level)
    with Host(sandbox=open_sandbox(level)) as host:
        said = reason(host, script(tmp_path, content), "./run.sh")

    assert f"./run.sh {told}" in said or f"the first line of ./run.sh {told}" in said


def test_a_script_that_is_not_executable(tmp_path: Path, host: Host) -> None:
    """Files from Windows or a zip lose their permission: the verdict says how to give it back."""
    said = reason(host, script(tmp_path, b"#!/bin/sh\n", 0o644), "./run.sh")

    assert "./run.sh is not executable: run `chmod +x ./run.sh`" in said


def test_a_script_without_a_first_line(tmp_path: Path, host: Host) -> None:
    """A text without #! is told from a program."""
    assert "its first line has no #!" in reason(host, script(tmp_path, b"print(7)\n"), "./run.sh")


def test_a_script_that_a_shell_reads(tmp_path: Path, host: Host) -> None:
    """The line endings of a shell's script count without #!, too."""
    said = reason(host, script(tmp_path, b"exec python3 bot.py\r\n"), "bash", "run.sh")

    assert f"run.sh {CRLF}" in said


def test_a_script_that_runs_is_not_blamed(tmp_path: Path, host: Host) -> None:
    """A command that fails within a script is not taken for its interpreter."""
    said = reason(host, script(tmp_path, b"#!/bin/sh\nno-such-command\n"), "./run.sh")

    assert "run.sh" not in said


def test_a_script_elsewhere_is_not_read(tmp_path: Path, host: Host) -> None:
    """A file outside the bot's folder is not looked at."""
    folder = tmp_path / "bot"
    folder.mkdir()
    script(tmp_path, b"#!/bin/sh\r\n")

    assert "CRLF" not in reason(host, folder, "../run.sh")


@pytest.mark.parametrize(("content", "told"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_step_of_a_build(tmp_path: Path, content: bytes, told: str) -> None:
    """A build's script is explained as a bot's is."""
    folder = script(tmp_path, content)
    sandbox = open_sandbox(Level.TRUSTED)

    built = build([["./run.sh"]], folder, sandbox, network=False, on_command=lambda _: None)

    assert told in built.failure
