"""The client of a remote ladder's author API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, TypeAdapter, ValidationError

from ladder.cli.remote import decode
from ladder.cli.remote.http import Http, RefusedError
from ladder.cli.remote.upload import Uploader, UploadProgress
from ladder.model.bots import Submission, ValidationResult, Version
from ladder.model.errors import ApiError
from ladder.model.incidents import Incident
from ladder.model.matches import MatchLine, SeatLog
from ladder.model.rules import RulesPlayed
from ladder.model.settings import heading_of
from ladder.results.standings import Standing
from ladder.server.api import schemas
from referee.core.text_files import decoded
from referee.games import game_named
from referee.games.base import ConfigError
from referee.match.record import Record, record_from_json

_Found = TypeVar("_Found")


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
    """A remote ladder, as a context manager."""

    def __init__(self, url: str, token: str) -> None:
        """Send nothing yet."""
        self._http = Http(url, token)

    def __enter__(self) -> Self:
        """Return the ladder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: each request has a connection of its own."""

    def submit(self, path: Path, progress: UploadProgress) -> Submission:
        """Submit a bot; resume the upload if it is cut."""
        return decode.submission_of(Uploader(self._http).send(path, progress))

    def retire(self, bot: str) -> bool:
        """Stop scheduling the caller's bot; return whether it was scheduled."""
        was_active = self._read(schemas.Bot, _bot(bot)).active
        self._sent(schemas.Bot, "PATCH", _bot(bot), schemas.BotChange(active=False))
        return was_active

    @property
    def heading(self) -> str:
        """The ladder's title, game and number of seats, fetched anew each time."""
        found = self._ladder()
        try:
            game = game_named(found.game).title
        except ConfigError:
            game = found.game
        return heading_of(found.title or game, game, found.seats)

    @property
    def game(self) -> str:
        """The name of the ladder's game, fetched anew each time."""
        return self._ladder().game

    def versions(self) -> list[Version]:
        """Return the versions of all bots."""
        return [*map(decode.version_of, self._read(list[schemas.Version], "/versions"))]

    def own(self) -> set[str]:
        """Return the names of the caller's bots."""
        return {each.bot for each in self._read(list[schemas.Version], "/versions") if each.own}

    def versions_of(self, bot: str) -> list[Version]:
        """Return the versions of one bot."""
        return [*map(decode.version_of, self._read(schemas.Bot, _bot(bot)).versions)]

    def standings(self) -> tuple[list[Standing], RulesPlayed]:
        """Return the standings, and which versions of the rules count."""
        found = self._read(schemas.Standings, "/standings")
        return found.standings, found.rules

    def matches(self, bot: str | None, limit: int) -> list[MatchLine]:
        """Return the last public matches, the newest first."""
        asked = urlencode({"limit": limit} | ({"bot": bot} if bot else {}))
        return [*map(decode.match_of, self._read(list[schemas.Match], f"/matches?{asked}"))]

    def match(self, match_id: str) -> MatchLine:
        """Return one match, as far as the caller may see it."""
        return decode.match_of(self._read(schemas.Match, _match(match_id)))

    def record(self, match_id: str) -> Record:
        """Return the record of a public match."""
        return record_from_json(self._http.get(f"{_match(match_id)}/record").decode())

    def replay(self, match_id: str, seat: int) -> bytes:
        """Return a seat's view of a match, as the JSON of `referee.view.frames.view`."""
        return self._http.get(f"{_match(match_id)}/replay?seat={seat}")

    def report(self) -> str:
        """Return the page that explains the standings."""
        return self._http.get("/report").decode()

    def logs(self, bot: str, limit: int) -> tuple[list[SeatLog], list[tuple[Incident, MatchLine]]]:
        """Return the logs of the caller's bot in its last matches, and what happened to these."""
        logs = self._read(list[schemas.Log], f"{_bot(bot)}/logs?{urlencode({'limit': limit})}")
        happened = [each for log in logs for each in decode.incidents_of(log)]
        return [seat_log for log in logs if (seat_log := decode.seat_log_of(log))], happened

    def log(self, bot: str, match_id: str) -> tuple[MatchLine, list[Incident], SeatLog | None]:
        """Return a match, what happened to it, and the log of the caller's bot in it.

        The log is None if the match has no result.
        """
        log = self._read(schemas.Log, f"{_bot(bot)}/logs/{quote(match_id, safe='')}")
        happened = [each for each, _ in decode.incidents_of(log)]
        return decode.match_of(log.match), happened, decode.seat_log_of(log)

    def ask_for_spar(self, bot: str, opponents: list[str], matches: int) -> schemas.Spar:
        """Ask for unrated matches of the caller's bot."""
        wanted = schemas.SparRequest.model_construct(bot=bot, opponents=opponents, matches=matches)
        return self._sent(schemas.Spar, "POST", "/spars", wanted)

    def spars(self) -> list[schemas.Spar]:
        """Return the caller's last spars, the newest first."""
        return self._read(list[schemas.Spar], "/spars")

    def spar(self, number: int) -> schemas.Spar:
        """Return the results so far of the caller's spar."""
        return self._read(schemas.Spar, f"/spars/{number}")

    def spar_matches(self, number: int) -> list[schemas.Match]:
        """Return the matches of the caller's spar, in order."""
        return self._read(list[schemas.Match], f"/spars/{number}/matches")

    def spar_log(self, number: int, match_id: str) -> schemas.Log:
        """Return how the caller's bot fared in a match of a spar."""
        return self._read(schemas.Log, f"/spars/{number}{_match(match_id)}")

    def change_spar(self, number: int, changed: schemas.SparChange) -> schemas.Spar:
        """Share the results of the caller's spar by a link, or no longer; withdraw what waits."""
        return self._sent(schemas.Spar, "PATCH", f"/spars/{number}", changed)

    def let_spar(self, bot: str, *, allowed: bool) -> None:
        """Let other authors spar with the caller's bot, or not."""
        self._sent(schemas.Bot, "PATCH", _bot(bot), schemas.BotChange(open_to_spars=allowed))

    def validation(
        self, bot: str, number: int
    ) -> tuple[Version, ValidationResult | None, Record | None]:
        """Return a version of the caller's bot, its validation and the record."""
        path = f"{_bot(bot)}/versions/{number}"
        found = self._read(schemas.Validation, path)
        record = None
        if found.has_record:
            record = record_from_json(self._http.get(f"{path}/record").decode())
        return decode.version_of(found.version), decode.validation_of(found), record

    def watch(self) -> Iterator[list[Standing] | MatchLine]:
        """Yield standings and matches as they change, forever; raise `ApiError` at the end."""
        with self._http.open("GET", "/watch") as answer:
            name = ""
            for line in self._lines(answer):
                key, _, value = line.partition(": ")
                if key == "event":
                    name = value
                elif key == "data" and name == "match":
                    yield decode.match_of(schemas.Match.model_validate_json(value))
                elif key == "data" and name == "standings":
                    yield schemas.Standings.model_validate_json(value).standings
                elif key == "data" and name == "problem":
                    problem = schemas.Problem.model_validate_json(value)
                    raise RefusedError(problem.detail, problem.reason, None)
        raise ApiError("the ladder ended the connection; watch again")

    def _ladder(self) -> schemas.Ladder:
        return self._read(schemas.Ladder, "/ladder")

    def _lines(self, answer: Any) -> Iterator[str]:
        try:
            for line in answer:
                yield line.decode().rstrip("\r\n")
        except OSError as error:
            raise self._http.cut(error) from error

    def _read(self, kind: type[_Found], path: str) -> _Found:
        return self._decoded(kind, self._http.get(path))

    def _sent(self, kind: type[_Found], method: str, path: str, what: BaseModel) -> _Found:
        """Send a value, and return the answer; fields without a value stay as they are."""
        body = what.model_dump_json(exclude_none=True).encode()
        json = {"Content-Type": "application/json"}
        return self._decoded(kind, self._http.ask(method, path, body, json))

    def _decoded(self, kind: type[_Found], answer: bytes) -> _Found:
        try:
            return TypeAdapter(kind).validate_json(answer)
        except ValidationError as error:
            raise ApiError(
                f"{self._http.address.url} answers what this Courtyard cannot read: one of both "
                "is too old"
            ) from error


def _match(match_id: str) -> str:
    return f"/matches/{quote(match_id, safe='')}"


def _bot(name: str) -> str:
    return f"/bots/{quote(name, safe='')}"
