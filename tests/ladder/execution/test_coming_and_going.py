"""A run goes on in whatever order remote bots come and go, and whatever one match brings about."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ladder import running, service
from ladder.errors import StalledError
from ladder.execution import attendance
from ladder.execution.attendance import Attendance
from ladder.execution.worker import Failed
from ladder.home import Home
from ladder.ladder import Ladder
from ladder.models import MatchState, PlannedMatch, Played, Version
from ladder.records import pack
from ladder.rounds import Rounds
from ladder.running import MOST_VOID_IN_A_ROW, Report, run
from ladder.settings import SameAuthor, Scheduling
from ladder.store import bots, matches
from referee.host import MatchSpec
from tests.ladder.execution.fake_run import FakePlayer
from tests.ladder.new_ladder import new_ladder

MakeBot = Callable[..., Path]
Enter = Callable[..., object]
NAMES = "abcdefgh"
STALE = Failed("0" * 32, "of a run that broke off")


class Told:
    """What a run reports."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.warnings: list[str] = []
        self.said: list[str] = []

    def expect(self, matches: int) -> None:
        """Do nothing."""

    def advance(self, decisions: int) -> None:
        """Do nothing."""

    def tell(self, status: str) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Keep it."""
        self.said.append(text)

    def warn(self, text: str) -> None:
        """Keep it."""
        self.warnings.append(text)


class Place:
    """Stands in for a gate and for the pool: a script says what happens, then all goes well."""

    def __init__(self, script: list[tuple[str, int]]) -> None:
        """Follow this script: a happening, and whom or what it is about."""
        self.here = Attendance()
        self.now = 0.0
        self._script = iter(script)
        self._under_way: dict[str, tuple[PlannedMatch, MatchSpec]] = {}
        self._player = FakePlayer(Path())
        self._versions: list[Version] = []

    def know(self, ladder: Ladder) -> None:
        """Learn who may come and go."""
        with ladder.database.read() as tx:
            self._versions = [v for v in bots.active(tx) if v.is_remote]

    def __enter__(self) -> Self:
        """Return the pool itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave what is under way to the next run, as a gate does."""

    has_room = True

    @property
    def busy(self) -> int:
        """How many matches are under way."""
        return len(self._under_way)

    def can_start(self, match: PlannedMatch) -> bool:
        """Tell whether all are here, and the match is not under way."""
        fresh = match.match_id not in self._under_way
        return fresh and all(self.here.most(version) for version in match.remote)

    def submit(self, match: PlannedMatch, spec: MatchSpec) -> None:
        """Begin a match."""
        self._under_way[match.match_id] = (match, spec)

    def wait(self, wake: int, seconds: float | None = None) -> list[Played | Failed]:
        """Let the next thing happen; when the script is over, all come and all ends well."""
        what, number = next(self._script, ("well", 0))
        if what == "well":
            for version in self._versions:
                self.here.notice(version.at_gate, 1)
            return [self._ended(match_id) for match_id in list(self._under_way)]
        if what in ("join", "leave"):
            version = self._versions[number % len(self._versions)]
            self.here.notice(version.at_gate, int(what == "join"))
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
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Eight remote bots."""
    made = []
    for name in NAMES:
        folder = tmp_path_factory.mktemp("sources") / name
        folder.mkdir()
        text = f'name = "{name}"\ngames = ["courtisans"]\ntransport = "remote"\nrelease = "1"\n'
        (folder / "bot.toml").write_text(text)
        made.append(folder)
    return made


@contextlib.contextmanager
def ladder_of(sources: list[Path], script: list[tuple[str, int]]) -> Iterator[tuple[Ladder, Place]]:
    """A new ladder of these bots, whose gate and pool follow a script."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        home = new_ladder(
            Path(folder, "ladder"),
            "a seed",
            seats=2,
            scheduler=Scheduling.BALANCED,
            same_author=SameAuthor.TOGETHER,
        )
        with Ladder.open(home) as ladder:
            place = Place(script)
            for source in sources:
                submit(ladder, source, lambda _: None, author="eve")
            place.know(ladder)
            patch.setattr(running, "Pool", lambda *_: place)
            patch.setattr(attendance.time, "monotonic", lambda: place.now)
            yield ladder, place


HAPPENINGS = st.lists(
    st.tuples(
        st.sampled_from(["join", "leave", "absent", "played", "stale", "later"]),
        st.integers(0, 40),
    ),
    max_size=60,
)
