"""What the scheduler and the workers of a cluster have in common: settings, lines, and an end."""

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import dask

from ladder.runner.interrupts import stop_signals

_OTHERS = ("asyncio", "distributed", "tornado")
"""Whose messages are no lines of ours; asyncio's tell of what Dask leaves behind as it closes."""

Say = Callable[[str], None]

SECONDS_AWAY = 30.0
"""For how long a worker may be silent, as when its network is cut, before others get its work."""
MOST_DEATHS = 3
"""How often a batch is handed out again because its worker died."""


def configure() -> None:
    """Set Dask up in this process for the work of a cluster."""
    ignore_settings()
    dask.config.set(
        {
            "distributed.admin.low-level-log-length": 0,
            "distributed.comm.timeouts.tcp": f"{SECONDS_AWAY:g}s",
            "distributed.scheduler.allowed-failures": MOST_DEATHS,
            "distributed.scheduler.http.routes": [],  # nothing is shown without a certificate
            "distributed.scheduler.worker-ttl": f"{SECONDS_AWAY:g}s",
            "distributed.worker.http.routes": [],
            "distributed.worker.profile.enabled": False,  # a hundred times a second
        }
    )
    quieten()


def ignore_settings() -> None:
    """Forget what the environment and the files of this machine's user say to Dask."""
    dask.config.refresh(paths=[], env={})


def quieten() -> None:
    """Keep Dask's own messages, which are tracebacks of what it survives, to itself."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.partition(".")[0] in _OTHERS and isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.setLevel(logging.NOTSET)
            logger.propagate = True
    for name in _OTHERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def run_until_stopped(serve: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run a service until Ctrl-C, SIGTERM or SIGHUP sets the event that it is given."""

    async def served() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in stop_signals():
            loop.add_signal_handler(number, stop.set)
        await serve(stop)
        for number in stop_signals():
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)  # what is left takes a moment

    asyncio.run(served())
