"""One table of warm bots in a process of its own, which counts the CPU time of their decisions.

Started by the benchmarks as `python decision.py BOT LEVEL CORE`: the bot's folder, a level of the
sandbox, and the core on which all processes run. Each line that it reads is a number of matches to
play, answered with a line of figures: the decisions, the microseconds of CPU that this process used
for each, and those that the bots used. This process does what a ladder's worker does, storing
apart.
"""

import os
import signal
import sys
import time
from pathlib import Path

from referee.core.clock import ClockConfig
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import bot_spec_of
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

SEATS = 4
PATIENT = ClockConfig(startup_ms=60_000, decision_limit_ms=60_000, bank_ms=600_000)
"""Limits so long that no bot forfeits on a busy machine."""


def main(bot: str, level: str, core: str) -> None:
    """Play as many matches as each line says."""
    os.sched_setaffinity(0, {int(core)})
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker, where asyncio then sets none
    manifest = load_manifest(Path(bot))
    game, table = manifest.games[0], (bot_spec_of(manifest),) * SEATS
    number = 0
    with Host(sandbox=open_sandbox(Level(level))) as host:
        for line in sys.stdin:
            decisions = bots_us = 0
            began = time.process_time()
            for _ in range(int(line)):
                number += 1
                spec = MatchSpec(f"bench-{number}", game, table, str(number), clock=PATIENT)
                record = host.play(spec)
                if any(outcome.forfeit for outcome in record.outcomes):
                    raise SystemExit("a bot forfeited: the measurement is void")
                decisions += len(record.decisions)
                bots_us += sum(decision.cpu_us for decision in record.decisions)
            worker_us = (time.process_time() - began) * 1e6
            print(decisions, worker_us / decisions, bots_us / decisions, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
