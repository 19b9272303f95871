"""A bot is built and validated before it plays, and entered completely or not at all."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.errors import BundleError, LadderError
from ladder.results import queries
from ladder.storage import verify
from ladder.storage.files import builds
from ladder.storage.files.bundles import store_bundle
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.storage.tables.records import fault_of, unpack
from referee.core import folders
from referee.core.verdicts import MOST_ATTEMPTS
from referee.sandbox.program import Level
from tests.support.new_ladder import new_ladder

MakeBot = Callable[..., Path]
Enter = Callable[..., Any]
BUILD = """build = [["python3", "-c", "open('built', 'a').write('x')"]]\n"""


def active(ladder: Ladder) -> list[str]:
    """Return the versions that are scheduled."""
    return [str(tally.version) for tally in queries.tallies(ladder)]


def last(ladder: Ladder, name: str) -> Version:
    """Return a bot's last version."""
    return queries.versions(ladder, name)[-1]


def test_a_bot_plays_two_validation_matches_first(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """Two matches are played against stand-ins, with the ladder's clock and settings.

    The second one has another deal, and needs the process that played the first.
    """
    fake_host.played.clear()

    submission = enter(ladder, make_bot("eve"))

    assert submission.outcome is SubmissionOutcome.NEW
    first, second = fake_host.played
    for spec in (first, second):
        assert (spec.game, spec.clock) == (ladder.settings.game, ladder.settings.clock)
        assert [seat.digest if seat else None for seat in spec.seats] == [
            submission.version.digest,
            *[None] * 3,
        ]
    assert first.master_seed != second.master_seed
    assert (first.goes_on, second.goes_on) == (False, True)
    validation = queries.validation(ladder, submission.version)
    assert validation is not None
    assert (validation.rejected, validation.build_log, validation.printed) == (
        None,
        None,
        "eve was here\n",
    )


def test_a_remote_bot_is_entered_untried(
    ladder: Ladder, make_remote_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """The ladder stores a remote bot's bot.toml and no program; a new release is a new version."""
    fake_host.played.clear()

    first, second = (enter(ladder, make_remote_bot("far", release)) for release in "12")

    assert fake_host.played == []
    assert [(s.version.number, s.version.is_remote) for s in (first, second)] == [
        (1, True),
        (2, True),
    ]
    kept = ladder.home.bundle(second.version.digest).iterdir()
    assert [file.name for file in kept] == ["bot.toml"]


def test_a_bot_that_forfeits_is_rejected(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """A bot that forfeits its validation match is rejected; the active version plays on."""
    submission = enter(ladder, make_bot("ann", "forfeits"))

    assert submission.outcome is SubmissionOutcome.REJECTED
    assert "forfeited its validation match: PROTOCOL_ERROR: " in str(last(ladder, "ann").rejected)
    assert "ann version 1" in active(ladder)
    assert "ann version 2" not in active(ladder)
    validation = queries.validation(ladder, last(ladder, "ann"))
    assert validation is not None
    assert validation.record is not None
    fault = fault_of(unpack(validation.record), 0)
    assert fault is not None
    assert fault.received == b"rubbish"


def test_a_new_bot_that_is_rejected_is_known(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """A rejected new bot's fixed files are its second version, and it was not retired."""
    enter(ladder, make_bot("eve", "forfeits"))

    submission = enter(ladder, make_bot("eve", "better"))

    assert str(submission.version) == "eve version 2"
    assert not submission.was_retired
    assert "eve version 2" in active(ladder)


def test_rejected_files_are_tried_again(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """Rejected files may be submitted again, as the machine may have been to blame."""
    rejected = enter(ladder, make_bot("eve", "forfeits"))
    fake_host.lets_forfeit = False

    accepted = enter(ladder, make_bot("eve", "forfeits"))

    assert (accepted.version.id, accepted.version.number) == (rejected.version.id, 1)
    assert accepted.version.rejected is None
    assert "eve version 1" in active(ladder)


def test_a_version_that_returns_is_not_tried_again(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """A returning or active version is not validated again."""
    enter(ladder, make_bot("ann", "better"))
    fake_host.played.clear()

    assert enter(ladder, make_bot("ann", "better")).outcome is SubmissionOutcome.UNCHANGED
    assert enter(ladder, make_bot("ann")).outcome is SubmissionOutcome.RETURNED
    assert fake_host.played == []


def test_a_void_validation_is_tried_again(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """A busy machine gets another attempt, but the last attempt counts in any case."""
    fake_host.played.clear()

    enter(ladder, make_bot("eve", "void"))

    attempts = [spec.patient for spec in fake_host.played if not spec.goes_on]
    assert attempts == [True] * (MOST_ATTEMPTS - 1) + [False]
    assert "eve version 1" in active(ladder)


def test_a_validation_that_stays_void_enters_nothing(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """A bot is neither accepted nor rejected because of the machine."""
    with pytest.raises(LadderError, match="was void 3 times, the last because: the machine is"):
        enter(ladder, make_bot("ann", "always void"))

    assert len(queries.versions(ladder, "ann")) == 1
    assert "ann version 1" in active(ladder)


def test_a_pause_of_the_referee_is_no_attempt_at_a_validation_match(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """A validation match voided by a pause is retried with the same patience."""
    fake_host.played.clear()

    submission = enter(ladder, make_bot("eve", "paused"))

    assert submission.outcome is SubmissionOutcome.NEW
    assert [spec.patient for spec in fake_host.played] == [True] * 7


def test_a_build_is_made_in_a_copy(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Stored files stay as submitted, and builds are read-only."""
    version = enter(ladder, make_bot("eve", manifest=BUILD)).version

    stored, built = ladder.home.bundle(version.digest), ladder.home.built(version.digest)
    assert builds.directory(ladder.home, version.digest, version.build) == built
    assert not (stored / "built").exists()
    assert (built / "built").read_text() == "x"
    assert (built / "built").stat().st_mode & 0o777 == 0o444
    validation = queries.validation(ladder, version)
    assert validation is not None
    assert validation.build_log is not None
    assert validation.build_log.startswith("$ python3 -c ")


def test_a_bot_that_cannot_be_built_is_rejected(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any
) -> None:
    """A failing build step and its output are stored; no match is played, no build is left."""
    fake_host.played.clear()
    step = 'build = [["python3", "-c", "print(7); raise SystemExit(3)"]]\n'

    version = enter(ladder, make_bot("ann", manifest=step)).version

    assert "step 1 of 1 of the build" in str(version.rejected)
    assert str(version.rejected).endswith("exited with status 3")
    validation = queries.validation(ladder, version)
    assert validation is not None
    assert "\n7\n" in str(validation.build_log)
    assert fake_host.played == []
    assert list(ladder.home.bots.glob("*.build")) == []
    assert "ann version 1" in active(ladder)


def test_what_a_build_makes_is_not_submitted(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """With build steps, files named by .gitignore do not make a new version."""
    folder = make_bot("eve", manifest=BUILD)
    (folder / ".gitignore").write_text("/built\n")
    version = enter(ladder, folder).version
    (folder / "built").write_text("by the author")

    assert enter(ladder, folder).outcome is SubmissionOutcome.UNCHANGED
    assert not (ladder.home.bundle(version.digest) / "built").exists()


def test_a_ladders_copy_is_taken_whole(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, tmp_path: Path
) -> None:
    """A stored version enters a tournament with all its files, though it has a .gitignore.

    Older ladders stored what the .gitignore of a bot without a build names.
    """
    folder = make_bot("eve")
    (folder / ".gitignore").write_text("model.bin\n")
    (folder / "model.bin").touch()
    older = Home(tmp_path / "older")
    digest = store_bundle(folder, older)

    version = enter(ladder, older.bundle(digest), stored=True).version

    assert version.digest == digest
    assert enter(ladder, folder).version.digest != digest


def test_a_ladders_build_is_taken_over(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, tmp_path: Path
) -> None:
    """A tournament plays the build with which a bot plays on the ladder, and builds none anew."""
    manifest = (
        """build = [["python3", "-c", "import os; open('id', 'wb').write(os.urandom(8))"]]\n"""
    )
    digest = enter(ladder, make_bot("eve", manifest=manifest)).version.digest
    with Ladder.open(new_ladder(tmp_path / "cup", "a seed")) as cup:
        version = enter(cup, ladder.home.bundle(digest), stored=True).version

        assert version.rejected is None
        places = [(home.built(digest) / "id").read_bytes() for home in (ladder.home, cup.home)]
    assert places[0] == places[1]


SAYS = """build = [["python3", "-c", "open('whose', 'w').write('%s')"]]\n"""


@pytest.mark.costly
@pytest.mark.parametrize("rule", ["bot.toml", "/bot.toml", "*", "*.toml", "[!x]*"])
def test_a_bot_toml_is_always_submitted(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, rule: str
) -> None:
    """A .gitignore that names bot.toml does not give two bots one digest or each other's build."""
    digests = []
    for name in ("eve", "fay"):
        folder = make_bot(name, manifest=SAYS % name)
        (folder / "bot.py").write_text("# the same\n")
        (folder / ".gitignore").write_text(f"{rule}\n!bot.py\n")
        digests.append(enter(ladder, folder).version.digest)

    assert (ladder.home.built(digests[0]) / "whose").read_text() == "eve"
    assert (ladder.home.built(digests[1]) / "whose").read_text() == "fay"
    assert (ladder.home.bundle(digests[0]) / "bot.toml").is_file()
    assert list(verify.check_files(ladder.home, ladder.database)) == []


@pytest.mark.parametrize("place", ["ignored.toml", ".git/bot.toml"])
def test_a_bot_toml_that_leads_to_what_is_left_out(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, place: str
) -> None:
    """A bot.toml that links to an ignored file is refused, as the digest would not cover it."""
    folder = make_bot("eve", manifest=BUILD)
    (folder / ".gitignore").write_text("ignored.toml\n")
    (folder / ".git").mkdir()
    (folder / "bot.toml").rename(folder / place)
    (folder / "bot.toml").symlink_to(place)

    with pytest.raises(
        BundleError, match=r"eve/bot\.toml: it is a link to a file that is not submitted"
    ):
        enter(ladder, folder)

    assert [str(version) for version in active(ladder)] == [
        f"{name} version 1" for name in ("ann", "bob", "cat", "dan")
    ]


def test_an_unchanged_version_is_not_built_again(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """Submitting an unchanged version leaves its build alone."""
    version = enter(ladder, make_bot("eve", manifest=BUILD)).version
    before = (ladder.home.built(version.digest) / "built").stat()

    assert enter(ladder, make_bot("eve", manifest=BUILD)).outcome is SubmissionOutcome.UNCHANGED

    assert (ladder.home.built(version.digest) / "built").stat() == before


def mend(ladder: Ladder) -> list[str]:
    """Rebuild missing builds; return the messages, and which could not be built."""
    said: list[str] = []
    with ladder.database.read() as tx:
        versions = bots.active(tx)
    failed = builds.mend(
        ladder.home, versions, Level.TRUSTED, may_use_network=lambda _: False, say=said.append
    )
    return said + [f"{version} {why}" for version, why in failed]


def test_a_lost_build_is_made_again(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """A version whose build is missing is rebuilt before it plays; others are left alone."""
    version = enter(ladder, make_bot("eve", manifest=BUILD)).version
    folders.remove(ladder.home.built(version.digest))

    assert mend(ladder)[0] == "The build of eve version 1 is missing: it is built again."
    assert (ladder.home.built(version.digest) / "built").read_text() == "x"
    assert mend(ladder) == []


def test_a_build_that_cannot_be_made_again_is_said(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, tmp_path: Path
) -> None:
    """A missing compiler is named, and no bot forfeits because of it."""
    (tmp_path / "there").touch()
    script = f"open('{tmp_path}/there')"
    version = enter(ladder, make_bot("eve", manifest=f'build = [["python3", "-c", "{script}"]]\n'))
    folders.remove(ladder.home.built(version.version.digest))
    (tmp_path / "there").unlink()

    assert mend(ladder)[-1].startswith("eve version 1 cannot be built any more: step 1 of 1")


NASTY = """
import os
os.mkdir("closed")
open("closed/file", "w").close()
os.mkfifo("pipe")
os.chmod("bot.py", 0o4755)
os.symlink("/etc/passwd", "link")
os.chmod("closed", 0o500)
"""


def test_a_build_leaves_nothing_odd(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Pipes, special mode bits and unreadable folders are removed from a stored build."""
    folder = make_bot("eve", manifest='build = [["python3", "nasty.py"]]\n')
    (folder / "nasty.py").write_text(NASTY)

    built = ladder.home.built(enter(ladder, folder).version.digest)

    assert (built / "closed" / "file").is_file()
    assert not (built / "pipe").exists()
    assert (built / "bot.py").stat().st_mode & 0o7777 == 0o555
    assert (built / "link").is_symlink()
    assert Path("/etc/passwd").stat().st_mode & 0o222
    folders.remove(built)
    assert not built.exists()


DEEP = """
import os
for _ in range(1200):
    os.mkdir("deep")
    os.chdir("deep")
"""


def test_a_build_buries_nothing(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Folders deeper than the longest path are refused, and nothing of them is left."""
    folder = make_bot("eve", manifest='build = [["python3", "deep.py"]]\n')
    (folder / "deep.py").write_text(DEEP)

    rejected = enter(ladder, folder).version.rejected

    assert rejected is not None
    assert "the folder may hold folders that are 100 deep" in rejected
    assert not list(ladder.home.bots.glob(".build-*"))


HANGING = """
import sys
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import submit as submission
from pathlib import Path

class Hanging:
    def __enter__(self):
        print("playing", flush=True)
        sys.stdin.read()
    def __exit__(self, *_):
        pass

with Ladder.open(Home(Path(sys.argv[1]))) as ladder:
    submission.host_at = lambda _: Hanging()
    submission.submit(ladder, Path(sys.argv[2]), lambda text: print(text, flush=True))
"""
WAITING = 'build = [["python3", "-c", "import time; time.sleep(1000)"]]\n'


@pytest.mark.costly
@pytest.mark.parametrize(
    ("manifest", "until"), [(WAITING, "Building"), (BUILD, "playing"), ("", "playing")]
)
def test_a_submission_that_is_killed_enters_nothing(
    home: Home, make_bot: MakeBot, enter: Enter, manifest: str, until: str
) -> None:
    """A submission killed during its build or match enters nothing and leaves no files."""
    folder = make_bot("eve", manifest=manifest)
    command = [sys.executable, "-c", HANGING, str(home.path), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while not (line := process.stdout.readline()).startswith(until):
            assert line
        process.send_signal(signal.SIGKILL)

    with Ladder.open(home) as ladder:
        with ladder.database.read() as tx:
            assert tx.execute(text("select count(*) from versions")).scalar() == 0
            assert tx.execute(text("select count(*) from bots")).scalar() == 0
        enter(ladder, make_bot("eve", manifest=BUILD))
        assert active(ladder) == ["eve version 1"]
        (built,) = home.bots.glob("*.build")
        assert (built / "built").read_text() == "x"
    assert list(home.bots.glob(".*")) == []


def test_files_that_return_are_rated_anew(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """They are a new version once another was accepted, so a lucky record is not chosen."""
    enter(ladder, make_bot("ann"))
    enter(ladder, make_bot("ann", "better"))

    returned = enter(ladder, make_bot("ann"))

    assert (returned.outcome, returned.version.number) == (SubmissionOutcome.RETURNED, 3)
    with ladder.database.read() as tx:
        first, _, third = bots.of_bot(tx, "ann")
        assert first.digest == third.digest
        assert bots.validation(tx, third) == bots.validation(tx, first)


def test_a_retired_bot_returns_with_its_record(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """Its last version plays again under its number."""
    enter(ladder, make_bot("ann"))
    ladder.retire("ann")

    assert enter(ladder, make_bot("ann")).version.number == 1
