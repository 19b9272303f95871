"""The plots of a report, as inline SVG styled by the page's classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LETTER = 7.6
"""Approximate maximum width of a letter, in pixels."""
_ROW = 30
_WIDTH = 760
_AXIS = 26
_CELL_W, _CELL_H = 62, 34
_TITLES = 96
_DEEPEST = 0.41
"""The maximum opacity of a cell's colour, so that its text stays readable."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval."""

    label: str
    value: float
    low: float
    high: float
    text: str
    """The value in words."""
    strong: bool = False
    """Whether to highlight it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix."""

    value: float
    """From 0 to 1; 1/2 has no colour."""
    text: str
    title: str
    """The tooltip."""
    strong: bool = False


def intervals(
    bars: Sequence[Bar], low: float, high: float, ticks: Sequence[tuple[float, str]], middle: float
) -> str:
    """Draw values with intervals, one per row, over one axis; a line marks the `middle`."""
    height = _ROW * len(bars) + _AXIS
    names, right = _room([bar.label for bar in bars]), _WIDTH - 130

    def x(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(names + 10 + share * (right - names - 10), 1)

    parts = [_grid(x(at), height - _AXIS, label) for at, label in ticks]
    parts.append(f'<path class="zero" d="M{x(middle)} 0V{height - _AXIS}"/>')
    for i, bar in enumerate(bars):
        y = _ROW * i + _ROW / 2
        strong = " strong" if bar.strong else ""
        parts.append(
            f'<g class="bar{strong}"><title>{escape(bar.label)}: {escape(bar.text)}</title>'
            f'<text class="name" x="{names - 6}" y="{y + 4.5}">{escape(_short(bar.label))}</text>'
            f'<path d="M{x(bar.low)} {y}H{x(bar.high)}"/>'
            f'<path class="end" d="M{x(bar.low)} {y - 5}v10M{x(bar.high)} {y - 5}v10"/>'
            f'<circle cx="{x(bar.value)}" cy="{y}" r="5.5"/>'
            f'<text x="{right + 14}" y="{y + 4.5}">{escape(bar.text)}</text></g>'
        )
    return _svg(_WIDTH, height, parts)


def matrix(names: Sequence[str], rows: Sequence[Sequence[Cell | None]]) -> str:
    """Draw a matrix of rows against columns, both with these names; None leaves a cell empty."""
    left = _room(names)
    width = left + _CELL_W * len(names) + 0.7 * left
    parts = []
    for j, name in enumerate(names):
        x = left + _CELL_W * j + _CELL_W / 2
        parts.append(
            f'<text class="head" transform="translate({x + 4} {_TITLES - 10}) rotate(-40)">'
            f"{escape(_short(name))}</text>"
        )
    for i, (name, row) in enumerate(zip(names, rows, strict=True)):
        y = _TITLES + _CELL_H * i
        middle = y + _CELL_H / 2 + 4.5
        parts.append(
            f'<text class="name" x="{left - 8}" y="{middle}">{escape(_short(name))}</text>'
        )
        parts += [
            _cell(cell, left + _CELL_W * j, y) for j, cell in enumerate(row) if cell is not None
        ]
    return _svg(round(width), _TITLES + _CELL_H * len(names) + 4, parts)


def _room(names: Sequence[str]) -> float:
    """Return the width of the names, in pixels."""
    return 20 + _LETTER * max((len(_short(name)) for name in names), default=0)


def _cell(cell: Cell, x: float, y: float) -> str:
    side = "high" if cell.value >= 0.5 else "low"  # noqa: PLR2004 - one half
    depth = round(0.04 + _DEEPEST * 2 * abs(cell.value - 0.5), 2)
    strong = " strong" if cell.strong else ""
    width, height = _CELL_W - 3, _CELL_H - 3
    return (
        f'<g class="cell {side}{strong}"><title>{escape(cell.title)}</title>'
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill-opacity="{depth}"/>'
        f'<text x="{x + width / 2}" y="{y + height / 2 + 4.5}">{escape(cell.text)}</text></g>'
    )


def _grid(x: float, height: float, label: str) -> str:
    return (
        f'<path class="grid" d="M{x} 0V{height}"/>'
        f'<text class="tick" x="{x}" y="{height + 18}">{escape(label)}</text>'
    )


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    """Return a drawing that shrinks with the page, but stays readable."""
    return (
        f'<div class="scroll" tabindex="0"><svg viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">{"".join(parts)}</svg></div>'
    )


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"  # noqa: PLR2004 - what has room
