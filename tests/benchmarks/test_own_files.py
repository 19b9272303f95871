"""What files of its own cost a bot at its start: CPU time of the bot and of the referee.

Bots start with files that all share, and in turns with files of their own, if `ladder image` has
made an image: trivial bots, and each sample bot that has been built in its folder.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.core.faults import BotFault
from referee.hosting.manifest import load_manifest
from referee.hosting.running_bot import BotSpec, RunningBot, bot_spec_of
from referee.sandbox.contain import private_files, system_image
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.sandbox.spawner import in_spawner
from tests.benchmarks.test_decision_cost import KINDS
from tests.benchmarks.trivial_ladder import ROOT
from tests.support.lacking import need_level, skip

pytestmark = pytest.mark.bench

STARTS = 9
STARTUP_MS = 60_000


def test_starts_with_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Print the milliseconds of CPU from a start to the bot's welcome, and the ratio."""
    need_level(Level.STRICT_CG)  # its control groups count all of a bot's processes
    if reason := private_files.lacking():
        skip(reason, "ladder image, as root")
    print("\nms of CPU to the welcome with shared files, with own files, ratio")
    for spec in specs(tmp_path):
        taken: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(STARTS):
            for own, times in taken.items():
                with monkeypatch.context() as patch:
                    if not own:
                        patch.setenv(system_image.FOLDER, str(tmp_path / "none"))
                    times.append(asyncio.run(started(spec, tmp_path)))
        shared, own_files = (statistics.median(times) for times in taken.values())
        print(f"{shared:.0f}, {own_files:.0f}, {own_files / shared:.2f}: {spec.name}")


def specs(folder: Path) -> Iterator[BotSpec]:
    """Yield the bots that can start here."""
    trivial = [folder / f"first-{number}" for number in range(len(KINDS))]
    for kind, bot in zip(KINDS, trivial, strict=True):
        kind.write(bot, bot.name)
        print(f"{bot.name}: {kind.name}")
    samples = sorted((ROOT / "sample_bots").glob("*/bot.toml"))
    for bot in (*trivial, *(toml.parent for toml in samples)):
        spec = bot_spec_of(load_manifest(bot))
        try:
            asyncio.run(started(spec, folder))
        except BotFault:
            print(f"not built: {spec.name}")
        else:
            yield spec


async def started(spec: BotSpec, folder: Path) -> float:
    """Start a bot; return the milliseconds of CPU until it was welcome, and of cleaning up."""
    began_ns = time.process_time_ns()
    sandbox = open_sandbox(Level.STRICT_CG)
    bot = await RunningBot.start(spec, STARTUP_MS, folder, sandbox, Pauses())
    used_us = bot._process.usage().cpu_us
    await bot.stop()
    in_spawner(int).result()  # after it has unmounted the files
    return used_us / 1000 + (time.process_time_ns() - began_ns) / 1e6
