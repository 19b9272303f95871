"""A ladder's pages and its author API list the tournaments in folders below its own."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.server.public import follower
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.ladder.server.web.filled_tournament import fill
from tests.support.api_server import Visitor, serving
from tests.support.ladders import Command
from tests.support.new_ladder import new_ladder
from tests.support.waiting import until

LISTED = "/tournaments/index.html"


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ladder]:
    """Open a ladder with a finished tournament, and a ladder of another kind, below it."""
    monkeypatch.setattr(follower, "_LOOK_EVERY_S", 0.01)
    with Ladder.open(new_ladder(tmp_path / "club", "a seed", seats=2)) as opened:
        fill(opened.home.path / "spring cup", TournamentPlan(Kind.KNOCKOUT, (1, 2)), 2, 9, 0)
        new_ladder(opened.home.path / "copy", "another seed", seats=2)
        yield opened


@pytest.mark.costly
def test_they_are_listed_as_they_come_and_go(ladder: Ladder) -> None:
    """Each with format, state and winner, linked to its own pages, without a restart."""
    with serving([ladder]) as address:
        ann = Visitor(address, tokens.create(ladder, "ann"))

        def page(path: str) -> str:
            with urlopen(f"http://{address}{path}") as answer:
                text: str = answer.read().decode()
            return text

        listed = page(LISTED)
        first = ann.get("/tournaments").json
        document = ann.get("/tournaments/spring-cup").json
        cup = page("/tournaments/spring-cup/tournament.html")
        folder = fill(
            ladder.home.path / "autumn", TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3)), 2, 1, 1
        )
        until(lambda: "autumn/tournament.html" in page(LISTED))
        (autumn,) = (each for each in ann.get("/tournaments").json if each["name"] == "autumn")
        shutil.rmtree(folder)
        until(lambda: "autumn" not in page(LISTED))
        unknown = ann.get("/tournaments/copy").reason

    assert 'href="spring-cup/tournament.html"' in listed
    assert "<b>ada</b>" in listed
    assert '../../index.html">Ladder</a>' in cup
    assert [(each["name"], each["state"], each["winners"]) for each in first] == [
        ("spring-cup", "over", ["ada"])
    ]
    assert (document["format"], document["over"]) == ("knockout", True)
    assert (autumn["state"], autumn["round"], autumn["winners"]) == ("playing", 2, [])
    assert unknown == "NO_TOURNAMENT"


def test_an_export_holds_them(ladder: Ladder, command: Command, tmp_path: Path) -> None:
    """Their pages, with all matches, are files below the ladder's."""
    site = tmp_path / "site"
    assert command("export", site, "--ladder", ladder.home.path).status == 0

    assert (site / "tournaments" / "index.html").is_file()
    assert (site / "tournaments" / "spring-cup" / "tournament.html").is_file()
    assert [*(site / "tournaments" / "spring-cup" / "matches").iterdir()]
    assert not (site / "tournaments" / "copy").exists()
    assert 'href="tournaments/index.html"' in (site / "index.html").read_text()
