"""How commands end that cannot do what they were asked to: without a traceback."""

import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from referee.cli.terminal import EndSignals
from tests.support.lacking import skip

INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "{command}.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from {command}.__main__ import main
main()
"""


@pytest.mark.parametrize("command", ["ladder", "referee"])
def test_ctrl_c_while_a_command_is_imported(command: str) -> None:
    """Ctrl-C before a command has begun ends it without a word, as the system does it."""
    code = INTERRUPTED_IMPORT.format(command=command)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, b"")


def test_a_hangup_while_asyncio_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the command as at any other time, though half a module cannot be asked for a loop."""
    monkeypatch.setitem(sys.modules, "asyncio", ModuleType("asyncio"))

    with EndSignals() as ending, pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)

    assert ending.received == signal.SIGTERM


@pytest.mark.costly
def test_output_that_cannot_be_written() -> None:
    """A command whose output goes to a full disk says so in one line and fails."""
    if not Path("/dev/full").exists():
        skip("there is no /dev/full", "mknod -m 666 /dev/full c 1 7")
    words = [sys.executable, "-m", "referee", "survey", "--games", "1", "--seats", "2"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("error: ")
    assert "No space left" in ended.stderr
    assert "Traceback" not in ended.stderr
