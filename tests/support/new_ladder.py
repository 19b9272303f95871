"""New ladders for the tests."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ladder.storage.files.folder import Home
from ladder.storage.ladder import create
from referee.core.clock import ClockConfig
from referee.sandbox.program import Level


def new_ladder(
    path: Path,
    seed: str,
    *,
    game: str = "courtisans",
    seats: int = 4,
    config: Mapping[str, Any] = MappingProxyType({}),
    clock: ClockConfig = ClockConfig(),  # noqa: B008 -- frozen
    **others: Any,
) -> Home:
    """Make a ladder that trusts its bots; `others` go to `create`."""
    return create(
        path,
        game=game,
        seats=seats,
        config=config,
        clock=clock,
        secret=seed,
        sandbox=Level.TRUSTED,
        **others,
    )
