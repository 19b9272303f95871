"""Rules that crash or never end void their match, in one clear line, and nothing else."""

import shutil
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import pytest

from tests.support.clusters import NAMES, RealCluster
from tests.support.installed import with_site

RULES = """
import ctypes, itertools, os, sys
from pathlib import Path
from referee.games.plain import Event, PlainGame, PlainState, View

FAULT = Path(__file__).with_name("fault")

def recurse():
    return recurse()

DO = {
    "raise": lambda: {}["x"],
    "recurse": recurse,
    "exit": lambda: sys.exit(3),
    "leave": lambda: os._exit(3),
    "crash": lambda: ctypes.string_at(0),
    "loop": lambda: sum(itertools.repeat(0)),
}

def reach(part):
    faulty, kind = FAULT.read_text().split() if FAULT.exists() else ("", "")
    if part == faulty:
        DO[kind]()

class Drawn(PlainState):
    def __init__(self, moves=0):
        self.moves = moves
    @property
    def to_act(self):
        endless = FAULT.exists() and FAULT.read_text() == "to_act endless"
        return self.moves % 2 if self.moves < 4 or endless else None
    def options(self):
        reach("options")
        return {0: "left", 1: "right"}
    def apply(self, action):
        if self.moves == 2:
            reach("apply")
        return Drawn(self.moves + 1), [Event("moved")]
    def view(self, seat):
        if self.moves == 2:
            reach("view")
        return View([f"move {self.moves}"], {"move": self.moves})
    def points(self):
        reach("points")
        return [0, 0]

class Faulty(PlainGame):
    name, title, seats = "faulty", "Faulty", range(2, 3)
    def deal(self, config, seats, stream):
        reach("deal")
        return 0
    def initial_state(self, config, seats, deal):
        return Drawn()
    def most_decisions(self, config, seats):
        return 4

GAME = Faulty()
"""
FAULTS = {
    "deal raise": "the game 'faulty' failed in deal: KeyError: 'x' (",
    "options raise": "the game 'faulty' failed in options: KeyError: 'x' (",
    "view raise": "the game 'faulty' failed in view: KeyError: 'x' (",
    "apply exit": "the game 'faulty' failed in apply: SystemExit: 3 (",
    "apply recurse": "the game 'faulty' failed in apply: RecursionError: ",
    "points raise": "the game 'faulty' failed in ranks: KeyError: 'x' (",
    "to_act endless": "the game 'faulty' failed in to_act: the game goes on beyond",
    "apply leave": " in apply of the game 'faulty'",
    "view crash": " in view of the game 'faulty'",
}
"""What each fault is told as."""
LOOP = " in apply of the game 'faulty', which did not return within 30 s of CPU time (File"
Done = subprocess.CompletedProcess[str]


