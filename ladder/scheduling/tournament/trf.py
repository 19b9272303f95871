"""Exports a Swiss tournament or round robin at tables of two as a FIDE Tournament Report File.

A meeting has several games, as each deal is played on both seats. So each match is a round of the
file: first all first matches of a round of the tournament, then all second ones. The player on the
first seat is white. Points in the file are those of the tournament times the matches of a meeting.

The columns and results are those of TRF16 (FIDE Handbook C.04, Annex 2). A pairing-allocated bye
scores 1/2 here, which record 162 of TRF26 says; the number of rounds is in 142 of TRF26 and in XXR
of older pairing programs, and forbidden pairs are in their XXP. Fields without meaning for bots are
empty. A player's rank is its row in the table, as no two players of a file have one rank.

A deal that does not count is void as a whole: the players have byes instead of its games, with the
points that the meeting's other games give them, to the nearest half point. A meeting that does not
count is worth nothing to both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ladder.model.errors import SettingsError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.tournaments import Kind
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Line, MeetingResult
from ladder.scheduling.tournament.formats.swiss import rounds_needed
from ladder.scheduling.tournament.irregularities import is_walkover
from ladder.scheduling.tournament.reconstruction import fixed_rounds, placed
from ladder.scheduling.tournament.summary import TournamentSummary

_TYPES = {Kind.SWISS: "Individual: Swiss-System", Kind.ROUND_ROBIN: "Individual: Round-Robin"}
_LONGEST_NAME = 33
_MOST_POINTS = 99.9
_WORTH = {"1": 1.0, "+": 1.0, "F": 1.0, "=": 0.5, "H": 0.5, "U": 0.5, "0": 0.0, "-": 0.0, "Z": 0.0}
_BYES = "ZHF"
"""The results without an opponent that score 0, 1/2 and 1."""

_Game = tuple[str, str, str]
"""The opponent's number, the colour and the result, as written in the file."""


def to_trf(summary: TournamentSummary, title: str) -> str:
    """Return the file; raise `SettingsError` if the format cannot say what was played."""
    kind = summary.plan.kind
    if kind not in _TYPES or summary.seats != 2:  # noqa: PLR2004 - white and black
        raise SettingsError(
            "--trf is only for Swiss tournaments and round robins at tables of two: a report file "
            "has two players a game, and places that follow from points"
        )
    if kind is Kind.ROUND_ROBIN and not summary.progress.over:
        raise SettingsError(
            "--trf waits for the end of a round robin: until then its table is by mean scores, and "
            "a report file has sums"
        )
    report = _Report(summary)
    entrants = summary.progress.field.entrants
    lines = [
        f"012 {_ascii(title)}",
        "022",
        "032",
        "042",
        "052",
        f"062 {len(entrants)}",
        "072 0",
        "082 0",
        f"092 {_TYPES[kind]}",
        "102",
        "112",
        f"122 Each meeting is {report.games} games; each game is a round of this file",
        f"142 {report.rounds}",
        *["162  P 0.5"] * (kind is Kind.SWISS),
        *(report.line(entrant) for entrant in entrants),
        f"XXR {report.rounds}",
        *report.forbidden(),
    ]
    return "".join(f"{line}\r\n" for line in lines)


