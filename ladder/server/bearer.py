"""Tokens in requests: where they may be, and over which connections.

A token comes in an Authorization header, or from a browser in the cookie of the pages, which
requests from other sites do not carry.
"""

from urllib.parse import urlsplit

from starlette.requests import Request

COOKIE = "courtyard"
COOKIE_TLS = "__Host-courtyard"  # browsers accept this prefix only over TLS, and from no subdomain
_LOOPBACK = ("127.0.0.1", "::1")


def token_of(request: Request) -> str:
    """Return the token of a request; empty if it has none."""
    found = _in_header(request)
    return request.cookies.get(cookie_name(request), "") if found is None else found


def is_cookie(request: Request) -> bool:
    """Return whether a request has no token but the cookie's."""
    return _in_header(request) is None


def _in_header(request: Request) -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def is_overheard(request: Request) -> bool:
    """Return whether others could read a request's token in transit.

    Without TLS a token may come only from this machine, and not through a web server, which
    forwards requests from elsewhere and says so in X-Forwarded-Proto; or from a network that the
    ladder's owner trusts (`request.app.state.trusts_network`).
    """
    if is_tls(request) or request.app.state.trusts_network:
        return False
    here = request.client is None or request.client.host in _LOOPBACK
    return not here or "X-Forwarded-Proto" in request.headers


def is_from_here(request: Request) -> bool:
    """Return whether a request came from this site's own page, its reader, or no browser at all.

    Browsers send Sec-Fetch-Site, which is "none" for an address that the reader has typed; older
    ones send the origin.
    """
    if site := request.headers.get("Sec-Fetch-Site"):
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    try:
        return origin is None or urlsplit(origin).netloc == request.headers.get("Host")
    except ValueError:  # not an address
        return False


def is_tls(request: Request) -> bool:
    """Return whether a request came over TLS."""
    return request.url.scheme == "https"


def cookie_name(request: Request) -> str:
    """Return the name of the cookie that holds a token."""
    return COOKIE_TLS if is_tls(request) else COOKIE
