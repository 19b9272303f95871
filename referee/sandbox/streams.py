"""What connects a program with the referee: its stdin, stdout and stderr."""

import os
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pipes:
    """The referee's ends of a bot's stdin and stdout: non-blocking file descriptors.

    A connection takes the pipes over; their numbers stay with the process, which closes them.
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
    """From here comes what it prints: stderr, and stdout unless that carries messages."""
    pipes: Pipes | None
    """The referee's ends of stdin and stdout, if they carry messages."""

    @classmethod
    def open(cls, *, piped: bool, user: int | None) -> "Streams":
        """Open pipes; the program's ends belong to this user, who may open them by name."""
        output, printing = os.pipe()
        if piped:
            stdin, to_bot = os.pipe()
            from_bot, stdout = os.pipe()
            pipes = Pipes(to_bot, from_bot)
        else:
            stdin, stdout, pipes = os.open(os.devnull, os.O_RDONLY), printing, None
        streams = cls(stdin, stdout, printing, output, pipes)
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


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
