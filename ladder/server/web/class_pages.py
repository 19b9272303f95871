"""The pages of a class, each a file of its own: the invitations, to print, and the results."""

from collections.abc import Sequence

import segno

from ladder.model.members import Member
from ladder.results.class_results import ClassResults
from ladder.results.standings import rating
from ladder.server.web.render import render

_QR_SCALE = 5


def invitations(title: str, invited: Sequence[tuple[Member, str]], closes: str | None) -> bytes:
    """Return a page with a sheet for each member, from their invitation links.

    `closes`: when submissions close, UTC in ISO 8601, if they do.
    """
    sheets = [(member, link, _qr_code(link)) for member, link in invited]
    return render("class/invitations.html", title=title, sheets=sheets, closes=closes)


def results(of: ClassResults) -> bytes:
    """Return the results of a class as a page for a projector."""
    return render("class/results.html", of=of, rating=rating)


def _qr_code(text: str) -> str:
    """Return a QR code as SVG."""
    return segno.make(text, error="m", micro=False).svg_inline(scale=_QR_SCALE, border=2)
