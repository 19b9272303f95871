"""Courtyard with a mistake in it, which the monkey has to bring out.

`python -m tests.chaos.planted MISTAKE run ...` is `ladder run ...` with that mistake. A worker is a
process that imports this file again, and learns from its environment which mistake to make.
"""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from typing import Any, NoReturn

from sqlalchemy import select

from ladder.__main__ import main
from ladder.model.matches import MatchState
from ladder.runner import child_process
from ladder.storage.db import schema
from ladder.storage.tables import matches
from referee.core import scratch


def _nothing(*_: object) -> None:
    """Do nothing."""


def _stay(*_: object) -> NoReturn:
    """Wait for ever."""
    while True:
        threading.Event().wait()


def _unwatched(_: object) -> AbstractContextManager[None]:
    """Watch nothing."""
    return nullcontext()


def _plant(where: object, name: str, what: object) -> None:
    setattr(where, name, what)


def _void_counts() -> None:
    """A match is given up for good by its first void attempt, whatever voided it."""
    fail = matches.fail

    def give_up(tx: Any, match_id: str, reason: str, *_: object, **__: object) -> Any:
        return fail(tx, match_id, reason, 1)

    def put_back(tx: Any, match_id: str) -> None:
        give_up(tx, match_id, "put back")

    _plant(matches, "fail", give_up)
    _plant(matches, "put_back", put_back)


def _no_credit() -> None:
    """The referee does not notice that it was paused, so no bot is credited for that."""
    with suppress(ModuleNotFoundError):
        _plant(import_module("referee.sandbox.freeze.pauses").Pauses, "watching", _unwatched)


def _forgotten() -> None:
    """What was being played when a run was killed is not played again."""
    open_matches = matches.open_matches
    running = select(schema.matches.c.id).where(schema.matches.c.state == MatchState.RUNNING)

    def without_running(tx: Any, known: Any) -> Any:
        left = set(tx.execute(running).scalars())
        return [match for match in open_matches(tx, known) if match.match_id not in left]

    _plant(matches, "reopen", _nothing)
    _plant(matches, "open_matches", without_running)


def _workers_stay() -> None:
    """Workers do not end when the ladder's process is gone."""
    _plant(child_process, "when_alone", _nothing)
    _plant(child_process.Parent, "leave", _stay)


def _folders_stay() -> None:
    """What killed processes have left is not removed."""
    _plant(scratch, "_sweep", _nothing)


MISTAKES: Mapping[str, Callable[[], None]] = {
    "void counts": _void_counts,
    "no credit": _no_credit,
    "forgotten": _forgotten,
    "workers stay": _workers_stay,
    "folders stay": _folders_stay,
}
"""All that can be planted, by name."""

_VARIABLE = "COURTYARD_PLANTED"

if __name__ == "__main__":
    os.environ[_VARIABLE] = sys.argv.pop(1)

if mistake := os.environ.get(_VARIABLE):
    MISTAKES[mistake]()

if __name__ == "__main__":
    main()
