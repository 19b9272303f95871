"""Rules that crash or never end void their match, in one clear line, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.installed import with_site

RULES = """
import ctypes, itertools, os, sys
from pathlib import Path
from referee.games.plain import Event, PlainGame, PlainState, View

FAULTS = Path(__file__).with_name("faults")

def recurse():
    return recurse()

DO = {
    "fine": lambda: None,
    "recursion": recurse,
    "exit": lambda: sys.exit(3),
    "leave": lambda: os._exit(3),
    "crash": lambda: ctypes.string_at(0),
    "loop in C": lambda: sum(itertools.repeat(0)),
}

class Drawn(PlainState):
    def __init__(self, fault, moves=0):
        self.fault, self.moves = fault, moves
    @property
    def to_act(self):
        return self.moves % 2 if self.moves < 4 else None
    def options(self):
        return {0: "left", 1: "right"}
    def apply(self, action):
        if self.moves == 2:
            DO[self.fault]()
        return Drawn(self.fault, self.moves + 1), [Event("moved")]
    def view(self, seat):
        return View([f"move {self.moves}"], {"move": self.moves})
    def points(self):
        return [0, 0]

class Faulty(PlainGame):
    name, title, seats = "faulty", "Faulty", range(2, 3)
    def deal(self, config, seats, stream):
        return stream.choice(FAULTS.read_text().splitlines()) if FAULTS.exists() else "fine"
    def initial_state(self, config, seats, deal):
        return Drawn(deal)
    def most_decisions(self, config, seats):
        return 4

GAME = Faulty()
"""


class Ladder:
    """A ladder of the faulty game, with two bots."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = folder / "site"
        info = self.site / "faulty-1.0.dist-info"
        info.mkdir(parents=True)
        (self.site / "faulty.py").write_text(RULES)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[courtyard.games]\nfaulty = faulty:GAME\n")
        self._make()

    def command(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run a command of ours."""
        program, *rest = map(str, arguments)
        return subprocess.run(
            [Path(sys.executable).with_name(program), *rest],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=with_site(self.site),
        )

    def _make(self) -> None:
        """Make the ladder, with rules that are still right."""
        ladder = self.folder / "ladder"
        self._must("ladder", "init", "--game", "faulty", "--seats", 2, "--seed", "s", ladder)
        for name in ("ann", "bob"):
            self._must("ladder", "new-bot", self.folder / name, "--plain", "--language", "python")
        self._must("ladder", "submit", self.folder / "ann", self.folder / "bob", "--ladder", ladder)

    def run(self, fault: str) -> subprocess.CompletedProcess[str]:
        """Play a match with this fault in the rules."""
        (self.site / "faults").write_text(fault)
        ladder = self.folder / "ladder"
        return self.command("ladder", "run", "--ladder", ladder, "--matches", 1)

    def _must(self, *arguments: object) -> None:
        done = self.command(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Ladder:
    """A ladder of the faulty game, whose rules are still right."""
    return Ladder(tmp_path_factory.mktemp("faulty"))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        pytest.param("crash", "its worker was ended by SIGSEGV", marks=pytest.mark.proof),
        ("leave", "its worker exited with status 3"),
        pytest.param(
            "exit",
            "the game 'faulty' failed in apply: SystemExit: 3 (",
            marks=pytest.mark.proof,
        ),
        ("recursion", "the game 'faulty' failed in apply: RecursionError: "),
        pytest.param(
            "loop in C",
            "its worker was ended (SIGVTALRM), as the rules of a game",
            marks=pytest.mark.proof,
        ),
    ],
)
def test_a_broken_rule_voids_the_match_and_the_ladder_goes_on(
    ladder: Ladder, fault: str, told: str
) -> None:
    """The run says why in one line a try, and ends well; with mended rules the next one plays."""
    broken = ladder.run(fault)
    assert broken.returncode == 0, broken.stderr
    lines = broken.stderr.splitlines()
    assert len(lines) == 3
    assert all(told in line for line in lines)

    mended = ladder.run("fine")
    assert mended.returncode == 0, mended.stderr
    assert "Played 1 match" in mended.stdout
