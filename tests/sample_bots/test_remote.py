"""A bot built on the Python kit, as a process on its author's machine."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from courtyard.v1 import record_pb2, referee_pb2
from courtyard_kit import remote
from courtyard_kit.connection import Conversation, Turn
from courtyard_kit.remote import MissedError, answered_once

from referee.core.clock import ClockConfig
from referee.hosting.match_runner import MatchRunner, MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.transports.gateway import BotGateway
from referee.transports.session import RemoteSeat
from tests.support import windows
from tests.support.bot_clients import choose
from tests.support.remote_bots import (
    HERE,
    Keys,
    Network,
    Registry,
    dialled,
    heard,
    hello,
    joined,
    quiet,
)

PROGRAM = Path(__file__).parents[2] / "sample_bots/python/courtisans/random/bot.py"
ENTRANT = BotSpec("random", Path(), (), version="1", transport="remote")
CUT_FOR_S = 0.3
SOON = 60.0


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """The certificates of a gateway."""
    return Keys.made(tmp_path_factory.mktemp("keys"))


@contextmanager
def process(
    address: str, keys: Keys, token: str, folder: Path, **more: str
) -> Iterator["subprocess.Popen[str]"]:
    """Start the bot as its author does, by variables; what it says goes to its stderr."""
    (folder / "token").write_text(f"{token}\n")
    environment = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "COURTYARD_REMOTE": address,
        "COURTYARD_TOKEN_FILE": str(folder / "token"),
        "COURTYARD_CA_FILE": str(keys.roots),
        **more,
    }
    with started(environment) as bot:
        yield bot


@contextmanager
def process_on_windows(
    address: str, keys: Keys, token: str, folder: Path
) -> Iterator["subprocess.Popen[str]"]:
    """Start the bot as on Windows, by options."""
    (folder / "token").write_text(f"{token}\n")
    files = ("--token-file", folder / "token", "--ca-file", keys.roots)
    with started(windows.ENVIRONMENT, "--connect", address, *files) as bot:
        yield bot


@contextmanager
def started(
    environment: Mapping[str, str], *options: str | Path
) -> Iterator["subprocess.Popen[str]"]:
    """Start the bot, and kill it at the end."""
    command = (sys.executable, PROGRAM, *options)
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as bot:
        try:
            yield bot
        finally:
            bot.kill()


@asynccontextmanager
async def opened(keys: Keys) -> AsyncIterator[tuple[BotGateway, Registry, Network]]:
    """Open a gateway, and a way to it that can be cut."""
    registry = Registry(ann="random")
    gateway = BotGateway(registry.admit, registry.notice, "9.9")
    address = await gateway.open(f"{HERE}:0", keys.of_gate.credentials(quiet))
    async with Network(HERE, int(address.rpartition(":")[2])) as network:
        yield gateway, registry, network
    await gateway.close()


def test_a_cut_in_the_middle_of_a_match_costs_time_and_nothing_else(
    keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot joins again by itself and gives the answer that got lost; the match goes on."""

    async def main() -> list[int]:
        async with opened(keys) as (gateway, registry, network), asyncio.timeout(SOON):
            losing_the_second_answer(network, monkeypatch)
            match_runner = MatchRunner(
                open_sandbox(Level.TRUSTED), tmp_path, warm_bots=0, gateway=gateway
            )
            with process(network.address, keys, "ann", tmp_path) as bot:
                while not registry.there.get("random@1"):  # noqa: ASYNC110 -- no event tells
                    await asyncio.sleep(0.01)
                clock = ClockConfig(decision_limit_ms=60_000, bank_ms=600_000)
                spec = MatchSpec("m", "courtisans", (ENTRANT, None), "seed", clock=clock)
                record = (await match_runner.play(spec)).record
                bot.kill()
                said = bot.communicate()[1]
        assert said.count("joined as random@1") == 2
        assert not any(decision.HasField("fault") for decision in record.decisions)
        return [one.elapsed_us for one in record.decisions if not one.stand_in]

    first, second, *_ = asyncio.run(main())
    assert second >= CUT_FOR_S * 1e6
    assert first > 0


