"""An exported ladder is checked by its files alone, with our command or a stranger's program."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.matches import MatchState
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from tests.support.ladders import Command
from tests.support.new_ladder import new_ladder
from tests.support.played_ladder import play_round, played_ladder

OUTSIDER = Path(__file__).parents[1] / "outsider"
MATCHES = 6
Json = dict[str, Any]


@pytest.fixture
def site(tmp_path: Path, enter: Any, make_bot: Any, command: Command) -> Path:
    """The export of a ladder with two played blocks."""
    home = played_ladder(tmp_path / "ladder", enter, make_bot)
    done = command("export", tmp_path / "site", "--records", "--ladder", home.path)
    assert done.status == 0, done.err
    return tmp_path / "site"


def outsiders(site: Path) -> list[str]:
    """What the stranger's program finds."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", OUTSIDER, site],  # without our packages' folders
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    lines = [line.removeprefix(f"{site}: ") for line in done.stdout.splitlines()]
    return [line for line in lines if line != "true by the documents"]


def rewrite(site: Path, change: Callable[[Json], object]) -> None:
    """Change `ladder.json`."""
    file = site / "ladder.json"
    said = json.loads(file.read_text())
    change(said)
    file.write_text(json.dumps(said))


def edited_record(site: Path) -> str:
    """Change a record's points."""
    file = min((site / "matches").glob("*.json"))
    tree = json.loads(file.read_text())
    tree["outcomes"][0]["points"] += 1
    file.write_text(json.dumps(tree))
    return f"match {file.stem}: "


def edited_record_with_its_digest(site: Path) -> str:
    """Change a record's points, and its digest in `ladder.json`."""
    said = edited_record(site)
    file = min((site / "matches").glob("*.json"))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()

    def named(said: Json) -> None:
        next(m for m in said["matches"] if m["id"] == file.stem)["sha256"] = digest

    rewrite(site, named)
    return rf"{said}outcomes\[0\].points: it is "


def missing_record(site: Path) -> str:
    """Remove a record."""
    file = min((site / "matches").glob("*.json"))
    file.unlink()
    return f"match {file.stem}: its record"


def missing_match(site: Path) -> str:
    """Remove a match from `ladder.json`, and leave its record."""
    gone: list[Json] = []
    rewrite(site, lambda said: gone.append(said["matches"].pop()))
    return f"match {gone[0]['id']}: ladder.json does not name it"


def match_without_trace(site: Path) -> str:
    """Remove a match from `ladder.json`, and its record."""
    missing_match(site)
    named = {match["id"] for match in json.loads((site / "ladder.json").read_text())["matches"]}
    next(f for f in (site / "matches").glob("*.json") if f.stem not in named).unlink()
    return "matches"


def forged_rating(site: Path) -> str:
    """Raise a rating wherever it stands, and lower another so that the mean stays."""

    def raised(said: Json) -> None:
        for row, more in ((said["standings"][0], 0.001), (said["standings"][-1], -0.001)):
            version = next(each for each in said["versions"] if each["bot"] == row["bot"])
            row["mu"] = version["mu"] = row["mu"] + more
            row["conservative"] += more

    rewrite(site, raised)
    return r"mu is \d"


def forged_interval(site: Path) -> str:
    """Make the leader's interval narrower wherever it stands."""

    def narrowed(said: Json) -> None:
        leader = said["standings"][0]
        version = next(each for each in said["versions"] if each["bot"] == leader["bot"])
        leader["sigma"] = version["sigma"] = leader["sigma"] - 0.001
        leader["conservative"] += 0.003

    rewrite(site, narrowed)
    return r"sigma is \d"


def forged_ranks(site: Path) -> str:
    """Claim that the leader is surely the best."""
    rewrite(site, lambda said: said["standings"][0].update(rank_low=1, rank_high=1))
    return "rank_high is 1, "


def forged_order(site: Path) -> str:
    """Exchange the first two bots."""

    def exchanged(said: Json) -> None:
        first, second, *_ = rows = said["standings"]
        rows[:2] = second | {"rank": 1}, first | {"rank": 2}

    rewrite(site, exchanged)
    return "standings"


def forged_bot(site: Path) -> str:
    """Give a bot the digest of other files."""
    rewrite(site, lambda said: said["versions"][0].update(digest="0" * 64))
    return "match "


