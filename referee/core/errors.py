"""The errors of the referee, and the root of all of Courtyard's.

CourtyardError
├── RefereeError     ours or the machine's: the match is void, and said aloud
│   ├── AbsentError  a remote bot is not there, or plays as much as it can
│   └── PausedError  the referee did not run while a bot was to do something
├── UsageError       what a user gave cannot be used: a file, a flag, a name
└── BotFault         the peer's: it forfeits, is recorded, and stops nothing

`ladder.model.errors` adds LadderError below the same root. A command prints an expected error as
one line and exits with 1; only a bug shows a traceback.
"""


class CourtyardError(Exception):
    """Something went wrong."""

    def __str__(self) -> str:
        """Return the message, by default the first line of the docstring."""
        return super().__str__() or (type(self).__doc__ or "").strip().splitlines()[0]


class RefereeError(CourtyardError):
    """The referee or its machine failed; the match is void."""


class AbsentError(RefereeError):
    """A remote bot cannot take its seat; the match is void, and nobody's fault."""


class PausedError(RefereeError):
    """The referee was paused, so nobody can tell what a bot would have done; the match is void."""


class UsageError(CourtyardError):
    """What was given cannot be used."""
