"""Submitting a bot: stored, built, tried in a match, and entered, all at once or not at all.

The files are stored first and the build is made in a copy of them. A bot that can be built plays a
validation match: alone against stand-ins, by the ladder's clock, contained as it will be. Only then
the version is entered, by one transaction: whatever kills a submission before that has entered
nothing, and a version that is found unfit changes nothing for those that play. A remote bot is
entered untried: it need not be there.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ladder.model import ids
from ladder.model.bots import Entry, Submission, ValidationResult
from ladder.model.errors import BundleError, LadderError, StoreError
from ladder.model.matches import Played
from ladder.runner.host import host_at
from ladder.runner.worker import MakePlayer
from ladder.storage import bots, builds
from ladder.storage.bundles import Skip, nothing, store_bundle
from ladder.storage.containment import level_of
from ladder.storage.database import Transaction
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.records import fault_of, pack, unpack
from ladder.storage.sweep import sweep
from ladder.submission import disk_quota
from ladder.submission.ignored import Ignored
from referee.core.clock import ClockConfig
from referee.core.errors import PausedError, RefereeError, UsageError
from referee.hosting import build
from referee.hosting.build import Built
from referee.hosting.host import MatchSpec
from referee.hosting.manifest import FILE_NAME, Manifest, load_manifest
from referee.hosting.running_bot import BotSpec
from referee.sandbox.program import Level

MOST_ATTEMPTS = 3
"""How often a validation match is tried that is void."""
MOST_PAUSES = 10
"""How many more times, if it is void because the referee was paused."""
_MOST_DECISIONS = 300
_SPARE_S = 60.0
"""To read and store files, and to start."""
_BUILT = "with what was built would use"
SEAT = 0
"""Where a bot sits in its validation match."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bot whose files are stored, and that has been tried if that was needed."""

    entry: Entry
    trial: ValidationResult | None
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
    `BundleError` if it cannot be stored or does not play this game, `QuotaError` if it takes more
    of the disk than its author may use.
    """
    sweep(ladder)
    try:
        with preparing(ladder, path, say, make, author) as prepared:
            return enter(ladder, prepared)
    finally:
        sweep(ladder)


@contextmanager
def preparing(
    ladder: Ladder,
    path: Path,
    say: Callable[[str], None],
    make: Callable[[Level], MakePlayer] = host_at,
    author: str | None = None,
) -> Iterator[Prepared]:
    """Do all that takes long of a submission, several of which may be prepared at once.

    Nothing is entered yet; as long as the context lasts nobody removes its files. Arguments and
    errors are those of `submit`.
    """
    manifest = load_manifest(path)
    if ladder.settings.game not in manifest.games:
        games = ", ".join(manifest.games)
        raise BundleError(f"{path}: it plays {games}, not {ladder.settings.game}")
    with ladder.database.read() as tx:
        bots.check_author(tx, manifest.name, author)
    with ladder.home.submitting(say, author), ExitStack() as using:
        with ladder.home.files_stay():
            entry = Entry(
                bot=manifest.name,
                digest=_stored(ladder.home, manifest),
                command=manifest.command,
                transport=manifest.transport,
                build=manifest.build,
                author=author,
            )
            using.enter_context(ladder.home.using(entry.digest))
        with ladder.database.read() as tx:
            bots.check_author(tx, entry.bot, author)
            _check_quota(tx, ladder, entry, "with these files would use")
            is_fit = bots.is_fit(tx, entry.bot, entry.digest)
        if manifest.is_remote:
            yield Prepared(entry, ValidationResult(None))
            return
        trial = _Trial(ladder, entry, say, make)
        if is_fit:
            trial.build_again()
        yield Prepared(entry, None if is_fit else trial.hold())


def enter(ladder: Ladder, prepared: Prepared) -> Submission:
    """Enter a bot that is prepared, all at once; raise as `submit` does."""
    entry, trial = prepared.entry, prepared.trial
    if trial is None or trial.rejected is None:
        with ladder.database.read() as tx:  # others may have been entered meanwhile
            _check_quota(tx, ladder, entry, _BUILT)
    with ladder.database.write() as tx:
        bots.check_author(tx, entry.bot, entry.author)
        if known := bots.resume(tx, entry.bot, entry.digest):
            return known
        if trial is None:
            raise StoreError(f"the database has changed: {entry.bot} is not known any more")
        return bots.enter(tx, entry, trial)


def _check_quota(tx: Transaction, ladder: Ladder, entry: Entry, what: str) -> None:
    """Raise `QuotaError` if an author would use too much of the disk with this entry."""
    if entry.author is not None:
        quota = disk_quota.Quota(ladder.refresh(tx).author_disk_mib)
        used = disk_quota.with_another(tx, ladder.home, entry.author, entry.bot, entry.digest)
        quota.check(entry.author, used, what)


def longest_s(clock: ClockConfig) -> float:
    """Return how many seconds a whole submission may take: its build, and its matches by a clock.

    Each decision of the bot adds to its bank; `_MOST_DECISIONS` is more than it ever has in a game.
    """
    a_match_ms = clock.startup_ms + clock.bank_ms + _MOST_DECISIONS * clock.increment_ms
    return _SPARE_S + build.SECONDS + MOST_ATTEMPTS * a_match_ms / 1000


def left_out(manifest: Manifest) -> Skip:
    """Return what is not taken of a bot's folder: what its build makes and its .gitignore names.

    Of a remote bot the ladder takes its bot.toml alone; its program is its author's. The bot.toml
    itself always belongs to a bot: its name, its commands and its build steps are part of what the
    digest names.
    """
    if manifest.is_remote:
        return lambda name: name != FILE_NAME
    if not manifest.build:
        return nothing
    ignored = Ignored(manifest.directory)
    return lambda name: name != FILE_NAME and ignored.has(name)


def _stored(home: Home, manifest: Manifest) -> str:
    """Store a bot's files and return their digest; raise `BundleError`.

    What is stored must say the same of the bot as the folder did when it was read: otherwise two
    bots could have one digest, and one the build of the other.
    """
    digest = store_bundle(manifest.directory, home, left_out(manifest))
    try:
        same = replace(load_manifest(home.bundle(digest)), directory=manifest.directory) == manifest
    except UsageError:
        same = False
    if not same:
        raise BundleError(
            f"{manifest.directory / FILE_NAME}: it is a link to what is not submitted with the "
            "bot, or it has just been changed; put the file itself there and submit again"
        )
    return digest


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
        self._level = level_of(ladder)
        self._make_player = make(self._level)
        self._network = ladder.settings.may_use_network(entry.author)

    def hold(self) -> ValidationResult:
        """Build the entry and let it play."""
        entry, log = self._entry, None
        if entry.build:
            built = self._build()
            log = built.log
            if built.failure:
                return ValidationResult(self._why(built), log)
        self._say(f"Validating {entry.bot} in a match against the stand-in ({self._level}).")
        played = self._play()
        return ValidationResult(_fault(played), log, played.record, played.printed.get(SEAT, ""))

    def build_again(self) -> None:
        """Build what was found fit before and has lost its build; raise `BundleError`."""
        entry = self._entry
        if entry.build and not self._ladder.home.built(entry.digest).is_dir():
            built = self._build()
            if built.failure:
                raise BundleError(f"{entry.bot} cannot be built any more: {self._why(built)}")

    def _why(self, built: Built) -> str:
        return f"{built.failure}{builds.without_network(self._level, network=self._network)}"

    def _build(self) -> Built:
        entry = self._entry
        how = " with network access" if self._network else ""
        built = builds.make(
            self._ladder.home,
            entry.digest,
            entry.build,
            self._level,
            network=self._network,
            say=lambda command: self._say(f"Building {entry.bot}{how}: {command}"),
        )
        with self._ladder.database.read() as tx:
            _check_quota(tx, self._ladder, entry, _BUILT)
        return built

    def _play(self) -> Played:
        attempts = pauses = 0
        while True:
            spec = self._spec(patient=attempts < MOST_ATTEMPTS - 1)
            try:
                with self._make_player() as player:
                    return pack(player.play(spec), player.printed, spec)
            except PausedError as error:
                pauses, reason = pauses + 1, str(error)
                self._say(f"Validating {self._entry.bot} again: {reason}")
            except RefereeError as error:
                attempts, reason = attempts + 1, str(error)
            if attempts == MOST_ATTEMPTS or pauses > MOST_PAUSES:
                raise LadderError(
                    f"{self._entry.bot} was not entered: its validation match was void "
                    f"{attempts + pauses} times, the last because: {reason}"
                )

    def _spec(self, *, patient: bool) -> MatchSpec:
        settings, entry = self._ladder.settings, self._entry
        match_id = ids.validation_id(settings.secret, entry.digest)
        folder = builds.directory(self._ladder.home, entry.digest, entry.build)
        entrant = BotSpec(
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
            master_seed=ids.master_seed(settings.secret, match_id),
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
