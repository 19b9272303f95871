"""Explain why a script cannot be started: the system blames the file, and means its first line."""

from collections.abc import Sequence
from pathlib import Path

from referee.core.text_files import UTF_8_MARK

_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
_LONGEST_LINE = 256
"""The kernel reads no more of it."""
_NOT_RUN = "prlimit: failed to execute"
"""A sandbox's output in place of a program that the system does not start."""


def explained(reason: str, directory: Path, command: Sequence[str], printed: str = _NOT_RUN) -> str:
    """Return why a command failed, with what is wrong with the script that it names, if anything.

    `printed` is its output, if it was started at all.
    """
    trouble = _trouble(directory, command, started=not printed.startswith(_NOT_RUN))
    return f"{reason}; {trouble}" if trouble else reason


def _trouble(directory: Path, command: Sequence[str], *, started: bool) -> str:
    name, for_shell = command[0], Path(command[0]).name in _SHELLS and len(command) > 1
    if for_shell:
        name = command[1]
    elif "/" not in name:
        return ""
    try:
        file = (directory / name).resolve()
        if not file.is_relative_to(directory.resolve()):
            return ""
        with file.open("rb") as opened:
            line = opened.read(_LONGEST_LINE).split(b"\n")[0]
        return _of_line(name, line, for_shell=for_shell) or (
            "" if started else _of_start(file, name, line)
        )
    except (OSError, ValueError):
        return ""


def _of_line(name: str, line: bytes, *, for_shell: bool) -> str:
    """Return what Windows did to a script's first line; empty if nothing."""
    if line.startswith(UTF_8_MARK + b"#!"):
        return f"{name} begins with a byte order mark, which hides its #!: save it without one"
    if line.endswith(b"\r") and (for_shell or line.startswith(b"#!")):
        return (
            f"{name} has Windows line endings (CRLF), and the carriage return counts as part of "
            "what its first line names: save it with Unix line endings (LF)"
        )
    return ""


def _of_start(file: Path, name: str, line: bytes) -> str:
    """Return what may be wrong with a file that was not started; empty if nothing is known."""
    if not file.stat().st_mode & 0o100:
        return f"{name} is not executable: run `chmod +x {name}`"
    if line.startswith(b"#!"):
        interpreter = line[2:].decode(errors="backslashreplace").strip()
        wants = f"the first line of {name} asks for the interpreter {interpreter!r}"
        return f"{wants}, which may be missing"
    if not line.startswith(b"\x7fELF"):
        return f"{name} is neither a program of this machine nor a script: its first line has no #!"
    return ""
