"""What an owner monitors: metrics for Prometheus, and overall health."""

import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.server.web.health import Health
from ladder.server.web.metrics import LadderMetrics, served
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.played_ladder import played_ladder

COMMAND = Path(sys.executable).with_name("ladder")


@pytest.fixture
def home(tmp_path: Path, enter: Any, make_bot: Any) -> Home:
    """Make a ladder with six matches."""
    return played_ladder(tmp_path / "club", enter, make_bot)


@pytest.fixture
def following(home: Home) -> Iterator[Following]:
    """Read on."""
    with Ladder.open(home) as ladder:
        yield Following(PublicReader(ladder))


def scrape(following: Following, health: Health) -> dict[str, float]:
    """Return the metrics by name and labels, except the ladder's."""
    registry = CollectorRegistry()
    registry.register(LadderMetrics([following], health))
    own = f'ladder="{following.newest.ladder_id[:8]}",title="club · Courtisans"'
    found = {}
    for line in generate_latest(registry).decode().splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            found[name.replace(f"{{{own}}}", "").replace(f",{own}", "")] = float(value)
    return found


def test_what_an_owner_watches_is_counted(following: Following) -> None:
    """Metrics count matches, voids, forfeits by kind, queue, speed and certainty."""
    found = scrape(following, Health([following]))

    assert found["courtyard_ladder_database_readable"] == 1
    assert found["courtyard_ladder_matches_total"] == 6
    assert found["courtyard_ladder_matches_void_total"] == 0
    assert found["courtyard_ladder_void_attempts_total"] == 0
    assert found["courtyard_ladder_queue"] == found["courtyard_ladder_matches_running"] == 0
    assert found["courtyard_ladder_matches_per_second"] == 6 / 60
    assert found["courtyard_ladder_bots"] == 3
    assert found["courtyard_ladder_bot_files_bytes"] >= 0
    kinds = {name: value for name, value in found.items() if "forfeits_total" in name}
    assert len(kinds) == 5
    assert sum(kinds.values()) == 2
    (chance,) = (value for name, value in found.items() if "aim_probability" in name)
    assert 0 < chance < 1
    assert not any("ann" in name for name in found)
    assert "courtyard_ladder_playing" not in found


def test_a_ladder_that_cannot_be_read_is_told(following: Following, home: Home) -> None:
    """Without its database a ladder has no other numbers, and /health is failing."""
    health = Health([following])
    health.player_processes = SimpleNamespace(condition=lambda _: "playing")  # type: ignore[assignment]
    assert (health.report()["status"], health.report()["ladders"][0]["playing"]) == ("ok", True)
    following.source.ladder.database.close()
    home.database.write_bytes(b"rubbish " * 1000)

    found = scrape(following, health)
    report = health.report()

    assert found == {"courtyard_ladder_database_readable": 0, "courtyard_ladder_playing": 1}
    assert report["status"] == "failing"
    assert report["ladders"][0]["database"] == "cannot be read"
    assert str(home.path) not in str(report)


def test_who_does_not_play_any_more_is_told(following: Following) -> None:
    """With --play, /health is failing while the player process is gone."""
    health = Health([following])
    health.player_processes = SimpleNamespace(condition=lambda _: "ended")  # type: ignore[assignment]

    assert health.report()["status"] == "failing"
    assert scrape(following, health)["courtyard_ladder_playing"] == 0


def test_tables_are_counted(following: Following) -> None:
    """With --tables; while their process is gone, the ladder is as healthy as before."""
    health = Health([following])
    assert health.report()["tables"] is None
    health.tables = SimpleNamespace(is_ready=False, open_tables=2, most=20)  # type: ignore[assignment]

    assert health.report()["tables"] == {"ready": False, "open": 2, "most": 20}
    assert health.report()["status"] == "ok"
    assert scrape(following, health)["courtyard_tables_open"] == 2
    assert scrape(following, health)["courtyard_tables_ready"] == 0


def test_an_odd_version_is_answered(capfd: pytest.CaptureFixture[str]) -> None:
    """Who accepts a version that is none gets the usual one, and nothing is printed."""
    odd = {"Accept": "application/openmetrics-text; version=x.y"}
    with served("127.0.0.1:0", CollectorRegistry()) as address:
        asked = urllib.request.Request(f"http://{address}/metrics", headers=odd)
        with urllib.request.urlopen(asked) as answer:  # noqa: S310 -- ours
            assert answer.status == 200

    assert capfd.readouterr().err == ""


@pytest.mark.costly
def test_metrics_need_no_author_api(home: Home) -> None:
    """`serve --metrics` alone prints their address, and serves them."""
    command = [str(COMMAND), "serve", "--port", "0", "--metrics", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, "--ladder", str(home.path)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said.startswith("The metrics are at http://127.0.0.1:")
        with urllib.request.urlopen(said.split()[-1].rstrip(".")) as answer:  # noqa: S310 -- ours
            text = answer.read().decode()
        server.terminate()

    assert 'courtyard_ladder_matches_total{ladder="' in text
