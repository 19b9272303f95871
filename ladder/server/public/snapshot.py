"""What the pages show: one state of one ladder, as far as it is public.

A `Snapshot` holds nothing that may not be public: no seed, no secret and no path, and of a match
that is played nothing before its deal is retired. A deal is retired when no match with it has still
to be played: until then the results of its block would help those who play it on other seats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.model.matches import MatchLine
from ladder.model.ratings import Strength, Tally
from ladder.model.settings import Aim, RatedBy
from ladder.scheduling.duel import summary as duel_summary
from ladder.scheduling.tournament.meeting_results import Blocks
from ladder.scheduling.tournament.summary import TournamentSummary
from ladder.server.public.curves import Curve
from referee.core.clock import ClockConfig


@dataclass(frozen=True, slots=True)
class About:
    """What a bot says of itself."""

    language: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Prospect:
    """How far the question is answered that a ladder's matches are to answer."""

    aim: Aim
    top: int
    """How many are the best, where the aim is to know who these are."""
    chance: float
    """The probability that the answer by now is right."""
    wanted: float
    """With this probability it is settled."""
    provisional: int
    """Of how many bots too little is known to trust that."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A tournament and how it stands."""

    shown: TournamentSummary
    playing: Blocks
    """The blocks of the ladder's round that is being played; none between rounds."""

    @property
    def kind(self) -> str:
        """What it is called in addresses."""
        return self.shown.plan.kind


@dataclass(frozen=True, slots=True)
class Duel:
    """A duel and how it stands, by the pairs before which none has still to be played."""

    shown: duel_summary.DuelSummary
    kind: str = "duel"
    """What it is called in addresses."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a ladder, as far as it is public."""

    ladder_id: str
    game: str
    game_title: str
    """Its name for people."""
    title: str
    """What people call the ladder."""
    seats: int
    clock: ClockConfig
    rated_by: RatedBy
    tallies: Sequence[Tally]
    """Of every version that may play or has played, in the order of submission; of the matches
    those in `finished`."""
    strengths: Mapping[int, Strength]
    """What the rating of record says, by version id; of some versions it says nothing."""
    about: Mapping[int, About]
    """By version id."""
    curves: Mapping[int, Curve]
    """By version id; a version without a match has none."""
    finished: Sequence[MatchLine]
    """Those that are done and public, in the order in which they were scheduled."""
    waiting: Sequence[MatchLine]
    """Planned or being played, in the same order."""
    kept: int
    """How many are done, but not public as others of their deal are waiting."""
    void: int
    """How many matches were given up."""
    sizes: Mapping[int, int]
    """How many matches each round has."""
    prospect: Prospect
    contest: Contest | Duel | None = None
    """The tournament or duel that the ladder is played for, if it is."""

    @property
    def slug(self) -> str:
        """What the ladder is called in addresses: its game, seats and kind of contest."""
        name = f"{self.game}-{self.seats}"
        return f"{name}-{self.contest.kind}" if self.contest else name

    @property
    def updated_at(self) -> str | None:
        """When the last match was finished: UTC, ISO 8601."""
        return max((line.finished_at for line in self.finished if line.finished_at), default=None)
