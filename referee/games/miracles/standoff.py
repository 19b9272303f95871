"""Finds the standoffs due, and settles each.

Rogues turn face up; owners pay Swordsmen; the winner takes control (a Courtesan may choose where);
abilities apply from the rogue farthest from the crown; all rogues go back to hand.
"""

from referee.games.base import Seat
from referee.games.miracles import action as actions
from referee.games.miracles.agenda import (
    AbilityStep,
    CloseStep,
    CourtesanStep,
    DrawStep,
    LoneStep,
    OrderStep,
    SwordsmanStep,
    WinnerStep,
    WrathStep,
)
from referee.games.miracles.event import (
    LoneKept,
    Reason,
    RoguesRevealed,
    StandoffEnded,
    StandoffStarted,
    StandoffWon,
    SwordsmanAnswered,
    Total,
    WrathChosen,
)
from referee.games.miracles.facts import Board, Fact, revealed, rogue_of, within
from referee.games.miracles.observation import Standoff
from referee.games.miracles.pieces import RANKS, Neighbourhood, PlotCard, Rogue
from referee.games.miracles.play import Play

# Which are due


def find_due(play: Play) -> None:
    """Find the full neighbourhoods, and any that a Wrath hits."""
    seat, board = play.now.active, play.now.board
    places = [fact.public.spot.neighbourhood for fact in board]  # in order, as the board is
    inhabited = tuple(dict.fromkeys(places))
    due = tuple([place for place in inhabited if places.count(place) == len(RANKS)])
    wrath = play.data.wrath_at(play.now.king) if play.now.king_stopped else None
    if wrath is None:
        play.then(OrderStep(seat, due))
    elif wrath.neighbourhood is not None:
        play.then(OrderStep(seat, _with_wrath(play, due, wrath.neighbourhood)))
    else:
        choices = tuple(Neighbourhood) if play.config.wrath_on_empty else inhabited
        play.then(WrathStep(seat, choices, due))


def _with_wrath(
    play: Play, due: tuple[Neighbourhood, ...], place: Neighbourhood
) -> tuple[Neighbourhood, ...]:
    """Return the standoffs due after a Wrath: no empty neighbourhood, none twice."""
    return tuple(sorted({*due, place})) if within(play.now.board, place) else due


def choose_wrath(play: Play, action: actions.ChooseWrath) -> None:
    """Let the Wrath hit the chosen neighbourhood."""
    step = play.next_step()
    if not isinstance(step, WrathStep):
        raise TypeError("a Wrath is chosen when it is asked for")
    hit(play, step, action.neighbourhood)


def hit(play: Play, step: WrathStep, place: Neighbourhood) -> None:
    """Let the Wrath hit a neighbourhood that may be chosen."""
    play.record(WrathChosen(step.seat, place))
    play.then(OrderStep(step.seat, _with_wrath(play, step.due, place)))


def settle(play: Play, action: actions.SettleNext) -> None:
    """Begin the chosen one of the standoffs due."""
    step = play.next_step()
    if not isinstance(step, OrderStep):
        raise TypeError("standoffs are ordered when it is asked for")
    begin(play, step, action.neighbourhood)


def begin(play: Play, step: OrderStep, place: Neighbourhood) -> None:
    """Begin one of the standoffs due; the others stay on the agenda."""
    rest = tuple([other for other in step.due if other != place])
    play.set(standoff=Standoff(place, paid=(), winner=None, asked_rank=0))
    play.record(StandoffStarted(place))
    play.then(WinnerStep(step.seat), CloseStep(step.seat), OrderStep(step.seat, rest))
    rogues = within(play.now.board, place)
    if len(rogues) == 1:
        public = rogues[0].public
        play.then(LoneStep(public.owner, public.spot))
    else:
        _reveal(play, rogues)
        play.then(*_swordsmen(play, rogues))


# Before the decision


def _reveal(play: Play, rogues: Board) -> None:
    shown = [revealed(fact) for fact in rogues]
    play.change(*zip(rogues, shown, strict=True))
    play.record(RoguesRevealed(tuple(fact.public for fact in shown)))


def _swordsmen(play: Play, rogues: Board) -> list[SwordsmanStep]:
    found = [fact.public for fact in rogues if fact.whole.rogue is Rogue.SWORDSMAN]
    if not play.config.nearest_swordsman_first:
        found.reverse()
    return [SwordsmanStep(public.owner, public.spot) for public in found]


def answer_lone(play: Play, action: actions.RevealLone) -> None:
    """Reveal a standoff's lone rogue, or keep it face down."""
    step = play.next_step()
    if not isinstance(step, LoneStep):
        raise TypeError("a lone rogue is revealed when it is asked for")
    if action.reveals:
        _reveal(play, (play.at(step.spot),))
    else:
        play.record(LoneKept(step.seat, step.spot))


def can_pay(play: Play, step: SwordsmanStep) -> bool:
    """Return whether the owner of a Swordsman has the coins to pay him."""
    return play.now.coins[step.seat] >= play.data.rogue(Rogue.SWORDSMAN).price


