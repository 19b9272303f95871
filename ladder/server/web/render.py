"""Renders templates: the Jinja environment and its filters."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ladder.model.matches import SeatLine
from ladder.model.moments import in_words, when
from ladder.results.standings import FORESEEABLE, rounded
from ladder.server.web.bot_page import RatingCurve
from ladder.server.web.drawing import thinned
from ladder.server.web.static_files import STATIC, static_file
from referee.core.clock import took

_NOTHING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"
_NUMBERS_SHOWN = 12
_LONGEST_NAME = 80


def render(template: str, **context: Any) -> bytes:
    """Render a page in UTF-8; raise if the template uses an unknown name, which is our bug."""
    return _environment().get_template(template).render(context).encode()


def ways(path: str, prefix: str, *, live: bool) -> dict[str, str]:
    """Return the relative paths that every page uses, from its path and its ladder's prefix.

    Only a `live` site has pages for authors.
    """
    root = "../" * path.count("/")
    me = f"{root}me/" if live else ""
    return {"root": root, "assets": f"{root}{STATIC}", "home": f"{root}{prefix}", "me": me}


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
        "file_name": file_name,
        "fixed": fixed,
        "more": more,
        "ours": ours,
        "grouped": grouped,
        "percent": percent,
        "placed": placed,
        "signed": signed,
        "some": some,
        "to_separate": to_separate,
        "took": took,
        "when": when,
        "starting": starting,
    }
    return environment


def capitalize_first(text: str) -> str:
    """Capitalize the first letter, and leave all others unchanged."""
    return text[:1].upper() + text[1:]


@cache
def ours(name: str) -> Markup:
    """Return a static file of ours to stand in a page, for files that need no other."""
    return Markup(static_file(name).decode())  # noqa: S704 - our own


def file_name(text: str) -> str:
    """Return the words of a text as the name of a file."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:_LONGEST_NAME]


def fixed(value: float | None, digits: int) -> str:
    """Format a number with this many decimals; None as a dash."""
    if value is None:
        return _NOTHING
    text = f"{value:.{digits}f}"
    return text.replace("-", _MINUS) if float(text) else f"{0:.{digits}f}"


def signed(value: float) -> str:
    """Format a change with its sign and one decimal."""
    text = f"{value:+.1f}"
    return text.replace("-", _MINUS) if float(text) else "0.0"


def percent(share: float | None) -> str:
    """Format a share from 0 to 1 in percent with one decimal; None as a dash."""
    return _NOTHING if share is None else f"{100 * share:.1f} %"


def more(matches: int) -> str:
    """Format the estimated number of matches to separate two bots, in a few words."""
    return "about equal" if matches > FORESEEABLE else f"sure in ~{grouped(rounded(matches))}"


def to_separate(matches: int, one: str, other: str) -> str:
    """Describe the estimated number of matches to separate two bots, as a sentence."""
    if matches > FORESEEABLE:
        return f"{one} and {other} are about equal: separating them takes too many matches."
    count = grouped(rounded(matches))
    return f"Separating {one} from {other} takes about {count} more matches of both."


def grouped(number: int) -> str:
    """Format a count with thin spaces between thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def starting(moment: str) -> str:
    """Format the time at which a round starts, in UTC, with its seconds if it has any."""
    return in_words(datetime.fromisoformat(moment).astimezone(UTC))


def fault(kind: str) -> str:
    """Format the kind of a fault as words, such as "illegal action"."""
    return kind.replace("_", " ").lower()


def placed(seats: Iterable[SeatLine]) -> list[tuple[int, SeatLine]]:
    """Return (number, seat) in the order of the places, or of the seats before the match ends.

    Equal places stay in the order of the seats.
    """
    return sorted(enumerate(seats), key=lambda s: s[1].result.rank if s[1].result else 0)


def some(count: int) -> Sequence[int]:
    """Return some indices of a list of this length, evenly spread, including both ends."""
    return thinned(range(count), _NUMBERS_SHOWN)


def curve_data(curves: Iterable[RatingCurve]) -> Markup:
    """Return curves as JSON for a script element; numbers alone cannot end the element."""
    data = [
        {"version": c.version, "x": c.matches, "mu": c.mu, "low": c.low, "high": c.high}
        for c in curves
    ]
    return Markup(json.dumps(data, separators=(",", ":")))  # noqa: S704 - numbers only
