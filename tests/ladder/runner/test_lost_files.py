"""A bot whose stored files are lost or damaged is left out; all others play."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ladder.model.bots import Submission, SubmissionOutcome, Version
from ladder.model.matches import PlannedMatch, Played
from ladder.model.tournaments import Kind
from ladder.results import queries
from ladder.runner.left_out import UnplayableVersions
from ladder.scheduling.contest import begin
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import planned_matches
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.storage.db.server import Server
from ladder.storage.files import bundles
from ladder.storage.files.bundles import StoredFiles
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots, matches
from tests.ladder.runner.conftest import FAKE_CONTEST, ROOT, Start
from tests.ladder.runner.test_forever import heard, stop
from tests.support.ladders import Command, Enter, MakeBot
from tests.support.new_ladder import new_ladder

NAMES = ("ann", "bob", "cat", "dan", "eve", "fay")
Damage = Callable[[Path], None]


def missing(bundle: Path) -> None:
    """Remove the folder."""
    shutil.rmtree(bundle)


def cut_off(bundle: Path) -> None:
    """Truncate a file, as a file system may after a power cut."""
    (bundle / "bot.py").chmod(0o644)
    (bundle / "bot.py").write_bytes(b"")


def without_a_file(bundle: Path) -> None:
    """Remove one file."""
    (bundle / "bot.py").unlink()


def a_link(bundle: Path) -> None:
    """Put a link to the same files in place of the folder."""
    moved = bundle.rename(bundle.parents[1] / "elsewhere")
    bundle.symlink_to(moved)


def a_file(bundle: Path) -> None:
    """Put a file in place of the folder."""
    shutil.rmtree(bundle)
    bundle.write_text("gone")


def leading_out(bundle: Path) -> None:
    """Put a link that leaves the folder among the files."""
    (bundle / "bot.py").unlink()
    (bundle / "bot.py").symlink_to("/etc/passwd")


DAMAGES = [missing, cut_off, without_a_file, a_link, a_file, leading_out]


@pytest.fixture
def club(home: Home, make_bot: MakeBot, enter: Enter) -> Iterator[Ladder]:
    """Make a ladder of six bots for tables of four."""
    with Ladder.open(home) as ladder:
        for name in NAMES:
            enter(ladder, make_bot(name))
        yield ladder


def bundle_of(ladder: Ladder, bot: str) -> Path:
    """Return the folder of a bot's files."""
    return ladder.home.bundle(queries.versions(ladder, bot)[0].digest)


def plan(ladder: Ladder) -> list[PlannedMatch]:
    """Plan a round, as a run that was then stopped; return its matches."""
    with ladder.database.write() as tx:
        blocks = LadderPlanner(ladder, 1).plan(tx) or ()
        number, known = matches.last_round(tx) + 1, bots.all_versions(tx)
        planned = planned_matches(ladder.settings, number, blocks, known)
        matches.add(tx, planned)
    return planned


def ended(ladder: Ladder) -> dict[str, set[str]]:
    """Return the bots that sit in matches, by the matches' state."""
    found: dict[str, set[str]] = {}
    for line in queries.latest(ladder, 1000):
        names = {seat.version.bot for seat in line.seats if seat.version}
        found.setdefault(str(line.state), set()).update(names)
    return found


