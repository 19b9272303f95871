"""Courtisans for people: deal, turns, a seat's view and the end, as lines of Rich markup.

Every function takes its value whole or in one seat's form. Lines are at most about 100 columns
wide.

At the Queen's table face-down cards lie in her own column, between nightingale and hare. In each
column the oldest card lies next to the mat. Every card shows its turn.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest

from referee.games.base import Seat
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Family, Role, Side, card_name
from referee.games.courtisans.deal import Deal
from referee.games.courtisans.event import Placed, TurnPlayed
from referee.games.courtisans.observation import CardInPlay, Eliminated, Observation
from referee.games.courtisans.scoring import (
    FamilyPoints,
    FamilyResult,
    MissionResult,
    Result,
    RevealedSpy,
    family_results,
)
from referee.games.courtisans.words import (
    STYLES,
    Names,
    card_span,
    card_spans,
    family_style,
    give_spans,
    keep_spans,
    mission_spans,
    put_spans,
    seat_span,
)
from referee.games.markup import Span, Spans, flow, joined, line, signed

__all__ = [
    "FIGURES",
    "STYLES",
    "action_line",
    "deal_lines",
    "event_lines",
    "observation_lines",
    "result_lines",
]

FIGURES: Mapping[int, str] = {}
"""None has been published."""


def deal_lines(deal: Deal, names: Names) -> Iterator[str]:
    """Yield the starter, every seat's hand and missions, and the removed cards."""
    width = _width(names)
    starter = seat_span(deal.starting_seat, names)
    yield line([starter, Span(f" starts, {len(deal.deck)} courtiers are in the deck")])
    for seat, (hand, missions) in enumerate(zip(deal.hands, deal.missions, strict=True)):
        name = seat_span(seat, names).padded(width)
        yield line([Span("  "), name, Span("  "), *card_spans(hand)])
        wishes = joined([mission_spans(mission, seat, names) for mission in missions], " · ")
        yield line([Span(" " * (width + 4)), *wishes])
    if deal.removed:
        head = [Span("  Out of the game  ", "dim")]
        yield from flow(head, [[card_span(*card)] for card in sorted(deal.removed)])


def event_lines(event: TurnPlayed, names: Names) -> Iterator[str]:
    """Yield a turn, one line per card placed, and the cards drawn where known."""
    placed = (event.table, event.own_domain, event.opponent_domain)
    return turn_lines(event, names, [_elimination(one) for one in placed])


def turn_lines(event: TurnPlayed, names: Names, kills: Sequence[Spans]) -> Iterator[str]:
    """Yield the same, with these words for what each of the three cards eliminates."""
    name = seat_span(event.seat, names).padded(_width(names))
    head = [Span(f"{event.turn:>3} ", "dim"), name, Span("  puts ")]
    yield line([*head, *_put(event.table), *kills[0]])
    indent = Span(" " * (len(name.text) + 6))
    yield line([indent, Span("keeps "), *_card(event.own_domain.card), *kills[1]])
    opponent, given = seat_span(event.opponent, names), _card(event.opponent_domain.card)
    yield line([indent, Span("gives "), opponent, Span(" "), *given, *kills[2]])
    if event.drawn:
        yield line([indent, Span("draws ", "dim"), *card_spans(event.drawn)])


def _put(placed: Placed) -> Spans:
    above = placed.card.side is Side.ABOVE
    side = Span("above", "esteemed") if above else Span("below", "fallen")
    comma = Span("," if placed.card.role is Role.SPY else "")
    return [*_card(placed.card), comma, Span(" "), side, Span(" the mat")]


def _card(card: CardInPlay) -> Spans:
    face_down = Span(", face down" if card.role is Role.SPY else "", "spy")
    return [Span("a "), card_span(card.family, card.role), face_down]


def _elimination(placed: Placed) -> Spans:
    if not placed.eliminated:
        return []
    return [Span(" and "), Span(f"eliminates the card of turn {placed.eliminated}", "eliminated")]