class Broken:
    """The faulty game, with three bots and a ladder of two."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        info = self.site / "faulty-1.0.dist-info"
        info.mkdir(parents=True)
        (self.site / "faulty.py").write_text(RULES)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[courtyard.games]\nfaulty = faulty:GAME\n")
        self._folder = folder
        self.bots = [folder / name for name in ("ann", "bob", "eve")]
        first, *others = self.bots
        self._must("new-bot", first, "--plain", "--language", "python")
        for bot in others:
            shutil.copytree(first, bot)
            manifest = bot / "bot.toml"
            manifest.write_text(manifest.read_text().replace(first.name, bot.name))

    @cached_property
    def ladder(self) -> Path:
        """A ladder that two bots have joined, by rules that are still right."""
        made = self._folder / "ladder"
        self._must("init", "--game", "faulty", "--seats", 2, "--seed", "s", made)
        self._must("submit", *self.bots[:2], "--ladder", made)
        return made

    def tournament(self, folder: Path) -> Path:
        """Make a tournament, and play its first round by rules that are still right."""
        words = *self.bots, "--game", "faulty", "--seats", 2, "--until-round", 1
        self._must("tournament", "round-robin", folder, *words)
        return folder

    def _must(self, *words: object) -> None:
        done = self.command("ladder", *words)
        assert done.returncode == 0, done.stdout + done.stderr

    def command(self, program: str, *words: object, fault: str | None = None) -> Done:
        """Run a command of ours with this fault in the rules."""
        planted = self.site / "fault"
        planted.unlink(missing_ok=True)
        if fault:
            planted.write_text(fault)
        return subprocess.run(
            [Path(sys.executable).with_name(program), *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=with_site(self.site),
        )

    def run(self, *words: object, fault: str | None = None) -> Done:
        """Play a match of the ladder."""
        return self.command(
            "ladder", "run", "--ladder", self.ladder, "--matches", 1, *words, fault=fault
        )

    def play(self, fault: str) -> Done:
        """Play a match without a ladder."""
        ann, bob, _ = self.bots
        words = "play", "--game", "faulty", "--quiet", ann, bob
        return self.command("referee", *words, fault=fault)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    """The faulty game, whose rules are still right."""
    return Broken(tmp_path_factory.mktemp("faulty"))


def void_lines(done: Done) -> list[str]:
    """Return the lines about void matches: a busy machine has others."""
    assert "Traceback" not in done.stderr
    return [line for line in done.stderr.splitlines() if " was void " in line]


def goes_on(broken: Broken, faulty: Done, told: str) -> None:
    """Check that a run told of its fault in a line a try, and that mended rules play on."""
    assert faulty.returncode == 0, faulty.stderr
    lines = void_lines(faulty)
    assert len(lines) == 3
    assert all(told in line for line in lines), lines

    mended = broken.run()
    assert mended.returncode == 0, mended.stderr
    assert "Played 1 match" in mended.stdout


def one_line(done: Done, told: str) -> None:
    """Check that a command failed with one line that tells of the fault."""
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert told in line


@pytest.mark.proof
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_rule_voids_the_match_and_the_ladder_goes_on(broken: Broken, fault: str) -> None:
    """The run says why in one line a try, and ends well; with mended rules the next one plays."""
    goes_on(broken, broken.run(fault=fault), FAULTS[fault])


@pytest.mark.proof
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_rule_refuses_a_submission_in_one_line(broken: Broken, fault: str) -> None:
    """Neither the bot nor the ladder is blamed."""
    words = "submit", broken.bots[2], "--ladder", broken.ladder
    done = broken.command("ladder", *words, fault=fault)

    one_line(done, FAULTS[fault])


@pytest.mark.sweep
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_rule_ends_a_match_without_a_ladder_in_one_line(
    broken: Broken, fault: str
) -> None:
    """Also where the rules end the process."""
    one_line(broken.play(fault), FAULTS[fault])


@pytest.mark.proof
@pytest.mark.parametrize("fault", FAULTS)
def test_a_tournament_waits_until_a_broken_rule_is_mended(
    broken: Broken, fault: str, tmp_path: Path
) -> None:
    """Each line but the last says why a match was void; with mended rules it comes to its end."""
    folder = broken.tournament(tmp_path / "tournament")
    words = "ladder", "tournament", "round-robin", folder
    done = broken.command(*words, fault=fault)

    assert done.returncode == 1
    assert "the contest is not over" in done.stderr
    assert (lines := void_lines(done))
    assert all(FAULTS[fault] in line for line in lines), lines
    assert broken.command(*words).returncode == 0


@pytest.mark.proof
def test_a_loop_in_c_voids_its_match(broken: Broken) -> None:
    """After 30 s of CPU time, in each try."""
    goes_on(broken, broken.run(fault="apply loop"), LOOP)


@pytest.mark.proof
def test_a_loop_in_c_ends_a_command_in_one_line(broken: Broken) -> None:
    """And in no word of the system."""
    done = broken.play("apply loop")

    assert done.returncode > 0
    one_line(done, LOOP)


@pytest.mark.proof
def test_a_cluster_plays_on_after_a_broken_rule(broken: Broken, tmp_path: Path) -> None:
    """What ends a child of a worker ends neither the worker nor the run."""
    with RealCluster(tmp_path, PYTHONPATH=with_site(broken.site)["PYTHONPATH"]) as cluster:
        at = "--cluster", cluster.address, "--certificates", cluster.certificates.folder
        for fault in ("view raise", "apply leave"):
            goes_on(broken, broken.run(*at, fault=fault), FAULTS[fault])
        assert all(cluster.workers[name].poll() is None for name in NAMES)