def test_a_bot_takes_up_a_match_that_another_process_of_it_has_begun(
    keys: Keys, tmp_path: Path
) -> None:
    """It comes back and takes the other one's place, and is told how the match began."""

    async def main() -> None:
        async with opened(keys) as (gateway, _, network), asyncio.timeout(SOON):
            match_runner = MatchRunner(
                open_sandbox(Level.TRUSTED), tmp_path, warm_bots=0, gateway=gateway
            )
            port = int(network.address.rpartition(":")[2])
            async with Network(HERE, port) as far:
                with process(far.address, keys, "ann", tmp_path) as bot:
                    assert bot.stderr is not None
                    assert "joined as" in await asyncio.to_thread(bot.stderr.readline)
                    far.cut()
                    record = await played_by_two(network.address, keys, match_runner, far.heal)
                    bot.kill()
                    said = bot.communicate()[1]
        assert "request 2 of match m follows what another process of this bot has played" in said
        assert "Traceback" not in said
        assert not any(decision.HasField("fault") for decision in record.decisions)

    asyncio.run(main())


async def played_by_two(
    address: str, keys: Keys, match_runner: MatchRunner, after_one: Callable[[], None]
) -> record_pb2.Record:
    """Join, and answer the first request of a match; return its record when it is over."""
    with keys.for_bot() as credentials:
        async with dialled(address, credentials) as channel:
            stream = await joined(channel, hello("random", "ann"))
            assert (await heard(stream)).HasField("welcome")
            clock = ClockConfig(decision_limit_ms=60_000, bank_ms=600_000)
            spec = MatchSpec("m", "courtisans", (ENTRANT, None), "seed", clock=clock)
            match = asyncio.ensure_future(match_runner.play(spec))
            reply = Conversation(lambda: choose).answer(await heard(stream))
            assert reply is not None
            await stream.write(reply)
            assert (await heard(stream)).request.number == 2
            after_one()
            return (await match).record