def answer_swordsman(play: Play, action: actions.PaySwordsman) -> None:
    """Pay a Swordsman for this standoff, or not."""
    step = play.next_step()
    if not isinstance(step, SwordsmanStep):
        raise TypeError("a Swordsman is paid when it is asked for")
    play.record(SwordsmanAnswered(step.seat, step.spot, action.pays))
    if action.pays:
        standoff = current(play)
        paid = (*standoff.paid, step.spot.rank)
        play.set(standoff=standoff._replace(paid=paid))
        play.pay(step.seat, play.data.rogue(Rogue.SWORDSMAN).price, Reason.SWORDSMAN)


def current(play: Play) -> Standoff:
    """Return the current standoff."""
    if play.now.standoff is None:
        raise TypeError("a standoff is being settled")
    return play.now.standoff


# Who wins


def decide(play: Play) -> None:
    """Find the winner, who takes control; schedule the abilities."""
    standoff, board = current(play), play.now.board
    rogues = within(board, standoff.neighbourhood)
    shown = [fact for fact in rogues if fact.public.revealed]
    totals = _totals(play, shown)
    best = max((total.strength for total in totals), default=0)
    tied = [total.seat for total in totals if total.strength == best]
    # By rank: the first rogue of a tied player is the one closest to the crown.
    winner = next(fact.public.owner for fact in rogues if not shown or fact.public.owner in tied)
    play.set(standoff=standoff._replace(winner=winner))
    play.record(StandoffWon(standoff.neighbourhood, winner, totals))
    play.then(*[AbilityStep(fact.public.owner, fact.public.spot) for fact in reversed(shown)])
    courtesans = [fact for fact in shown if _is(fact, winner, Rogue.COURTESAN)]
    choices = _courtesan_choices(play, winner) if courtesans else ()
    if len(choices) > 1:
        play.then(CourtesanStep(winner, choices))
    else:
        play.take_control(winner, standoff.neighbourhood)


def _totals(play: Play, shown: list[Fact]) -> tuple[Total, ...]:
    """Return the strength of each seat with a revealed rogue there, by seat."""
    strengths: dict[Seat, int] = {}
    for fact in shown:
        owner = fact.public.owner
        strengths[owner] = strengths.get(owner, 0) + _strength(play, fact)
    if play.now.emperor and play.now.active in strengths:
        strengths[play.now.active] += play.data.plot_card(PlotCard.THE_EMPEROR).amount
    return tuple([Total(*item) for item in sorted(strengths.items())])


def _strength(play: Play, fact: Fact) -> int:
    data = play.data.rogue(rogue_of(fact))
    paid = fact.public.spot.rank in current(play).paid
    return data.paid_strength if paid else data.strength


def _is(fact: Fact, owner: Seat, rogue: Rogue) -> bool:
    return fact.public.owner == owner and fact.whole.rogue is rogue


def _courtesan_choices(play: Play, winner: Seat) -> tuple[Neighbourhood, ...]:
    """Return the contested neighbourhood and all that the winner does not control."""
    contested = current(play).neighbourhood
    controls = zip(Neighbourhood, play.now.controls, strict=True)
    return tuple(
        [
            place
            for place, control in controls
            if place is contested
            or control is None
            or control.seat != winner
            or play.config.controller_places_again
        ]
    )


def use_courtesan(play: Play, action: actions.UseCourtesan) -> None:
    """Take control where the Courtesan's owner chooses."""
    seat, place = play.next_step().seat, action.neighbourhood
    contested = current(play).neighbourhood
    control = play.now.controls[contested - 1]
    if place is not contested and play.config.courtesan_frees_contested:  # noqa: SIM102 two thoughts
        if control and control.seat != seat:
            play.lose_control(contested)
    play.take_control(seat, place)


# What follows


def apply_ability(play: Play, step: AbilityStep) -> None:
    """Apply the ability of one revealed rogue, if it has one that this standoff triggers."""
    winner, seat = current(play).winner, step.seat
    fact = play.at(step.spot)
    rogue = rogue_of(fact)
    data = play.data.rogue(rogue)
    wins = seat == winner
    if rogue is Rogue.BEGGAR and winner is not None and not wins:
        if _is_first_beggar(play, fact):
            play.give(winner, seat, data.coins, Reason.BEGGAR)
    elif rogue is Rogue.PICKPOCKET and wins:
        play.gain(seat, data.coins, Reason.PICKPOCKET)
    elif rogue is Rogue.DEFROCKED_PRIEST and wins:
        play.then(DrawStep(seat, data.plots))
    elif rogue is Rogue.SOOTHSAYER and not wins:
        play.gain(seat, data.coins, Reason.SOOTHSAYER)
        play.then(DrawStep(seat, data.plots))


def _is_first_beggar(play: Play, fact: Fact) -> bool:
    rogues = within(play.now.board, fact.public.spot.neighbourhood)
    return next(other for other in rogues if other.whole.rogue is Rogue.BEGGAR) is fact


def close(play: Play) -> None:
    """Send all rogues of the standoff back to their owners' hands."""
    place = current(play).neighbourhood
    play.take_off(*within(play.now.board, place))
    play.set(standoff=None)
    play.record(StandoffEnded(place))
