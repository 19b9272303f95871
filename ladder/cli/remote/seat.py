"""A seat at a table of a ladder's pages, over HTTP, as docs/play.md describes it.

The token of a seat names the table and holds the seat's secret; nothing else is kept here.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import httpx2

from ladder.cli.remote.http import Address, tls_context
from ladder.model.addresses import is_loopback
from ladder.model.errors import ApiError
from ladder.server.tables.log import log_of

WAIT_S = 25.0
"""How long `Tables.wait` waits at most."""
_SECONDS = 60.0
_COOKIE = "courtyard-seat"
_JSON = {"Accept": "application/json"}
_TOKEN = re.compile(r"([\w-]{1,64})\.([\w-]{1,64})")
_LINK = re.compile(r"/play/([\w-]{1,64})/(?:join)?#([\w-]{1,64})$")
_ENDED = ("over", "ended")


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat: its table, and the secret that holds it."""

    table: str
    secret: str

    @classmethod
    def of(cls, token: str) -> Self:
        """Read a seat's token; raise `ApiError`."""
        if found := _TOKEN.fullmatch(token):
            return cls(*found.groups())
        raise ApiError("this is no seat: `seat` is what `join` returned")

    @property
    def token(self) -> str:
        """What holds the seat, as text."""
        return f"{self.table}.{self.secret}"

    @property
    def path(self) -> str:
        """Where the table is."""
        return f"/play/{self.table}/"


class Tables:
    """The tables of a server."""

    def __init__(self, address: Address, token: str | None) -> None:
        """Open tables as the author with this token, or as a visitor."""
        self._address = address
        self._tls = tls_context() if address.secure else False
        self._author = {"Authorization": f"Bearer {token}"} if token else {}

    async def open(self, ladder: str, seats: Sequence[str], name: str) -> Seat:
        """Open a table of a ladder; "" is the first one. `seats` are in the words of the form."""
        form = {"ladder": ladder, "name": name, **{f"seat{i}": who for i, who in enumerate(seats)}}
        return _seated(await self._ask("POST", "/play/", data=form, headers=self._author))

    async def join(self, invitation: str, name: str) -> Seat:
        """Take the seat that the link of an invitation gives."""
        found = _LINK.search(invitation.strip())
        if found is None:
            raise ApiError("this is no invitation: a link with /play/ and a # in it")
        form = {"invitation": f"#{found[2]}", "name": name}
        return _seated(await self._ask("POST", f"/play/{found[1]}/join", data=form))

    async def see(self, seat: Seat, after: int = -1) -> Any:
        """Return the state of a table as a seat sees it, once it is newer, or after a while."""
        answer = await self._ask("GET", f"{seat.path}state?after={after}", seat)
        return json.loads(answer.content)

    async def wait(self, seat: Seat) -> Any:
        """Return the state once the seat is asked or the match is over, or after `WAIT_S`."""
        state = await self.see(seat)
        try:
            async with asyncio.timeout(WAIT_S):
                while not state["asked"] and state["state"] not in _ENDED:
                    state = await self.see(seat, state["version"])
        except TimeoutError:
            pass
        return state

    async def answer(self, seat: Seat, question: int, option: int | str) -> None:
        """Answer a question with an option, or take the last step back."""
        await self._ask(
            "POST", f"{seat.path}answer", seat, json={"question": question, "option": option}
        )

    async def leave(self, seat: Seat) -> None:
        """Leave the table."""
        await self._ask("POST", f"{seat.path}leave", seat)

    def told(self, state: Mapping[str, Any], seen: int) -> dict[str, Any]:
        """Return what a state says, without what only pages need.

        Of what has happened, the first `seen` lines are left out.
        """
        asked, log = state["asked"], log_of(state)
        return {
            **{name: state[name] for name in ("game", "state", "words", "text", "seats", "left_s")},
            "happened": log[seen:],
            "seen": len(log),
            "asked": asked
            and {
                "question": asked["question"],
                "prompt": asked["prompt"],
                "options": [label for label, *_ in asked["options"]],
                "taken": [label for label, *_ in asked["taken"]],
            },
        }

    def links(self, seat: Seat, state: Mapping[str, Any]) -> dict[str, str]:
        """Return the links that give the free seats of a table to others."""
        link = f"{self._address.url}{seat.path}join#"
        return {f"seat {number}": f"{link}{key}" for number, key in state["invitations"]}

    async def _ask(
        self, method: str, path: str, seat: Seat | None = None, **what: Any
    ) -> httpx2.Response:
        """Return an answer; raise `ApiError` if the server refuses."""
        cookie = {"Cookie": f"{_COOKIE}={seat.secret}"} if seat else {}
        headers = {**_JSON, **cookie, **what.pop("headers", {})}
        here = is_loopback(self._address.host)
        async with httpx2.AsyncClient(
            base_url=self._address.url, verify=self._tls, timeout=_SECONDS, trust_env=not here
        ) as client:
            try:
                answer = await client.request(method, path, headers=headers, **what)
            except httpx2.HTTPError as error:
                raise ApiError(
                    f"{self._address.target} cannot be reached: {error or type(error).__name__}"
                ) from error
        if answer.status_code >= httpx2.codes.BAD_REQUEST:
            raise ApiError(_refusal(answer, self._address))
        return answer


def _seated(answer: httpx2.Response) -> Seat:
    """Return the seat that an answer gives."""
    table = answer.headers.get("Location", "").removeprefix("/play/").rstrip("/")
    return Seat(table, answer.cookies.get(_COOKIE) or "")


def _refusal(answer: httpx2.Response, address: Address) -> str:
    try:
        return str(json.loads(answer.content)["words"])
    except (ValueError, KeyError, TypeError):
        return (
            f"{address.url} answers {answer.status_code}: are there tables? Its owner starts "
            "`ladder serve` with --tables"
        )
