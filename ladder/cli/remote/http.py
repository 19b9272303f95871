"""HTTP to a remote ladder's author API, by the standard library.

Connections use TLS, except to loopback addresses and addresses that begin with http://. Every
request carries a token, so none may go out in the clear by mistake, nor follow a redirection.
"""

import http.client
import json
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ladder.model.addresses import bare, is_loopback, joined
from ladder.model.errors import ApiError, SettingsError

API = "/api/v1"
_SECONDS = 60.0
"""Longer than any answer is held back."""
_ROOTS, _KEY, _CERT = "COURTYARD_CA_FILE", "COURTYARD_KEY_FILE", "COURTYARD_CERT_FILE"
_PROXIES = ("https_proxy", "http_proxy")
_OTHER_HOST = (62, 64)
"""OpenSSL's codes where a certificate has another name, or another IP address."""
_LARGEST_PROBLEM = 64 * 1024
_AGAIN, _DROPPED = 2, (ConnectionResetError, BrokenPipeError)


class CutError(ApiError):
    """The connection failed, rather than the ladder refusing the request."""


class RefusedError(ApiError):
    """The ladder refused a request."""

    def __init__(self, message: str, reason: str, retry_after_s: float | None) -> None:
        """Tell why, and when to try again, if that helps."""
        super().__init__(message, reason)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a ladder's pages."""

    host: str
    port: int
    path: str
    """Of the pages, without a slash at its end; mostly empty."""
    secure: bool

    @property
    def target(self) -> str:
        """HOST:PORT."""
        return joined(self.host, self.port)

    @property
    def url(self) -> str:
        """The address with its scheme."""
        return f"http{'s' if self.secure else ''}://{self.target}{self.path}"


def address_of(url: str) -> Address:
    """Parse the address of a ladder's pages; raise `ApiError`.

    Without a scheme it means TLS, except on loopback addresses for which no CA is named.
    """
    given = url.strip()
    scheme = given.partition("://")[0].lower() if "://" in given else ""
    try:
        parts = urlsplit(given if scheme else f"//{given}")
        host, port = bare(parts.hostname or ""), parts.port
    except (ValueError, SettingsError):
        host, port, parts = "", None, urlsplit("")
    others = parts.username or parts.query or parts.fragment or any(map(str.isspace, host))
    if not host or others or scheme not in ("", "http", "https"):
        raise ApiError(f"{url}: a ladder's address is https://HOST or http://HOST:PORT")
    secure = scheme == "https" if scheme else not is_loopback(host) or _ROOTS in os.environ
    path = parts.path.rstrip("/").removesuffix(API)
    return Address(host, port or (443 if secure else 80), path, secure)