def action_line(action: Action, names: Names) -> str:
    """Return an action, legal or not, as one line."""
    table, side, own_domain, opponent_domain, opponent = action
    parts = [
        [*put_spans(table.card, side), *_eliminating(table)],
        [*keep_spans(own_domain.card), *_eliminating(own_domain)],
        [*give_spans(opponent_domain.card, opponent, names), *_eliminating(opponent_domain)],
    ]
    return line(joined(parts, " · "))


def _eliminating(placement: Placement) -> Spans:
    turn = placement.eliminates
    return [Span(f", eliminating the card of turn {turn}", "eliminated")] if turn else []


def observation_lines(observation: Observation, names: Names) -> Iterator[str]:
    """Yield a seat's view: its hand and missions, the table, the domains, the eliminated."""
    yield _situation(observation, names)
    yield line([Span("Hand        ", "title"), *_or_nothing(card_spans(observation.hand))])
    missions = (observation.white, observation.blue)
    wishes = [mission_spans(mission, observation.seat, names) for mission in missions]
    yield line([Span("Missions    ", "title"), *joined(wishes, " · ")])
    yield ""
    yield from _mat_lines(observation.table)
    yield ""
    for seat, domain in enumerate(observation.domains):
        yield from _domain_lines(seat, domain, observation, names)
    if observation.eliminated:
        head = [Span("Eliminated  ", "title")]
        yield from flow(head, [_eliminated(gone, names) for gone in observation.eliminated])


def _situation(observation: Observation, names: Names) -> str:
    you = seat_span(observation.seat, names)
    if observation.to_act is None:
        return line([Span("The game is over", "title"), Span(", seen by "), you])
    acting = seat_span(observation.to_act, names)
    return line(
        [
            Span(f"Turn {observation.turn}", "title"),
            Span(" of "),
            acting,
            Span(", seen by "),
            you,
            Span(f" · {observation.deck_size} courtiers in the deck", "dim"),
        ]
    )


def _domain_lines(
    seat: Seat, domain: Sequence[CardInPlay], observation: Observation, names: Names
) -> list[str]:
    width = _width(names)
    left = observation.turns_left[seat]
    turns = f"  {left:>2} turn{'' if left == 1 else 's'} left"
    head = [seat_span(seat, names).padded(width), Span(f"{turns:<17}", "dim")]
    groups: dict[Family | None, list[CardInPlay]] = {family: [] for family in (*Family, None)}
    for card in domain:
        groups[card.family].append(card)
    return flow(head, [_group(group) for group in groups.values() if group] or [_or_nothing([])])


def _group(cards: Sequence[CardInPlay]) -> Spans:
    family = cards[0].family
    style = family_style(family)
    name = [] if family is None else [Span(f"{family.name.lower()} ", style)]
    return [*name, *joined([(_in_domain(card),) for card in cards])]


def _eliminated(gone: Eliminated, names: Names) -> Spans:
    card, domain = gone
    return [card_span(card.family, card.role), *_origin(card.turn, domain, names)]


def _origin(turn: int, domain: Seat | None, names: Names) -> Spans:
    if domain is None:
        return [Span(f" of turn {turn} at the table", "dim")]
    return [Span(f" of turn {turn} with ", "dim"), seat_span(domain, names)]


def result_lines(result: Result, names: Names) -> Iterator[str]:
    """Yield the families' standing, the spies, and every seat's points, broken down."""
    yield line([Span("Family        above  below", "title")])
    for family in result.families:
        yield _family_line(family)
    if result.spies:
        yield ""
        head = [Span("Spies  ", "title")]
        yield from flow(head, [_spy(spy, names) for spy in result.spies])
    for seat in sorted(range(len(names)), key=lambda seat: -result.seats[seat].points):
        yield ""
        points, families, missions = result.seats[seat]
        yield line([seat_span(seat, names), Span(f"  {points} points", "title")])
        yield from flow([Span("  ")], [_family_points(part) for part in families])
        for mission in missions:
            yield _mission_line(mission, seat, names)


