"""Other courses of a game of La Cour des Miracles that one seat cannot tell from the true one.

The true course is changed by small random steps. A step is kept if everything that was placed,
sunk, played or revealed is still in its owner's hands when it is due; otherwise it is taken back.
So whatever the seat was shown stays as it was, and what it was not shown wanders.
"""

from dataclasses import dataclass, replace

from referee.games.miracles.deal import Deal, reshuffled
from referee.games.miracles.pieces import STARTING_ROGUES, PlotCard, Rogue
from referee.games.randomness import Stream
from tests.security.leaks.miracles_history import History, PlotKind, RogueKind

_ROGUE_TRIES = 24
_PLOT_TRIES = 24
_SEED_TRIES = 60
"""Chance gives a reshuffle that fits what the seat drew after it once in about ten tries."""


@dataclass(frozen=True)
class Rogues:
    """The hidden part of a course that concerns rogues."""

    faces: list[Rogue]
    """Of each stay on the board."""
    sunk: dict[int, Rogue | None]
    bag: list[Rogue]

    def copy(self) -> "Rogues":
        """Return the same to be changed."""
        return Rogues([*self.faces], {**self.sunk}, [*self.bag])


@dataclass(frozen=True)
class Plots:
    """The hidden part of a course that concerns Plot cards."""

    line: list[PlotCard]
    """The cards dealt to each seat, then the pile."""
    seed: str
    """Of the reshuffles."""


def redrawn_rogues(history: History, deal: Deal, stream: Stream) -> Rogues:
    """Draw other rogues for the other seats and the bag."""
    course = Rogues(history.faces, history.sunk, [*deal.bag])
    unseen = [place for place in range(len(deal.bag)) if place not in history.own_draws]
    for attempt in range(_ROGUE_TRIES):
        trial = course.copy()
        # The first tries change much, and mostly fail late in a game; the others change little.
        for _ in range(len(unseen) if attempt < _ROGUE_TRIES // 4 else 1 + stream.below(2)):
            _swap(trial.bag, unseen, stream)
        if _fits(history, trial, stream, fickle=1 + stream.below(8)):
            course = trial
    return course


def _swap(items: list[Rogue] | list[PlotCard], places: list[int], stream: Stream) -> None:
    if places:
        one, other = stream.choice(places), stream.choice(places)
        items[one], items[other] = items[other], items[one]  # type: ignore[assignment]


def _fits(history: History, trial: Rogues, stream: Stream, *, fickle: int) -> bool:
    """Go through a course; choose anew what the seat did not see and does not fit any more.

    One in `fickle` of the other choices is made anew too. False if something that the seat saw
    cannot be.
    """
    hands: dict[int, list[Rogue]] = {}
    for kind, seat, key in history.rogue_steps:
        hand = hands.setdefault(seat, [*STARTING_ROGUES])
        if kind is RogueKind.PLACE:
            seen, face = key in history.shown, trial.faces[key]
            if not seen and (face not in hand or not stream.below(fickle)):
                face = trial.faces[key] = stream.choice(hand)
            if face not in hand:
                return False
            hand.remove(face)
        elif kind is RogueKind.RETURN:
            hand.append(trial.faces[key])
        elif kind is RogueKind.RIGHT_HAND:
            hand.append(Rogue.RIGHT_HAND)
        elif kind is RogueKind.DRAW:
            drawn = trial.bag[key]
        else:
            _sink(history, trial, hand, drawn, key, stream, fickle)
    return True


def _sink(
    history: History,
    trial: Rogues,
    hand: list[Rogue],
    drawn: Rogue,
    key: int,
    stream: Stream,
    fickle: int,
) -> None:
    sunk = trial.sunk[key]
    if key not in history.own_sinks and (sunk not in (None, *hand) or not stream.below(fickle)):
        sunk = trial.sunk[key] = stream.choice([None, *hand])
    if sunk is not None:
        hand.remove(sunk)
        hand.append(drawn)


def redrawn_plots(history: History, deal: Deal, stream: Stream) -> Plots:
    """Draw other Plot cards for the other hands and the pile, and another seed."""
    seats = len(deal.hands)
    course = Plots([*deal.hands, *deal.pile], deal.reshuffle_seed)
    unseen = [place for place in range(len(course.line)) if place not in _seen(history, seats)]
    for attempt in range(_PLOT_TRIES):
        line = [*course.line]
        for _ in range(len(unseen) if attempt < _PLOT_TRIES // 4 else 1 + stream.below(2)):
            _swap(line, unseen, stream)
        trial = Plots(line, course.seed)
        course = trial if _plots_fit(history, deal, trial) else course
    for _ in range(_SEED_TRIES):
        trial = replace(course, seed=stream.bytes(16).hex())
        if _plots_fit(history, deal, trial):
            return trial
    return course


def _seen(history: History, seats: int) -> set[int]:
    """The places in the line, before any reshuffle, whose cards the seat drew or was dealt."""
    seen, place = {history.seat}, seats
    for kind, seat, cards in history.plot_steps:
        if kind is PlotKind.DRAW:
            seen |= set(range(place, place + len(cards))) if seat == history.seat else set()
            place += len(cards)
    return seen


def _plots_fit(history: History, deal: Deal, trial: Plots) -> bool:
    """Tell whether the seat draws what it drew, and everybody has what they show."""
    seats = len(deal.hands)
    there = deal._replace(reshuffle_seed=trial.seed)
    hands = [[card] for card in trial.line[:seats]]
    pile, discards, reshuffles = trial.line[seats:], list[PlotCard](), 0
    for kind, seat, cards in history.plot_steps:
        if kind is PlotKind.DISCARD:
            discards += cards
        elif kind is PlotKind.OUT:
            if cards[0] not in hands[seat]:
                return False
            hands[seat].remove(cards[0])
        else:
            for card in cards:
                if not pile:
                    reshuffles += 1
                    pile, discards = [*reshuffled(there, reshuffles, tuple(discards))], []
                drawn, *pile = pile
                if seat == history.seat and drawn is not card:
                    return False
                hands[seat].append(drawn)
    return True
