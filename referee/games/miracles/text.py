"""La Cour des Miracles for people: deal, events, a seat's view and the end, as Rich markup.

Every function takes its value whole or in one seat's form. Lines are at most about 100 columns
wide.
"""

from collections.abc import Iterator, Mapping

from referee.games.markup import Span, Spans, flow, joined, line
from referee.games.miracles.action import Action
from referee.games.miracles.action_words import action_spans
from referee.games.miracles.deal import Deal
from referee.games.miracles.event import Event, TurnStarted
from referee.games.miracles.observation import (
    Control,
    Decision,
    Observation,
    RogueInPlay,
    Standoff,
)
from referee.games.miracles.pieces import RANKS, Neighbourhood, Spot
from referee.games.miracles.scoring import Ending, Result
from referee.games.miracles.telling import event_spans
from referee.games.miracles.words import (
    STYLES,
    Names,
    coins_span,
    counted,
    place_span,
    plot_span,
    plot_spans,
    rogue_span,
    rogue_spans,
    seat_span,
)

__all__ = [
    "FIGURES",
    "STYLES",
    "action_line",
    "deal_lines",
    "event_lines",
    "observation_lines",
    "result_lines",
]

FIGURES: Mapping[int, str] = {
    2: "greedy play: 8 to 9 rounds, won by 51.6 / 48.4 %",
    3: "greedy play: 8 to 9 rounds, won by 32.2 / 37.1 / 30.7 %",
    4: "greedy play: 8 to 9 rounds, won by 26.7 / 25.9 / 23.8 / 23.6 %",
    5: "greedy play: 8 to 9 rounds, won by 18.5 / 20.7 / 20.5 / 19.6 / 20.6 %",
}
"""From another program's simulation of `standard-reconstruction-1`: 3,000 games per size; the King
ended 0 to 39 % of them."""

_ASKED: Mapping[Decision, str] = {
    Decision.PLACE: "to place a rogue",
    Decision.ACT: "to act or to end the turn",
    Decision.SINK: "which rogue goes into the Seine",
    Decision.DISCARD: "which Plot card to discard",
    Decision.WRATH: "whom the Wrath hits",
    Decision.ORDER: "which standoff comes next",
    Decision.SWORDSMAN: "whether to pay the Swordsman",
    Decision.LONE: "whether to reveal the lone rogue",
    Decision.COURTESAN: "where the Courtesan's token goes",
    Decision.EFFECT: "to play a Plot card before the spot's effect",
}

_HEAD = 13
"""Columns of an observation line's heading."""


def deal_lines(deal: Deal, names: Names) -> Iterator[str]:
    """Yield the data set, the starter, the Plot cards dealt, the pile and the bag."""
    starter = seat_span(deal.starting_seat, names)
    yield line([starter, Span(" starts"), Span(f" · board data {deal.data}", "dim")])
    width = _width(names)
    for seat, card in enumerate(deal.hands):
        yield line([Span("  "), seat_span(seat, names).padded(width), Span("  "), plot_span(card)])
    yield from flow([Span("  Pile  ", "dim")], [[plot_span(card)] for card in deal.pile])
    yield from flow([Span("  Bag   ", "dim")], [[rogue_span(rogue)] for rogue in deal.bag])


def event_lines(event: Event, names: Names) -> Iterator[str]:
    """Yield the event as one line, indented unless it starts a turn."""
    indent = [] if isinstance(event, TurnStarted) else [Span("    ")]
    yield line([*indent, *event_spans(event, names)])


def action_line(action: Action, names: Names) -> str:
    """Return an action, legal or not, as one line."""
    return line(action_spans(action, names))


def observation_lines(observation: Observation, names: Names) -> Iterator[str]:
    """Yield a seat's view: the moment, its hands, the board, the players, the piles."""
    yield from _situation(observation, names)
    yield line([_head("Rogues"), *rogue_spans(observation.rogues)])
    if observation.drawn:
        yield line([_head("Drawn"), rogue_span(observation.drawn)])
    yield line([_head("Plot cards"), *plot_spans(observation.plots)])
    yield ""
    yield from _board_lines(observation, names)
    if observation.standoff:
        yield line([_head("Standoff"), *_standoff(observation.standoff, names)])
    if observation.pending:
        yield line([_head("Then"), *joined([[place_span(place)] for place in observation.pending])])
    yield ""
    yield from _player_lines(observation, names)
    yield from _pile_lines(observation)


def _head(text: str) -> Span:
    return Span(text.ljust(_HEAD), "title")


