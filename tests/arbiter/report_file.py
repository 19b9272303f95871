"""A strict reader of FIDE's Tournament Report File, by the columns of TRF16 and TRF26.

It refuses what a lenient reader forgives, and compares the file with the tournament.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from facts import Meeting, Tournament, differs
from ranking import Ranking

PLAYER = re.compile(
    r"001 (?P<number>[ \d]{3}\d) [mw ](?:GM |IM |FM |CM |WGM|WIM|WFM|WCM|   ) (?P<name>.{33}) "
    r"[ \d]{4} [A-Z ]{3} [ \d]{11} (?:\d{4}/\d\d/\d\d| {10}) (?P<points>[ \d]\d\.\d) "
    r"(?P<rank>[ \d]{3}\d)(?P<games>(?:  [ \d]{3}\d [wb-] [-+1=0WDLHFUZ])*)"
)
TAGS = {"012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "142"}
WORTH = {"1": 2, "+": 2, "F": 2, "=": 1, "H": 1, "0": 0, "-": 0, "Z": 0}
"""In half points."""
MIRROR = {("1", "0"), ("0", "1"), ("=", "="), ("+", "-"), ("-", "+"), ("-", "-")}


@dataclass
class Player:
    """A line 001."""

    name: str
    points: Fraction
    rank: int
    games: list[tuple[int, str, str]]
    """Opponent, 0 for none, colour and result of each round."""


class Report:
    """What a file says."""

    def __init__(self, text: str) -> None:
        """Read a file; raise `ValueError` at the first line that is not as it must be."""
        *lines, rest = text.split("\r\n")
        if rest or not text.isascii() or any(not line.isprintable() for line in lines):
            raise ValueError("lines do not end with CR LF, or have other characters than ASCII")
        self.players: dict[int, Player] = {}
        self.told: dict[str, str] = {}
        self.forbidden: set[frozenset[int]] = set()
        bye = 2
        for line in lines:
            tag = line[:3]
            if tag == "001":
                self._add(line)
            elif match := re.fullmatch(r"162  P( \d|\d\d)\.([05])", line):
                bye = 2 * int(match[1]) + (match[2] == "5")
            elif match := re.fullmatch(r"XXP ([ \d]{3}\d) ([ \d]{3}\d)", line):
                self.forbidden.add(frozenset(map(int, match.groups())))
            elif tag not in TAGS | {"XXR"} or line[3:4] not in ("", " ") or tag in self.told:
                raise ValueError(f"not a line of a report: {line!r}")
            else:
                self.told[tag] = line[4:]
        self.worth = {**WORTH, "U": bye}

    def _add(self, line: str) -> None:
        if (match := PLAYER.fullmatch(line)) is None:
            raise ValueError(f"not in its columns: {line!r}")
        games = match["games"]
        number, cells = int(match["number"]), [games[i : i + 10] for i in range(0, len(games), 10)]
        if number in self.players:
            raise ValueError(f"player {number} stands twice")
        read = [(int(cell[2:6]), cell[7], cell[9]) for cell in cells]
        for opponent, colour, result in read:
            unpaired = (opponent == 0, colour == "-", result in "HFUZ")
            if any(unpaired) and not all(unpaired):
                raise ValueError(f"player {number}: {opponent} {colour} {result}")
        points = Fraction(match["points"].strip())
        self.players[number] = Player(match["name"].rstrip(), points, int(match["rank"]), read)


def check_report(cup: Tournament, text: str) -> Iterator[str]:
    """Say what is wrong in a file, or is not as in the tournament."""
    try:
        report = Report(text)
    except ValueError as error:
        yield f"report: {error}"
        return
    yield from _check_file(report)
    yield from _check_tournament(cup, report)


def _check_file(report: Report) -> Iterator[str]:
    """The file in itself: opponents agree, and points are the sum of the results."""
    players = report.players
    yield from differs("report: numbers", sorted(players), list(range(1, 1 + len(players))))
    yield from differs("report: players", report.told["062"], str(len(players)))
    yield from differs("report: rounds", report.told["142"], report.told["XXR"])
    played = {len(player.games) for player in players.values()}
    if len(played) != 1 or max(played) > int(report.told["XXR"]):
        yield f"report: players have {played} rounds, of {report.told['XXR']}"
        return
    for i in range(*played):
        if sum(player.games[i][2] == "U" for player in players.values()) > 1:
            yield f"report: two pairing-allocated byes in round {i + 1}"
    for number, player in players.items():
        total = Fraction(sum(report.worth[result] for _, _, result in player.games), 2)
        yield from differs(f"report: points of {number}", player.points, total)
        for i, (opponent, colour, result) in enumerate(player.games):
            if not opponent:
                continue
            other = players[opponent].games[i] if opponent in players else (0, "", "")
            agree = other[0] == number != opponent and {colour, other[1]} == {"w", "b"}
            if not agree or (result, other[2]) not in MIRROR:
                yield f"report: round {i + 1} of {number} and {opponent}: {result} and {other}"


def _check_tournament(cup: Tournament, report: Report) -> Iterator[str]:
    """The file and the tournament: names, results, ranks."""
    players = {bot: report.players[i] for i, bot in enumerate(cup.bots, start=1)}
    games = 2 * cup.told["deals"]
    yield from differs("report: names", [p.name for p in players.values()], cup.bots)
    seeds = {frozenset(1 + cup.bots.index(b) for b in pair) for pair in cup.forbidden(10**6)}
    yield from differs("report: forbidden pairs", report.forbidden, seeds)
    if cup.format == "swiss":
        rounds = str(games * cup.options["rounds"])
        yield from differs("report: rounds to play", report.told["XXR"], rounds)
    for bot, player in players.items():
        for told in cup.rounds:
            number = told["round"]
            cells = player.games[games * (number - 1) : games * number]
            own = [m for m in cup.meetings if m.round == number and bot in m.told["entrants"]]
            letters = "".join(result for _, _, result in cells)
            for said in _check_meeting(cup, own[0], bot, letters) if own else ():
                yield f"report: round {number} of {bot}: {said}"
            if not own:
                right = _bye(cup, number, bot) * games
                yield from differs(f"report: bye {number} of {bot}", letters, right)
    order = sorted(cup.bots, key=lambda bot: players[bot].rank)
    ranks = [players[bot].rank for bot in order]
    yield from differs("report: ranks", ranks, list(range(1, 1 + len(order))))
    counting = [bot for bot in order if bot not in cup.disqualified | cup.uncounted]
    points = [players[bot].points for bot in counting]
    if cup.annulled and cup.told["deals"] > 2:
        return  # points are to the nearest half
    yield from differs("report: points by rank", points, sorted(points, reverse=True))
    if cup.format == "swiss":
        ranking = Ranking(cup, cup.bots, cup.meetings)
        score = [ranking.score(bot) * games for bot in counting]
        yield from differs("report: points of the table", points, score)


def _check_meeting(cup: Tournament, meeting: Meeting, bot: str, letters: str) -> Iterator[str]:
    """The results of a bot's meeting are those of its matches, deal by deal."""
    if bot not in meeting.bots:
        yield from differs("does not count", letters, "Z" * len(letters))
        return
    other = next(b for b in meeting.bots if b != bot)
    ids = meeting.told["match_ids"]
    deals = [ids[i : i + 2] for i in range(0, len(ids), 2)]
    if not ids:
        result = "+" if cup.is_there(bot, meeting.round) else "-"
        yield from differs("walkover", letters, result * len(letters))
        return
    counting = iter(deal for deal in meeting.deals if deal[0].points)
    for i, deal in enumerate(deals):
        told = letters[2 * i : 2 * i + 2]
        if cup.annulled.intersection(deal):
            if set(told) - set("FHZ"):
                yield f"an annulled deal is {told}"
            continue
        right = "".join(
            "+-"[bot in match.kinds] if match.kinds else "0=1"[int(2 * match.against(bot, other))]
            for match in next(counting)
        )
        yield from differs(f"deal {i + 1}", told, right)
    total = Fraction(sum({**WORTH, "U": 1}[letter] for letter in letters), 2)
    if abs(total - meeting.scores()[bot] * len(letters)) > Fraction(1, 4):
        yield f"{letters} for a score of {meeting.scores()[bot]}"


def _bye(cup: Tournament, number: int, bot: str) -> str:
    if cup.format == "round-robin" or cup.left.get(bot, number + 1) <= number:
        return "Z"
    if (points := cup.given.get((number, bot))) is not None:
        return "H" if points else "Z"
    return "H" if number < cup.late.get(bot, 0) else "U"
