"""A run survives any order of connections and disconnections, and any single match."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.bots import Version
from ladder.model.errors import NoPlayersError, StalledError
from ladder.model.matches import MatchState, PlannedMatch, Played
from ladder.model.presence import Presence
from ladder.model.settings import Scheduling
from ladder.results import queries
from ladder.runner import pool
from ladder.runner import run as running
from ladder.runner.group_commit import PlayedMatch, store
from ladder.runner.report import Report
from ladder.runner.run import run
from ladder.runner.worker import Failed
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage.files.folder import Home
from ladder.storage.files.known import VARIABLE
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.storage.tables.records import pack
from ladder.submission.submit import submit
from referee.core.verdicts import MOST_VOID_IN_A_ROW
from referee.hosting.match_runner import MatchSpec
from tests.support.fake_workers import FakePlayer
from tests.support.new_ladder import new_ladder
from tests.support.sampling import examples

if TYPE_CHECKING:
    from ladder.model.bots import Version

NAMES = "abcdefgh"
STALE = Failed("0" * 32, "of a run that broke off")


class Told:
    """Collects what a run reports."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.warnings: list[str] = []
        self.said: list[str] = []

    def begin(self) -> None:
        """Do nothing."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Do nothing."""

    def advance(self, decisions: int) -> None:
        """Do nothing."""

    def tell(self, status: str) -> None:
        """Do nothing."""

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Keep it."""
        self.said.append(text)

    def warn(self, text: str) -> None:
        """Keep it."""
        self.warnings.append(text)


class Place:
    """A fake gateway and pool that follow a script, after which all goes well."""

    def __init__(self, script: list[tuple[str, int]]) -> None:
        """Follow this script of events with their subjects."""
        self.presence = Presence()
        self.now = 0.0
        self._script = iter(script)
        self._under_way: dict[str, tuple[PlannedMatch, MatchSpec]] = {}
        self._player = FakePlayer()
        self.versions: list[Version] = []

    def know(self, ladder: Ladder) -> None:
        """Set the bots that may come and go."""
        with ladder.database.read() as tx:
            self.versions = bots.active(tx)
        for version in self.versions:
            self.presence.update(version.gateway_name, 1)

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave matches under way to the next run, as a gateway does."""

    has_room = True
    workers = 1

    @property
    def busy(self) -> int:
        """The number of matches under way."""
        return len(self._under_way)

    def can_start(self, match: PlannedMatch) -> bool:
        """Return whether all bots are connected and the match is not under way."""
        fresh = match.match_id not in self._under_way
        return fresh and all(self.presence.capacity(version) for version in match.remote)

    def choose(self, ready: Iterator[PlannedMatch]) -> PlannedMatch | None:
        """Return the first match."""
        return next(ready, None)

    def submit(self, match: PlannedMatch, spec: MatchSpec, *, alone: bool) -> None:  # noqa: ARG002
        """Begin a match."""
        self._under_way[match.match_id] = (match, spec)

    def wait(self, *_: object) -> list[Played | Failed]:
        """Execute the next event; after the script all bots connect and all matches end."""
        what, number = next(self._script, ("well", 0))
        if what == "well":
            for version in self.versions:
                self.presence.update(version.gateway_name, 1)
            return [self._ended(match_id) for match_id in list(self._under_way)]
        if what in ("join", "leave"):
            version = self.versions[number % len(self.versions)]
            self.presence.update(version.gateway_name, int(what == "join"))
        elif what == "later":
            self.now += number
        elif what == "stale":
            return [STALE]
        elif self._under_way:
            match_id = list(self._under_way)[number % len(self._under_way)]
            if what == "played":
                return [self._ended(match_id)]
            del self._under_way[match_id]
            return [Failed(match_id, f"bot {number} is not connected", absent=True)]
        return []

    def _ended(self, match_id: str) -> Played:
        _, spec = self._under_way.pop(match_id)
        return pack(self._player.play(spec), {}, spec)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a ladder of eight remote bots, to be copied."""
    folder = tmp_path_factory.mktemp("template")
    home = new_ladder(folder / "ladder", "a seed", seats=2, scheduler=Scheduling.BALANCED)
    with Ladder.open(home) as ladder:
        for name in NAMES:
            source = folder / name
            source.mkdir()
            text = f'name = "{name}"\ngames = ["courtisans"]\ntransport = "remote"\nrelease = "1"\n'
            (source / "bot.toml").write_text(text)
            submit(ladder, source, lambda _: None, author=f"author of {name}")
    return home.path


@contextlib.contextmanager
def ladder_of(template: Path, script: list[tuple[str, int]]) -> Iterator[tuple[Ladder, Place]]:
    """Copy the ladder; its gateway and pool follow a script, and all bots are connected."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        shutil.copytree(template, Path(folder, "ladder"))
        patch.setenv(VARIABLE, str(Path(folder, "ladder")))
        with Ladder.open(Home(Path(folder, "ladder"))) as ladder:
            place = Place(script)
            place.know(ladder)
            patch.setattr(pool, "Pool", lambda *_: place)
            patch.setattr("ladder.model.presence.time.monotonic", lambda: place.now)
            yield ladder, place


