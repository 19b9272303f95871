"""Courtisans for a web page: every card as a seat places it.

Public keys:

    turn, act, deck        the turn to play, the seat to play it, and the cards left to draw
    hands, left            for each seat: cards in the hand, turns left
    <area>/<turn>          a card in play: [card, played by, side, eliminated on turn or 0]
    up                     1 once the spies are turned up

An area is "t" for the Queen's table or a domain's seat; a side is "a"bove, "b"elow or "". A card
is two letters: its family, "?" if hidden, and its role. Keys of one seat:

    hand/<seat>            its cards
    wish/<seat>            its white and its blue mission: words as markup, then the condition
    face/<area>/<turn>     the family of a face-down card
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from referee.games.base import Seat
from referee.games.courtisans.cards import WEIGHTS, Card, Family, Role, Side
from referee.games.courtisans.event import Placed, TurnPlayed
from referee.games.courtisans.facts import truth
from referee.games.courtisans.missions import FALLEN, FEWER, Mission, MissionCounts
from referee.games.courtisans.observation import CardInPlay, Observation
from referee.games.courtisans.scoring import (
    FamilyResult,
    MissionResult,
    family_results,
    mission_counts,
    statuses,
)
from referee.games.courtisans.state import CourtisansState
from referee.games.courtisans.text import turn_lines
from referee.games.courtisans.words import card_span, family_style, mission_spans, seat_span
from referee.games.markup import Span, Spans, joined, line
from referee.games.stage import Changes, Names, Step

_ROLES: Mapping[Role, str] = {
    Role.PLAIN: "p",
    Role.NOBLE: "n",
    Role.SPY: "s",
    Role.ASSASSIN: "a",
    Role.GUARD: "g",
}
_ROLE_OF = {letter: role for role, letter in _ROLES.items()}
_FAMILIES = {family.name[0]: family for family in Family}
_SIDES: Mapping[Side | None, str] = {Side.ABOVE: "a", Side.BELOW: "b", None: ""}


def code(family: Family | None, role: Role) -> str:
    """Return the two letters of a card."""
    return ("?" if family is None else family.name[0]) + _ROLES[role]


def _codes(hand: Sequence[Card]) -> list[str]:
    return [code(*card) for card in hand]


class CourtisansScene:
    """Follows one game."""

    def __init__(self, state: CourtisansState, names: Names) -> None:
        """Follow a game from this first state."""
        self._names = names
        self._noble = state.config.noble_weight_in_missions
        self._seats = range(len(state.hands))
        self._turn = 0
        self._public: Changes = {}
        """The public values now."""
        self._hands: dict[Seat, list[str]] = {}

    def board(self) -> Mapping[str, Any]:
        """Return the families in mat order, and the roles with their weights."""
        return {
            "noble": self._noble,
            "families": [[family.name[0], family.name.lower()] for family in Family],
            "roles": {_ROLES[role]: role.name.lower() for role in Role},
            "weights": {_ROLES[role]: WEIGHTS[role] for role in Role},
        }

    def opening(self, state: CourtisansState) -> Step:
        """Return the step after the deal."""
        seen = [state.observation(seat) for seat in self._seats]
        self._hands = {seat: _codes(seen[seat].hand) for seat in self._seats}
        changes = {**_counts(seen[0]), "up": 0}
        self._public = dict(changes)
        starter = seat_span(state.deal.starting_seat, self._names)
        return Step(0, None, line([starter, Span(" starts")]), changes, self._own_opening(seen))

    def _own_opening(self, seen: Sequence[Observation]) -> dict[Seat, Changes]:
        return {
            one.seat: {
                f"hand/{one.seat}": self._hands[one.seat],
                f"wish/{one.seat}": [
                    _wish(mission, one.seat, self._names) for mission in (one.white, one.blue)
                ],
            }
            for one in seen
        }

    def steps(self, form_for: Callable[[Seat], TurnPlayed]) -> Iterator[Step]:
        """Yield the three cards of a turn, and the draw."""
        seat = form_for(0).seat
        public, own = form_for((seat + 1) % len(self._names)), form_for(seat)
        self._turn = public.turn
        areas = ("t", str(seat), str(public.opponent))
        kills = [self._kill(*one) for one in zip(areas, _placed(public), strict=True)]
        words = _words(public, self._names, kills), _words(own, self._names, kills)
        for number, area in enumerate(areas):
            own_placed: Placed = _placed(own)[number]
            changes = self._come_down(area, _placed(public)[number])
            self._hands[seat] = _without(self._hands[seat], code(*_face(own_placed.card)))
            more: Changes = {f"hand/{seat}": self._hands[seat]}
            if own_placed.card.role is Role.SPY:
                more[f"face/{area}/{self._turn}"] = code(*_face(own_placed.card))[0]
            yield self._step(seat, words[0][number], changes, more, words[1][number])
        if own.drawn:
            yield self._draw(seat, own, words[1][-1])

    def _kill(self, area: str, placed: Placed) -> Spans:
        """Return what a card kills, by what everybody knows of it."""
        if not placed.eliminated:
            return []
        family, role = self._public[f"{area}/{placed.eliminated}"][0]
        if family == "?":
            victim = Span("face-down spy", "spy")
        else:
            victim = card_span(_FAMILIES[family], _ROLE_OF[role])
        return [Span(" and "), Span("kills", "eliminated"), Span(" the "), victim]

    def _draw(self, seat: Seat, own: TurnPlayed, own_words: str) -> Step:
        number = len(own.drawn)
        self._hands[seat] = _codes(sorted(own.drawn))
        words = line([seat_span(seat, self._names), Span(f" draws {number} courtiers")])
        changes = {
            "deck": self._public["deck"] - number,
            "hands": _with_at(self._public["hands"], seat, number),
        }
        return self._step(seat, words, changes, {f"hand/{seat}": self._hands[seat]}, own_words)

    def _step(self, seat: Seat, words: str, changes: Changes, own: Changes, own_words: str) -> Step:
        self._public.update(changes)
        own_forms = {seat: own_words} if own_words != words else {}
        return Step(self._turn, seat, words, changes, {seat: own}, own_forms)

    def _come_down(self, area: str, placed: Placed) -> Changes:
        card = placed.card
        hands = self._public["hands"]
        changes: Changes = {
            "hands": _with_at(hands, card.played_by, hands[card.played_by] - 1),
            f"{area}/{card.turn}": _in_play(card),
        }
        if placed.eliminated:
            key = f"{area}/{placed.eliminated}"
            changes[key] = [*self._public[key][:3], card.turn]
        return changes

    def settled(self, state: CourtisansState) -> tuple[Changes, Mapping[Seat, Changes]]:
        """Return whose turn it is now."""
        counts = _counts(state.observation(0))
        changes = {key: value for key, value in counts.items() if value != self._public[key]}
        self._public.update(changes)
        return changes, {}

    def ending(self, state: CourtisansState) -> Iterator[Step]:
        """Yield the reveal of the spies, and the winners."""
        changes: Changes = {"up": 1}
        for spy in state.result().spies:
            key = f"{'t' if spy.domain is None else spy.domain}/{spy.turn}"
            changes[key] = [code(spy.family, Role.SPY), *self._public[key][1:]]
        self._public.update(changes)
        after = self._turn + 1
        yield Step(after, None, line(_revealed(state)), changes)
        ranks, points = state.ranks(), state.scores()
        winners = [seat for seat in self._seats if ranks[seat] == 1]
        spans = [seat_span(seat, self._names) for seat in winners]
        parts = [part for span in spans for part in (Span(" and "), span)][1:]
        verb = " have" if len(winners) > 1 else " has"
        best = f" most points: {points[winners[0]]}"
        yield Step(after, None, line([*parts, Span(verb + best)]), {})

    def explained(self, state: CourtisansState) -> Mapping[str, Any]:
        """Return the score of every family, domain card and mission."""
        cards = [
            [
                (f"{seat}/{card.turn}", self._public[f"{seat}/{card.turn}"][0])
                for card in state.observation(0).domains[seat]
            ]
            for seat in self._seats
        ]
        return _explained(state, cards, self._names)


def _revealed(state: CourtisansState) -> Spans:
    """Return that the spies are turned up, and what becomes of which families by it."""
    open_cards = [card for card in state.observation(0).table if card.role is not Role.SPY]
    before = {one.family: one.status for one in family_results(open_cards)}
    changed: list[Spans] = []
    for family, _, _, status in state.result().families:
        if status is not before[family]:
            word = status.name.lower()
            name = Span(family.name.lower(), family_style(family))
            changed.append([name, Span(" is now "), Span(word, word)])
    colon = [Span(": ")] if changed else []
    return [Span("The spies are turned up"), *colon, *joined(changed)]


def _counts(seen: Observation) -> Changes:
    """Return the public turns and card counts."""
    return {
        "turn": seen.turn,
        "act": seen.to_act,
        "deck": seen.deck_size,
        "hands": [3 if left else 0 for left in seen.turns_left],
        "left": list(seen.turns_left),
    }


def _placed(turn: TurnPlayed) -> tuple[Placed, Placed, Placed]:
    return turn.table, turn.own_domain, turn.opponent_domain


def _face(card: CardInPlay) -> tuple[Family | None, Role]:
    return card.family, card.role


def _in_play(card: CardInPlay) -> list[Any]:
    return [code(card.family, card.role), card.played_by, _SIDES[card.side], 0]


def _words(turn: TurnPlayed, names: Names, kills: Sequence[Spans]) -> list[str]:
    """Return a turn's lines, each with the seat's name and without the turn's number."""
    first, *others = turn_lines(turn, names, kills)
    name = seat_span(turn.seat, names).markup()
    return [first[first.index(name) :], *[f"{name} {other.strip()}" for other in others]]


def _without(hand: Sequence[str], card: str) -> list[str]:
    at = hand.index(card)
    return [*hand[:at], *hand[at + 1 :]]


def _with_at(numbers: Sequence[int], at: int, number: int) -> list[int]:
    return [*numbers[:at], number, *numbers[at + 1 :]]


_CONDITIONS: Mapping[Mission, Sequence[Any]] = {
    **{mission: ("fewer", family.name[0]) for mission, family in FEWER.items()},
    **{mission: ("family fallen", family.name[0]) for mission, family in FALLEN.items()},
    Mission.THREE_NOBLES: ("role", _ROLES[Role.NOBLE], 3),
    Mission.TWO_ASSASSINS: ("role", _ROLES[Role.ASSASSIN], 2),
    Mission.FOUR_GUARDS: ("role", _ROLES[Role.GUARD], 4),
    Mission.THREE_SPIES: ("role", _ROLES[Role.SPY], 3),
    Mission.ALL_BELOW: ("families below", 6, 1),
    Mission.FIVE_BELOW: ("families below", 1, 5),
    Mission.FEW_ESTEEMED: ("esteemed", 3),
    Mission.TWO_FALLEN: ("fallen", 2),
}
"""The conditions in a form that a page can compute; a test compares it with the referee."""


def _wish(mission: Mission, seat: Seat, names: Names) -> list[Any]:
    return [line(mission_spans(mission, seat, names)), *_CONDITIONS[mission]]


