"""The errors of the ladder.

CourtyardError (referee.core.errors)
└── LadderError            expected: the command prints one line and exits with status 1
    ├── SettingsError      invalid settings of a ladder
    ├── NoLadderError      no ladder in this folder
    ├── UnknownBotError    no bot of this name
    ├── UnknownMatchError  no match, or more than one, with this id
    ├── BundleError        a bot's files cannot be stored
    ├── NotOwnerError      the bot belongs to another author
    ├── QuotaError         an author's bots would exceed the disk quota
    ├── SparError          these bots cannot spar
    │   ├── UnknownSparError   the author has no spar of this number
    │   └── SparBudgetError    the author has had the matches of a day
    ├── TokenError         a token cannot be made, or does not exist
    ├── ApiError           a remote ladder refuses, or cannot be reached
    ├── LockedError        another process is using the ladder
    ├── StalledError       too many matches in a row were void
    ├── NoPlayersError     no bot can play
    └── StoreError         the database is damaged, of another version, or unreachable
        └── UnreachableError   its server is gone or busy, and may come back
"""

from referee.core.errors import CourtyardError


class LadderError(CourtyardError):
    """The ladder cannot do this."""


class MissingPackageError(LadderError):
    """A command needs a package that is not installed."""

    def __init__(self, what: str, package: str | None, extra: str) -> None:
        """Name the package, and the extra of Courtyard that brings it."""
        name = str(package).partition(".")[0]
        super().__init__(
            f"{what} needs the package {name}: install Courtyard with its extra, "
            f"as in `pip install '.[{extra}]'` where its pyproject.toml is"
        )


class SettingsError(LadderError):
    """The settings of a ladder are invalid."""


class NoLadderError(LadderError):
    """There is no ladder in this folder."""


class UnknownBotError(LadderError):
    """The ladder has no bot of this name."""


class UnknownMatchError(LadderError):
    """The ladder has no match with this id, or several."""


class DealInPlayError(LadderError):
    """A match's hidden information is embargoed while others are played with its deal."""


class BundleError(LadderError):
    """The bot's files cannot be stored."""


class NotOwnerError(LadderError):
    """The bot belongs to another author."""


class QuotaError(LadderError):
    """An author's bots would exceed the disk quota."""


class SparError(LadderError):
    """These bots cannot spar."""


class UnknownSparError(SparError):
    """The author has no spar of this number."""


class SparBudgetError(SparError):
    """The author has asked for as many unrated matches today as the ladder's owner allows."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        """Tell why, and when to ask again."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class TokenError(LadderError):
    """A token cannot be made, or does not exist."""


class ApiError(LadderError):
    """A remote ladder refuses the request, or cannot be reached."""

    def __init__(self, message: str, reason: str = "") -> None:
        """Keep the API's machine-readable reason; empty if it gave none."""
        super().__init__(message)
        self.reason = reason


class LockedError(LadderError):
    """Another process is using the ladder."""


class StalledError(LadderError):
    """Too many matches in a row were void."""


class NoPlayersError(LadderError):
    """No bot can play."""


class StoreError(LadderError):
    """The ladder's database cannot be used."""


class UnreachableError(StoreError):
    """The server of the ladder's database is gone or busy; it may come back."""
