"""The facts of a tournament: who was agreed to play what, who met whom, and how matches ended."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby
from typing import Any

Json = dict[str, Any]
NO_FAULT = "FAULT_KIND_UNSPECIFIED"
FORFEITED, ABSENT = 1, 2
"""How far behind: who forfeited is behind all who did not, and who was not there behind both."""
LOSES_OUT = ("knockout", "double-elimination", "groups")


class Match:
    """How a match of a meeting ended."""

    def __init__(self, seated: dict[str, Json]) -> None:
        """Read the outcomes of those who sat there, by name."""
        self.kinds = {
            bot: outcome["forfeit"].removeprefix("FAULT_KIND_")
            for bot, outcome in seated.items()
            if outcome["forfeit"] != NO_FAULT
        }
        self.order = {
            bot: (FORFEITED, 0) if bot in self.kinds else (0, outcome["rank"])
            for bot, outcome in seated.items()
        }
        self.points = {bot: outcome["points"] for bot, outcome in seated.items()}

    def scores(self, among: list[str]) -> dict[str, Fraction]:
        """The share of the others that came behind each, a shared place as half."""
        return {
            one: sum((self.against(one, o) for o in among if o != one), Fraction())
            / (len(among) - 1)
            for one in among
        }

    def against(self, one: str, other: str) -> Fraction:
        """What one scored against another: nothing if it forfeited or was not there."""
        own, its = self.order.get(one, (ABSENT, 0)), self.order.get(other, (ABSENT, 0))
        return Fraction(0) if own[0] else Fraction((own < its) + (own <= its), 2)

    def first(self, one: str, among: list[str]) -> Fraction:
        """Its part of the first place; no bot wins a match that all forfeit."""
        firsts = [bot for bot in among if self.scores_first(bot, among)]
        return Fraction(one in firsts, max(1, len(firsts)))

    def scores_first(self, one: str, among: list[str]) -> bool:
        """Whether it finished, and no bot was ahead of it."""
        own = self.order.get(one, (ABSENT, 0))
        return not own[0] and not any(self.order.get(o, (ABSENT, 0)) < own for o in among)


def unplayed(there: list[str]) -> Match:
    """A match that was not played: all bots at the table are equal."""
    match = Match({bot: {"forfeit": NO_FAULT, "rank": 1, "points": 0} for bot in there})
    match.points = {}
    return match


@dataclass
class Meeting:
    """Who met at a table, and all that was played there."""

    told: Json
    round: int
    """From 1."""
    bots: list[str]
    """Of those whose part counts."""
    deals: list[list[Match]]
    """Those that count; one match without a result if there are none."""
    more: list[list[Match]]
    """The deals of the sudden death; empty ones do not count."""
    played: int
    """Matches that count."""
    void: bool
    """Whether it was played and no deal of it counts, sudden death apart."""

    @property
    def counts(self) -> list[Match]:
        """All matches by which first places are counted."""
        return [match for deal in [*self.deals, *self.more] for match in deal]

    def scores(self, deals: list[list[Match]] | None = None) -> dict[str, Fraction]:
        """The mean over the matches."""
        matches = [match for deal in (self.deals if deals is None else deals) for match in deal]
        each = [match.scores(self.bots) for match in matches]
        return {b: sum((s[b] for s in each), Fraction()) / max(1, len(each)) for b in self.bots}

    def against(self, one: str, other: str) -> Fraction:
        """What one scored against another, on the mean of the matches."""
        matches = [match for deal in self.deals for match in deal]
        return sum((m.against(one, other) for m in matches), Fraction()) / len(matches)

    def margins(self) -> dict[str, Fraction]:
        """Own points less the mean of the others', of the matches in which all played on."""
        whole = [m for m in self.counts if len(m.points) == len(self.bots) and not m.kinds]
        return {
            b: sum(
                (m.points[b] - Fraction(sum(m.points.values()) - m.points[b], len(self.bots) - 1))
                for m in whole
            )
            / max(1, len(whole))
            + Fraction(0)
            for b in self.bots
        }


