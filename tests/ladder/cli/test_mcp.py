"""`ladder mcp`: agents play at a served ladder's tables, as the SDK's own client drives them."""

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from ladder.cli.remote.http import address_of
from ladder.cli.remote.seat import Seat, Tables
from ladder.cli.remote.tools import server_of
from ladder.model.errors import ApiError
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.match.record import record_from_json
from referee.match.verify import verify
from tests.ladder.server.web.conftest import COMMAND, serving
from tests.support.installed import EXAMPLES, install
from tests.support.ladders import Command
from tests.support.new_ladder import new_ladder

GAMES = {"courtisans": "sample random", "miracles": "sample random", "leduc": "sample python-plain"}
"""Each game, with who plays against the agent."""
TOOLS = ["rules", "join", "wait", "act", "leave", "submit", "log", "standings"]
BOT = Path(__file__).parents[3] / "sample_bots" / "python" / "courtisans" / "random"
SOON = 120.0
Call = Callable[..., Awaitable[Any]]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Home]]:
    """The ladders of three games, one of which others brought."""
    site, folder = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("ladders")
    install(EXAMPLES / "leduc", site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setenv("PYTHONPATH", str(site))
        yield [new_ladder(folder / game, game, game=game, seats=2) for game in GAMES]


@pytest.fixture(scope="module")
def url(homes: list[Home]) -> Iterator[str]:
    """The address of these ladders' pages, with tables."""
    with serving(*(home.path for home in homes), options=("--tables", "9")) as address:
        yield address


def caller(client: Client) -> Call:
    """Return what calls a tool, and returns what it says."""

    async def call(tool: str, **given: Any) -> Any:
        done = await client.call_tool(tool, given)
        assert not done.is_error, done.content
        assert done.structured_content is not None
        return done.structured_content.get("result", done.structured_content)

    return call


@asynccontextmanager
async def in_this_process(url: str, token: str | None = None) -> AsyncIterator[Call]:
    """Connect to the server without a transport."""
    async with asyncio.timeout(SOON), Client(server_of(url, token)) as client:
        yield caller(client)


@asynccontextmanager
async def over_stdio(url: str) -> AsyncIterator[Client]:
    """Start the command as clients do."""
    started = StdioServerParameters(
        command=str(COMMAND), args=["mcp", "--url", url], env={**os.environ}
    )
    async with Client(stdio_client(started)) as client:
        yield client


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[Client]:
    """Start the command with a port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = (str(COMMAND), "mcp", "--url", url, "--port", str(port))
    server = await asyncio.create_subprocess_exec(*command, stderr=subprocess.DEVNULL)
    try:
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                break
            await asyncio.sleep(0.05)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            yield client
    finally:
        server.terminate()
        await server.wait()


CARRIERS = {"stdio": over_stdio, "streamable HTTP": over_http}


async def played(call: Call, joined: Any) -> list[Any]:
    """Play a match to its end, always with the last option; return all that was told."""
    seat, told = joined["seat"], [joined]
    while (now := told[-1])["state"] not in ("over", "ended"):
        if now["asked"]:
            last = len(now["asked"]["options"]) - 1
            answer = {"question": now["asked"]["question"], "option": last}
            told.append(await call("act", seat=seat, seen=now["seen"], **answer))
        else:
            told.append(await call("wait", seat=seat, seen=now["seen"]))
    return told


def record_at(url: str, seat: str) -> Any:
    """The record of a table that is over."""
    wire = HTTPConnection(urlsplit(url).netloc, timeout=60)
    wire.request("GET", f"{Seat.of(seat).path}record.json")
    answer = wire.getresponse().read().decode()
    wire.close()
    return record_from_json(answer)


@pytest.mark.costly
@pytest.mark.parametrize("carrier", CARRIERS)
def test_an_agent_plays_whole_matches_of_three_games(carrier: str, url: str) -> None:
    """Its tools are the same before and after; each record verifies, and nothing was forfeited."""

    async def main() -> list[tuple[list[Any], Any]]:
        matches = []
        async with asyncio.timeout(SOON), CARRIERS[carrier](url) as client:
            call = caller(client)
            before = await client.list_tools()
            assert [tool.name for tool in before.tools] == TOOLS
            for game, other in GAMES.items():
                joined = await call("join", ladder=f"{game}-2", seats=["me", other])
                assert joined["game"] == game
                assert await call("rules", game=game)
                matches.append((await played(call, joined), joined["seat"]))
            assert await client.list_tools() == before
        return matches

    for told, seat in asyncio.run(main()):
        record = record_at(url, seat)
        assert verify(record) == []
        assert [outcome.forfeit for outcome in record.outcomes] == [0, 0]
        assert "The game is over" in told[-1]["words"]
        assert told[-1]["seen"] == sum(len(one["happened"]) for one in told)


@pytest.mark.costly
def test_two_agents_play_at_one_table(url: str) -> None:
    """One opens it and gives the link to the other; each is told what its own seat may know."""

    async def main() -> tuple[list[Any], list[Any]]:
        async with in_this_process(url) as one, in_this_process(url) as other:
            opened = await one("join", ladder="courtisans-2", seats=["person", "me"])
            assert opened["state"] == "lobby"
            link = opened["invitations"]["seat 0"]
            joined = await other("join", invitation=link, name="Grace")
            assert [seat["name"] for seat in joined["seats"]] == ["Grace", "agent"]
            assert joined["invitations"] == {}
            both = await asyncio.gather(played(one, opened), played(other, joined))
        return both[0], both[1]

    one, other = asyncio.run(main())
    for told, seat in ((one, 1), (other, 0)):
        assert [taken["you"] for taken in told[0]["seats"]] == [seat == 0, seat == 1]
    hands = [{tuple(now["text"]) for now in told if now["asked"]} for told in (one, other)]
    assert not hands[0] & hands[1]


@pytest.mark.costly
def test_what_is_told_follows_from_the_seats_own_state(url: str) -> None:
    """It is a part of what the server shows this seat, whose secrecy the pages' tests prove."""

    async def main() -> None:
        tables = Tables(address_of(url), None)
        seat = await tables.open("courtisans-2", ["me", "stand-in"], "ada")
        state = await tables.wait(seat)
        shown = json.dumps(state)
        told = tables.told(state, 0)
        assert told["asked"]["prompt"] in shown
        assert told["text"] == state["text"]
        assert seat.secret not in json.dumps(told)
        spectator = tables.told(await tables.see(Seat(seat.table, "")), 0)
        assert (spectator["text"], spectator["asked"]) == ([], None)
        with pytest.raises(ApiError, match="no such option"):
            await tables.answer(seat, state["asked"]["question"], 999)
        await tables.leave(seat)

    asyncio.run(main())


@pytest.mark.costly
def test_an_author_submits_a_bot_and_reads_the_standings(url: str, homes: list[Home]) -> None:
    """By the text of its files; a bot that does not work is refused, and why is told."""
    with Ladder.open(homes[0]) as opened:
        token = tokens.create(opened, "eve")
    files = {name: (BOT / name).read_text() for name in ("bot.toml", "bot.py")}
    files["bot.toml"] = files["bot.toml"].replace('"random"', '"eves"')

    async def main() -> None:
        async with in_this_process(url, token) as call:
            done = await call("submit", files=files)
            assert (done["bot"], done["version"], done["outcome"]) == ("eves", 1, "new")
            assert done["said"]
            while not (shown := await call("standings"))["standings"]:  # noqa: ASYNC110 -- no event tells
                await asyncio.sleep(0.1)
            assert [line["bot"] for line in shown["standings"]] == ["eves"]
            assert await call("log", bot="eves") == []

    asyncio.run(main())


@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        ("rules", {"game": "chess"}, "there is no game 'chess'"),
        ("wait", {"seat": "mine"}, "this is no seat"),
        ("join", {"invitation": "please"}, "this is no invitation"),
        ("join", {}, "cannot be reached"),
        ("standings", {}, "start `ladder mcp` with --token-file"),
        ("submit", {"files": {}}, "start `ladder mcp` with --token-file"),
    ],
)
def test_a_refusal_is_one_line(tool: str, given: dict[str, Any], why: str) -> None:
    """The agent reads why, and no traceback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}"

    async def main() -> Any:
        async with Client(server_of(nowhere, None)) as client:
            return await client.call_tool(tool, given)

    done = asyncio.run(main())
    assert done.is_error
    assert why in done.content[0].text
    assert "\n" not in done.content[0].text


@pytest.mark.parametrize("name", ["../bot.py", "/bot.py", "\0", ""])
def test_a_submitted_path_stays_below_the_bots_folder(name: str) -> None:
    """A path that leads out of it, or is none, is refused before anything is sent."""

    async def main() -> Any:
        async with Client(server_of("http://127.0.0.1:9", "a token")) as client:
            return await client.call_tool("submit", {"files": {name: "x"}})

    done = asyncio.run(main())
    assert done.is_error
    assert "path" in done.content[0].text


def test_it_needs_an_address(command: Command) -> None:
    """Without one there is one clear line."""
    done = command("mcp")
    assert done.status == 1
    assert "name the address of a ladder's pages by --url" in done.err
