"""What chance gave the seats of a match: it favours no bot in the mean, and explains points."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev, variance
from subprocess import CompletedProcess

import numpy as np
import pytest

from referee.conformance.testing import random_record
from referee.games.courtisans.cards import CARDS, Card
from referee.games.courtisans.config import Config
from referee.games.courtisans.deal import draw_deal
from referee.games.courtisans.luck import CourtisansLuck, Position, other_hands
from referee.games.courtisans.state import CourtisansState, initial_state
from referee.games.randomness import Stream
from referee.match.luck import MatchLuck, luck_in, match_luck
from referee.match.record import save_record
from referee.match.replay import PlayedDecision, PlayedGame
from referee.view.luck import luck_line
from tests.benchmarks.ranking.real.courtisans import Style

THINKS, AIMLESS = Style("thinks"), Style("aimless", aimless=1.0)
SMALL = ((0.1, 0.0), (0.0, 0.1))
"""A covariance of two seats."""


def played(number: int) -> PlayedGame:
    """A game of Courtisans: two seats think, two do not."""
    deal = draw_deal(4, Stream(f"luck {number}", "deal"))
    first = state = initial_state(Config(), 4, deal)
    chance, taken = Random(f"luck {number}"), []
    while (seat := state.to_act) is not None:
        state, events = state.apply((AIMLESS if seat % 2 else THINKS).choose(state, chance))
        taken.append(PlayedDecision(seat, None, state, events, 0, 0))
    return PlayedGame(deal, first, taken)


def given_to_thinkers(measure: CourtisansLuck, number: int) -> tuple[float, float]:
    """Return luck and points of the two seats that think, against the others."""
    game = played(number)
    if isinstance(measure, OwnMove):
        measure.states = [taken.state for taken in game.taken]  # type: ignore[misc]
    found = luck_in(measure, game, Stream(str(number)))
    points = [*game.taken][-1].state.scores()
    return sum(found.points[::2]), (sum(points[::2]) - sum(points[1::2])) / 2


def favours(measure: CourtisansLuck, games: int) -> float:
    """By how many standard errors luck favours the bots that think."""
    given = [given_to_thinkers(measure, number)[0] for number in range(games)]
    return fmean(given) / (stdev(given) / sqrt(games))


class OwnMove(CourtisansLuck):
    """A mistake: it compares what the bot did with its hand, not what the fixed player would."""

    states: Sequence[CourtisansState]

    def worths(self, state: CourtisansState, stream: Stream) -> Sequence[Sequence[float]]:
        """Measure the table as it came to be."""
        did = self.worth(state, Position(self.states[state.turn - 1]).now())
        return [did, *list(super().worths(state, stream))[1:]]


@pytest.mark.costly
def test_luck_favours_no_bot_in_the_mean() -> None:
    """Whether a bot plays well or at random; a measure of what bots did is found out."""
    assert abs(favours(CourtisansLuck(), 24)) < 4  # by chance once in 16,000
    assert favours(OwnMove(), 16) > 4


@pytest.mark.proof
def test_luck_favours_no_bot_in_many_matches(
    proof_cases: Callable[[int], int],
) -> None:
    """The mean is 0 within its error, and points without luck vary less."""
    given = [
        given_to_thinkers(CourtisansLuck(), number) for number in range(max(60, proof_cases(1_500)))
    ]
    lucks, points = zip(*given, strict=True)

    assert abs(fmean(lucks)) / (stdev(lucks) / sqrt(len(lucks))) < 4
    assert variance([p - luck for luck, p in given]) < variance(points)


class Told(CourtisansLuck):
    """Measures that are known."""

    def known(self, first: CourtisansState) -> Sequence[float]:
        """Return what start and missions are worth."""
        del first
        return 2.0, 1.0

    def worths(self, state: CourtisansState, stream: Stream) -> Sequence[Sequence[float]]:
        """Return the worth of the hand and of two others."""
        del state, stream
        return (3.0, 1.0), (1.0, 1.0), (2.0, 0.0)


def test_luck_is_what_a_hand_is_worth_beyond_others() -> None:
    """Each turn adds the difference from the others' mean, and the error of this mean."""
    whole = played(0)
    game = PlayedGame(whole.deal, whole.first, [*whole.taken][:3])
    found = luck_in(Told(), game, Stream("luck"))

    assert found.points == pytest.approx([0.5 + 3 * 0.5, -0.5 - 3 * 0.5])
    assert np.array(found.covariance) == pytest.approx(3 * np.array([[0.25, -0.25], [-0.25, 0.25]]))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_start_and_missions_favour_no_seat(seats: int) -> None:
    """What is known at once has the mean 0 on each seat."""
    deals = (draw_deal(seats, Stream(f"known {number}", "deal")) for number in range(400))
    known = [CourtisansLuck().known(initial_state(Config(), seats, deal)) for deal in deals]
    relative = np.array(known) - np.mean(known, axis=1, keepdims=True)

    assert (np.abs(relative.mean(axis=0)) < 4 * relative.std(axis=0) / 20).all()


