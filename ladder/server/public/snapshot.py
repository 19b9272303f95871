"""The public state of a ladder at one moment.

A `Snapshot` holds nothing that may not be public: no seed, no secret, no path, and of how a match
went nothing that `ladder.results.visibility` keeps from the public.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ladder.model.incidents import Incident
from ladder.model.matches import MatchLine
from ladder.model.ratings import Strength, Tally
from ladder.model.rules import RulesPlayed
from ladder.model.settings import Aim, RatedBy
from ladder.scheduling.duel import summary as duel_summary
from ladder.scheduling.tournament.meeting_results import Blocks
from ladder.scheduling.tournament.summary import TournamentSummary
from ladder.server.public.curves import Curve, Look
from ladder.server.public.matches import PublicMatches
from referee.core.clock import ClockConfig


@dataclass(frozen=True, slots=True)
class About:
    """A bot's language and description."""

    language: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Prospect:
    """How surely a ladder has answered the question that its aim asks."""

    aim: Aim
    top: int
    """How many bots count as the top, if the aim is to find these."""
    chance: float
    """The probability that the current answer is right."""
    wanted: float
    """The probability from which the question is settled."""
    provisional: int
    """How many bots have too few matches for that to be trusted."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A tournament and its standings."""

    shown: TournamentSummary
    playing: Blocks
    """The blocks of the round in play; none between rounds."""
    incidents: Sequence[Incident] = ()
    """Events out of the ordinary in its matches, the newest first."""

    @property
    def kind(self) -> str:
        """Its name in addresses."""
        return self.shown.plan.kind


@dataclass(frozen=True, slots=True)
class Duel:
    """A duel and its score, up to the first open pair."""

    shown: duel_summary.DuelSummary
    kind: str = "duel"
    """Its name in addresses."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The public state of a ladder at one moment."""

    ladder_id: str
    game: str
    game_title: str
    """The game's name as people read it."""
    title: str
    """The ladder's name as people read it."""
    seats: int
    clock: ClockConfig
    rated_by: RatedBy
    tallies: Sequence[Tally]
    """Of every version that may play or has played, in the order of submission; of the matches
    those in `finished` that count."""
    rules: RulesPlayed
    """Which versions of the rules count."""
    strengths: Mapping[int, Strength]
    """The rating of record by version id; some versions have none."""
    about: Mapping[int, About]
    """By version id."""
    authors: Mapping[str, str]
    """By bot; those of the ladder's owner have none."""
    past: Look | None
    """The rating as it was a fifth of the rounds ago or more; None if there was none."""
    curves: Mapping[int, Curve]
    """By version id; a version without a match has none."""
    finished: PublicMatches
    """The matches with a public result, in the order in which they were scheduled."""
    fresh: Sequence[MatchLine]
    """Those of them that were not public in the snapshot before; none in the first one."""
    waiting: Sequence[MatchLine]
    """The planned and running matches, in the same order."""
    embargoed: int
    """How many matches are done but not public yet."""
    in_play: Collection[str]
    """The deals that have still to be played, as `ladder.results.visibility` asks for them."""
    void: int
    """How many matches were given up."""
    round: int
    """The last round begun; 0 if none."""
    round_size: int
    """How many matches it has."""
    updated_at: str | None
    """When the last public match was finished: UTC, ISO 8601."""
    prospect: Prospect
    may_meet: bool
    """Whether any bot has an opponent while all remote bots are connected."""
    may_meet_here: bool
    """Whether any has while none is."""
    contest: Contest | Duel | None = None
    """The tournament or duel that the ladder is played for; None for a standing ladder."""

    @property
    def slug(self) -> str:
        """The ladder's name in addresses: its game, seats and kind of contest."""
        game = re.sub(r"[^a-z0-9_]+", "-", self.game.lower()).strip("-")
        name = f"{game}-{self.seats}"
        return f"{name}-{self.contest.kind}" if self.contest else name
