"""Templates become pages: the one Jinja environment, and how values look in it."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ladder.model.matches import SeatLine
from ladder.results.standings import FORESEEABLE, rounded
from ladder.server.web.bot_page import CurveShown
from ladder.server.web.drawing import thinned

STATIC = "static/"
"""Where the files are that do not depend on any ladder, below the site."""

_NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"
_NUMBERS_SHOWN = 12


def render(template: str, **context: Any) -> bytes:
    """Return a page in UTF-8. A name that a template misses is our bug, and raises."""
    return _environment().get_template(template).render(context).encode()


def ways(path: str, prefix: str) -> dict[str, str]:
    """Return the relative ways that every page has, from its path and its ladder's prefix."""
    root = "../" * path.count("/")
    return {"root": root, "assets": f"{root}{STATIC}", "home": f"{root}{prefix}"}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ladder.server.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.filters |= {
        "capitalize_first": capitalize_first,
        "curve_data": curve_data,
        "fault": fault,
        "fixed": fixed,
        "more": more,
        "grouped": grouped,
        "percent": percent,
        "placed": placed,
        "signed": signed,
        "some": some,
        "to_separate": to_separate,
        "when": when,
    }
    return environment


def capitalize_first(text: str) -> str:
    """Return a text with its first letter in upper case, all others as they are."""
    return text[:1].upper() + text[1:]


def fixed(value: float | None, digits: int) -> str:
    """Return a number with so many digits after the point; a dash for None."""
    if value is None:
        return _NOTHING
    text = f"{value:.{digits}f}"
    return text.replace("-", _MINUS) if float(text) else f"{0:.{digits}f}"


def signed(value: float) -> str:
    """Return a change with its sign, to one digit."""
    text = f"{value:+.1f}"
    return text.replace("-", _MINUS) if float(text) else "0.0"


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 in per cent, to one digit; a dash for None."""
    return _NOTHING if share is None else f"{100 * share:.1f} %"


def more(matches: int) -> str:
    """Return about how many more matches separate two bots, in a word or two."""
    return "equal" if matches > FORESEEABLE else f"~{grouped(rounded(matches))} more"


def to_separate(matches: int, one: str, other: str) -> str:
    """Return about how many more matches two bots need, as a sentence."""
    if matches > FORESEEABLE:
        return f"{one} and {other} are about equal: no number of matches will soon separate them."
    return f"About {grouped(rounded(matches))} more matches of both to separate {one} from {other}."


def grouped(number: int) -> str:
    """Return a count with thin spaces between its thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def when(moment: str) -> str:
    """Return a stored time as people read it, in UTC to the minute."""
    return f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def fault(kind: str) -> str:
    """Return the name of a fault in words, such as "illegal action"."""
    return kind.replace("_", " ").lower()


def placed(seats: Iterable[SeatLine]) -> list[tuple[int, SeatLine]]:
    """Return numbers and seats in the order of their places, or as they sit while there are none.

    The sort keeps equal places in the order of the seats.
    """
    return sorted(enumerate(seats), key=lambda s: s[1].result.rank if s[1].result else 0)


def some(count: int) -> Sequence[int]:
    """Return some indices of a list of this length, evenly spread, both ends among them."""
    return thinned(range(count), _NUMBERS_SHOWN)


def curve_data(curves: Iterable[CurveShown]) -> Markup:
    """Return curves as JSON for a script element; they hold numbers only, so nothing can end it."""
    shown = [
        {"version": c.version, "x": c.matches, "mu": c.mu, "low": c.low, "high": c.high}
        for c in curves
    ]
    return Markup(json.dumps(shown, separators=(",", ":")))  # noqa: S704 - numbers only