def told_of(bot: str, out: str) -> list[str]:
    """Return the warnings that name the files of a bot."""
    return [
        line for line in out.splitlines() if line.startswith(f"warn the files of {bot} version 1 ")
    ]


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("damage", DAMAGES)
def test_all_others_play(club: Ladder, start: Start, damage: Damage) -> None:
    """One line names what is wrong and both ways out; planned matches of that bot are void."""
    plan(club)
    damage(bundle_of(club, "bob"))

    out, err = start(4, workers=1).communicate()

    assert err == ""
    (warning,) = told_of("bob", out)
    assert str(bundle_of(club, "bob")) in warning
    assert warning.endswith("It does not play: submit it again, or `ladder retire bob`.")
    played = ended(club)
    assert played["done"] == {*NAMES} - {"bob"}
    assert "bob" in played["void"]
    assert played.keys() == {"done", "void"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_submitting_again_mends_it(
    club: Ladder, make_bot: MakeBot, enter: Enter, damage: Damage
) -> None:
    """The same files take the place of the damaged ones, whatever that is, and the bot plays."""
    damage(bundle_of(club, "bob"))
    (bob,) = queries.versions(club, "bob")
    assert club.files.playable([bob]) == []

    assert enter(club, make_bot("bob")).outcome is SubmissionOutcome.UNCHANGED

    assert club.files.playable([bob]) == [bob]
    assert bundles.digest_of(bundle_of(club, "bob")) == bob.digest
    sweep(club)
    assert {path.name for path in club.home.bots.iterdir()} == {
        version.digest for name in NAMES for version in queries.versions(club, name)
    }


@pytest.mark.costly
def test_after_retire_its_planned_matches_block_no_other(club: Ladder, start: Start) -> None:
    """Matches that were planned with a bot that has lost its files and is retired are void."""
    planned = plan(club)
    missing(bundle_of(club, "bob"))
    club.retire("bob")

    out, err = start(3, workers=1).communicate()
    again, _ = start(4, workers=1).communicate()

    assert err == ""
    (warning,) = told_of("bob", out)
    assert warning.endswith("Its planned matches are given up.")
    with_bob = [m for m in planned if any(v and v.bot == "bob" for v in m.seats)]
    (report,) = [line.split() for line in out.splitlines() if line.startswith("report")]
    assert report[1:3] == [str(6 - len(with_bob)), str(len(with_bob))]
    assert told_of("bob", again) == []


@pytest.mark.costly
def test_what_is_lost_while_the_ladder_plays_stops_no_other(
    club: Ladder, home: Home, gate: Home, start: Start, make_bot: MakeBot, enter: Enter
) -> None:
    """A run goes on without a bot whose files are lost meanwhile."""
    enter(club, make_bot("gate"))
    run = start(6, workers=1)
    (gate.path / "started").read_text()
    missing(bundle_of(club, "bob"))
    club.retire("gate")
    (gate.path / "go").write_text("")
    for pipe in ("started", "go"):
        (gate.path / pipe).unlink()
        (gate.path / pipe).touch()  # for planned matches with that bot

    out, err = run.communicate()

    assert err == ""
    assert len(told_of("bob", out)) <= 1
    with club.database.read() as tx:
        assert matches.first_open(tx) is None
    last = queries.latest(club, 2)
    assert {str(line.state) for line in last} == {"done"}
    assert not any(seat.version and seat.version.bot == "bob" for m in last for seat in m.seats)


@pytest.mark.costly
def test_a_service_goes_on_and_wakes_when_the_files_are_back(
    club: Ladder, start: Start, tmp_path: Path
) -> None:
    """It settles the order of the others, says who is left out, and plays once it is mended."""
    for name in NAMES[3:]:
        club.retire(name)
    kept = shutil.copytree(bundle_of(club, "bob"), tmp_path / "kept")
    missing(bundle_of(club, "bob"))
    service = start("forever")
    heard(service, "warn the files of bob version 1 are missing")
    heard(service, "say Nothing to play")
    assert "bob" not in ended(club)["done"]

    shutil.copytree(kept, bundle_of(club, "bob"))
    heard(service, "advance")
    heard(service, "say Nothing to play")
    assert "bob" in ended(club)["done"]

    stop(service)


def test_where_all_files_are_elsewhere_nothing_is_given_up(club: Ladder, command: Command) -> None:
    """Without any bot's files a run ends before it gives up a match: they are in another folder."""
    planned = plan(club)
    club.home.bots.rename(club.home.path / "unmounted")

    refused = command("run", "--ladder", club.home.path)

    assert (refused.status, refused.err.count("\n")) == (1, 1)
    assert "no bot's files are usable here (the files of ann version 1 are missing" in refused.err
    assert len(ended(club)["planned"]) == len(
        {v.bot for match in planned for v in match.seats if v is not None}
    )


def test_who_has_lost_its_files_is_no_opponent(club: Ladder, command: Command) -> None:
    """Where all others have lost theirs, there is nothing to settle: a run says both and ends."""
    for name in NAMES[2:]:
        club.retire(name)
    missing(bundle_of(club, "bob"))

    refused = command("run", "--until-settled", "--ladder", club.home.path)

    assert refused.status == 1
    assert "the files of bob version 1 are missing" in refused.out + refused.err
    assert "error: ann has no opponent" in refused.err
    assert queries.latest(club, 1) == []


@pytest.mark.costly
def test_a_build_that_cannot_be_made_again_stops_no_other(
    club: Ladder, start: Start, make_bot: MakeBot, enter: Enter
) -> None:
    """A bot whose build is lost and fails is left out; nothing is tried for every match."""
    entered: Submission = enter(
        club, make_bot("zoe", manifest='build = [["python3", "-c", "open(\'bot.py\')"]]\n')
    )
    plan(club)
    shutil.rmtree(club.home.built(entered.version.digest))
    cut_off(club.home.bundle(entered.version.digest))
    out, err = start(3, workers=1).communicate()

    assert err == ""
    assert len(told_of("zoe", out)) == 1
    assert ended(club)["done"] == {*NAMES}


@pytest.mark.costly
def test_a_tournament_plays_what_it_can(tmp_path: Path, make_bot: MakeBot, enter: Enter) -> None:
    """Matches of that bot stay open, all others of the round are played, and a line says why."""
    with Ladder.open(new_ladder(tmp_path / "cup", "a seed", seats=2)) as cup:
        entrants = [enter(cup, make_bot(name)).version.id for name in NAMES]
        begin(cup, TournamentPlan(Kind.ROUND_ROBIN, tuple(entrants)))
        missing(bundle_of(cup, "bob"))

        command = [*FAKE_CONTEST, str(cup.home.path), "1"]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

        assert ran.stderr == ""
        (warning,) = told_of("bob", ran.stdout)
        assert warning.endswith("stay open until its files are restored, as from a backup.")
        states = ended(cup)
        assert "bob" in states["planned"]
        assert "bob" not in states["done"]
        assert "void" not in states


def test_who_cannot_start_because_of_damage_does_not_forfeit(
    club: Ladder, played: Callable[..., Played]
) -> None:
    """Files that were whole at first are read again when a bot ends or does not start."""
    now = [0.0]
    club.files = StoredFiles(club.home, clock=lambda: now[0])
    (bob,) = queries.versions(club, "bob")
    match = PlannedMatch("0" * 32, 1, 0, (bob, None, None, None))
    failed, *others = played(match, 4, 1, 2, 3).seats
    early = replace(failed, forfeit="FAILED_TO_START")
    outcome = replace(played(match, 4, 1, 2, 3), seats=(early, *others))
    said: list[str] = []
    left_out = UnplayableVersions(club, cast("Any", SimpleNamespace(warn=said.append)))
    assert left_out.why_void(match, outcome) == ""
    cut_off(bundle_of(club, "bob"))

    now[0] += 60

    assert "bob version 1 were changed" in left_out.why_void(match, outcome)
    assert "bob version 1 were changed" in left_out.why(match)
    assert len(said) == 1


def test_unreadable_files_are_named(club: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is closed to the ladder's user is a problem of its bot alone."""

    def closed(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("ladder.storage.files.bundles.os.scandir", closed)
    (bob,) = queries.versions(club, "bob")
    told = StoredFiles(club.home).problem(bob)

    assert told == f"cannot be used: {club.home.bundle(bob.digest)}: Permission denied"


def test_what_a_bot_has_added_is_no_damage(club: Ladder) -> None:
    """A bot at `trusted` that leaves files in its folder plays on; one that changes its own not."""
    (bob,) = queries.versions(club, "bob")
    folder = bundle_of(club, "bob")
    for name in ("a.log", "games.log"):
        (folder / name).write_text("won")

    assert StoredFiles(club.home).problem(bob) == ""

    cut_off(folder)

    assert "were changed" in StoredFiles(club.home).problem(bob)


def test_whole_files_are_read_once(club: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as a folder stays in place its files are not read again, however often asked."""
    (bob,) = queries.versions(club, "bob")
    read: list[Path] = []
    digest_of = bundles.digest_of

    def counted(folder: Path) -> str:
        read.append(folder)
        return digest_of(folder)

    monkeypatch.setattr(bundles, "digest_of", counted)
    files = StoredFiles(club.home)
    for _ in range(100):
        assert files.problem(bob) == ""

    assert len(read) == 1


@pytest.fixture
def at_home(tmp_path: Path, server_database: Server) -> Iterator[Ladder]:
    """Make a ladder without bots whose database is on a server."""
    with Ladder.open(new_ladder(tmp_path / "club", "a seed", server=server_database)) as ladder:
        yield ladder


def twin_of(ladder: Ladder, path: Path) -> Home:
    """Make a second folder for the same database, as on another machine."""
    twin, place = Home(path), ladder.database.place
    twin.path.mkdir()
    assert isinstance(place, Server)
    twin.write_url(place)
    return twin


def test_a_second_folder_takes_no_first_bot(
    at_home: Ladder, tmp_path: Path, command: Command, make_bot: MakeBot
) -> None:
    """Where the ladder has no bots yet, only the folder that was made with it takes one."""
    twin = twin_of(at_home, tmp_path / "twin")

    refused = command("submit", make_bot("ann"), "--ladder", twin.path)
    taken = command("submit", make_bot("ann"), "--ladder", at_home.home.path)

    assert (refused.status, refused.err.count("\n")) == (1, 1)
    assert "are in another folder, perhaps on another machine: submit there" in refused.err
    assert taken.status == 0, taken.err


def test_a_stray_bot_makes_no_home(
    at_home: Ladder, tmp_path: Path, command: Command, make_bot: MakeBot, enter: Enter
) -> None:
    """A folder with few of the files takes no bot; the one that lacks few does."""
    for name in NAMES[:3]:
        enter(at_home, make_bot(name))
    twin = twin_of(at_home, tmp_path / "twin")
    (version, *_) = _versions(at_home)
    twin.bots.mkdir()
    at_home.home.bundle(version.digest).rename(twin.bundle(version.digest))

    refused = command("submit", make_bot("zoe"), "--ladder", twin.path)
    taken = command("submit", make_bot("zoe"), "--ladder", at_home.home.path)

    assert "are in another folder" in refused.err
    assert taken.status == 0, taken.err


def _versions(ladder: Ladder) -> list[Version]:
    with ladder.database.read() as tx:
        return bots.active(tx)