def play(
    ladder: Ladder, planner: LadderPlanner, place: Place, told: Told, *, enduring: bool = False
) -> Report:
    """Play with this fake as the gateway."""
    gateway: Any = place
    return run(ladder, planner, 0, told, gateway=gateway, enduring=enduring)


HAPPENINGS = st.lists(
    st.tuples(
        st.sampled_from(["join", "leave", "absent", "played", "stale", "later"]),
        st.integers(0, 40),
    ),
    max_size=40,
)


@examples(15)
@given(script=HAPPENINGS)
def test_any_order_of_coming_and_going(template: Path, script: list[tuple[str, int]]) -> None:
    """Every planned match is done or void once; absence and stale outcomes never end the run."""
    with ladder_of(template, script) as (ladder, place):
        planner = LadderPlanner(ladder, 3, presence=place.presence)
        with contextlib.suppress(NoPlayersError):
            report = play(ladder, planner, place, Told())
            assert report.left_over == 0
        states = {line.state for line in queries.latest(ladder, 1000)}
        assert states <= {MatchState.DONE, MatchState.VOID}


def test_absence_is_no_void_in_a_row(template: Path) -> None:
    """The run goes on however many matches in a row lack a bot."""
    many: list[tuple[str, int]] = [("absent", 0)] * (3 * MOST_VOID_IN_A_ROW)
    with ladder_of(template, many) as (ladder, place):
        report = play(ladder, LadderPlanner(ladder, 12, presence=place.presence), place, Told())

    assert report.void > 0
    assert report.left_over == 0


def test_what_a_broken_run_left_at_the_gate_does_not_end_the_next(
    template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outcomes of an aborted run's matches are dropped, and these matches are played again."""
    with ladder_of(template, [("played", 0)]) as (ladder, place):

        def broken(*_: object, **__: object) -> None:
            raise StalledError

        with monkeypatch.context() as patch:
            patch.setattr(running, "store", broken)
            with pytest.raises(StalledError):
                play(ladder, LadderPlanner(ladder, 1, presence=place.presence), place, Told())
        report = play(ladder, LadderPlanner(ladder, 1, presence=place.presence), place, Told())

        assert report.void == report.left_over == 0
        assert {line.state for line in queries.latest(ladder, 100)} == {MatchState.DONE}


def test_a_bug_over_one_match_sets_it_aside(
    template: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An enduring run logs the traceback of a bug and plays on; any other run ends by it."""
    seen = list[str]()

    def buggy(ladder: Ladder, begun: Any, results: Sequence[PlayedMatch]) -> None:
        seen.extend(result.match.match_id for result in results)
        if any(result.match.match_id == seen[0] for result in results):
            raise ZeroDivisionError
        store(ladder, begun, results)

    with ladder_of(template, []) as (ladder, place):
        monkeypatch.setattr(running, "store", buggy)
        told = Told()
        planner = LadderPlanner(ladder, 2, presence=place.presence)
        report = play(ladder, planner, place, told, enduring=True)
        seen.clear()
        planner = LadderPlanner(ladder, 1, presence=place.presence)
        with pytest.raises(ZeroDivisionError):
            play(ladder, planner, place, Told())

    assert report.void == 1
    assert report.matches > 1
    assert "a bug of Courtyard: ZeroDivisionError()" in told.warnings[0]
    assert "Traceback" in caplog.text
