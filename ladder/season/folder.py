"""The folder of a season.

plan.toml          the plan with which it began
ladder/            the ladder on which the bots play
sealed/bots/       the bots' and agents' folders, by digest, never changed
journal.jsonl      a line for the start, for each session, also interrupted ones, and submission
workspaces/NAME/   where an entrant's command works
running/NAME       when the session that runs there began; touched each second
logs/NAME-ROUND    what the command printed before a round
season.lock        held by the process that runs the season
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ladder.model.errors import LockedError, StoreError
from ladder.storage.files.folder import Home


@dataclass(frozen=True, slots=True)
class Entry:
    """An entrant as the season began: digests of sealed folders."""

    bot: str
    digest: str
    agent: str | None
    """None if its command needs no folder."""


@dataclass(frozen=True, slots=True)
class Session:
    """What an entrant's command did before a round, and the sealed folder after it."""

    round: int
    """Counts from 1; before the first round no command runs."""
    bot: str
    digest: str
    problem: str
    """Why the session ended badly; empty if it did not."""
    seconds: float
    tokens: int
    cost: float
    """In the currency of the command's report."""
    added: int
    """Lines that the session added; of a moved line neither counts."""
    removed: int


@dataclass(frozen=True, slots=True)
class Interrupted:
    """What a session used before it was killed with the season; another begins in its place."""

    round: int
    bot: str
    began: float
    """Unix time."""
    seconds: float
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Submitted:
    """The version that an entrant plays in a round."""

    round: int
    bot: str
    version: int
    """Its number on the ladder."""
    rejected: str
    """Why the newest sealed folder may not play; empty if it does."""


Line = Entry | Session | Interrupted | Submitted
_KINDS: Mapping[str, type[Line]] = {
    "entry": Entry,
    "session": Session,
    "interrupted": Interrupted,
    "submitted": Submitted,
}


@dataclass(frozen=True, slots=True)
class SeasonFolder:
    """The folder of a season."""

    path: Path

    @property
    def plan(self) -> Path:
        """The plan with which it began."""
        return self.path / "plan.toml"

    @property
    def ladder(self) -> Home:
        """The ladder."""
        return Home(self.path / "ladder")

    @property
    def sealed(self) -> Home:
        """The sealed folders, stored as a ladder's bots are."""
        return Home(self.path / "sealed")

    @property
    def has_begun(self) -> bool:
        """Whether there is a season in the folder."""
        return self._journal.is_file() and self.ladder.holds_ladder

    def workspace(self, bot: str) -> Path:
        """Return the workspace of an entrant."""
        return self.path / "workspaces" / bot

    def log(self, number: int, bot: str) -> Path:
        """Return the file of what an entrant's command printed before a round."""
        folder = self.path / "logs"
        folder.mkdir(exist_ok=True)
        return folder / f"{bot}-{number}"

    def begin_session(self, number: int, bot: str) -> Path:
        """Note that a session begins; return the file to touch while it runs."""
        file = self._running(bot)
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"round": number, "began": time.time()}), "utf-8")
        return file

    def end_session(self, bot: str) -> None:
        """Note that no session of an entrant runs any more."""
        self._running(bot).unlink(missing_ok=True)

    def unended(self, bot: str) -> tuple[int, float, float] | None:
        """Return the round of a session that has not ended, when it began and its seconds so far.

        None if there is none, or if it was killed as it began.
        """
        file = self._running(bot)
        try:
            said = json.loads(file.read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        began = said["began"]
        return said["round"], began, max(0.0, file.stat().st_mtime - began)

    def begin(self, plan: str, entries: list[Entry]) -> None:
        """Write the plan and the first lines of the journal: the season has begun."""
        self.plan.write_text(plan, "utf-8")
        draft = self._journal.with_suffix(".new")
        draft.write_text("".join(map(_encoded, entries)), "utf-8")
        draft.rename(self._journal)

    def write(self, line: Line) -> None:
        """Append a line to the journal, for good."""
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(_encoded(line))
            file.flush()
            os.fsync(file.fileno())

    def lines(self) -> list[Line]:
        """Return the journal; a last line that was cut off does not count.

        Raise `StoreError` if it is damaged.
        """
        text = self._journal.read_text("utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:  # a killed process leaves it
            os.truncate(self._journal, len(whole.encode()))
        numbered = enumerate(whole.splitlines(), start=1)
        return [_decoded(line, number, self._journal) for number, line in numbered]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from running the season; raise `LockedError` if one does."""
        with (self.path / "season.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LockedError(f"{self.path}: another process runs this season") from None
            yield

    def _running(self, bot: str) -> Path:
        return self.path / "running" / bot

    @property
    def _journal(self) -> Path:
        return self.path / "journal.jsonl"


def _encoded(line: Line) -> str:
    kind = next(name for name, of in _KINDS.items() if of is type(line))
    return json.dumps({"kind": kind, **asdict(line)}) + "\n"


def _decoded(text: str, number: int, file: Path) -> Line:
    try:
        fields: dict[str, Any] = json.loads(text)
        return _KINDS[fields.pop("kind")](**fields)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{file}, line {number}: damaged: {error!r}") from None
