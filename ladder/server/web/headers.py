"""The HTTP headers of every response, and the tags by which readers keep their copies."""

import hashlib

from starlette.requests import Request

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # cache, but revalidate: a 304 is short
}


def tag_of(content: bytes) -> str:
    """Return a weak tag, as it stands for both the compressed and the uncompressed content."""
    return f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'


def is_current(request: Request, tag: str) -> bool:
    """Return whether the reader's copy has this tag."""
    known = (each.strip() for each in request.headers.get("If-None-Match", "").split(","))
    return any(each in (tag, "*") for each in known)
