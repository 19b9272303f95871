"""The client of a remote ladder's author API.

Connections use TLS, except to loopback addresses and addresses that begin with http://. Every call
carries a token, so no call may go out in the clear by mistake.
"""

import contextlib
import os
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import grpc
from courtyard.v1 import ladder_pb2 as pb
from courtyard.v1 import ladder_pb2_grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from ladder.cli.remote import decode
from ladder.cli.remote.upload import Uploader, UploadProgress
from ladder.model.addresses import is_loopback, joined, split
from ladder.model.bots import Submission, ValidationResult, Version
from ladder.model.errors import ApiError, SettingsError
from ladder.model.incidents import Incident
from ladder.model.matches import MatchLine
from ladder.model.rules import RulesPlayed
from ladder.model.settings import heading_of
from ladder.results.author_log import Lived
from ladder.results.standings import Standing
from referee.core.text_files import decoded
from referee.games import game_named
from referee.games.base import ConfigError
from referee.match.record import Record

_SECONDS = 60.0
_ROOTS, _KEY, _CERT = "COURTYARD_CA_FILE", "COURTYARD_KEY_FILE", "COURTYARD_CERT_FILE"
_PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
"""The variables that gRPC reads, the first of them first."""
_OPTIONS = (
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),  # a record may be long
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of an author API, and whether to use TLS."""

    host: str
    port: int
    secure: bool

    @property
    def target(self) -> str:
        """HOST:PORT."""
        return joined(self.host, self.port)


def address_of(url: str) -> Address:
    """Parse HOST:PORT, https://HOST:PORT or http://HOST:PORT; raise `ApiError`."""
    scheme, separator, target = url.strip().rpartition("://")
    try:
        host, port = split(target.rstrip("/"))
    except SettingsError:
        host, port = "", 0
    if not host or scheme.lower() not in ("", "http", "https"):
        raise ApiError(f"{url}: the address of an author API is HOST:PORT or https://HOST:PORT")
    secure = scheme.lower() == "https" if separator else not is_loopback(host)
    return Address(host, port, secure)


def read_token(path: Path | None) -> str:
    """Return the token in a file; raise `ApiError`."""
    if path is None:
        raise ApiError(
            "a remote ladder needs a token: put it into a file and name the file by --token-file "
            "or COURTYARD_TOKEN_FILE"
        )
    try:
        token = decoded(path.read_bytes()).strip()
    except OSError as error:
        raise ApiError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ApiError(f"{path}: this file holds no token") from error
    if not token or not token.isascii() or not token.isprintable():
        raise ApiError(f"{path}: this file holds no token")
    return token