@dataclass(frozen=True, slots=True)
class _Report:
    summary: TournamentSummary
    table: Sequence[Line] = field(init=False)
    """By the rounds that are over, as the file has only these."""

    def __post_init__(self) -> None:
        now = self.summary.progress
        table = placed(self.summary.plan.form().table(now.field), now.gone)
        object.__setattr__(self, "table", table)

    @property
    def games(self) -> int:
        """The number of matches of a meeting."""
        return 2 * self.summary.plan.deals

    @property
    def rounds(self) -> int:
        """The number of rounds of the file when the tournament is over."""
        plan = self.summary.plan
        if plan.kind is Kind.SWISS:
            return self.games * (plan.rounds or rounds_needed(len(plan.entrants), 2))
        return self.games * len(fixed_rounds(plan, 2))

    def forbidden(self) -> list[str]:
        """Return a line for each pair that may not meet now."""
        seed, apart = self.summary.seed, self.summary.progress.field.apart
        pairs = sorted({tuple(sorted(map(seed, pair))) for pair in apart.forbidden})
        return [f"XXP {one:>4} {other:>4}" for one, other in pairs]

    def line(self, entrant: VersionId) -> str:
        """Return the line of a player."""
        games = [
            game
            for number in range(self.summary.progress.field.rounds)
            for game in self._round(entrant, number)
        ]
        points = sum(_WORTH[result] for _, _, result in games)
        if points > _MOST_POINTS:
            raise SettingsError(
                f"--trf has room for {_MOST_POINTS} points, and {self.summary.names[entrant]} has "
                f"{points}: --json and --csv have no such limit"
            )
        rank = 1 + [line.entrant for line in self.table].index(entrant)
        name = _ascii(self.summary.names[entrant])[:_LONGEST_NAME]
        player = (
            f"001 {self.summary.seed(entrant):>4}      {name:<33} {'':4} {'':3} {'':>11} {'':10} "
            f"{points:>4.1f} {rank:>4}"
        )
        return player + "".join(
            f"  {opponent:>4} {colour} {result}" for opponent, colour, result in games
        )

    def _round(self, entrant: VersionId, number: int) -> Sequence[_Game]:
        """Return a player's games in a round of the tournament."""
        results = self.summary.results(number)
        own = next((r for r in results if entrant in r.meeting.entrants), None)
        if own is None:
            return [_bye(self._without_table(entrant, number))] * self.games
        if entrant not in own.counted:
            return [_bye("Z")] * self.games
        if is_walkover(own):
            won = "-" if own.is_absent(entrant) else "+"
            first = own.meeting.entrants[0] == entrant
            return [
                (self._opponent(entrant, own), "w" if first == (i % 2 == 0) else "b", won)
                for i in range(self.games)
            ]
        matches = self.summary.matches[own.meeting]
        deals = [matches[at : at + 2] for at in range(0, self.games, 2)]
        void = iter(_void(own.scores()[entrant], 2 * sum(not self._counts(deal) for deal in deals)))
        return [
            self._game(entrant, own, match) if self._counts(deal) else _bye(next(void))
            for deal in deals
            for match in deal
        ]

    def _without_table(self, entrant: VersionId, number: int) -> str:
        """Return the result of a player that met no other in a round."""
        now = self.summary.progress
        if self.summary.plan.kind is Kind.ROUND_ROBIN or entrant not in now.field.playing(number):
            return "Z"
        given = now.field.given_byes.get((number, entrant))
        if given is not None:
            return _BYES[int(2 * given)]
        return "H" if number < now.late.get(entrant, 0) else "U"

    def _counts(self, deal: Sequence[MatchLine]) -> bool:
        """Return whether a deal was played and not annulled."""
        annulled = self.summary.progress.annulled
        return all(m.state is MatchState.DONE and m.match_id not in annulled for m in deal)

    def _game(self, entrant: VersionId, result: MeetingResult, match: MatchLine) -> _Game:
        """Return a game that counts."""
        seated = {s.version.id: s.result for s in match.seats if s.version and s.result}
        (own, other) = (seated[e] for e in sorted(seated, key=lambda e: e != entrant))
        colour = "w" if next(iter(seated)) == entrant else "b"
        if own.forfeit or other.forfeit:
            won = "-" if own.forfeit else "+"
        else:
            won = "=" if own.rank == other.rank else "1" if own.rank < other.rank else "0"
        return (self._opponent(entrant, result), colour, won)

    def _opponent(self, entrant: VersionId, result: MeetingResult) -> str:
        return str(self.summary.seed(next(e for e in result.meeting.entrants if e != entrant)))


def _bye(result: str) -> _Game:
    return ("0000", "-", result)


def _void(score: Fraction, games: int) -> list[str]:
    """Return the results of games that do not count, worth a meeting's score for each."""
    each, more = divmod(round(2 * games * score), games) if games else (0, 0)
    return [_BYES[each + (i < more)] for i in range(games)]


def _ascii(text: str) -> str:
    """Return a text in ASCII."""
    return text.replace("·", "-").encode("ascii", "replace").decode()
