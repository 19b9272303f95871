"""SIGTERM and SIGHUP end a command of the referee as Ctrl-C does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("referee")
MANIFEST = """
name = "waits"
games = ["courtisans"]
command = ["python3", "bot.py"]
transport = "stdio"
"""
WAITS = """
with open({fifo!r}, "w") as fifo:
    fifo.write("I am there.\\n")
while True:
    pass
"""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("words", "number", "background"),
    [
        (["check"], signal.SIGTERM, True),
        (["check"], signal.SIGHUP, False),
        (["play", "--seats", "2"], signal.SIGHUP, True),
        (["play", "--seats", "2"], signal.SIGTERM, False),
    ],
)
def test_nothing_is_left(
    tmp_path: Path, words: list[str], number: signal.Signals, *, background: bool
) -> None:
    """The command says by what it was ended, with its exit status too, and leaves no folder.

    That holds in the background as well, where shells have Ctrl-C ignored.
    """
    bot, scratch, fifo = tmp_path / "waits", tmp_path / "scratch", tmp_path / "there"
    bot.mkdir()
    scratch.mkdir()
    os.mkfifo(fifo)
    (bot / "bot.toml").write_text(MANIFEST)
    (bot / "bot.py").write_text(WAITS.format(fifo=str(fifo)))
    ignored = "trap '' INT; " if background else ""
    process = subprocess.Popen(
        ["sh", "-c", f'{ignored}exec "$@"', "sh", COMMAND, *words, "--sandbox", "trusted", bot],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert fifo.read_text() == "I am there.\n"

    process.send_signal(number)
    _, err = process.communicate(timeout=240)

    assert (process.returncode, err.splitlines()[-1]) == (128 + number, f"ended by {number.name}")
    assert list(scratch.iterdir()) == []
