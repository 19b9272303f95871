"""The ladder that the monkey is let loose on: its bots, its runs, and all their processes."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ladder.model.matches import MatchState
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from ladder.submission.submit import submit
from referee.sandbox.program import Level
from tests.chaos.machine import Groups, WallClock
from tests.support.processes import children, family, is_python_child
from tests.support.remote_bots import HERE, Keys

_ROOT = Path(__file__).resolve().parents[2]
_LADDER = Path(sys.executable).with_name("ladder")
_BOTS = _ROOT / "sample_bots" / "python" / "courtisans"
LOCAL = {
    "ada": "grpc",
    "ben": "grpc",
    "cat": "stdio",
    "dan": "stdio-json",
    "hal": "grpc",
    "ivy": "stdio",
    "jim": "stdio",
    "kay": "stdio-json",
}
"""Bots of this machine that answer in milliseconds, and how their messages travel.

Matches with a remote bot are played at the gateway: enough of them that workers play too.
"""
REMOTE = ("eve", "fay")
_AUTHOR = "gus"
_WORKERS = 2
_THINKS_S = 0.02
"""How long a bot thinks: whatever stops a match is likely to come while its clock runs."""
_SHORT = ("--decision-limit", 2, "--bank", 10)
"""What bots are given that need milliseconds: short stops matter."""


class Victim:
    """A ladder of quick and honest bots, and the runs in which it is played, one after another."""

    def __init__(
        self,
        place: Path,
        disk: Path,
        groups: Groups | None,
        clock: WallClock | None,
        planted: str = "",
    ) -> None:
        """Have the ladder and its temporary files on this disk, and all else in this place.

        With a planted fault it is Courtyard with a mistake in it.
        """
        self.home = Home(disk / "ladder")
        self.scratch = disk / "t"
        self.scratch.mkdir()
        self.keys = Keys.made(place)
        self.gateway = f"{HERE}:{_free_port()}"
        self.told = place / "told.txt"
        """What all runs have printed."""
        self.run: subprocess.Popen[bytes] | None = None
        self._groups = groups
        module = ["-m", "tests.chaos.planted", planted]
        self._command = [sys.executable, *module] if planted else [str(_LADDER)]
        self._environment = {
            **os.environ,
            "TMPDIR": str(self.scratch),
            **({"PYTHONPATH": str(_ROOT)} if planted else {}),
            **(clock.environment if clock else {}),
        }

    def make(self, level: Level, seed: int, folder: Path, more: Sequence[Path]) -> str:
        """Make the ladder, and return the token of the author of its remote bots."""
        own = ("--sandbox", level, "--seed", f"chaos {seed}")
        self.order("init", self.home.path, *own, *_SHORT)
        local = [self._bot(folder / name, transport) for name, transport in LOCAL.items()]
        self.order("submit", "--ladder", self.home.path, *local, *more)
        with Ladder.open(self.home) as ladder:
            for name in REMOTE:
                remote = self._bot(folder / name, "remote")
                submit(ladder, remote, lambda _: None, author=_AUTHOR)
            return tokens.create(ladder, _AUTHOR)

    @staticmethod
    def _bot(folder: Path, transport: str) -> Path:
        folder.mkdir(parents=True)
        lines = [f'name = "{folder.name}"', 'games = ["courtisans"]', f'transport = "{transport}"']
        if transport != "remote":
            lines.append('command = ["python3", "bot.py"]')
        (folder / "bot.toml").write_text("\n".join(lines) + "\n")
        program = (_BOTS / "random" / "bot.py").read_text()
        program = program.replace('"random"', f'"{folder.name}"')
        program = program.replace(
            "    return position", f"    sleep({_THINKS_S})\n    return position"
        )
        (folder / "bot.py").write_text(f"from time import sleep\n{program}")
        return folder

    def order(self, *words: object) -> str:
        """Have a command of the ladder's carried out; return what it prints."""
        command = [str(_LADDER), *map(str, words)]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CommandError(f"ladder {' '.join(command[1:])}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self, *ends: object) -> None:
        """Begin a run up to these ends, in a group of processes of its own, as a shell does."""
        gateway = ("--tls-cert", self.keys.of_gate.chain, "--tls-key", self.keys.of_gate.key)
        words = ("run", "--ladder", self.home.path, "--workers", _WORKERS, *ends)
        command = [*self._command, *map(str, (*words, "--remote", self.gateway, *gateway))]
        if self._groups is not None:
            command = self._groups.entering(command)
        with self.told.open("ab") as told:
            self.run = subprocess.Popen(
                command,
                env=self._environment,
                cwd=self.home.path,
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    def tree(self) -> Sequence[int]:
        """Return the run's process and all that descend from it, itself first."""
        if self.run is None or self.run.poll() is not None:
            return []
        return family(self.run.pid)

    def workers(self) -> Sequence[int]:
        """Return the processes in which matches are played, at the gateway as well."""
        return [pid for pid in self.tree()[:1] for pid in children(pid) if is_python_child(pid)]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the run's group, as the terminal does: to what is left of it."""
        if self.run is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.run.pid, number)

    def over(self) -> int:
        """Return how many matches are over: done, or given up."""
        with Ladder.open(self.home) as ladder, ladder.database.read() as tx:
            return sum(matches.count(tx, state) for state in (MatchState.DONE, MatchState.VOID))

    def left_over(self) -> int:
        """Return how many matches were planned and are not done."""
        with Ladder.open(self.home) as ladder, ladder.database.read() as tx:
            return len(matches.ids(tx)) - matches.count(tx, MatchState.DONE)


class CommandError(Exception):
    """A command of the ladder's failed; the message is what it printed."""


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind((HERE, 0))
        return int(listening.getsockname()[1])
