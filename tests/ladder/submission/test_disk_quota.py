"""Disk use is limited: unneeded builds are removed, and authors have quotas."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.errors import BundleError, QuotaError
from ladder.model.matches import PlannedMatch
from ladder.model.pairing import Block
from ladder.results import queries
from ladder.runner import run
from ladder.scheduling.planner import RunLimits
from ladder.storage.files.bundles import store_bundle
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots, matches, spars
from ladder.submission import disk_quota, submit
from ladder.submission.disk_quota import DiskUse, Quota
from ladder.submission.spars import ask
from tests.support.played_ladder import play_spars

MakeBot = Callable[..., Path]
Enter = Callable[..., Any]
BUILD = """build = [["python3", "-c", "open('built', 'wb').write(b'x' * %d)"]]\n"""
MIB = 1 << 20
SMALL = BUILD % 1
LARGE = BUILD % (3 * MIB)
HOLLOW = """build = [["python3", "-c", "for n in range(200): open(str(n), 'w').close()"]]\n"""


def builds(ladder: Ladder) -> set[str]:
    """Return the digests that have a build."""
    return {path.name.removesuffix(".build") for path in ladder.home.bots.glob("*.build")}


def seat(ladder: Ladder, version: Version) -> None:
    """Plan a match in which a version sits."""
    with ladder.database.write() as tx:
        matches.add(tx, [PlannedMatch("a" * 32, 1, 0, (version, None, None, None))])


def allow(ladder: Ladder, mib: int) -> None:
    """Set the disk quota of each author."""
    ladder.change({"author_disk_mib": mib})


def used(ladder: Ladder, author: str) -> DiskUse:
    """Return the disk use of an author's bots."""
    with ladder.database.read() as tx:
        return disk_quota.of_author(tx, ladder.home, author)


