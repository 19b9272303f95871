"""A ladder as it is cited: what an export tells of bots, matches and standings, to check them by.

The file `ladder.json` of an export names each public match with the digest of its record, so the
digest of that one file stands for all. With the folder alone `ladder.results.citation_check` finds
what does not follow from the records.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from ladder.model.errors import LadderError
from ladder.model.matches import MatchState
from ladder.model.settings import RatedBy
from ladder.results.standings import Standing
from referee.core.clock import ClockConfig

NAME = "ladder.json"
"""The file's name in an export, beside the folder `matches`."""


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """A version that may have played."""

    bot: str
    version: int
    digest: str
    """Of its files; 64 hex digits."""
    author: str | None
    """None: the ladder's owner."""
    active: bool
    """Whether the standings list it."""
    founder: bool
    """Whether it is of the first round, whose mean rating is 25."""
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class CitedMatch:
    """A public match."""

    id: Annotated[str, Field(pattern="^[0-9a-f]+$")]
    round: int
    block: int
    """Matches with the same number, from 0, share a deal."""
    state: Literal[MatchState.DONE, MatchState.DROPPED]
    """A dropped match counts nowhere."""
    rated: bool
    """Whether its whole block counts in ratings."""
    seats: tuple[int | None, ...]
    """The index of each seat's version; None: the stand-in."""
    sha256: str
    """Of the file with its record, in hex digits."""


@dataclass(frozen=True, slots=True)
class Cited:
    """The public state of a ladder at one moment, as in `ladder.json`."""

    format: Literal[1]
    courtyard: str
    """The version of Courtyard that wrote it."""
    ladder_id: str
    title: str
    game: str
    seats: int
    clock: ClockConfig
    rated_by: RatedBy
    matches_a_block: int
    """How many matches of a standing ladder share a deal."""
    chunks: tuple[int, ...]
    """The last rounds of the chunks that are condensed before later results are rated."""
    versions: tuple[CitedVersion, ...]
    """In the order of submission."""
    matches: tuple[CitedMatch, ...]
    """In the order of the schedule."""
    standings: tuple[Standing, ...]


_FILE = TypeAdapter(Cited)


def written(cited: Cited) -> bytes:
    """Return the content of `ladder.json`."""
    return _FILE.dump_json(cited, indent=1) + b"\n"


def record_path(match_id: str) -> str:
    """Return the path of a match's record beside `ladder.json`."""
    return f"matches/{match_id}.json"


def read(folder: Path) -> tuple[Cited, str]:
    """Return what an export's `ladder.json` says, and its SHA-256; raise `LadderError`."""
    file = folder / NAME
    try:
        content = file.read_bytes()
        cited = _FILE.validate_json(content)
    except OSError as error:
        raise LadderError(f"{file}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise LadderError(f"{file}: {where}: {first['msg']}") from error
    indices = range(len(cited.versions))
    if any(i is not None and i not in indices for match in cited.matches for i in match.seats):
        raise LadderError(f"{file}: matches: a seat's version is not among its versions")
    return cited, hashlib.sha256(content).hexdigest()
