"""A match that goes on is played by the process that played the one before, or forfeited."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.core.clock import ClockConfig
from referee.core.faults import FaultKind
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.match.record import Record
from referee.sandbox.levels import STRONGEST_FIRST, open_sandbox
from referee.sandbox.program import Level
from tests.support.lacking import need_level

CLOCK = ClockConfig(startup_ms=120_000, decision_limit_ms=3000, bank_ms=60_000, increment_ms=0)


@pytest.fixture
def leaver(bots: Path, entrant: Callable[[Path], BotSpec]) -> Callable[[str], BotSpec]:
    """A bot that leaves in this way after its first match."""

    def make(how: str) -> BotSpec:
        bot = entrant(bots / "leaver")
        return replace(bot, command=(*bot.command[:-1], how))

    return make


def two_matches(host: Host, bot: BotSpec) -> Record:
    """Play a match without faults, and return the one that goes on from it."""
    first = MatchSpec("first", "courtisans", (bot, None), "a deal", clock=CLOCK)
    assert faults(host.play(first)) == []
    return host.play(replace(first, match_id="next", master_seed="another", goes_on=True))


def faults(record: Record) -> list[tuple[FaultKind, str]]:
    """Return the faults of a match."""
    found = [each.fault for each in record.decisions if each.HasField("fault")]
    return [(FaultKind(fault.kind), fault.reason) for fault in found]


@pytest.mark.parametrize("level", STRONGEST_FIRST)
@pytest.mark.parametrize("how", ["0", "20", "300"])
def test_a_bot_that_ends_with_its_match_forfeits_the_next(
    leaver: Callable[[str], BotSpec], level: Level, how: str
) -> None:
    """It never depends on chance: stopped before its end or after it, the bot forfeits."""
    need_level(level)
    with Host(sandbox=open_sandbox(level)) as host:
        [(kind, reason)] = faults(two_matches(host, leaver(how)))

    assert kind is FaultKind.DISCONNECTED
    assert "exited with status 0" in reason


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("how", "kind", "told"),
    [
        ("crashes", FaultKind.DISCONNECTED, "exited with status 3"),
        ("closes", FaultKind.DISCONNECTED, "ended its stream"),
        ("deaf", FaultKind.TIMEOUT, "no answer within"),
    ],
)
def test_other_ways_to_leave_forfeit_too(
    host: Host, leaver: Callable[[str], BotSpec], how: str, kind: FaultKind, told: str
) -> None:
    """A crash, a closed stream and a silent process forfeit, and the verdict says which it was."""
    [(found, reason)] = faults(two_matches(host, leaver(how)))

    assert found is kind
    assert told in reason


def test_a_bot_that_is_gone_before_the_next_match_is_not_started_again(
    host: Host, leaver: Callable[[str], BotSpec]
) -> None:
    """Without the process of the match before, a match that goes on is forfeited at once."""
    spec = MatchSpec("m", "courtisans", (leaver("5"), None), "a deal", clock=CLOCK, goes_on=True)

    [(kind, reason)] = faults(host.play(spec))

    assert kind is FaultKind.DISCONNECTED
    assert "with the match before" in reason


def test_a_bot_that_stays_plays_on(host: Host, leaver: Callable[[str], BotSpec]) -> None:
    """A bot that keeps its process is stopped and continued, and plays the next match."""
    assert faults(two_matches(host, leaver("never"))) == []