@pytest.mark.costly
def test_an_export_is_true_by_its_files_alone(site: Path, command: Command) -> None:
    """Command and stranger find nothing without the ladder; the digest to cite is told."""
    shutil.rmtree(site.parent / "ladder")
    done = command("verify", "--export", site)
    digest = hashlib.sha256((site / "ladder.json").read_bytes()).hexdigest()

    assert (done.status, done.err) == (0, "")
    assert f"{MATCHES} matches, SHA-256 {digest}" in " ".join(done.out.split())
    assert outsiders(site) == []


FORGERIES = (
    edited_record,
    edited_record_with_its_digest,
    missing_record,
    missing_match,
    match_without_trace,
    forged_rating,
    forged_interval,
    forged_ranks,
    forged_order,
    forged_bot,
)


@pytest.mark.costly
def test_each_forgery_is_named_in_a_line(site: Path, command: Command, tmp_path: Path) -> None:
    """Command and stranger name what was edited, taken out or forged."""
    for forge in FORGERIES:
        copy = tmp_path / forge.__name__
        shutil.copytree(site, copy)
        said = forge(copy)
        done = command("verify", "--export", copy)

        assert done.status == 1, forge.__name__
        for lines in (done.out.splitlines(), outsiders(copy)):
            assert any(re.search(said, line) for line in lines), (forge.__name__, lines)


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_hundreds_of_matches_are_recomputed(
    game: str,
    tmp_path: Path,
    enter: Any,
    command: Command,
    proof_cases: Callable[[int], int],
) -> None:
    """400 matches of six bots at tables of four: the stranger finds nothing, but each forgery."""
    home = new_ladder(tmp_path / "ladder", f"the seed of {game}", game=game)
    with Ladder.open(home) as ladder:
        for name in ("ann", "bob", "cat", "dan", "eve", "fay"):
            enter(ladder, bot_of_any_game(tmp_path / name))
        for number in count(1):
            play_round(ladder, number)
            with ladder.database.read() as tx:
                if matches.count(tx, MatchState.DONE) >= proof_cases(400):
                    break
    site, forged, broken = (tmp_path / name for name in ("site", "forged", "broken"))
    assert command("export", site, "--records", "--ladder", home.path).status == 0
    for copy in (forged, broken):
        shutil.copytree(site, copy)
    ratings = [forge(forged) for forge in (forged_rating, forged_interval, forged_ranks)]
    records = [missing_record(broken), edited_record(broken), missing_match(broken)]

    assert outsiders(site) == []
    for copy, said in ((forged, ratings), (broken, records)):
        lines = outsiders(copy)
        assert [one for one in said if not any(re.search(one, line) for line in lines)] == []


def bot_of_any_game(folder: Path) -> Path:
    """Write a bot that is never started."""
    folder.mkdir()
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\ngames = ["*"]\ncommand = ["python3", "bot.py"]\n'
    )
    (folder / "bot.py").write_text(folder.name)
    return folder


def test_what_no_export_wrote_is_one_line(site: Path, command: Command) -> None:
    """A damaged `ladder.json`, and none, are errors that name the place."""
    rewrite(site, lambda said: said["matches"][0].update(id="../../etc/passwd"))
    damaged = command("verify", "--export", site)
    (site / "ladder.json").unlink()
    none = command("verify", "--export", site)

    assert damaged.status == none.status == 1
    assert "matches.0.id" in damaged.err
    assert "ladder export --records" in " ".join(none.err.split())


@pytest.mark.costly
def test_embargoed_matches_are_left_out(site: Path, command: Command, tmp_path: Path) -> None:
    """While a match of a deal is open, no other of it is in the export, and the rest is true."""
    home = Home(site.parent / "ladder")
    with Ladder.open(home) as ladder, ladder.database.write() as tx:
        tx.execute(text("update matches set state = 'planned' where round = 2 and position = 0"))
        embargoed = set(tx.execute(text("select id from matches where round = 2")).scalars())
    assert command("export", site, "--records", "--ladder", home.path).status == 0
    there = {file.stem for file in (site / "matches").glob("*.json")}

    assert len(there) == MATCHES - len(embargoed) == 3
    assert not any(each in (site / "ladder.json").read_text() for each in embargoed)
    assert command("verify", "--export", site).status == 0
    assert outsiders(site) == []
