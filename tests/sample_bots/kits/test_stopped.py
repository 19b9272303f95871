"""The kits through a stop that is longer than any keep-alive that a gRPC library has by default."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import pytest
import uvloop

from ladder.submission.starter_kits import KITS
from referee.core.clock import ClockConfig
from referee.core.scratch import short_folder
from referee.hosting.manifest import Manifest, load_manifest
from referee.hosting.match_runner import MatchRunner, MatchSpec
from referee.hosting.running_bot import BotSpec, RunningBot, bot_spec_of
from referee.match.match import Match, MatchSetup
from referee.sandbox.levels import offered, open_sandbox
from referee.sandbox.program import Level

ROOT = Path(__file__).parents[3]
SAMPLE_BOTS = ROOT / "sample_bots"
BOTS = ROOT / "tests" / "bots"
STOP_S = 70
"""gRPC's own ping timeout is a minute."""
CLOCK = ClockConfig(startup_ms=120_000, decision_limit_ms=200_000, bank_ms=400_000)
BESIDE_THE_THINKER = 4
Table = tuple[BotSpec, ...]


class Club:
    """A match_runner, and what came of its matches."""

    def __init__(self, match_runner: MatchRunner) -> None:
        """Play here."""
        self._match_runner = match_runner
        self._numbers = count()
        self.forfeits: list[str] = []

    async def play(self, *tables: Table) -> None:
        """Play matches at the same time, each with a seed of its own; no last seat begins."""
        await asyncio.gather(*[self._play(table) for table in tables])

    async def _play(self, table: Table) -> None:
        seeds = (f"seed {number}" for number in self._numbers)
        seed = next(seed for seed in seeds if first_to_act(seed, len(table)) != len(table) - 1)
        ended = await self._match_runner.play(
            MatchSpec(seed, "courtisans", table, seed, clock=CLOCK)
        )
        for decision in ended.record.decisions:
            if decision.HasField("fault"):
                bot = table[decision.seat].name
                self.forfeits.append(f"{bot}: {decision.fault} {ended.printed[decision.seat]}")

    @property
    def waiting(self) -> set[RunningBot]:
        """The bots that wait for a match."""
        return {bot for _, bot in self._match_runner._idle}


def first_to_act(seed: str, seats: int) -> int | None:
    """The seat that begins a match."""
    return Match(MatchSetup(seed, "courtisans", seats, seed)).state.to_act


def built(
    lacking: Callable[[str], str], build: Callable[[Path], Manifest]
) -> Mapping[str, Manifest]:
    """Every kit whose toolchain is here, built."""
    folders = {name: SAMPLE_BOTS / name for name in KITS if name != "python" and not lacking(name)}
    kits = {name: build(folder) for name, folder in folders.items()}
    return {**kits, "python": load_manifest(SAMPLE_BOTS / "python" / "courtisans" / "random")}


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.parametrize("level", sorted({offered()[0], Level.TRUSTED}))
def test_no_bot_of_any_kit_loses_its_stream_by_a_stop_of_seventy_seconds(
    lacking: Callable[[str], str], build: Callable[[Path], Manifest], level: Level
) -> None:
    """Nor one that speaks gRPC with the library's default settings.

    Of each bot one process is in a match meanwhile and another one waits for its next: all play on.
    """
    kits = [bot_spec_of(manifest) for manifest in built(lacking, build).values()]
    own = bot_spec_of(load_manifest(BOTS / "own_client"))
    bots = (*kits, own)
    tables = [bots[i : i + BESIDE_THE_THINKER] for i in range(0, len(bots), BESIDE_THE_THINKER)]
    command = ("python3", "bot.py", str(STOP_S))
    thinker = BotSpec("thinker", BOTS / "thinker", command, transport="stdio")
    full = [(*table, own) for table in tables]

    async def main() -> None:
        with short_folder() as place:
            match_runner = MatchRunner(open_sandbox(level), place, warm_bots=64)
            club = Club(match_runner)
            await club.play(*full, *full)
            before = club.waiting
            await club.play(*[(*table, thinker) for table in tables])
            await club.play(*full, *full)

            assert club.forfeits == []
            assert club.waiting >= before
            await match_runner.close()

    uvloop.run(main())
