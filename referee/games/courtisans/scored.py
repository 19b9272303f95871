"""The scores of a game of Courtisans explained, card by card and mission by mission."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.base import Seat
from referee.games.courtisans.cards import WEIGHTS, Family, Role
from referee.games.courtisans.facts import truth
from referee.games.courtisans.missions import FALLEN, FEWER, Mission, MissionCounts
from referee.games.courtisans.scoring import (
    FamilyResult,
    MissionResult,
    mission_counts,
    statuses,
)
from referee.games.courtisans.state import CourtisansState
from referee.games.courtisans.words import mission_spans, seat_span
from referee.games.markup import Span, line
from referee.games.stage import Names

_WEIGHT_OF = {role.name[0].lower(): WEIGHTS[role] for role in Role}
_ROLE_ASKED: Mapping[Mission, Role] = {
    Mission.THREE_NOBLES: Role.NOBLE,
    Mission.TWO_ASSASSINS: Role.ASSASSIN,
    Mission.FOUR_GUARDS: Role.GUARD,
    Mission.THREE_SPIES: Role.SPY,
}


def explained(
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
