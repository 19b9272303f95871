"""The errors of the ladder.

CourtyardError (referee.core.errors)
└── LadderError            expected: the command prints it as one line and exits with 1
    ├── SettingsError      a ladder cannot be set up like this
    ├── NoLadderError      there is no ladder where one was looked for
    ├── UnknownBotError    no bot of this name
    ├── UnknownMatchError  no match, or more than one, with this id
    ├── BundleError        a bot's files cannot be stored
    ├── NotYoursError      a bot is another author's
    ├── QuotaError         an author's bots would take too much of the disk
    ├── TokenError         a token cannot be made, or there is none
    ├── DoorError          a ladder elsewhere refuses, or cannot be reached
    ├── LockedError        another process is at work on the ladder
    ├── StalledError       match after match was void
    ├── NobodyError        nobody is there who could play
    └── StoreError         the database is damaged, of another version, or cannot be reached
"""

from referee.core.errors import CourtyardError


class LadderError(CourtyardError):
    """The ladder cannot do this."""


class SettingsError(LadderError):
    """A ladder cannot be set up like this."""


class NoLadderError(LadderError):
    """There is no ladder here."""


class UnknownBotError(LadderError):
    """No bot of this name was ever submitted to the ladder."""


class UnknownMatchError(LadderError):
    """No match of the ladder has this id."""


class DealInPlayError(LadderError):
    """What is hidden in a match stays hidden while others are played with its deal."""


class BundleError(LadderError):
    """The bot's files cannot be stored."""


class NotOwnerError(LadderError):
    """The bot is another author's."""


class QuotaError(LadderError):
    """An author's bots would take more of the disk than they may."""


class TokenError(LadderError):
    """A token cannot be made, or there is none."""


class ApiError(LadderError):
    """The ladder elsewhere refuses, or cannot be reached."""

    def __init__(self, message: str, reason: str = "") -> None:
        """Carry the reason that the door gave for programs; empty if it gave none."""
        super().__init__(message)
        self.reason = reason


class LockedError(LadderError):
    """Another process is at work on the ladder."""


class StalledError(LadderError):
    """Match after match was void."""


class NoPlayersError(LadderError):
    """Nobody is there who could play."""


class StoreError(LadderError):
    """The ladder's database cannot be used."""
