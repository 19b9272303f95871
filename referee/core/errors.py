"""The errors of the referee, and the root of all Courtyard errors.

CourtyardError
├── RefereeError     the referee or its machine failed: the match is void, loudly
│   ├── AbsentError  a remote bot is not connected, or has no free match slot
│   ├── PausedError  the referee was paused while a bot was to act
│   └── NoMemoryError  the machine had no memory left for a bot
├── UsageError       invalid user input: a file, a flag, a name
└── BotFault         the bot broke a rule: it forfeits, and everything else goes on

`ladder.model.errors` adds LadderError below the same root. A command prints an expected error as
one line and exits with 1; only a bug shows a traceback.
"""


class CourtyardError(Exception):
    """Something went wrong."""

    def __str__(self) -> str:
        """Return the message; by default the first line of the class docstring."""
        return super().__str__() or (type(self).__doc__ or "").strip().splitlines()[0]


class RefereeError(CourtyardError):
    """The referee or its machine failed; the match is void."""


class AbsentError(RefereeError):
    """A remote bot cannot take its seat; the match is void, and no bot's fault."""


class PausedError(RefereeError):
    """The referee was paused, so it is unknown what a bot would have done; the match is void."""


class NoMemoryError(RefereeError):
    """The machine, or the container around it, had no memory left for a bot."""


class UsageError(CourtyardError):
    """The input cannot be used."""
