"""A program's connection with the referee: stdin, stdout and stderr."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_NOTHING = Path(os.devnull)


@dataclass(frozen=True, slots=True)
class Pipes:
    """The referee's ends of a bot's stdin and stdout: non-blocking file descriptors.

    A connection takes over the pipes; the process keeps their numbers, and closes them.
    """

    to_bot: int
    from_bot: int


@dataclass(frozen=True, slots=True)
class Streams:
    """Both ends, as file descriptors."""

    stdin: int
    stdout: int
    stderr: int
    """The program's."""
    output: int
    """Delivers its output: stderr, and stdout unless that carries messages."""
    pipes: Pipes | None
    """The referee's ends of stdin and stdout, if they carry messages."""
    names: tuple[Path, ...] = ()
    """Paths of the program's ends, in the order of their numbers, if they have names."""

    @classmethod
    def open(cls, *, piped: bool, user: int | None, folder: Path | None = None) -> "Streams":
        """Open pipes, with names in this folder if there is one.

        This user owns the program's ends, and may open them by name.
        """
        named = [None if folder is None else folder / str(number) for number in range(3)]
        output, printing = _pipe(named[2])
        if piped:
            stdin, to_bot = _pipe(named[0])
            from_bot, stdout = _pipe(named[1])
            pipes = Pipes(to_bot, from_bot)
        else:
            stdin, stdout, pipes = os.open(os.devnull, os.O_RDONLY), printing, None
            named[:2] = _NOTHING, named[2]
        names = () if folder is None else tuple(filter(None, named))
        streams = cls(stdin, stdout, printing, output, pipes, names)
        for descriptor in streams.of_the_referee():
            os.set_blocking(descriptor, False)
        if user is not None:
            for descriptor in {stdout, printing, *((stdin,) if piped else ())}:
                os.fchown(descriptor, user, user)
        return streams

    def of_the_referee(self) -> tuple[int, ...]:
        """Return the referee's ends."""
        if self.pipes is None:
            return (self.output,)
        return (self.output, self.pipes.to_bot, self.pipes.from_bot)

    def handed_over(self) -> None:
        """Close the program's ends: it has them now."""
        _close({self.stdin, self.stdout, self.stderr})

    def close(self) -> None:
        """Close the referee's ends."""
        _close(self.of_the_referee())


def _pipe(name: Path | None) -> tuple[int, int]:
    """Return the read and write ends of a pipe, named if there is a name."""
    if name is None:
        return os.pipe()
    os.mkfifo(name, 0o600)
    # Opening one end blocks until the other is open, unless non-blocking.
    reading = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open(name, os.O_WRONLY)
    os.set_blocking(reading, True)
    return reading, writing


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
