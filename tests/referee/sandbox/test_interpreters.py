"""Interpreters that the system has start in the sandbox as they do outside it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from referee.sandbox.program import Level
from tests.referee.sandbox.conftest import Printed, opened

LISTED = {
    "php": ("php", "-m"),
    "Rscript": ("Rscript", "-e", "cat(1)"),
    "perl": ("perl", "-e", "use POSIX; print 1"),
    "ruby": ("ruby", "-e", "require 'json'; print 1"),
    "tclsh": ("tclsh", "/dev/null"),
    "lua": ("lua", "-e", "print(1)"),
    "guile": ("guile", "-c", "(display 1)"),
    "node": ("node", "-e", "console.log(1)"),
    "awk": ("awk", "BEGIN { print 1 }"),
}
"""How to start each, so that it prints what it has loaded, or one number."""


@pytest.mark.parametrize("name", [name for name in LISTED if shutil.which(name)])
def test_an_interpreter_finds_what_it_reads(name: str, tmp_path: Path, printed: Printed) -> None:
    """A bot's interpreter says within the sandbox what it says outside it."""
    command = LISTED[name]
    script = f"import subprocess; subprocess.run({command!r}, stderr=subprocess.STDOUT)"
    outside = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert printed(opened(Level.STRICT), script, tmp_path).split() == outside.split()
