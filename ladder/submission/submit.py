"""Submits a bot: stores, builds, validates and enters it, all or nothing.

The files are stored first and built in a copy. A bot that builds plays two validation matches in
one process: alone against stand-ins, with the ladder's clock and containment, and stopped in
between as on the ladder. If it then answers as the version before it did, that one plays on
(`ladder.submission.likeness`). Only then one transaction enters the version: a submission that is
killed earlier enters nothing, and a rejected version does not affect the active one. A remote bot
is entered without validation, as it need not be connected.
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ladder.model.bots import VALIDATION_SEAT, Entry, Submission, ValidationResult, Version
from ladder.model.errors import BundleError, LadderError, StoreError
from ladder.model.matches import Played
from ladder.runner.host import host_at
from ladder.runner.match_spec import validation_specs
from ladder.storage.containment import level_of
from ladder.storage.db.database import Transaction
from ladder.storage.db.server import Server
from ladder.storage.files import builds
from ladder.storage.files.bundles import is_folder, nothing, store_bundle
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots
from ladder.storage.tables.records import fault_of, pack, unpack
from ladder.submission import disk_quota, likeness
from ladder.submission.likeness import Alike
from referee.conformance.check.rules import DEMANDS
from referee.core.clock import ClockConfig
from referee.core.errors import PausedError, RefereeError, UsageError
from referee.core.rules import Rule
from referee.core.verdicts import MOST_ATTEMPTS, MOST_PAUSES, is_last
from referee.games.base import GameError
from referee.hosting import build
from referee.hosting.bot_files import LeftOut
from referee.hosting.build import Built, Say
from referee.hosting.manifest import FILE_NAME, Manifest, load_manifest

_MOST_DECISIONS = 300
_SPARE_S = 60.0
"""The time to read and store files, and to start."""
_BUILT = "with what was built would use"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bot that is stored and, if needed, validated."""

    entry: Entry
    validation: ValidationResult | None
    """None if these files passed validation before."""
    alike: Alike | None = None
    """The version that they answer like, if they do."""


def submit(
    ladder: Ladder,
    path: Path,
    say: Say,
    author: str | None = None,
    *,
    stored: bool = False,
    on_output: Say = lambda _: None,
) -> Submission:
    """Submit the bot in this folder; it plays from now on if it passes validation.

    `say` receives progress messages, `on_output` what the build prints; `author` None is the
    ladder's owner; `stored`: the folder is another ladder's, of which a build is taken over. Raise
    `UsageError` if its `bot.toml` is invalid, `NotOwnerError` if it belongs to another author,
    `BundleError` if it cannot be stored or does not play this game, `QuotaError` if it exceeds its
    author's disk quota.
    """
    sweep(ladder)
    try:
        with preparing(ladder, path, say, author, stored=stored, on_output=on_output) as prepared:
            return enter(ladder, prepared)
    finally:
        sweep(ladder)