def losing_the_second_answer(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the network for a while at the moment at which the second answer would arrive."""
    take, lost = RemoteSeat.take, list[bytes]()

    def lossy(seat: RemoteSeat, number: int, data: bytes) -> bool:
        if number != 2:
            return take(seat, number, data)
        lost.append(data)
        if len(lost) == 1:
            network.cut()
            asyncio.get_running_loop().call_later(CUT_FOR_S, network.heal)
            return True
        assert data == lost[0], "asked again the bot answers the same"
        return take(seat, number, data)

    monkeypatch.setattr(RemoteSeat, "take", lossy)


def test_a_bot_plays_from_windows_told_by_its_options(keys: Keys, tmp_path: Path) -> None:
    """No module, call, signal or socket that only a Unix has is needed for a match over TLS."""

    async def main() -> tuple[record_pb2.Record, str]:
        async with opened(keys) as (gateway, registry, network), asyncio.timeout(SOON):
            match_runner = MatchRunner(
                open_sandbox(Level.TRUSTED), tmp_path, warm_bots=0, gateway=gateway
            )
            with process_on_windows(network.address, keys, "ann", tmp_path) as bot:
                while not registry.there.get("random@1") and bot.poll() is None:  # noqa: ASYNC110 -- no event tells
                    await asyncio.sleep(0.01)
                clock = ClockConfig(decision_limit_ms=60_000, bank_ms=600_000)
                spec = MatchSpec("m", "courtisans", (ENTRANT, None), "seed", clock=clock)
                record = (await match_runner.play(spec)).record
                bot.kill()
                return record, bot.communicate()[1]

    record, said = asyncio.run(main())
    assert "joined as random@1" in said
    assert "Traceback" not in said
    assert any(not decision.stand_in for decision in record.decisions)
    assert not any(decision.HasField("fault") for decision in record.decisions)


def test_options_count_before_the_environment_and_leave_others_alone(tmp_path: Path) -> None:
    """A bot keeps its own arguments; `--connect` is not guessed from a shorter word."""
    code = (
        "import os, sys; sys.argv[1:] = ['--depth', '3', '--connect', 'there:1', '--token', 't'];"
        "from courtyard_kit import command_line; command_line.take_options();"
        "print(os.environ['COURTYARD_REMOTE'], 'COURTYARD_TOKEN_FILE' in os.environ, len(sys.argv))"
    )
    environment = {"COURTYARD_REMOTE": "here:1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["there:1", "False", "7"]


def test_a_bot_that_may_not_join_says_so_and_stops(keys: Keys, tmp_path: Path) -> None:
    """One line and a status: trying again with the same token would not help."""

    async def main() -> tuple[int, str]:
        async with opened(keys) as (_, _, network), asyncio.timeout(SOON):
            with process(network.address, keys, "nobody's", tmp_path) as bot:
                said = (await asyncio.to_thread(bot.communicate))[1]
                return bot.returncode, said

    status, said = asyncio.run(main())
    refused = "UNAUTHENTICATED: the token is wrong, expired or revoked"
    assert (status, said) == (1, f"the ladder does not let this bot join: {refused}\n")


def test_a_bot_shows_its_certificate_where_the_gate_wants_one(keys: Keys, tmp_path: Path) -> None:
    """With it, the bot gets as far as its token is good."""
    shown = {"COURTYARD_CERT_FILE": tmp_path / "own.pem", "COURTYARD_KEY_FILE": tmp_path / "key"}
    for file, content in zip(shown.values(), keys.issued("ann@example.org"), strict=True):
        file.write_bytes(content)
    mutual = replace(keys, of_gate=replace(keys.of_gate, client_roots=keys.roots))

    async def main() -> str:
        async with opened(mutual) as (_, _, network), asyncio.timeout(SOON):
            own = {name: str(file) for name, file in shown.items()}
            with process(network.address, keys, "nobody's", tmp_path, **own) as bot:
                return (await asyncio.to_thread(bot.communicate))[1]

    assert "UNAUTHENTICATED: the token is wrong" in asyncio.run(main())


def test_a_request_that_comes_again_is_answered_alike() -> None:
    """The strategy is not asked twice, as it may keep a memory of the match."""
    asked: list[int] = []

    def choose(turn: Turn, _decision: referee_pb2.Decision) -> None:
        asked.append(turn.request.number)

    answer = answered_once(Conversation(lambda: choose).answer)
    answer(request(1, start=True))

    assert answer(request(2)) == answer(request(2))
    assert asked == [1, 2]
    answer(request(2, start=True))
    assert asked == [1, 2, 2]


@pytest.mark.parametrize("number", [1, 4])
def test_a_request_that_follows_anothers_answer_is_not_answered(number: int) -> None:
    """What this process does not know of the match it must be told first."""
    answer = answered_once(Conversation(lambda: lambda _turn, _action: None).answer)
    with pytest.raises(MissedError):
        answer(request(2))
    for known in (1, 2):
        answer(request(known, start=known == 1))

    with pytest.raises(MissedError):
        answer(request(number))
    assert answer(request(number, start=True))


def request(number: int, *, start: bool = False) -> referee_pb2.RefereeMessage:
    """Ask for a decision, perhaps with how the match began."""
    message = referee_pb2.RefereeMessage(match_id="m")
    message.request.number = number
    if start:
        message.request.start.seats = 2
    return message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_token_and_an_address_as_people_write_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """A token is read as Windows saves it, and an address may be written as a URL."""
    (tmp_path / "token").write_text("courtyard_1_abc\r\n", encoding)
    monkeypatch.setenv("COURTYARD_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.setenv("COURTYARD_REMOTE", " https://ladder.example.org:8500/\r\n")

    address, token, _ = remote._whereabouts()

    assert (address, token) == ("ladder.example.org:8500", "courtyard_1_abc")