class RemoteLadder:
    """A remote ladder, as a context manager that closes the connection at the end."""

    def __init__(self, url: str, token: str) -> None:
        """Prepare a connection; send nothing yet."""
        self._address = address_of(url)
        self._metadata = (("authorization", f"Bearer {token}"),)
        # A proxy leads out of this machine; gRPC would ask it for loopback addresses, too.
        options = (*_OPTIONS, ("grpc.enable_http_proxy", int(not is_loopback(self._address.host))))
        if self._address.secure:
            self._channel = grpc.secure_channel(self._address.target, _credentials(), options)
        else:
            self._channel = grpc.insecure_channel(self._address.target, options)
        self._stub = ladder_pb2_grpc.LadderServiceStub(self._channel)

    def __enter__(self) -> Self:
        """Return the ladder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._channel.close()

    def submit(self, path: Path, progress: UploadProgress) -> Submission:
        """Submit a bot; resume the upload if it is cut."""
        with self._told():
            return decode.submission_of(
                Uploader(self._stub.Submit, self._metadata).send(path, progress)
            )

    @property
    def heading(self) -> str:
        """The ladder's title, game and number of seats, fetched anew each time."""
        answer = self._ask("GetLadder", pb.GetLadderRequest())
        try:
            game = game_named(answer.game).title
        except ConfigError:
            game = answer.game
        return heading_of(answer.title or game, game, answer.seats)

    def versions(self) -> list[Version]:
        """Return the versions of all bots."""
        answer = self._ask("ListVersions", pb.ListVersionsRequest())
        return [decode.version_of(each) for each in answer.versions]

    def standings(self) -> tuple[list[Standing], RulesPlayed]:
        """Return the standings, and which versions of the rules count."""
        answer = self._ask("ListStandings", pb.ListStandingsRequest())
        return [decode.standing_of(row) for row in answer.standings], decode.rules_of(answer)

    def matches(self, bot: str | None, limit: int) -> list[MatchLine]:
        """Return the last public matches, the newest first."""
        answer = self._ask("ListMatches", pb.ListMatchesRequest(bot=bot or "", limit=limit))
        return [decode.match_of(match) for match in answer.matches]

    def match(self, match_id: str) -> MatchLine:
        """Return one match, as far as the caller may see it."""
        answer = self._ask("GetMatch", pb.GetMatchRequest(match_id=match_id))
        return decode.match_of(answer.match)

    def record(self, match_id: str) -> Record:
        """Return the record of a public match."""
        answer: pb.GetRecordResponse = self._ask(
            "GetRecord", pb.GetRecordRequest(match_id=match_id)
        )
        return answer.record

    def replay(self, match_id: str, seat: int) -> bytes:
        """Return a seat's view of a match, as the JSON of `referee.view.frames.view`."""
        request = pb.GetReplayRequest(match_id=match_id, seat=seat)
        return bytes(self._ask("GetReplay", request).frames)

    def logs(self, bot: str, limit: int) -> tuple[list[Lived], list[tuple[Incident, MatchLine]]]:
        """Return the logs of the caller's bot in its last matches, and what happened to these."""
        answer = self._ask("ListLogs", pb.ListLogsRequest(bot=bot, limit=limit))
        happened = [each for of_it in answer.incidents for each in decode.incidents_of(of_it)]
        return [decode.lived_of(log) for log in answer.logs], happened

    def log(self, bot: str, match_id: str) -> tuple[MatchLine, list[Incident], Lived | None]:
        """Return a match, what happened to it, and the log of the caller's bot in it.

        The log is None if the match has no result.
        """
        answer = self._ask("GetLog", pb.GetLogRequest(bot=bot, match_id=match_id))
        match = answer.log.match if answer.HasField("log") else answer.incidents.match
        happened = [each for each, _ in decode.incidents_of(answer.incidents)]
        lived = decode.lived_of(answer.log) if answer.HasField("log") else None
        return decode.match_of(match), happened, lived

    def validation(
        self, bot: str, number: int
    ) -> tuple[Version, ValidationResult | None, Record | None]:
        """Return a version of the caller's bot (0: the last), its validation and the record."""
        answer = self._ask("GetTrial", pb.GetTrialRequest(bot=bot, version=number))
        record = answer.record if answer.HasField("record") else None
        return decode.version_of(answer.version), decode.validation_of(answer), record

    def watch(self) -> Iterator[list[Standing] | MatchLine]:
        """Yield standings and matches as they change, forever."""
        with self._told():
            for each in self._stub.Watch(pb.WatchRequest(), metadata=self._metadata):
                if each.WhichOneof("body") == "standings":
                    yield [decode.standing_of(row) for row in each.standings.standings]
                else:
                    yield decode.match_of(each.match)

    def _ask(self, method: str, request: Any) -> Any:
        with self._told():
            call = getattr(self._stub, method)
            return call(request, metadata=self._metadata, timeout=_SECONDS)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turn a failed call into an error with a one-line reason."""
        try:
            yield
        except grpc.RpcError as error:
            raise self._error(error) from error

    def _error(self, error: Any) -> ApiError:
        reason = reason_of(error)
        if reason or error.code() is not grpc.StatusCode.UNAVAILABLE:
            return ApiError(error.details() or error.code().name, reason)
        how = "by TLS" if self._address.secure else "without TLS"
        other = f"http{'' if self._address.secure else 's'}://{self._address.target}"
        why = _line(error.details())
        if "Hostname Verification" in why:
            return ApiError(f"{self._address.target} has the certificate of another host")
        _, unbelieved, doubt = why.rpartition("CERTIFICATE_VERIFY_FAILED: ")
        if unbelieved:
            return ApiError(
                f"{self._address.target} has a certificate that cannot be trusted: "
                f"{doubt.removesuffix(': OK')}; "
                f"to trust other authorities, name them by {_ROOTS}"
            )
        return ApiError(
            f"{self._address.target} cannot be reached {how}: {why}; "
            "check that it is running, that its certificate is valid, whether it requires one of "
            f"yours, and whether its address is {other}{self._proxy()}"
        )

    def _proxy(self) -> str:
        """Return what to check of the proxy that gRPC uses, as words; empty if it uses none."""
        named = next(filter(os.environ.get, _PROXIES), None)
        if named is None or is_loopback(self._address.host):
            return ""
        return (
            f"; the variable {named} names a proxy: if the ladder is to be reached without it, put "
            f"{self._address.host} into no_proxy"
        )


def reason_of(error: Any) -> str:
    """Return the machine-readable reason of a failed call; empty if the server gave none."""
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        info = ErrorInfo()
        if detail.Unpack(info):
            return str(info.reason)
    return ""


def _line(text: str | None) -> str:
    return " ".join((text or "no answer").split())


def _credentials() -> grpc.ChannelCredentials:
    """Return the trusted CAs and the client certificate that the environment names."""
    roots, key, cert = (os.environ.get(name) or None for name in (_ROOTS, _KEY, _CERT))
    if (key is None) is not (cert is None):
        raise ApiError(f"set both {_CERT} and {_KEY}")
    read = [_bytes(name, file) for name, file in ((_ROOTS, roots), (_KEY, key), (_CERT, cert))]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # gRPC itself does not report what is wrong
    try:
        if roots:
            context.load_verify_locations(roots)
    except ssl.SSLError as error:
        raise ApiError(f"{_ROOTS}: {roots}: no certificates in PEM") from error
    try:
        if cert:
            context.load_cert_chain(cert, key, "")
    except ssl.SSLError as error:
        raise ApiError(
            f"{_CERT}: {cert}: no certificate in PEM, or it does not match the key in {_KEY}"
        ) from error
    return grpc.ssl_channel_credentials(*read)


def _bytes(name: str, file: str | None) -> bytes | None:
    try:
        return Path(file).read_bytes() if file else None
    except OSError as error:
        raise ApiError(f"{name}: {file}: {error.strerror}") from error
