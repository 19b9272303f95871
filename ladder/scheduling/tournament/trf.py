"""Exports a Swiss tournament at tables of two as a FIDE Tournament Report File, TRF16.

A meeting has several games, as each deal is played on both seats. So each match is a round of the
file: first all first matches of a round of the tournament, then all second ones. The player on the
first seat is white. Points in the file are those of the tournament times the matches of a meeting.
Byes are half points, and rounds without the player zero.

The columns are those of FIDE Handbook C.04, Annex 2; fields without meaning for bots are empty.
Each line ends with a carriage return and a line feed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.model.errors import SettingsError
from ladder.model.matches import MatchLine, MatchState
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Meeting, MeetingResult
from ladder.scheduling.tournament.planner import Kind
from ladder.scheduling.tournament.summary import TournamentSummary

_LONGEST_NAME = 33
_MOST_POINTS = 99.5
_HALF_BYE = ("0000", "-", "H")
_NO_PART = ("0000", "-", "Z")
_WORTH = {"1": 1.0, "+": 1.0, "=": 0.5, "H": 0.5, "0": 0.0, "-": 0.0, "Z": 0.0}

_Game = tuple[str, str, str]
"""The opponent's number, the colour and the result, as written in the file."""


def to_trf(summary: TournamentSummary, title: str) -> str:
    """Return the file; raise `SettingsError` unless it is a Swiss tournament at tables of two."""
    if summary.plan.kind is not Kind.SWISS or summary.seats != 2:  # noqa: PLR2004 - white and black
        raise SettingsError(
            "--trf is only for Swiss tournaments at tables of two, as TRF has no others"
        )
    entrants = summary.progress.field.entrants
    report = _Report(summary)
    lines = [
        f"012 {_ascii(title)}",
        "022",
        "032",
        "042",
        "052",
        f"062 {len(entrants)}",
        "072 0",
        "082 0",
        "092 Individual: Swiss-System",
        "102",
        "112",
        f"122 Each meeting is {report.games} games; each game is a round of this file",
        *(report.line(entrant) for entrant in entrants),
        f"XXR {summary.progress.field.rounds * report.games}",
    ]
    return "".join(f"{line}\r\n" for line in lines)


@dataclass(frozen=True, slots=True)
class _Report:
    summary: TournamentSummary

    @property
    def games(self) -> int:
        """The number of matches of a meeting."""
        return 2 * self.summary.plan.deals

    def line(self, entrant: VersionId) -> str:
        """Return the line of a player."""
        games = [
            game
            for number in range(self.summary.progress.field.rounds)
            for game in self._round(entrant, number)
        ]
        points = min(sum(_WORTH[result] for _, _, result in games), _MOST_POINTS)
        place = next(line.place for line in self.summary.progress.lines if line.entrant == entrant)
        name = _ascii(self.summary.names[entrant])[:_LONGEST_NAME]
        player = (
            f"001 {self._number(entrant):>4}      {name:<33} {'':4} {'':3} {'':>11} {'':10} "
            f"{points:>4.1f} {place:>4}"
        )
        return player + "".join(
            f"  {opponent:>4} {colour} {won}" for opponent, colour, won in games
        )

    def _number(self, entrant: VersionId) -> int:
        return self.summary.seed(entrant)

    def _round(self, entrant: VersionId, number: int) -> Sequence[_Game]:
        """Return a player's games in a round of the tournament."""
        field = self.summary.progress.field
        results = self.summary.results(number)
        own = next((r for r in results if entrant in r.meeting.entrants), None)
        if own is None:
            there = entrant in field.playing(number)
            return [_HALF_BYE if there else _NO_PART] * self.games
        matches = list(self.summary.matches.get(own.meeting, ()))
        games = [self._game(entrant, own, match) for match in matches]
        return [*games, *[_HALF_BYE] * (self.games - len(games))]

    def _game(self, entrant: VersionId, result: MeetingResult, match: MatchLine) -> _Game:
        """Return one game; half a point if it was not played or does not count."""
        if match.state is not MatchState.DONE or match.match_id in self.summary.progress.annulled:
            return _HALF_BYE
        seats = {seat.version.id: seat.result for seat in match.seats if seat.version}
        own, other = seats[entrant], seats[_opponent(entrant, result.meeting)]
        colour = "w" if next(iter(seats)) == entrant else "b"
        number = f"{self._number(_opponent(entrant, result.meeting)):>4}"
        if own is None or other is None:
            return _HALF_BYE
        if own.forfeit or other.forfeit:
            return (number, colour, "-" if own.forfeit else "+")
        return (
            number,
            colour,
            {-1: "1", 0: "=", 1: "0"}[(own.rank > other.rank) - (own.rank < other.rank)],
        )


def _opponent(entrant: VersionId, meeting: Meeting) -> VersionId:
    return next(other for other in meeting.entrants if other != entrant)


def _ascii(text: str) -> str:
    """Return a text in ASCII."""
    return text.replace("·", "-").encode("ascii", "replace").decode()
