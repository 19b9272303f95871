"""Submitting a bot: stored, built, tried in a match, and entered, all at once or not at all.

The files are stored first and the build is made in a copy of them. A bot that can be built plays a
validation match: alone against stand-ins, by the ladder's clock, contained as it will be. Only then
the version is entered, by one transaction: whatever kills a submission before that has entered
nothing, and a version that is found unfit changes nothing for those that play. A remote bot is
entered untried: it need not be there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ladder import builds, identity
from ladder.bundle import Skip, nothing, store_bundle
from ladder.errors import BundleError, LadderError, StoreError
from ladder.execution.hosts import host_at
from ladder.execution.worker import MakePlayer
from ladder.ignored import Ignored
from ladder.ladder import Ladder
from ladder.models import Entry, Played, Submission, Trial
from ladder.records import fault_of, pack, unpack
from ladder.store import bots
from referee import build
from referee.bot import Entrant
from referee.build import Built
from referee.clock import ClockConfig
from referee.errors import RefereeError
from referee.host import MatchSpec
from referee.manifest import FILE_NAME, Manifest, load_manifest
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

MOST_ATTEMPTS = 3
"""How often a validation match is tried that is void."""
_MOST_DECISIONS = 300
_SPARE_S = 60.0
"""To read and store files, and to start."""
SEAT = 0
"""Where a bot sits in its validation match."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bot whose files are stored, and that has been tried if that was needed."""

    entry: Entry
    trial: Trial | None
    """None if these files were found fit before."""


def submit(
    ladder: Ladder,
    path: Path,
    say: Callable[[str], None],
    make: Callable[[Level], MakePlayer] = host_at,
    author: str | None = None,
) -> Submission:
    """Let the bot in this folder play as its files are now, if it can.

    `say` is told what is being done; `author` is who submits it, None the ladder's owner. Raise
    `UsageError` if its `bot.toml` is wrong, `NotYoursError` if it is another author's,
    `BundleError` if it cannot be stored or does not play this game.
    """
    return enter(ladder, prepare(ladder, path, say, make, author))


def prepare(
    ladder: Ladder,
    path: Path,
    say: Callable[[str], None],
    make: Callable[[Level], MakePlayer] = host_at,
    author: str | None = None,
) -> Prepared:
    """Do all that takes long of a submission, several of which may be prepared at once.

    Nothing is entered yet. Arguments and errors are those of `submit`.
    """
    manifest = load_manifest(path)
    if ladder.settings.game not in manifest.games:
        games = ", ".join(manifest.games)
        raise BundleError(f"{path}: it plays {games}, not {ladder.settings.game}")
    with ladder.database.read() as tx:
        bots.check_author(tx, manifest.name, author)
    with ladder.home.submitting(say, alone=lambda: builds.sweep(ladder.home)):
        entry = Entry(
            bot=manifest.name,
            digest=store_bundle(manifest.directory, ladder.home, left_out(manifest)),
            command=manifest.command,
            transport=manifest.transport,
            build=manifest.build,
            author=author,
        )
        if manifest.is_remote:
            return Prepared(entry, Trial(None))
        with ladder.home.using(entry.digest):
            with ladder.database.read() as tx:
                bots.check_author(tx, entry.bot, author)
                if bots.is_fit(tx, entry.bot, entry.digest):
                    return Prepared(entry, None)
            return Prepared(entry, _Trial(ladder, entry, say, make).hold())


def enter(ladder: Ladder, prepared: Prepared) -> Submission:
    """Enter a bot that is prepared, all at once; raise `NotYoursError` as `submit` does."""
    entry, trial = prepared.entry, prepared.trial
    with ladder.database.write() as tx:
        bots.check_author(tx, entry.bot, entry.author)
        if known := bots.resume(tx, entry.bot, entry.digest):
            return known
        if trial is None:
            raise StoreError(f"the database has changed: {entry.bot} is not known any more")
        return bots.enter(tx, entry, trial)


def longest_s(clock: ClockConfig) -> float:
    """Return how many seconds a whole submission may take: its build, and its matches by a clock.

    Each decision of the bot adds to its bank; `_MOST_DECISIONS` is more than it ever has in a game.
    """
    a_match_ms = clock.startup_ms + clock.bank_ms + _MOST_DECISIONS * clock.increment_ms
    return _SPARE_S + build.SECONDS + MOST_ATTEMPTS * a_match_ms / 1000


def left_out(manifest: Manifest) -> Skip:
    """Return what is not taken of a bot's folder: what its build makes and its .gitignore names.

    Of a remote bot the ladder takes its bot.toml alone; its program is its author's.
    """
    if manifest.is_remote:
        return lambda name: name != FILE_NAME
    return Ignored(manifest.directory).has if manifest.build else nothing


class _Trial:
    """One entry is tried."""

    def __init__(
        self,
        ladder: Ladder,
        entry: Entry,
        say: Callable[[str], None],
        make: Callable[[Level], MakePlayer],
    ) -> None:
        self._ladder = ladder
        self._entry = entry
        self._say = say
        self._level = open_sandbox(ladder.settings.sandbox).level
        self._make_player = make(self._level)
        self._network = ladder.settings.may_use_network(entry.author)

    def hold(self) -> Trial:
        """Build the entry and let it play."""
        entry, log = self._entry, None
        if entry.build:
            built = self._build()
            log = built.log
            if built.failure:
                why = builds.without_network(self._level, network=self._network)
                return Trial(f"{built.failure}{why}", log)
        self._say(f"Validating {entry.bot} in a match against the stand-in ({self._level}).")
        played = self._play()
        return Trial(_fault(played), log, played.record, played.printed.get(SEAT, ""))

    def _build(self) -> Built:
        entry = self._entry
        how = " with network access" if self._network else ""
        return builds.make(
            self._ladder.home,
            entry.digest,
            entry.build,
            self._level,
            network=self._network,
            say=lambda command: self._say(f"Building {entry.bot}{how}: {command}"),
        )

    def _play(self) -> Played:
        reason = ""
        for attempt in range(1, MOST_ATTEMPTS + 1):
            spec = self._spec(patient=attempt < MOST_ATTEMPTS)
            try:
                with self._make_player() as player:
                    return pack(player.play(spec), player.printed, spec)
            except RefereeError as error:
                reason = str(error)
        raise LadderError(
            f"{self._entry.bot} was not entered: its validation match was void {MOST_ATTEMPTS} "
            f"times, the last because: {reason}"
        )

    def _spec(self, *, patient: bool) -> MatchSpec:
        settings, entry = self._ladder.settings, self._entry
        match_id = identity.validation_id(settings.secret, entry.digest)
        folder = builds.directory(self._ladder.home, entry.digest, entry.build)
        entrant = Entrant(
            name=entry.bot,
            directory=folder.resolve(),
            command=entry.command,
            transport=entry.transport,
            digest=entry.digest,
        )
        return MatchSpec(
            match_id=match_id,
            game=settings.game,
            seats=(entrant, *[None] * (settings.seats - 1)),
            master_seed=identity.master_seed(settings.secret, match_id),
            config=settings.config,
            clock=settings.clock,
            patient=patient,
        )


def _fault(played: Played) -> str | None:
    """Return by what the bot forfeited its validation match, in one line; None if it did not."""
    fault = fault_of(unpack(played.record), SEAT)
    if fault is None:
        return None
    return f"it forfeited its validation match: {fault.kind.name}: {fault.reason}"
