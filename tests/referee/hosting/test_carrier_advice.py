"""A bot that speaks on another carrier than its bot.toml says learns which fits."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.core.clock import ClockConfig
from referee.core.faults import FaultKind
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from tests.support.voids import counted

JSON = 'the bot wrote lines of JSON: set transport = "stdio-json" in bot.toml'
FRAMED = 'the bot wrote length-prefixed protobuf: set transport = "stdio" in bot.toml'
DIALS = 'which gRPC has: set transport = "grpc" in bot.toml'
UNENDED = "the line feed behind the message is missing"
SILENT = "nothing arrived: does the bot write its Hello, and flush it?"
UNCALLED = "the bot never called Play at the address in COURTYARD_ADDRESS"
SAYS_HELLO = r"print(end='\x09\x12\x07\x08\x01\x12\x03ada', flush=True)"

TRIALS = {
    "JSON on stdio": ("stdio", ("bot.py", "goodbye"), JSON),
    "long JSON on stdio": ("stdio", ("bot.py", "long-hello"), JSON),
    "JSON instead of gRPC": ("grpc", ("bot.py", "goodbye"), JSON),
    "protobuf on stdio-json": ("stdio-json", ("-c", SAYS_HELLO), FRAMED),
    "protobuf instead of gRPC": ("grpc", ("-c", SAYS_HELLO), FRAMED),
    "a line without an end": ("stdio-json", ("bot.py", "endless"), UNENDED),
    "gRPC on stdio": ("stdio", ("bot.py", "dials"), DIALS),
    "gRPC on stdio-json": ("stdio-json", ("bot.py", "dials"), DIALS),
}
HASTY = {
    "nothing flushed": ("stdio-json", ("bot.py", "unflushed"), SILENT),
    "nothing written": ("stdio", ("bot.py", "unflushed"), SILENT),
    "no call": ("grpc", ("-c", "import time; time.sleep(100_000)"), UNCALLED),
}


@pytest.fixture
def reason(host: Host, bots: Path, entrant: Callable[[Path], BotSpec]) -> Callable[..., str]:
    """Say why a bot with this carrier and these arguments did not start."""

    def play(transport: str, arguments: tuple[str, ...], clock: ClockConfig) -> str:
        bot = replace(
            entrant(bots / "check_trial"), transport=transport, command=("python3", *arguments)
        )
        spec = MatchSpec("m", "courtisans", (bot, None), "s", clock=clock)
        record = counted(lambda: host.play(spec))
        (fault,) = (d.fault for d in record.decisions if d.HasField("fault"))
        assert FaultKind(fault.kind) is FaultKind.FAILED_TO_START
        return fault.reason

    return play


@pytest.mark.parametrize("trial", TRIALS)
def test_a_carrier_that_does_not_fit_is_named(
    reason: Callable[..., str], patient: ClockConfig, trial: str
) -> None:
    """The fault's reason, which its author reads everywhere, ends with the fix."""
    transport, arguments, advice = TRIALS[trial]

    assert reason(transport, arguments, patient).endswith(advice)


@pytest.mark.parametrize("trial", HASTY)
def test_a_bot_of_which_nothing_comes_is_told_where_it_was_awaited(
    reason: Callable[..., str], trial: str
) -> None:
    """The reason gives the wait and what to look at."""
    transport, arguments, advice = HASTY[trial]
    told = reason(transport, arguments, ClockConfig(startup_ms=200))

    assert told.startswith("no Hello")
    assert f"within 200 ms; {advice}" in told


def test_a_bot_that_crashes_is_not_advised(
    reason: Callable[..., str], patient: ClockConfig
) -> None:
    """The output says more."""
    told = reason("stdio", ("bot.py", "no-start"), patient)

    assert ";" not in told