def _family_line(result: FamilyResult) -> str:
    family, above, below, status = result
    name = Span(family.name.lower(), family_style(family)).padded(12)
    return line(
        [name, Span(f"{above:>7}{below:>7}  "), Span(status.name.lower(), status.name.lower())]
    )


def _spy(spy: RevealedSpy, names: Names) -> Spans:
    gone = [Span(" (eliminated)", "eliminated")] if spy.eliminated else []
    name = Span(spy.family.name.lower(), family_style(spy.family))
    return [name, *_origin(spy.turn, spy.domain, names), *gone]


def _family_points(part: FamilyPoints) -> Spans:
    family, weight, points = part
    name = Span(f"{family.name.lower()} {weight}", family_style(family))
    return [name, Span(" → ", "dim"), _signed(points)]


def _signed(points: int) -> Span:
    style = "esteemed" if points > 0 else "fallen" if points < 0 else "neutral"
    return Span(signed(points), style)


def _mission_line(result: MissionResult, seat: Seat, names: Names) -> str:
    mission, fulfilled, points = result
    mark = Span("✓", "esteemed") if fulfilled else Span("✗", "fallen")
    wish = mission_spans(mission, seat, names)
    return line([Span("  "), mark, Span(" "), *wish, Span(" → ", "dim"), _signed(points)])


def _or_nothing(spans: Spans) -> Spans:
    return spans or [Span("nothing", "dim")]


def _width(names: Names) -> int:
    return max(len(name) for name in names)


_QUEEN = None
_COLUMNS = (
    Family.BUTTERFLY,
    Family.TOAD,
    Family.NIGHTINGALE,
    _QUEEN,
    Family.HARE,
    Family.STAG,
    Family.CARP,
)
_GAP = 2


@cache
def _in_domain(card: CardInPlay) -> Span:
    """Return a card in a domain's list of one family: its role and turn."""
    return Span(f"{card.role.name.lower()} {card.turn}", family_style(card.family))


def _in_column(card: CardInPlay) -> Span:
    if card.role is Role.SPY:
        return Span(f"{card_name(card.family, card.role)} {card.turn}", family_style(card.family))
    return _in_domain(card)


def _mat_lines(table: Sequence[CardInPlay]) -> list[str]:
    """Return the table, with each family's surplus of known weight under its name."""
    above = list(reversed(_rows(table, Side.ABOVE)))
    mat = [_heads(), _surpluses(table)]
    below = _rows(table, Side.BELOW)
    columns = zip(*above, *mat, *below, strict=True)
    widths = [max(len(span.text) for span in column) + _GAP for column in columns]
    rule = "━" * sum(widths)
    return [
        *(_row(row, widths) for row in above),
        line([Span(f"▲ {rule}", "esteemed")]),
        *(_row(row, widths) for row in mat),
        line([Span(f"▼ {rule}", "fallen")]),
        *(_row(row, widths) for row in below),
    ]


def _row(spans: Iterable[Span], widths: Iterable[int]) -> str:
    cells = [span.centred(width) for span, width in zip(spans, widths, strict=True)]
    return line([Span("  "), *cells])


def _rows(table: Iterable[CardInPlay], side: Side) -> list[list[Span]]:
    """Return the cards of one side in rows, the row next to the mat first."""
    columns: dict[Family | None, list[Span]] = {column: [] for column in _COLUMNS}
    for card in table:
        if card.side is side:
            columns[_QUEEN if card.role is Role.SPY else card.family].append(_in_column(card))
    return [list(row) for row in zip_longest(*columns.values(), fillvalue=Span(""))]


@cache
def _heads() -> list[Span]:
    return [
        Span("♛ Queen", "title")
        if family is _QUEEN
        else Span(family.name.lower(), family_style(family))
        for family in _COLUMNS
    ]


def _surpluses(table: Sequence[CardInPlay]) -> list[Span]:
    known = {result.family: result for result in family_results(table)}
    spans = []
    for family in _COLUMNS:
        if family is _QUEEN:
            spans.append(Span(""))
        else:
            _, above, below, status = known[family]
            spans.append(Span(signed(above - below), status.name.lower()))
    return spans