def test_only_needed_builds_stay(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Old and rejected versions lose their builds; their stored files, records and logs stay."""
    old = enter(ladder, make_bot("eve", manifest=SMALL)).version
    new = enter(ladder, make_bot("eve", "better", SMALL)).version
    rejected = enter(ladder, make_bot("eve", "forfeits", SMALL)).version

    assert builds(ladder) == {new.digest}
    for version in (old, new, rejected):
        assert ladder.home.bundle(version.digest).is_dir()
        validation = queries.validation(ladder, version)
        assert validation is not None
        assert validation.build_log is not None
        assert validation.record is not None


def test_a_version_that_returns_is_built_again(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """A version that returns is rebuilt, and the version that it replaces loses its build."""
    old = enter(ladder, make_bot("eve", manifest=SMALL)).version
    enter(ladder, make_bot("eve", "better", SMALL))

    assert enter(ladder, make_bot("eve", manifest=SMALL)).outcome is SubmissionOutcome.RETURNED
    assert builds(ladder) == {old.digest}
    assert (ladder.home.built(old.digest) / "built").read_bytes() == b"x"


def test_a_version_that_cannot_be_built_any_more_does_not_return(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, tmp_path: Path
) -> None:
    """If a returning version cannot be built, its author learns why, and the active one stays."""
    (tmp_path / "there").touch()
    step = f"""build = [["python3", "-c", "open('{tmp_path}/there')"]]\n"""
    enter(ladder, make_bot("eve", manifest=step))
    new = enter(ladder, make_bot("eve", "better", step)).version
    (tmp_path / "there").unlink()

    with pytest.raises(BundleError, match="eve cannot be built any more: step 1 of 1"):
        enter(ladder, make_bot("eve", manifest=step))

    assert [v.id for v in queries.versions(ladder, "eve") if v.active] == [new.id]
    assert builds(ladder) == {new.digest}


def test_a_version_keeps_its_build_while_a_match_waits_for_it(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """A build is removed only after the last match that needs it."""
    old = enter(ladder, make_bot("eve", manifest=SMALL)).version
    seat(ladder, old)
    new = enter(ladder, make_bot("eve", "better", SMALL)).version
    assert builds(ladder) == {old.digest, new.digest}

    with ladder.database.write() as tx:
        matches.fail(tx, "a" * 32, "no reason", most_attempts=1)
    sweep(ladder)

    assert builds(ladder) == {new.digest}


def test_a_retired_bot_has_no_build(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, command: Callable[..., Any]
) -> None:
    """Retiring a bot removes its build, which frees disk space."""
    enter(ladder, make_bot("eve", manifest=SMALL))

    assert command("retire", "eve", "--ladder", ladder.home.path).status == 0
    assert builds(ladder) == set()


def test_nothing_is_removed_that_somebody_is_at(ladder: Ladder, make_bot: MakeBot) -> None:
    """Files in use, and all files while they are held, are only removed later."""
    digest = store_bundle(make_bot("eve"), ladder.home)
    ladder.home.built(digest).mkdir()
    with ladder.home.using(digest):
        sweep(ladder)
        assert ladder.home.bundle(digest).is_dir()
        assert builds(ladder) == {digest}
    with ladder.home.files_stay():
        sweep(ladder)
        assert builds(ladder) == {digest}

    sweep(ladder)

    assert builds(ladder) == set()
    assert not ladder.home.bundle(digest).exists()
    assert not list(ladder.home.bots.glob(".*"))


def test_a_bot_that_enters_during_a_sweep_keeps_its_files(
    ladder: Ladder, make_bot: MakeBot, fake_host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep that reads the versions just before a bot is entered leaves the bot its files."""
    read = bots.all_versions
    with Ladder.open(ladder.home) as another, ExitStack() as submitting:
        bot = make_bot("eve", manifest=SMALL)
        monkeypatch.setattr(submit, "host_at", lambda _: fake_host)
        prepared = submitting.enter_context(submit.preparing(another, bot, lambda _: None))

        def read_too_early(tx: Any) -> Any:
            versions = read(tx)
            submit.enter(another, prepared)
            submitting.close()
            return versions

        monkeypatch.setattr(bots, "all_versions", read_too_early)
        sweep(ladder)

    assert ladder.home.bundle(prepared.entry.digest).is_dir()
    assert builds(ladder) == {prepared.entry.digest}


KILLED = """
import os, sys
from pathlib import Path
from ladder.storage import sweep
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder

def killed(_):
    os.kill(os.getpid(), 9)

sweep.folders.remove = killed
with Ladder.open(Home(Path(sys.argv[1]))) as ladder:
    sweep.sweep(ladder)
"""


def test_a_sweep_that_is_killed(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """A killed sweep leaves no partial build in place, and the next one removes the rest."""
    version = enter(ladder, make_bot("eve", manifest=SMALL)).version
    ladder.retire("eve")

    ended = subprocess.run([sys.executable, "-c", KILLED, str(ladder.home.path)], check=False)

    assert ended.returncode == -signal.SIGKILL
    assert not ladder.home.built(version.digest).exists()
    assert len(list(ladder.home.bots.glob(".old-*"))) == 1
    sweep(ladder)
    assert not list(ladder.home.bots.glob(".*"))


@pytest.mark.parametrize("manifest", [LARGE, HOLLOW])
def test_a_build_that_is_too_large(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any, manifest: str
) -> None:
    """A build that exceeds the quota by bytes or files is refused in one line and removed."""
    allow(ladder, 2)
    fake_host.played.clear()
    before = sorted(ladder.home.bots.iterdir())

    with pytest.raises(QuotaError) as caught:
        enter(ladder, make_bot("eve", manifest=manifest), author="ann")

    assert "ann may use 2 MiB in 128 files of the ladder's disk, and with what was built w" in str(
        caught.value
    )
    assert "make the bot or its build smaller, or ask the ladder's owner" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert fake_host.played == []
    assert sorted(ladder.home.bots.iterdir()) == before
    with ladder.database.read() as tx:
        assert "eve" not in bots.names(tx)


def test_the_owner_is_not_limited(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """The owner has no quota."""
    allow(ladder, 1)

    assert enter(ladder, make_bot("eve", manifest=LARGE)).outcome is SubmissionOutcome.NEW


def test_a_new_version_may_take_the_place_of_the_old_one(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """A build about to be replaced does not count, but one that matches still need does."""
    allow(ladder, 5)
    for release in ("one", "two"):
        enter(ladder, make_bot("eve", release, LARGE), author="ann")
    playing = next(version for version in queries.versions(ladder, "eve") if version.active)
    seat(ladder, playing)
    enter(ladder, make_bot("eve", "three", LARGE), author="ann")

    with pytest.raises(QuotaError, match=r"with what was built would use 6\.\d MiB"):
        enter(ladder, make_bot("eve", "four", LARGE), author="ann")


def test_all_that_an_author_has_counts(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """All stored files count, also of rejected versions, and so do validation data."""
    allow(ladder, 2)
    incompressible = os.urandom(MIB * 3 // 4).hex()[: MIB * 3 // 4]
    enter(ladder, make_bot("eve", f"# forfeits {incompressible}"), author="ann")
    enter(ladder, make_bot("fay", incompressible), author="ann")
    enter(ladder, make_bot("gil", incompressible), author="bob")

    with pytest.raises(QuotaError, match=r"with these files would use 2\.\d MiB"):
        enter(ladder, make_bot("eve", f"# better {incompressible}"), author="ann")
    with ladder.database.read() as tx:
        kept = bots.trial_bytes(tx, "ann")
    assert kept > 0
    assert used(ladder, "ann").size_bytes > MIB * 3 // 2 + kept


def test_what_lies_there_is_counted_as_it_lies(home: Home) -> None:
    """Disk blocks count, not lengths: holes are free, and hard links count once."""
    folder = home.built("f" * 64)
    folder.mkdir(parents=True)
    with (folder / "hole").open("wb") as file:
        file.truncate(100 * MIB)
    (folder / "file").write_bytes(b"x" * MIB)
    (folder / "link").hardlink_to(folder / "file")
    (folder / "elsewhere").symlink_to("/usr")

    found = disk_quota.of_ladder(home)

    assert MIB <= found.size_bytes < 2 * MIB
    assert found.files == 4


def test_the_quota_of_files_follows_from_that_of_bytes() -> None:
    """The quota of files is ext4's number of inodes for the quota of bytes."""
    quota = Quota(2)

    assert quota.allows(DiskUse(2 * MIB, 128))
    assert not quota.allows(DiskUse(2 * MIB + 1, 1))
    assert not quota.allows(DiskUse(0, 129))
    assert str(quota) == "2 MiB in 128 files"


def test_no_author_has_all_places_of_the_machine(home: Home) -> None:
    """An author may use all submission slots but one, over all processes; the owner all."""
    waits: list[str] = []

    class Stop(Exception):  # noqa: N818
        """The submission has to wait."""

    def stop(line: str) -> None:
        waits.append(line)
        raise Stop

    with home.submitting(stop, "ann", places=2):
        with pytest.raises(Stop), home.submitting(stop, "ann", places=2):
            pass
        with home.submitting(stop, "bob", places=2):
            pass
        with home.submitting(stop, None, places=2), pytest.raises(Stop):
            home.submitting(stop, "bob", places=2).__enter__()
    assert waits == ["Waiting until another process has stored or built a bot."] * 2


class Overtaken:
    """A planner whose chosen version is replaced before the round is stored."""

    def __init__(self, version: Version, replace: Callable[[], object]) -> None:
        """Choose this version, then run a callback."""
        self._version, self._replace = version, replace

    def plan(self, _: object) -> list[Block]:
        """Return one match."""
        self._replace()
        return [Block(((self._version.id, None, None, None),))]

    def settled(self) -> str:
        """Say nothing."""
        return ""

    def ahead(self) -> int | None:
        """Return that nothing is known."""
        return None


class Silent:
    """A progress that ignores everything."""

    def _nothing(self, *_: object) -> None:
        pass

    begin = expect = advance = tell = name_workers = say = warn = _nothing


def test_a_version_that_is_replaced_while_it_is_chosen_keeps_its_build(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """The builds of all versions of a round exist, even if one is replaced during planning."""
    old = enter(ladder, make_bot("eve", manifest=SMALL)).version

    def replace() -> None:
        with Ladder.open(ladder.home) as another:
            enter(another, make_bot("eve", "better", SMALL))

    this = run._Run(ladder, Overtaken(old, replace), Silent(), None, RunLimits(), enduring=False)
    assert this._plan()

    assert [version.number for version in queries.versions(ladder, "eve") if version.active] == [2]
    assert old.digest in builds(ladder)


def test_the_records_of_an_authors_spars_count(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """They take what they are stored in, and an author at the quota can ask for no more."""
    for name in ("eve", "fay", "gil"):
        enter(ladder, make_bot(name), author=name)
    before = {name: used(ladder, name).size_bytes for name in ("eve", "fay")}
    number = ask(ladder, "eve", "eve", ["fay", "gil"], 2).id
    play_spars(ladder)
    with ladder.database.read() as tx:
        records = sum(len(body) for _, body in spars.each_record(tx))
    assert used(ladder, "eve").size_bytes - before["eve"] >= records > 0
    assert used(ladder, "fay").size_bytes == before["fay"]

    allow(ladder, 1)
    with ladder.database.write() as tx:
        grown = {"record": bytes(MIB), "spar": number}
        tx.execute(text("update spar_matches set record = :record where spar_id = :spar"), grown)

    with pytest.raises(QuotaError, match="eve may use 1 MiB"):
        ask(ladder, "eve", "eve", ["fay"], 1)
