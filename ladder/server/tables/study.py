"""The decisions of people at tables, kept in a folder for a study: a line of JSON each."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ladder.model.errors import LadderError

_LOG = logging.getLogger("courtyard.run")

_CONSENT = "consent.txt"
_DECISIONS = "decisions.jsonl"


@dataclass(frozen=True, slots=True)
class Study:
    """A study and its folder."""

    folder: Path
    consent: str
    """The sentence that each person agrees to before taking a seat; empty: none."""

    def keep(self, decisions: Sequence[Mapping[str, Any]]) -> None:
        """Add decisions to the file; log what hinders it."""
        if not decisions:
            return
        lines = b"".join(orjson.dumps(decision) + b"\n" for decision in decisions)
        try:
            with (self.folder / _DECISIONS).open("ab") as file:
                file.write(lines)
        except OSError as error:
            _LOG.warning("the study lacks the decisions of a match: %s", error)


def study_in(folder: Path) -> Study:
    """Return the study of a folder; raise `LadderError` if its sentence cannot be read."""
    path = folder / _CONSENT
    try:
        consent = " ".join(path.read_text("utf-8").split())
    except FileNotFoundError:
        return Study(folder.resolve(), "")
    except (OSError, UnicodeError) as error:
        raise LadderError(f"{path}: {error}") from None
    if not consent:
        raise LadderError(f"{path} is empty: write what people agree to, or remove it")
    return Study(folder.resolve(), consent)