@contextmanager
def preparing(
    ladder: Ladder,
    path: Path,
    say: Say,
    author: str | None = None,
    *,
    stored: bool = False,
    on_output: Say = lambda _: None,
) -> Iterator[Prepared]:
    """Do the slow part of a submission; several may be prepared at once.

    Nothing is entered yet; within the context the files are not removed. Arguments and errors are
    those of `submit`.
    """
    manifest = load_manifest(path)
    if not manifest.plays(ladder.settings.game):
        games = ", ".join(manifest.games)
        raise BundleError(f"{path}: the bot plays {games}, not {ladder.settings.game}")
    with ladder.database.read() as tx:
        bots.check_author(tx, manifest.name, author)
        _check_folder(ladder, bots.all_versions(tx).values())
    with ladder.home.submitting(say, author), ExitStack() as using:
        with ladder.home.files_stay():
            entry = Entry(
                bot=manifest.name,
                digest=_store(ladder.home, manifest, say, stored=stored),
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
        other = Home(path.parents[1]) if stored else None
        validation = _Validation(ladder, entry, other, say, on_output)
        if is_fit:
            validation.build_again()
            yield Prepared(entry, None)
            return
        tried = validation.run()
        yield Prepared(entry, tried, validation.compare() if tried.rejected is None else None)


def enter(ladder: Ladder, prepared: Prepared) -> Submission:
    """Enter a prepared bot in one transaction; raise the errors of `submit`."""
    entry, validation = prepared.entry, prepared.validation
    if validation is None or validation.rejected is None:
        with ladder.database.read() as tx:  # others may have been entered meanwhile
            _check_quota(tx, ladder, entry, _BUILT)
    with ladder.database.write() as tx:
        bots.check_author(tx, entry.bot, entry.author)
        if known := bots.resume(tx, entry.bot, entry.digest):
            return known
        if prepared.alike and (goes_on := bots.go_on(tx, prepared.alike.version)):
            return goes_on
        if validation is None:
            raise StoreError(f"the database has changed: {entry.bot} is no longer known")
        return bots.enter(tx, entry, validation)


def _check_folder(ladder: Ladder, known: Collection[Version]) -> None:
    """Raise `LadderError` in a folder made only to show a ladder, where no run would find a bot.

    It lacks most of the files, even if somebody has submitted a bot there. The ladder's own folder
    lacks few, if some are lost, and has had a folder for them since the ladder was made.
    """
    if not isinstance(ladder.database.place, Server):
        return
    here = sum(is_folder(ladder.home.bundle(version.digest)) for version in known)
    if 2 * here < len(known) or not ladder.home.bots.is_dir():
        raise LadderError(
            f"{ladder.home.path}: the files of the ladder's bots are in another folder, perhaps "
            "on another machine: submit there"
        )


def _check_quota(tx: Transaction, ladder: Ladder, entry: Entry, what: str) -> None:
    """Raise `QuotaError` if an author would exceed the quota with this entry."""
    if entry.author is not None:
        quota = disk_quota.Quota(ladder.refresh(tx).author_disk_mib)
        used = disk_quota.with_another(tx, ladder.home, entry.author, entry.bot, entry.digest)
        quota.check(entry.author, used, what)


def longest_s(clock: ClockConfig) -> float:
    """Return how many seconds a submission may take: its build, and its matches by this clock.

    Each decision adds to the bot's bank; no game has as many as `_MOST_DECISIONS`.
    """
    a_match_ms = clock.bank_ms + _MOST_DECISIONS * clock.increment_ms
    compared_s = likeness.SECONDS + (clock.startup_ms + a_match_ms) / 1000
    tried_s = MOST_ATTEMPTS * (clock.startup_ms + 2 * a_match_ms) / 1000
    return _SPARE_S + build.SECONDS + tried_s + compared_s


def _store(home: Home, manifest: Manifest, say: Say, *, stored: bool) -> str:
    """Store a bot's files and return their digest; raise `BundleError`.

    The stored manifest must equal the one read from the folder: otherwise two bots could share a
    digest, and one could get the other's build.
    """
    left_out = None if stored else LeftOut(manifest)
    digest = store_bundle(manifest.directory, home, left_out or nothing)
    if left_out is not None and (summary := left_out.summary()):
        say(f"Left out of {manifest.name}: {summary}.")
    try:
        same = replace(load_manifest(home.bundle(digest)), directory=manifest.directory) == manifest
    except UsageError:
        same = False
    if not same:
        raise BundleError(
            f"{manifest.directory / FILE_NAME}: it is a link to a file that is not submitted with "
            "the bot, or it has just changed; put the file itself there and submit again"
        )
    return digest


class _Validation:
    """The validation of one entry."""

    def __init__(
        self, ladder: Ladder, entry: Entry, other: Home | None, say: Say, on_output: Say
    ) -> None:
        self._on_output = on_output
        self._ladder = ladder
        self._entry = entry
        self._other = other
        self._say = say
        self._level = level_of(ladder)
        self._network = ladder.settings.may_use_network(entry.author)

    def run(self) -> ValidationResult:
        """Build the entry and play its validation matches."""
        entry, log = self._entry, None
        if entry.build and not self._takes_over():
            built = self._build()
            log = built.log
            if built.failure:
                return ValidationResult(self._why(built), log)
        self._say(f"Validating {entry.bot} in two matches against the stand-in ({self._level}).")
        played, rejected = self._play()
        return ValidationResult(
            rejected, log, played.record, played.printed.get(VALIDATION_SEAT, "")
        )

    def compare(self) -> Alike | None:
        """Return that the entry answers like the version before it, if it does."""
        before = likeness.former(self._ladder, self._entry)
        if before is None:
            return None
        self._say(f"Asking it what {before.version} was asked in its last matches.")
        with host_at(self._level) as host:
            alike = likeness.alike(self._ladder, self._entry, before, host)
        if alike is not None:
            self._say(str(alike))
        return alike

    def build_again(self) -> None:
        """Rebuild a validated entry whose build is missing; raise `BundleError` if that fails."""
        entry = self._entry
        home = self._ladder.home
        if entry.build and not is_folder(home.built(entry.digest)) and not self._takes_over():
            built = self._build()
            if built.failure:
                raise BundleError(f"{entry.bot} cannot be built any more: {self._why(built)}")

    def _takes_over(self) -> bool:
        """Copy the build of the ladder that the files come from, if it has one."""
        home, digest, other = self._ladder.home, self._entry.digest, self._other
        return other is not None and builds.take_over(home, digest, other)

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
            on_output=self._on_output,
        )
        with self._ladder.database.read() as tx:
            _check_quota(tx, self._ladder, entry, _BUILT)
        return built

    def _play(self) -> tuple[Played, str | None]:
        """Return the match that decided, and why the bot is rejected by it, if it is."""
        attempts, pauses = 0, 0
        while True:
            try:
                return self._attempt(patient=not is_last(attempts))
            except PausedError as error:
                pauses, reason = pauses + 1, str(error)
                self._say(f"Validating {self._entry.bot} again: {reason}")
            except GameError as error:
                raise LadderError(f"{self._entry.bot} was not entered: {error}") from None
            except RefereeError as error:
                attempts, reason = attempts + 1, str(error)
            if attempts == MOST_ATTEMPTS or pauses == MOST_PAUSES:
                raise LadderError(
                    f"{self._entry.bot} was not entered: its validation match was void "
                    f"{attempts + pauses} times, the last because: {reason}"
                )

    def _attempt(self, *, patient: bool) -> tuple[Played, str | None]:
        first, second = validation_specs(
            self._ladder.home, self._ladder.settings, self._entry, patient=patient
        )
        with host_at(self._level) as host:
            played = pack(host.play(first), host.printed, first)
            if fault := _fault(played):
                return played, f"it forfeited its validation match: {fault}"
            again = pack(host.play(second), host.printed, second)
        if fault := _fault(again):
            rule = f'docs/protocol.md, rule {Rule.MATCH_NEXT}: "{DEMANDS[Rule.MATCH_NEXT]}"'
            return again, f"it forfeited the match after its first one: {fault}; {rule}"
        return played, None


def _fault(played: Played) -> str | None:
    """Return how the bot forfeited a match, in one line; None if it did not."""
    fault = fault_of(unpack(played.record), VALIDATION_SEAT)
    return None if fault is None else f"{fault.kind.name}: {fault.reason}"