_WEIGHT_OF = {role.name[0].lower(): WEIGHTS[role] for role in Role}
_ROLE_ASKED: Mapping[Mission, Role] = {
    Mission.THREE_NOBLES: Role.NOBLE,
    Mission.TWO_ASSASSINS: Role.ASSASSIN,
    Mission.FOUR_GUARDS: Role.GUARD,
    Mission.THREE_SPIES: Role.SPY,
}


def _explained(
    state: CourtisansState, cards: Sequence[Sequence[tuple[str, str]]], names: Names
) -> dict[str, Any]:
    """Return every score's breakdown for a finished game.

    `cards` holds each domain's cards as pairs of key and letters, all faces known.
    """
    result = state.result()
    status = statuses(result.families)
    signs = {family.name[0]: status[family].sign for family in Family}
    counts = mission_counts(
        truth(state.table),
        [truth(domain) for domain in state.domains],
        status,
        state.config.noble_weight_in_missions,
    )
    why = _Why(result.families, counts, names)
    return {
        "families": [[f.family.name[0], f.above, f.below, f.status.sign] for f in result.families],
        "wishes": [
            [_wish(part.mission, seat, names) for part in seat_result.missions]
            for seat, seat_result in enumerate(result.seats)
        ],
        "seats": [
            {
                "points": seat_result.points,
                "cards": [[key, card, _value(card, signs)] for key, card in cards[seat]],
                "missions": [why.mission(part, seat) for part in seat_result.missions],
            }
            for seat, seat_result in enumerate(result.seats)
        ],
    }


def _value(card: str, signs: Mapping[str, int]) -> int:
    return _WEIGHT_OF[card[1]] * signs[card[0]]


class _Why:
    """Explains why a mission is met or not."""

    def __init__(
        self, families: Sequence[FamilyResult], counts: Sequence[MissionCounts], names: Names
    ) -> None:
        self._families = {result.family: result for result in families}
        self._counts = counts
        self._names = names

    def mission(self, result: MissionResult, seat: Seat) -> list[Any]:
        mission, fulfilled, points = result
        wish = line(mission_spans(mission, seat, self._names))
        return [wish, int(fulfilled), points, self._reason(mission, seat)]

    def _reason(self, mission: Mission, seat: Seat) -> str:
        counts = self._counts[seat]
        if mission in FEWER:
            family = FEWER[mission]
            neighbour = seat_span((seat + 1) % len(self._counts), self._names)
            own = Span(f"{counts.own[family]} here, {counts.neighbour[family]} with ")
            return line([own, neighbour])
        if mission in FALLEN:
            result = self._families[FALLEN[mission]]
            return f"{result.above} above, {result.below} below: {result.status.name.lower()}"
        if mission in _ROLE_ASKED:
            return f"{counts.roles[_ROLE_ASKED[mission]]} here"
        return _of_all(mission, counts)


def _of_all(mission: Mission, counts: MissionCounts) -> str:
    if mission is Mission.ALL_BELOW:
        missing = [family for family in Family if not counts.below[family]]
        return f"none below: {_listed(missing)}" if missing else "every family has one below"
    if mission is Mission.FIVE_BELOW:
        most = max(Family, key=lambda family: counts.below[family])
        return f"most below: {counts.below[most]}, {most.name.lower()}"
    families = counts.esteemed if mission is Mission.FEW_ESTEEMED else counts.fallen
    what = "esteemed" if mission is Mission.FEW_ESTEEMED else "fallen"
    return f"{len(families)} {what}: {_listed(sorted(families))}"


def _listed(families: Sequence[Family]) -> str:
    return ", ".join(family.name.lower() for family in families) or "none"