class Tournament:
    """What was agreed, decided and played."""

    def __init__(self, document: Json, records: dict[str, Json]) -> None:
        """Read a document and the records of its matches, by id."""
        self.told, self.records = document, records
        self.format, self.seats = document["format"], document["seats"]
        self.options = document["options"]
        lines = sorted(document["table"], key=lambda line: line["seed"])
        self.bots = [line["bot"] for line in lines]
        if self.format == "gauntlet":
            seated = {b for r in document["rounds"] for m in r["meetings"] for b in m["entrants"]}
            self.bots = [*(seated - {*self.bots}), *self.bots]
        self.people = self._people(lines)
        """The author or team of each bot that is kept apart from others of it."""
        self.late = {d["bot"]: d["round"] for d in document["directives"] if d["kind"] == "enter"}
        self.missed: dict[str, set[int]] = {}
        """Of who returned, the rounds that it missed."""
        given = self._standing(document["directives"])
        self.annulled = {d["match"] for d in given if d["kind"] == "annul"}
        self.left: dict[str, int] = {}
        """Who was withdrawn or disqualified and stays out, with the first round without it."""
        for decision in given:
            if decision["kind"] in ("withdraw", "disqualify"):
                self.left.setdefault(decision["bot"], decision["round"])
        self.disqualified = {d["bot"] for d in given if d["kind"] == "disqualify"}
        self.given = self._late_byes()
        """The points of byes that no pairing gave, by round and bot."""
        for decision in given:
            if decision["kind"].endswith("bye") and decision["round"]:
                half = decision["kind"] == "half-point bye"
                self.given[decision["round"], decision["bot"]] = Fraction(half, 2)
        for bot, numbers in self.missed.items():
            self.given |= {(number, bot): Fraction(0) for number in numbers}
        self.rounds: list[Json] = document["rounds"]
        self.uncounted = {bot for bot in self.left if not self._plays_half(bot)}
        self.meetings = [
            self._meeting(of["round"], told) for of in self.rounds for told in of["meetings"]
        ]

    def _people(self, lines: list[Json]) -> dict[str, str]:
        column = self.options.get("apart", "none")
        return {line["bot"]: line[column] for line in lines if line.get(column)}

    def fellows(self) -> set[frozenset[str]]:
        """The pairs of one author or team."""
        pairs = combinations(self.people, 2)
        return {frozenset(pair) for pair in pairs if len({self.people[b] for b in pair}) == 1}

    def forbidden(self, number: int) -> set[frozenset[str]]:
        """The pairs that may not meet in a round, from 1."""
        found = {frozenset(pair) for pair in self.told.get("forbidden", ())}
        for each in self.told["directives"]:
            pair = frozenset((each["bot"], each.get("other")))
            if each.get("other") and each["round"] is not None and each["round"] <= number:
                (found.add if each["kind"] == "forbid" else found.discard)(pair)
        return found

    def _late_byes(self) -> dict[tuple[int, str], Fraction]:
        """The points of the rounds that late bots missed; none if they are usual byes."""
        if "late_bye" not in self.options:
            return {}
        half = self.options["half_byes"] if self.options["late_bye"] == "half" else 0
        return {
            (number, bot): Fraction(number <= half, 2)
            for bot, entered in self.late.items()
            for number in range(1, entered)
        }

    def _standing(self, decisions: list[Json]) -> list[Json]:
        """The decisions that were not taken back; note the rounds missed by those that were."""
        found: list[Json] = []
        for decision in decisions:
            if decision["kind"] not in ("enter", "pause", "resume", "retract"):
                found.append(decision)
            elif decision["kind"] == "retract":
                about = decision["bot"], decision.get("other"), decision["match"]
                same = [d for d in found if (d["bot"], d.get("other"), d["match"]) == about]
                last = same[-1] if same else None  # none: the pair was agreed
                found = [d for d in found if d is not last]
                if last and about[0] and not about[1] and decision["round"] is not None:
                    missed = range(last["round"], decision["round"])
                    self.missed.setdefault(decision["bot"], set()).update(missed)
        return found

    def is_there(self, bot: str, number: int) -> bool:
        """Whether a bot could be paired in a round, from 1."""
        gone = self.left.get(bot, number + 1) <= number
        return not gone and number not in self.missed.get(bot, ())

    def _plays_half(self, bot: str) -> bool:
        """Whether one that left a round robin, or a group's, has played half of its meetings."""
        if self.format not in ("round-robin", "groups"):
            return True
        after = [(r["round"], m, "") for r in self.told["schedule"] for m in r["meetings"]]
        before = [
            (r["round"], m["entrants"], m["stage"]) for r in self.rounds for m in r["meetings"]
        ]
        own = [
            number
            for number, bots, stage in [*before, *after]
            if bot in bots and (self.format == "round-robin" or is_group(stage or "group"))
        ]
        played = [number for number in own if self.is_there(bot, number)]
        return 2 * len(played) >= len(own)

    def _meeting(self, number: int, told: Json) -> Meeting:
        """Read the matches of a meeting, deal by deal."""
        there = [b for b in told["entrants"] if self.is_there(b, number)]
        count = self.told["deals"]
        blocks = self._blocks(told["match_ids"])
        deals = [self._played(block) for block in blocks[:count]]
        more = [self._played(block) for block in blocks[count:]]
        played = sum(map(len, [*deals, *more]))
        void = bool(deals) and not any(deals)
        counting = [deal for deal in deals if deal] or [[unplayed(there)]]
        if is_stage_of_knockout(self.format, told["stage"]):
            while len(more) < len(told["sudden_death"]):
                still = [b for b in there if self.is_there(b, number + 1)]
                more.append([unplayed(still)])
        bots = told["entrants"]
        if not is_stage_of_knockout(self.format, told["stage"]):
            bots = [bot for bot in bots if bot not in self.uncounted]
        return Meeting(told, number, bots if len(bots) > 1 else [], counting, more, played, void)

    def _blocks(self, ids: list[str]) -> list[list[str]]:
        """The matches of each deal: one for each seat that was taken."""
        blocks, rest = [], list(ids)
        while rest:
            size = len(self.records[rest[0]]["seats"])
            blocks.append(rest[:size])
            rest = rest[size:]
        return blocks

    def _played(self, block: list[str]) -> list[Match]:
        """The matches of a deal; none if one of them is annulled."""
        if self.annulled.intersection(block):
            return []
        return [
            Match({s["name"]: o for s, o in zip(r["seats"], r["outcomes"], strict=True)})
            for r in map(self.records.__getitem__, block)
        ]

    def met(self, one: str, other: str) -> list[Meeting]:
        """The meetings of two that count."""
        return [m for m in self.meetings if one in m.bots and other in m.bots]

    def knockout_rounds(self) -> list[list[Meeting]]:
        """The meetings of each round in which who loses is out."""
        own = [m for m in self.meetings if is_stage_of_knockout(self.format, m.told["stage"])]
        return [list(group) for _, group in groupby(own, key=lambda m: m.round)]


def is_group(stage: str) -> bool:
    """Whether a stage is a group's round robin."""
    return stage.startswith("group")


def is_stage_of_knockout(kind: str, stage: str) -> bool:
    """Whether who loses there is out."""
    return kind in LOSES_OUT and not is_group(stage)


def differs(what: str, told: object, right: object) -> list[str]:
    """What is to be said if something is told that is not right; numbers have six decimals."""
    if isinstance(right, Fraction | float) and isinstance(told, int | float):
        return [] if abs(told - float(right)) < 2e-6 else [f"{what}: {told}, not {float(right)}"]
    return [] if told == right else [f"{what}: {told}, not {right}"]
