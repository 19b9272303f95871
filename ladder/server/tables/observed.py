"""What a person decides at a screen, step by step, for a study."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from ladder.server.tables.screen import Hint, PageScreen
from referee.games import game_named
from referee.hosting.person import Asked


class ObservedScreen:
    """Passes on what a screen is asked, and notes each complete decision, as docs/play.md says."""

    def __init__(self, screen: PageScreen, game: str) -> None:
        """Observe this screen, on which a game is played."""
        self._screen = screen
        self._facts = game_named(game).facts
        self.decisions: list[dict[str, Any]] = []

    async def ask(self, asked: Asked) -> int | None:
        """Return the screen's answer."""
        if asked.begins:
            self.decisions.append(_begun(self._facts(asked.observation)))
        began = time.monotonic()
        try:
            index = await self._screen.ask(asked)
        except BaseException:  # the person is gone: the decision is none
            self.decisions.pop()
            raise
        decision, seconds = self.decisions[-1], round(time.monotonic() - began, 3)
        decision["seconds"] = round(decision["seconds"] + seconds, 3)
        decision["missed"] = self._screen.was_late
        decision["hint"] = _labels(self._screen.hint)
        decision["steps"].append(
            {
                "prompt": asked.step.prompt,
                "options": [option.label for option in asked.step.options],
                "taken": index,
                "seconds": seconds,
            }
        )
        return index

    def end(self, events: Sequence[Any]) -> None:
        """Pass on the end."""
        self._screen.end(events)


def _begun(facts: str) -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "seconds": 0.0,
        "missed": False,
        "hint": None,
        "facts": orjson.Fragment(facts),
        "steps": [],
    }


def _labels(hint: Hint | None) -> list[str] | None:
    """Return the options of a hint that was shown; None without one."""
    return None if hint is None or hint.advice is None else [*hint.advice.labels]
