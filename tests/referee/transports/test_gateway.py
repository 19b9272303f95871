"""The gateway: whom it admits, what outlives a stream."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import grpc
import grpc.aio
import pytest
from courtyard.v1 import referee_pb2

from referee.core.clock import ClockConfig, Measured
from referee.core.errors import RefereeError, UsageError
from referee.core.faults import BotFault, FaultKind
from referee.hosting.match_runner import MatchRunner, MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.match.decision_timing import DecisionTiming
from referee.match.match import Request
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.transports import gateway as gateways
from referee.transports.certificates import Certificates
from referee.transports.gateway import BotGateway
from referee.transports.session import MOST_SUPERFLUOUS
from referee.wire import envelope
from tests.support.remote_bots import (
    HERE,
    Keys,
    Network,
    Registry,
    Stream,
    dialled,
    ending,
    heard,
    hello,
    joined,
    quiet,
)

SOON = 60.0
"""The time limit in seconds for everything here, however busy the machine."""


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """A gateway's certificates."""
    return Keys.made(tmp_path_factory.mktemp("keys"))


class Open:
    """An open gateway, and its callers."""

    def __init__(self, keys: Keys, certificates: Certificates | None = None) -> None:
        """Know two authors and an unused account."""
        self.registry = Registry(ann="ada ace", bob="ben")
        self.gateway = BotGateway(self.registry.admit, self.registry.notice, "9.9")
        self.keys = keys
        self.address = ""
        self._certificates = certificates or keys.of_gate

    async def __aenter__(self) -> Self:
        """Open the gateway."""
        self.address = await self.gateway.open(f"{HERE}:0", self._certificates.credentials(quiet))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the gateway."""
        await self.gateway.close()

    @asynccontextmanager
    async def stream(
        self, *, at: str = "", own: bool = False, **fields: Any
    ) -> AsyncIterator[Stream]:
        """Dial on an own connection and say Hello."""
        with self.keys.for_bot(own=own) as credentials:
            async with dialled(at or self.address, credentials) as channel:
                yield await joined(channel, hello(**fields))

    async def welcomed(self, stream: Stream) -> referee_pb2.Welcome:
        """Hear a stream's Welcome."""
        message = await heard(stream)
        assert message.HasField("welcome")
        return message.welcome


