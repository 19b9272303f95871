"""A bot is asked for the decisions of a recorded seat."""

from pathlib import Path

from referee.core.clock import ClockConfig
from referee.core.faults import Fault, FaultKind
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.person import Asked, Person
from referee.hosting.running_bot import bot_spec_of
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.view.transcript import transcript_of

SLEEPER = Path(__file__).parents[2] / "bots" / "sleeper" / "bot.toml"


class First:
    """Takes the first option of each step."""

    async def ask(self, _: Asked) -> int:
        """Take it."""
        return 0

    def end(self, _: object) -> None:
        """Show nothing."""


def test_a_bot_has_the_time_of_the_recorded_clock() -> None:
    """One that is late is asked no more."""
    clock = ClockConfig(decision_limit_ms=50, bank_ms=50, increment_ms=0)
    spec = MatchSpec("m", "courtisans", (None, None, None), "seed", clock=clock)
    bot = bot_spec_of(load_manifest(SLEEPER))
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        record = host.play(spec, {0: Person("ada", First())})
        _, replies = host.run(lambda run: run.ask_again(bot, transcript_of(record, 0), 60_000))

    (reply,) = replies
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT
