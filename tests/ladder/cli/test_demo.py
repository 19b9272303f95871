"""`ladder demo` plays every game with the sample bots."""

import json
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.demo import BOTS, NODES, RANDOM_BOTS, demonstrations, with_search
from ladder.model.errors import LadderError
from ladder.submission.submit import submit
from referee.core.errors import UsageError
from referee.games import DEFAULT_GAME, game_named
from referee.hosting import sample_bots
from referee.hosting.manifest import load_manifest
from tests.support.games import GAMES
from tests.support.installed import EXAMPLES, install


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch, command: Any) -> None:
    """Let a demo play one round only, but with real validation matches."""
    monkeypatch.setattr("ladder.cli.demo.ROUNDS", 1)
    monkeypatch.setattr("ladder.submission.submit.submit", submit)


@pytest.mark.costly
@pytest.mark.usefixtures("short")
def test_every_game_is_played_and_ranked(command: Any, tmp_path: Path) -> None:
    """Each game gets its own ladder, with its title and standings, and no faults."""
    ended = command("demo", tmp_path / "demo")

    assert ended.status == 0, ended.err
    assert ended.out.count("rating: TrueSkill") == len(GAMES)
    for name in GAMES:
        assert f"{game_named(name).title}\n" in ended.out
        assert str(tmp_path / "demo" / name) in ended.out
        shown = command("standings", "--json", "--ladder", tmp_path / "demo" / name).out
        searchers = {"searcher"} if name == DEFAULT_GAME else set()
        assert {row["bot"] for row in json.loads(shown)} == {*BOTS, *searchers}
        assert {row["fault_rate"] for row in json.loads(shown)} == {0.0}


def test_the_bot_that_searches_has_a_small_budget(tmp_path: Path) -> None:
    """In nodes, whatever its clock would allow; its folder can be made again."""
    (shown,) = demonstrations(tmp_path, [DEFAULT_GAME])
    for _ in range(2):
        *_, searcher = map(load_manifest, with_search(shown).bots)

    assert searcher.name == "searcher"
    assert searcher.command[-2:] == ("--nodes", str(NODES))


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """In one line."""
    (tmp_path / "demo").write_text("")

    (shown,) = demonstrations(tmp_path / "demo", [DEFAULT_GAME])
    with pytest.raises(LadderError, match="Not a directory"):
        with_search(shown)


@pytest.mark.costly
@pytest.mark.usefixtures("short")
def test_a_game_that_others_brought_is_played_by_random_bots(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two seats, as Leduc poker has no more."""
    site, folder = tmp_path / "site", tmp_path / "demo"
    site.mkdir()
    install(EXAMPLES / "leduc", site)
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", str(site))

    ended = command("demo", folder, "--game", "leduc")

    assert ended.status == 0, ended.err
    assert ended.out.startswith("Leduc poker\n")
    shown = command("standings", "--json", "--ladder", folder / "leduc").out
    assert {row["bot"] for row in json.loads(shown)} == set(RANDOM_BOTS)
    assert {row["fault_rate"] for row in json.loads(shown)} == {0.0}


@pytest.mark.proof
@pytest.mark.usefixtures("short")
def test_once_more_adds_to_it(command: Any, tmp_path: Path) -> None:
    """A second demo in the same folder continues the same ladders."""
    before = command("demo", tmp_path / "demo").out
    after = command("demo", tmp_path / "demo").out

    assert "counter version 1 plays." in before
    assert "counter is unchanged: version 1 already plays." in after
    for name in GAMES:
        shown = command("standings", "--json", "--ladder", tmp_path / "demo" / name).out
        assert max(row["matches"] for row in json.loads(shown)) == 2  # one in each round


def test_without_the_sample_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the sample bots the demo says so, and makes nothing."""
    monkeypatch.setattr(sample_bots, "PLACES", (tmp_path / "nowhere",))

    with pytest.raises(UsageError, match="the sample bot python/courtisans/random is missing"):
        demonstrations(tmp_path / "demo")

    assert not (tmp_path / "demo").exists()