def held(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test within a time that only a hanging test exceeds."""

    async def main() -> None:
        async with asyncio.timeout(SOON):
            await test()

    asyncio.run(main())


def watched() -> DecisionTiming:
    """A timer for a remote bot, from now on."""
    return DecisionTiming(
        Pauses(), lambda began_ns: Measured((time.monotonic_ns() - began_ns) // 1000), None
    )


def request(match_id: str = "m", number: int = 1, seconds: float = SOON) -> Request:
    """A request; a match's first names the game."""
    start = referee_pb2.MatchStart(game="chess").SerializeToString() if number == 1 else b""
    milliseconds = int(seconds * 1000)
    payload = envelope.request(
        match_id,
        number=number,
        start=start,
        events=[],
        observation=b"",
        legal=b"",
        time_ms=milliseconds,
        bank_ms=2 * milliseconds,
    )
    return Request(0, payload, milliseconds * 1000)


def decision(match_id: str = "m", number: int = 1) -> referee_pb2.BotMessage:
    """An answer."""
    return referee_pb2.BotMessage(match_id=match_id, decision=referee_pb2.Decision(number=number))


async def asked(stream: Stream) -> referee_pb2.RefereeMessage:
    """Hear a request."""
    message = await heard(stream)
    assert message.HasField("request"), message
    return message


async def until(true: Callable[[], object]) -> None:
    """Wait for an unannounced event."""
    while not true():  # noqa: ASYNC110 -- see above
        await asyncio.sleep(0.001)


def test_an_author_joins_with_a_bot(keys: Keys) -> None:
    """The bot learns its version, and counts as connected until it leaves."""

    async def test() -> None:
        async with Open(keys) as at, at.stream(max_matches=3) as stream:
            assert await at.welcomed(stream) == referee_pb2.Welcome(
                protocol_version=1, referee_version="9.9", name="ada@1"
            )
            assert at.registry.there == {"ada@1": 3}
            stream.cancel()
            await until(lambda: at.registry.there == {"ada@1": 0})

    held(test)


REFUSED = {
    "a wrong token": (
        {"token": "eve"},
        grpc.StatusCode.UNAUTHENTICATED,
        "the token is wrong, expired or revoked",
    ),
    "no token": ({"token": ""}, grpc.StatusCode.UNAUTHENTICATED, "the token is wrong"),
    "another author's bot": (
        {"name": "ben"},
        grpc.StatusCode.PERMISSION_DENIED,
        "you have no remote bot 'ben'",
    ),
    "an unknown bot": ({"name": "x"}, grpc.StatusCode.PERMISSION_DENIED, "no remote bot"),
    "a long name": ({"name": "n" * 65}, grpc.StatusCode.INVALID_ARGUMENT, "64 characters"),
}


@pytest.mark.parametrize(("fields", "status", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bot_that_may_not_join_is_refused_with_a_reason(
    keys: Keys, fields: dict[str, Any], status: grpc.StatusCode, reason: str
) -> None:
    """Wrong tokens and others' bots fail."""

    async def test() -> None:
        async with Open(keys) as at, at.stream(**fields) as stream:
            code, details = await ending(stream)
            assert code is status
            assert reason in details
            assert not any(at.registry.there.values())

    held(test)


def test_a_client_without_tls_is_not_heard(keys: Keys) -> None:
    """The gateway reads no token in plain text: the stream ends before."""

    async def test() -> None:
        async with Open(keys) as at, dialled(at.address, None) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await (await joined(channel, hello())).read()
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
            assert at.registry.there == {}

    held(test)


def test_a_gate_may_ask_for_certificates(keys: Keys) -> None:
    """Then a bot needs a certificate besides its token."""

    async def test() -> None:
        async with Open(keys, keys.mutual()) as at:
            async with at.stream(own=True) as stream:
                assert (await at.welcomed(stream)).name == "ada@1"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                async with at.stream(name="ace") as stream:
                    await stream.read()
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
            assert "ace@1" not in at.registry.there

    held(test)


def test_a_silent_stream_is_sent_away(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream without Hello soon ends."""
    monkeypatch.setattr(gateways, "SECONDS_TO_SAY_HELLO", 0.01)

    async def test() -> None:
        with keys.for_bot() as credentials:
            async with Open(keys) as at, dialled(at.address, credentials) as channel:
                stream: Stream = channel.stream_stream("/courtyard.v1.Referee/Play")()
                assert (await ending(stream))[0] is grpc.StatusCode.INVALID_ARGUMENT

    held(test)


def test_a_token_that_is_revoked_serves_no_longer(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream opened with it ends."""
    monkeypatch.setattr(gateways, "SECONDS_BETWEEN_CHECKS", 0.01)

    async def test() -> None:
        async with Open(keys) as at, at.stream() as stream:
            await at.welcomed(stream)
            del at.registry.bots["ann"]
            code, details = await ending(stream)
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "revoked" in details

    held(test)


def test_a_bot_that_takes_nothing_is_sent_away_all_the_same(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream ends though its messages wait untaken, however often the gateway ends it."""
    monkeypatch.setattr(gateways, "SECONDS_BETWEEN_CHECKS", 0.01)
    monkeypatch.setattr(gateways, "SECONDS_TO_END", 0.1)

    async def test() -> None:
        async with Open(keys) as at, at.stream() as stream:
            await at.welcomed(stream)
            seat = at.gateway.seat("ada@1", "m")
            for _ in range(32):
                seat.notify(bytes(1 << 20))
            del at.registry.bots["ann"]
            await until(lambda: not at.registry.there["ada@1"])

    held(test)


def test_requests_of_several_matches_pass_on_one_stream(keys: Keys) -> None:
    """Answers find their matches in any order, and matches stay within the stated number."""

    async def test() -> None:
        async with Open(keys) as at, at.stream(max_matches=2) as stream:
            await at.welcomed(stream)
            one, two = at.gateway.seat("ada@1", "one"), at.gateway.seat("ada@1", "two")
            with pytest.raises(RefereeError, match="already plays its 2 matches at once"):
                at.gateway.seat("ada@1", "three")
            replies: list[asyncio.Future[Any]] = [
                asyncio.ensure_future(seat.ask(request(m), watched()))
                for seat, m in ((one, "one"), (two, "two"))
            ]
            assert {(await asked(stream)).match_id for _ in replies} == {"one", "two"}
            for match_id in ("two", "one"):
                await stream.write(decision(match_id))
            heard_of = [referee_pb2.BotMessage.FromString(await reply) for reply in replies]
            assert [message.match_id for message in heard_of] == ["one", "two"]

    held(test)


def test_a_bot_that_is_not_there_gets_no_seat(keys: Keys) -> None:
    """An absent bot voids the match: unasked, it forfeits nothing. No bot has two seats."""

    async def test() -> None:
        async with Open(keys) as at:
            with pytest.raises(RefereeError, match="ada@1 is not connected"):
                at.gateway.seat("ada@1", "m")
            async with at.stream(max_matches=2) as stream:
                await at.welcomed(stream)
                at.gateway.seat("ada@1", "m")
                with pytest.raises(RefereeError, match="one seat in a match"):
                    at.gateway.seat("ada@1", "m")

    held(test)


@pytest.mark.parametrize("resumes", [True, False])
def test_what_is_due_is_asked_again_on_the_next_stream(keys: Keys, *, resumes: bool) -> None:
    """A request comes with its remaining time, and to a new process with the start."""

    async def test() -> None:
        async with Open(keys) as at, Network(HERE, int(at.address.rpartition(":")[2])) as network:
            async with at.stream(at=network.address) as stream:
                await at.welcomed(stream)
                seat = at.gateway.seat("ada@1", "m")
                first = asyncio.ensure_future(seat.ask(request(), watched()))
                assert (await asked(stream)).request.start.game == "chess"
                await stream.write(decision())
                assert isinstance(await first, bytes)
                second = asyncio.ensure_future(seat.ask(request(number=2), watched()))
                before = (await asked(stream)).request
                await asyncio.sleep(0.01)
                network.cut()
                await until(lambda: at.registry.there == {"ada@1": 0})
            network.heal()
            async with at.stream(at=network.address, name="ada@1", resumes=resumes) as stream:
                assert not (await at.welcomed(stream)).replaced
                again = (await asked(stream)).request
                assert (again.number, again.start.game) == (2, "" if resumes else "chess")
                assert before.time_ms - SOON * 1000 < again.time_ms < before.time_ms
                assert before.time_ms - again.time_ms == before.bank_ms - again.bank_ms
                for _ in range(2):  # the first may be lost, so a bot may repeat it
                    await stream.write(decision(number=2))
                assert isinstance(await second, bytes)
                third = asyncio.ensure_future(seat.ask(request(number=3), watched()))
                assert (await asked(stream)).request == request_of(3)
                await stream.write(decision(number=3))
                assert isinstance(await third, bytes)

    held(test)


def request_of(number: int) -> referee_pb2.DecisionRequest:
    """A request as first sent."""
    message = referee_pb2.RefereeMessage.FromString(request(number=number).payload)
    return message.request


def test_a_request_waits_for_a_bot_that_is_gone(keys: Keys) -> None:
    """The bot gets it as soon as it is back; its time has run meanwhile."""

    async def test() -> None:
        async with Open(keys) as at:
            async with at.stream() as stream:
                await at.welcomed(stream)
                seat = at.gateway.seat("ada@1", "m")
                stream.cancel()
                await until(lambda: at.registry.there == {"ada@1": 0})
            reply = asyncio.ensure_future(seat.ask(request(), watched()))
            async with at.stream() as stream:
                await at.welcomed(stream)
                assert (await asked(stream)).request.start.game == "chess"
                await stream.write(decision())
                assert isinstance(await reply, bytes)

    held(test)


def test_a_bot_that_stays_away_forfeits_when_its_time_is_up(keys: Keys) -> None:
    """An absent bot was disconnected, a silent one too slow. The match waits for neither."""

    async def test() -> None:
        async with Open(keys) as at:
            async with at.stream() as stream:
                await at.welcomed(stream)
                seat = at.gateway.seat("ada@1", "m")
                with pytest.raises(TimeoutError):
                    await seat.ask(request(seconds=0.05), watched())
                stream.cancel()
                await until(lambda: at.registry.there == {"ada@1": 0})
            with pytest.raises(ConnectionError, match="the bot was gone for"):
                await seat.ask(request(number=2, seconds=0.05), watched())

    held(test)


def test_who_was_too_slow_is_told_and_joins_again(
    keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream ends with OK after the fault, and the next match uses another."""
    # A machine that lacks a core would void the match, and not let the bot forfeit.
    monkeypatch.setattr(MatchRunner, "_judge", lambda *_: None)
    bot = BotSpec("ada", Path(), (), version="1", transport="remote")
    clock = ClockConfig(decision_limit_ms=50)
    spec = MatchSpec("m", "courtisans", (bot, None), "seed", clock=clock)

    async def test() -> None:
        async with Open(keys) as at:
            match_runner = MatchRunner(
                open_sandbox(Level.TRUSTED), tmp_path, warm_bots=0, gateway=at.gateway
            )
            for _ in range(2):
                async with at.stream() as stream:
                    await at.welcomed(stream)
                    match = asyncio.ensure_future(match_runner.play(spec))
                    await asked(stream)
                    fault = (await heard(stream)).fault
                    assert fault.kind == referee_pb2.FAULT_KIND_TIMEOUT
                    assert await ending(stream) == (grpc.StatusCode.OK, "")
                    assert (await match).record.outcomes[0].rank == 2

    held(test)


def test_a_pulled_cable_is_noticed(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unanswered pings tell it, even without messages."""
    quick = tuple((n, 200 if v == 4_000 else v) for n, v in gateways._OPTIONS)
    monkeypatch.setattr(gateways, "_OPTIONS", quick)

    async def test() -> None:
        async with (
            Open(keys) as at,
            Network(HERE, int(at.address.rpartition(":")[2])) as network,
            at.stream(at=network.address) as stream,
        ):
            await at.welcomed(stream)
            network.stall()
            await until(lambda: at.registry.there == {"ada@1": 0})

    held(test)


def test_the_newest_stream_of_a_bot_is_its_stream(keys: Keys) -> None:
    """Old and new stream learn of each other, due requests go on, and the old one ends."""

    async def test() -> None:
        async with Open(keys) as at, at.stream() as old:
            assert (await at.welcomed(old)).replaced == ""
            async with at.stream() as new:
                assert (await at.welcomed(new)).replaced.startswith("ipv4:127.0.0.1:")
                status, reason = await ending(old)
                assert status is grpc.StatusCode.ABORTED
                assert "another stream of ada@1 has joined, from ipv4:127.0.0.1:" in reason
                reply = asyncio.ensure_future(
                    at.gateway.seat("ada@1", "m").ask(request(), watched())
                )
                await asked(new)
                await new.write(decision())
                assert isinstance(await reply, bytes)

    held(test)


def test_an_answer_ahead_of_its_request_is_a_fault(keys: Keys) -> None:
    """No broken stream explains it: the bot guessed."""

    async def test() -> None:
        async with Open(keys) as at, at.stream() as stream:
            await at.welcomed(stream)
            seat = at.gateway.seat("ada@1", "m")
            first = asyncio.ensure_future(seat.ask(request(), watched()))
            await asked(stream)
            await stream.write(decision())
            await stream.write(decision(number=2))
            assert isinstance(await first, bytes)
            await until(lambda: seat._ahead)
            with pytest.raises(BotFault, match="this one is to request 2") as ahead:
                await seat.ask(request(number=2), watched())
            assert ahead.value.fault.kind is FaultKind.PROTOCOL_ERROR

    held(test)


def test_what_cannot_be_read_is_a_fault_wherever_something_is_due(keys: Keys) -> None:
    """The stream ends with the reason."""

    async def test() -> None:
        async with Open(keys) as at, at.stream() as stream:
            await at.welcomed(stream)
            seat = at.gateway.seat("ada@1", "m")
            reply = asyncio.ensure_future(seat.ask(request(), watched()))
            await asked(stream)
            await stream.write(referee_pb2.BotMessage())
            with pytest.raises(BotFault) as unreadable:
                await reply
            assert unreadable.value.fault.kind is FaultKind.PROTOCOL_ERROR
            status, reason = await ending(stream)
            assert status is grpc.StatusCode.INVALID_ARGUMENT
            assert reason == unreadable.value.fault.reason

    held(test)


def test_a_flood_ends_its_stream(keys: Keys) -> None:
    """Answers to nothing are skipped, but not for ever."""

    async def test() -> None:
        async with Open(keys) as at, at.stream() as stream:
            await at.welcomed(stream)
            for _ in range(MOST_SUPERFLUOUS + 2):
                await stream.write(decision())
            assert (await ending(stream))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED

    held(test)


def test_what_is_too_large_ends_its_stream(keys: Keys) -> None:
    """It is never read."""

    async def test() -> None:
        async with Open(keys) as at, at.stream() as stream:
            await at.welcomed(stream)
            await stream.write(decision("m" * envelope.LARGEST_BOT_MESSAGE))
            assert (await ending(stream))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
            await until(lambda: at.registry.there == {"ada@1": 0})

    held(test)


def test_a_gate_that_closes_says_so(keys: Keys) -> None:
    """The stream ends with OK: the bot may rejoin a reopened gateway."""

    async def test() -> None:
        at = Open(keys)
        async with at, at.stream() as stream:
            await at.welcomed(stream)
            await at.gateway.close()
            assert await ending(stream) == (grpc.StatusCode.OK, "")

    held(test)


def test_a_gate_that_cannot_open_says_why(keys: Keys, tmp_path: Path) -> None:
    """One line names the file and its fault, or the address."""
    nothing = tmp_path / "none.pem"
    other = Keys.made(tmp_path)
    wrong = {
        "none.pem: No such file": Certificates(nothing, keys.of_gate.key),
        "gateway.pem: no certificate, or not the one of the key": Certificates(
            other.of_gate.chain, keys.of_gate.key
        ),
        "gateway.key: no roots": Certificates(
            keys.of_gate.chain, keys.of_gate.key, keys.of_gate.key
        ),
    }

    async def test() -> None:
        for words, certificates in wrong.items():
            with pytest.raises(UsageError, match=words):
                async with Open(keys, certificates):
                    pass
        async with Open(keys) as at:
            with pytest.raises(UsageError, match=r"cannot listen on 127\.0\.0\.1"):
                await BotGateway(at.registry.admit, at.registry.notice, "9.9").open(
                    at.address, keys.of_gate.credentials(quiet)
                )

    held(test)