class _NoRedirections(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token is for this ladder alone."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse."""


class Http:
    """Requests to one ladder."""

    def __init__(self, url: str, token: str) -> None:
        """Send nothing yet; raise `ApiError` for an address or certificates that are no good."""
        self.address = address_of(url)
        self._headers = {"Authorization": f"Bearer {token}", "User-Agent": "courtyard"}
        # A proxy leads out of this machine; it would be asked for loopback addresses, too.
        proxies: Any = {} if is_loopback(self.address.host) else None
        handlers: list[Any] = [urllib.request.ProxyHandler(proxies), _NoRedirections()]
        if self.address.secure:
            handlers.append(urllib.request.HTTPSHandler(context=tls_context()))
        self._opener = urllib.request.build_opener(*handlers)

    def open(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Return the answer to a request, to be read and closed.

        Raise `RefusedError` if the ladder refuses it, `CutError` if the connection fails.
        """
        request = urllib.request.Request(  # noqa: S310 - the scheme is http or https
            f"{self.address.url}{API}{path}",
            body,
            {**self._headers, **(headers or {})},
            method=method,
        )
        try:
            return self._opener.open(request, timeout=_SECONDS)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error) from error
        except (OSError, http.client.HTTPException) as error:
            raise self.cut(error) from error

    def get(self, path: str) -> bytes:
        """Return the whole answer to a GET.

        A ladder that is flooded with connections drops some: those are asked again, twice at most.
        """
        for _ in range(_AGAIN):
            try:
                return self.ask("GET", path)
            except CutError as error:
                cause = error.__cause__
                if not isinstance(getattr(cause, "reason", cause), _DROPPED):
                    raise
        return self.ask("GET", path)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """Return the whole answer to a request."""
        with self.open(method, path, body, headers) as answer:
            try:
                return bytes(answer.read())
            except (OSError, http.client.HTTPException) as error:
                raise self.cut(error) from error

    def cut(self, error: Exception) -> ApiError:
        """Return why a connection failed, in one line."""
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            return self._untrusted(reason)
        if isinstance(reason, http.client.BadStatusLine | http.client.UnknownProtocol) and not (
            isinstance(reason, http.client.RemoteDisconnected)
        ):
            return ApiError(
                f"{self.address.target} does not answer in HTTP: since its author API is on the "
                "pages' port, the address of a ladder is that of its pages"
            )
        how = "by TLS" if self.address.secure else "without TLS"
        other = f"http{'' if self.address.secure else 's'}://{self.address.target}"
        why = " ".join((getattr(reason, "strerror", None) or str(reason)).split())
        return CutError(
            f"{self.address.target} cannot be reached {how}: {why or 'no answer'}; "
            "check that it is running, that its certificate is valid, whether it requires one of "
            f"yours, and whether its address is {other}{self._proxy()}"
        )

    def _untrusted(self, error: ssl.SSLCertVerificationError) -> ApiError:
        if error.verify_code in _OTHER_HOST:
            return ApiError(f"{self.address.target} has the certificate of another host")
        return ApiError(
            f"{self.address.target} has a certificate that cannot be trusted: "
            f"{error.verify_message}; to trust other authorities, name them by {_ROOTS}"
        )

    def _refused(self, error: urllib.error.HTTPError) -> ApiError:
        try:
            problem = json.loads(error.read(_LARGEST_PROBLEM))
            message, reason = str(problem["detail"]), str(problem["reason"])
        except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
            return ApiError(
                f"{self.address.url} answers {error.code} {error.reason}: is this the address of a "
                f"ladder's pages, and does it serve {API}?"
            )
        waits = error.headers.get("Retry-After", "")
        return RefusedError(message, reason, float(waits) if waits.isdecimal() else None)

    def _proxy(self) -> str:
        """Return what to check of the proxy that is used, as words; empty if none is."""
        named = next(filter(os.environ.get, _PROXIES), None)
        if named is None or is_loopback(self.address.host):
            return ""
        return (
            f"; the variable {named} names a proxy: if the ladder is to be reached without it, put "
            f"{self.address.host} into no_proxy"
        )


def tls_context() -> ssl.SSLContext:
    """Return TLS with the trusted CAs and the client certificate that the environment names."""
    roots, key, cert = (os.environ.get(name) or None for name in (_ROOTS, _KEY, _CERT))
    if (key is None) is not (cert is None):
        raise ApiError(f"set both {_CERT} and {_KEY}")
    for name, file in ((_ROOTS, roots), (_KEY, key), (_CERT, cert)):
        _check_readable(name, file)
    try:
        context = ssl.create_default_context(cafile=roots)
    except ssl.SSLError as error:
        raise ApiError(f"{_ROOTS}: {roots}: no certificates in PEM") from error
    try:
        if cert:
            context.load_cert_chain(cert, key, "")
    except ssl.SSLError as error:
        raise ApiError(
            f"{_CERT}: {cert}: no certificate in PEM, or it does not match the key in {_KEY}"
        ) from error
    return context


def _check_readable(name: str, file: str | None) -> None:
    try:
        if file:
            with open(file, "rb"):  # noqa: PTH123 - for its error alone
                pass
    except OSError as error:
        raise ApiError(f"{name}: {file}: {error.strerror}") from error
