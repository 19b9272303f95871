"""The replay in the window: its stage and its controls stay in sight, and its boxes in place."""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

import ladder.server.web
from ladder.model.matches import MatchLine, MatchState, SeatLine
from ladder.server.web.match_page import Frame, match_page
from ladder.server.web.replay.bundle import bundles
from ladder.storage.tables.records import seat_results
from referee.conformance.testing import play
from referee.games import game_named
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from tests.ladder.server.web.conftest import Screen, Windows
from tests.support.games import GAMES
from tests.support.installed import EXAMPLES, install

STATIC = Path(ladder.server.web.__file__).parent / "static"
SIZES = ((1024, 600), (1366, 768), (1920, 1080), (390, 844))
NAMES = ("iron-mask", "colbert", "counter", "la-reynie", "greedy")
PLUGGED = "liars-dice"
"""A game that another package brings, and no drawing."""

AMISS = """
    () => {
      const slider = document.querySelector(".seek input");
      const boxes = () => [...document.querySelectorAll(".stage section[id^=seat]")].map((box) => {
        const { x, y, width, height } = box.getBoundingClientRect();
        return [x, y, width, height];
      });
      const outside = (name) => {
        const { left, top, right, bottom } = document.querySelector(name).getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      };
      const first = boxes();
      const found = first.length ? [] : ["no seats"];
      for (let step = 0; step <= Number(slider.max); step += 1) {
        slider.value = step;
        slider.dispatchEvent(new Event("input"));
        for (const name of [".stage", ".controls", ".caption", ".stage > div"]) {
          if (outside(name)) found.push(`step ${step}: ${name} is not in the window`);
        }
        const moved = boxes().flat().some((one, i) => Math.abs(one - first.flat()[i]) > 1);
        if (moved) found.push(`step ${step}: the box of a seat has moved`);
      }
      return found;
    }
"""
"""Goes through all steps, and returns what is not where it must be."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, int, str], Path]]:
    """Writes the page of a match of a game, of a number of seats, played from a seed."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "static").mkdir()
    (folder / "matches").mkdir()
    for name, content in bundles().items():
        (folder / "static" / name).write_bytes(content)
    for file in STATIC.glob("*.*"):
        (folder / "static" / file.name).write_bytes(file.read_bytes())
    plugged = tmp_path_factory.mktemp("plugged")
    install(EXAMPLES / PLUGGED, plugged)

    def write(game: str, seats: int, seed: str) -> Path:
        match = Match(MatchSetup(f"{game}{seats}{seed}", game, seats=seats, master_seed=seed))
        play(match, {})
        record = record_of(match, [SeatInfo(name, "12") for name in NAMES[:seats]])
        line = MatchLine(
            match_id=record.match_id,
            round=3,
            index=4,
            state=MatchState.DONE,
            attempts=0,
            reason=None,
            decisions=len(match.decisions),
            finished_at="2026-11-28T01:02:03Z",
            seats=tuple(SeatLine(None, result) for result in seat_results(record)),
        )
        frame = Frame(game, "A ladder", seats, "", live=False)
        path = folder / "matches" / f"{record.match_id}.html"
        packed = zlib.compress(record.SerializeToString(deterministic=True))
        path.write_bytes(match_page(frame, line, packed))
        return path

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(plugged)
        yield write


def amiss(shown: Page, path: Path) -> list[str]:
    """Go through all steps of a match, and return what is out of place."""
    shown.goto(path.as_uri())
    shown.locator(".stage > div > *").first.wait_for(state="attached")
    found: list[str] = shown.evaluate(AMISS)
    return found


@pytest.mark.parametrize("size", [SIZES[0], SIZES[-1]])
@pytest.mark.parametrize("game", [*GAMES, PLUGGED])
def test_stage_and_controls_stay_in_the_window(
    written: Callable[[str, int, str], Path], windows: Windows, game: str, size: tuple[int, int]
) -> None:
    """In every frame all of both is in sight, and no seat's box moves; at the fullest table."""
    shown = windows.take(Screen(*size, "light", "reduce"))
    assert amiss(shown, written(game, max(game_named(game).seats), "window")) == []
    windows.give_back(shown)


@pytest.mark.proof
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", [*GAMES, PLUGGED])
def test_stage_and_controls_stay_in_the_window_in_many_matches(
    written: Callable[[str, int, str], Path],
    windows: Windows,
    proof_cases: Callable[[int], int],
    game: str,
    size: tuple[int, int],
) -> None:
    """The same in ten matches for each number of seats, at every size."""
    shown = windows.take(Screen(*size, "dark", "reduce"))
    for number in range(proof_cases(10)):
        for seats in game_named(game).seats:
            assert amiss(shown, written(game, seats, f"window {number}")) == [], (seats, number)
    windows.give_back(shown)