def _situation(observation: Observation, names: Names) -> Iterator[str]:
    you, moment = seat_span(observation.seat, names), observation
    if moment.to_act is None or moment.decision is None:
        yield line([Span("The game is over", "title"), Span(", seen by "), you])
    else:
        head = [Span(f"Turn {moment.turn}", "title"), Span(" of ")]
        question = [seat_span(moment.to_act, names), Span(f" is asked {_ASKED[moment.decision]}")]
        round_ = Span(f" · round {moment.round}", "dim")
        yield line([*head, seat_span(moment.active, names), Span(", seen by "), you, round_])
        yield line([_head(""), *question])
    king = [_head("King"), Span(f"on space {moment.king}", "king")]
    wrath = [Span(", stopped by the Wrath", "wrath")] if moment.king_stopped else []
    playing = [Span(" · playing "), plot_span(moment.playing)] if moment.playing else []
    emperor = [Span(" · "), Span("The Emperor", "plot"), Span(" rules")] if moment.emperor else []
    yield line([*king, *wrath, *playing, *emperor])


def _board_lines(observation: Observation, names: Names) -> Iterator[str]:
    rogues = {one.spot: one for one in observation.in_play}
    cells = {spot: _cell(one, names) for spot, one in rogues.items()}
    width = max([14, *[_length(cell) for cell in cells.values()]])
    for place, control in zip(Neighbourhood, observation.controls, strict=True):
        spans: list[Span] = [place_span(place).padded(22)]
        for rank in RANKS:
            cell = cells.get(Spot(place, rank), [Span("·", "dim")])
            spans += [Span(f"{rank} ", "dim"), *cell, Span(" " * (width + 2 - _length(cell)))]
        yield line([*spans, *_control(control, names)])


def _length(spans: Spans) -> int:
    return sum(len(span.text) for span in spans)


def _cell(one: RogueInPlay, names: Names) -> Spans:
    up = [Span("!", "wrath")] if one.revealed else []
    face = Span("?", "hidden") if one.rogue is None else rogue_span(one.rogue)
    return [seat_span(one.owner, names), Span(" "), face, *up]


def _control(control: Control | None, names: Names) -> Spans:
    if control is None:
        return []
    times = f" x{control.tokens}" if control.tokens > 1 else ""
    return [Span("♛ ", "renown"), seat_span(control.seat, names), Span(times, "renown")]


def _standoff(standoff: Standoff, names: Names) -> Spans:
    spans = [place_span(standoff.neighbourhood)]
    if standoff.asked_rank:
        spans.append(Span(f" · about the rogue of rank {standoff.asked_rank}"))
    if standoff.paid:
        ranks = ", ".join(map(str, standoff.paid))
        spans.append(Span(f" · Swordsmen paid: {ranks}"))
    if standoff.winner is not None:
        spans += [Span(" · won by "), seat_span(standoff.winner, names)]
    return spans


def _player_lines(observation: Observation, names: Names) -> Iterator[str]:
    for seat, player in enumerate(observation.players):
        name = seat_span(seat, names).padded(_width(names))
        coins = coins_span(player.coins).padded(10)
        hand = Span(f"{counted(player.rogues_at_hand, 'rogue')} at hand".ljust(19))
        cards = Span(counted(player.plot_cards, "Plot card").ljust(14), "plot")
        renown = Span(f"{player.renown} Renown", "renown")
        lines = Span(_lines(player.lines), "dim")
        yield line([name, Span("  "), coins, hand, cards, renown, lines])


def _lines(lines: tuple[int, ...]) -> str:
    if not lines:
        return ""
    return f" · line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))}"


def _pile_lines(observation: Observation) -> Iterator[str]:
    bag, seine = observation.bag_size, observation.seine_size
    sizes = f"{counted(observation.pile_size, 'Plot card')}, {bag} in the bag, {seine} in the Seine"
    yield line([_head("Left"), Span(sizes)])
    if observation.sunk:
        yield line([_head("Own in Seine"), *rogue_spans(observation.sunk)])
    if observation.discards:
        yield from flow([_head("Discarded")], [[plot_span(card)] for card in observation.discards])


def result_lines(result: Result, names: Names) -> Iterator[str]:
    """Yield how the game ended, the data set, and every seat's rank with what decided it."""
    when = Span(f" in turn {result.turn}, round {result.round}")
    yield line([*_ending(result, names), when, Span(f" · board data {result.data}", "dim")])
    seats = sorted(range(len(names)), key=lambda seat: result.seats[seat].rank)
    for seat in seats:
        rank, renown, places, lines, coins = result.seats[seat]
        yield line(
            [
                Span(f"{rank:>3} ", "title"),
                seat_span(seat, names).padded(_width(names)),
                Span(f"  {renown} Renown", "renown"),
                Span(f" · {counted(places, 'neighbourhood')}{_lines(lines)}"),
                Span(f" · {counted(coins, 'coin')}", "dim"),
            ]
        )


def _ending(result: Result, names: Names) -> Spans:
    if result.ending is Ending.RENOWN:
        winner = min(range(len(names)), key=lambda seat: result.seats[seat].rank)
        return [seat_span(winner, names), Span(" placed the sixth "), Span("Renown", "renown")]
    if result.ending is Ending.KING:
        return [Span("The Penniless King", "king"), Span(f" reached space {result.king}")]
    return [Span("The last round is over", "title")]


def _width(names: Names) -> int:
    return max(len(name) for name in names)
