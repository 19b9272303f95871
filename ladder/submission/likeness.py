"""Finds out whether new files of a bot decide as the version that played last.

A version that differs in a comment is no new try: of twenty the luckiest would lead. So new files
are asked for the decisions of the last matches of the version before, one by one, each from the
recorded position. If every answer is the recorded one, the version plays on, with its own files.
That is evidence, no proof, but to feign it gains nothing: what was sent is not entered. An author
whose files differ elsewhere, or are only faster, gives their `bot.toml` another `release`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ladder.model.bots import Entry, Version
from ladder.runner.match_spec import bot_spec
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import unpack
from referee.conformance.repro import Comparison, judge
from referee.core.errors import CourtyardError, UsageError
from referee.core.faults import Fault
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.running_bot import BotSpec
from referee.match.record import Record
from referee.view.transcript import transcript_of

_MATCHES = 20
"""The matches whose decisions are compared, if there are as many."""
_FEWEST = 5
"""With fewer matches files are not said to be alike: a change may not have shown yet."""
SECONDS = 60.0
"""No further match is compared after this time."""


@dataclass(frozen=True, slots=True)
class Former:
    """The last version of a bot that passed, and what it is known by."""

    version: Version
    played: Sequence[tuple[int, bytes]]
    """Its seats in its last matches, with the packed records; the newest is first."""


@dataclass(frozen=True, slots=True)
class Alike:
    """New files that decide as a version did."""

    version: Version
    matches: int
    decisions: int

    def __str__(self) -> str:
        """Return the evidence as a sentence."""
        return (
            f"It answers as version {self.version.number} did: all {self.decisions} decisions "
            f"in {self.matches} matches."
        )


def former(ladder: Ladder, entry: Entry) -> Former | None:
    """Return the version to compare new files with.

    None if the bot is new, if few matches of its last version count yet, or if it says that it is
    a new release.
    """
    with ladder.database.read() as tx:
        fit = [v for v in bots.of_bot(tx, entry.bot) if v.rejected is None]
        if not fit or fit[-1].is_remote:
            return None
        played = matches.last_records(tx, fit[-1].id, _MATCHES)
    if len(played) < _FEWEST:
        return None
    try:
        is_same = _release(ladder.home, fit[-1]) == _release(ladder.home, entry)
    except UsageError:  # its files are lost
        return None
    return Former(fit[-1], played) if is_same else None


def alike(ladder: Ladder, entry: Entry, before: Former, host: Host) -> Alike | None:
    """Return that an entry decides like the version before it; None if it does not.

    None, too, if too few matches can be compared: they take too long, other rules played them, or
    the machine failed.
    """
    bot, deadline = bot_spec(ladder.home, entry, version=""), time.monotonic() + SECONDS
    compared = decisions = 0
    try:
        for seat, packed in before.played:
            same = _same_decisions(
                host, bot, unpack(packed), seat, ladder.settings.clock.startup_ms
            )
            if same is None:
                return None
            compared, decisions = compared + 1, decisions + same
            if time.monotonic() > deadline:
                break
    except (CourtyardError, OSError):
        return None
    return Alike(before.version, compared, decisions) if compared >= _FEWEST else None


def _same_decisions(
    host: Host, bot: BotSpec, record: Record, seat: int, startup_ms: int
) -> int | None:
    """Return how many decisions of a recorded seat a bot takes alike; None if one is different."""
    asked = transcript_of(record, seat)
    transcript, replies = host.run(lambda runner: runner.ask_again(bot, asked, startup_ms))
    if len(replies) < len(transcript.turns):
        return None
    for turn, reply in zip(transcript.turns, replies, strict=True):
        if isinstance(reply, Fault):
            return None
        if judge(transcript, turn, reply).verdict is not Comparison.SAME:
            return None
    return len(asked.turns)


def _release(home: Home, files: Version | Entry) -> str:
    return load_manifest(home.bundle(files.digest)).release
