"""The tools of `ladder mcp`: an agent plays at tables of a ladder's pages, and submits bots.

They are always the same eight, whatever the server allows, and keep nothing: a seat is a token that
each call names.
"""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from ladder.cli.remote.client import RemoteLadder
from ladder.cli.remote.http import Http, address_of
from ladder.cli.remote.seat import WAIT_S, Seat, Tables
from ladder.model.errors import ApiError
from ladder.storage.files.docs import rules_of
from referee.core.errors import CourtyardError
from referee.games.base import GameError

_GUIDE = f"""\
Play games with hidden information against bots, people and other agents. Call `join`, then `wait`
and `act` until `state` is "over". `wait` returns when you are asked, after {WAIT_S:g} s at the
latest: call it again then. What you are told is what your seat may know. `rules` explains a game.
Authors of bots have `submit`, `log` and `standings`."""
_P = ParamSpec("_P")
_T = TypeVar("_T")


def server_of(url: str, token: str | None) -> MCPServer[Any]:
    """Return the MCP server for a ladder's pages; raise `ApiError` for an address that is none.

    The token is an author's; without it the tools for authors refuse.
    """
    server: MCPServer[Any] = MCPServer("courtyard", instructions=_GUIDE, log_level="WARNING")
    tools = (*_Player(Tables(address_of(url), token)).tools(), *_Author(url, token).tools())
    for tool in (_refusing(_rules), *map(_refusing, tools)):
        server.add_tool(tool, tool.__name__.strip("_"))
    return server


def _refusing(tool: Callable[_P, Awaitable[_T]]) -> Callable[_P, Awaitable[_T]]:
    """Return a tool whose refusals the agent is told in one line."""

    @wraps(tool)
    async def told(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return await tool(*args, **kwargs)
        except (CourtyardError, GameError) as error:
            raise ToolError(str(error)) from error

    return told


async def _rules(game: str) -> str:
    """Return the rules of a game, by its name as `join` returns it, as Markdown."""
    return rules_of(game) or "This game brings no rules in words."


class _Player:
    """The tools of a seat."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def tools(self) -> tuple[Callable[..., Awaitable[Any]], ...]:
        return self.join, self.wait, self.act, self.leave

    async def join(
        self,
        seats: list[str] | None = None,
        ladder: str = "",
        invitation: str = "",
        name: str = "agent",
    ) -> dict[str, Any]:
        """Take a seat: by the link of an invitation, or at a new table.

        `seats` says who has each seat of a new table, in order: "me" once, and for each other
        "sample counter", "sample greedy" or "sample random" (a sample bot), "bot NAME" (a bot of
        the ladder), "stand-in" (plays at random) or "person" (whoever follows the link that is
        returned: a person or another agent). `ladder` names one of several ladders that the server
        has, `name` what the others at the table call you. The answer has the `seat`, which the
        other tools take: keep it to yourself.
        """
        if invitation:
            seat = await self._tables.join(invitation, name)
        else:
            seat = await self._tables.open(ladder, seats or ["me", "sample counter"], name)
        state = await self._tables.see(seat)
        links = self._tables.links(seat, state)
        return {"seat": seat.token, "invitations": links, **self._tables.told(state, 0)}

    async def wait(self, seat: str, seen: int = 0) -> dict[str, Any]:
        """Wait until the seat is asked or the match is over, 25 s at the latest.

        `text` is what the seat knows, `happened` what has happened since the first `seen` lines of
        it, `asked` the question with its options, numbered from 0, or null.
        """
        return self._tables.told(await self._tables.wait(Seat.of(seat)), seen)

    async def act(self, seat: str, question: int, option: int, seen: int = 0) -> dict[str, Any]:
        """Answer a question with the number of an option, from 0; return what comes next.

        A decision may take several questions. Option -1 takes its last step back.
        """
        at = Seat.of(seat)
        await self._tables.answer(at, question, "back" if option == -1 else option)
        return self._tables.told(await self._tables.see(at), seen)

    async def leave(self, seat: str) -> str:
        """Leave the table: chance plays on for the seat. Without people and agents it ends."""
        await self._tables.leave(Seat.of(seat))
        return "You have left."


class _Author:
    """The tools of an author."""

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url
        self._token = token

    def tools(self) -> tuple[Callable[..., Awaitable[Any]], ...]:
        return self.submit, self.log, self.standings

    async def submit(self, files: dict[str, str]) -> dict[str, Any]:
        """Submit a bot: the text of each file by its path, such as "bot.toml" and "bot.py".

        Returns once the ladder has built and tried it, with what was said and what came of it.
        """
        return await asyncio.to_thread(self._submitted, files)

    async def log(self, bot: str, matches: int = 1) -> list[dict[str, Any]]:
        """Return how a bot of yours fared in its last matches: its faults, times and output."""
        found: list[dict[str, Any]] = await self._got(
            f"/bots/{quote(bot, safe='')}/logs?limit={matches}"
        )
        return found

    async def standings(self) -> dict[str, Any]:
        """Return the ladder's standings: ratings with their uncertainty."""
        found: dict[str, Any] = await self._got("/standings")
        return found

    async def _got(self, path: str) -> Any:
        return json.loads(await asyncio.to_thread(Http(self._url, self._known()).get, path))

    def _submitted(self, files: dict[str, str]) -> dict[str, Any]:
        token, said = self._known(), _Said()
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made).resolve()
            for name, text in files.items():
                _write(folder, name, text)
            with RemoteLadder(self._url, token) as remote:
                done = remote.submit(folder, said)
        version = done.version
        return {
            "bot": version.bot,
            "version": version.number,
            "outcome": done.outcome.value,
            "said": [*said.lines, str(done)],
        }

    def _known(self) -> str:
        """Return the author's token; raise `ApiError` without one."""
        if self._token is None:
            raise ApiError("this is for authors: start `ladder mcp` with --token-file")
        return self._token


def _write(folder: Path, name: str, text: str) -> None:
    """Write a file of a bot; raise `ApiError` unless its path stays below the folder."""
    try:
        file = (folder / name).resolve()
        if not file.is_relative_to(folder):
            raise ApiError(f"{name}: a path must stay below the bot's folder")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except (OSError, ValueError) as error:
        raise ApiError(f"{name!r} cannot be the path of a file") from error


class _Said:
    """Keeps what a ladder says of a submission."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        """Keep a line."""
        self.lines.append(text)

    def sent(self, done: int, total: int) -> None:
        """Ignore how far the upload is."""
