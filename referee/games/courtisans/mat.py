"""The Queen's table as text: one column per family, above and below the mat.

Face-down cards lie in the Queen's own column, between nightingale and hare. In each column the
oldest card lies next to the mat. Every card shows its turn.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from referee.games.courtisans.cards import Family, Role, Side, card_name
from referee.games.courtisans.observation import CardInPlay
from referee.games.courtisans.scoring import family_results
from referee.games.courtisans.words import family_style
from referee.games.markup import Span, line, signed

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


def in_domain(card: CardInPlay) -> Span:
    """Return a card in a domain's list of one family: its role and turn."""
    return Span(f"{card.role.name.lower()} {card.turn}", family_style(card.family))


def _in_column(card: CardInPlay) -> Span:
    if card.role is Role.SPY:
        return Span(f"{card_name(card.family, card.role)} {card.turn}", family_style(card.family))
    return in_domain(card)


def mat_lines(table: Sequence[CardInPlay]) -> list[str]:
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