Hands = Callable[[CourtisansState, Stream], Iterator[Sequence[Card]]]


def of_all_cards(state: CourtisansState, stream: Stream) -> Iterator[Sequence[Card]]:
    """A mistake: hands with cards that were played."""
    del state
    yield stream.shuffled(CARDS)[:3]


def of_the_deck(state: CourtisansState, stream: Stream) -> Iterator[Sequence[Card]]:
    """A mistake: hands without the cards that others hold."""
    yield stream.shuffled(state.deck)[:3]


def is_fair(hands: Hands, state: CourtisansState) -> bool:
    """Whether hands are drawn of the cards not yet played, none twice, all equally often."""
    unplayed = Counter([*state.deal.removed, *state.deck, *sum(state.hands, ())])
    drawn, possible = Counter[Card](), True
    for number in range(400):
        together = Counter(chain(*hands(state, Stream("hands", str(number)))))
        possible &= together <= unplayed
        drawn += together
    share = drawn.total() / unplayed.total()
    surprises = [
        (drawn[card] - share * count) / sqrt(share * count) for card, count in unplayed.items()
    ]
    return possible and max(map(abs, surprises)) < 5


@pytest.mark.parametrize(
    ("hands", "fair"), [(other_hands, True), (of_all_cards, False), (of_the_deck, False)]
)
def test_other_hands_are_of_the_cards_not_yet_played(hands: Hands, *, fair: bool) -> None:
    """Wherever they lie, as the hand of the seat to act is three of them at random."""
    state = [*played(0).taken][19].state

    assert isinstance(state, CourtisansState)
    assert is_fair(hands, state) is fair


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_anybody_computes_the_same_luck_from_a_record(seats: int) -> None:
    """It is relative to the table's mean, and has an error."""
    record = random_record("courtisans", seats, "luck")
    found = match_luck(record)

    assert found is not None
    assert found == match_luck(record)
    assert sum(found.points) == pytest.approx(0.0)
    assert all(found.error(seat) > 0 for seat in range(seats))


def test_a_game_without_a_measure_has_no_luck() -> None:
    """La Cour des Miracles offers none."""
    assert match_luck(random_record("miracles", 2, "luck")) is None


@pytest.mark.parametrize(
    ("given", "points", "said"),
    [
        (5, (12, 5), "a won by 7 points, of which luck gave 5.0 ± 0.9."),
        (9, (12, 5), "a won by 7 points; luck gave 9.0 ± 0.9."),
        (-2, (6, 5), "a won by 1 point, although luck gave b 2.0 ± 0.9 more."),
        (-2, (5, 5), "a and b share the first place; luck gave b 2.0 ± 0.9 more."),
    ],
)
def test_luck_is_said_of_the_margin(given: float, points: tuple[int, int], said: str) -> None:
    """In words, with half its 95 % interval."""
    luck = MatchLuck((given / 2, -given / 2), SMALL)
    ranks = (1, 1 + (points[0] > points[1]))

    assert luck_line(luck, list(zip(ranks, points, strict=True)), "ab") == said


def test_a_forfeit_that_decided_is_not_called_luck() -> None:
    """Who has fewer points and ranks first owes it to a forfeit."""
    assert not luck_line(MatchLuck((1.0, -1.0), SMALL), [(1, 5), (2, 9)], "ab")


def test_the_command_shows_luck_of_genuine_records_only(
    tmp_path: Path, referee_here: Callable[..., CompletedProcess[str]]
) -> None:
    """It says who won by how much luck; an edited record has none."""
    path = tmp_path / "match.json"
    save_record(random_record("courtisans", 3, "luck"), path)
    shown = referee_here("luck", str(path))

    assert "without luck" in shown.stdout
    assert CourtisansLuck().version in shown.stdout
    path.write_text(path.read_text().replace("luck", "lucky"))
    refused = referee_here("luck", str(path))
    assert refused.returncode == 1
    assert "match.json: the luck of a record that is not true is unknown" in refused.stderr
