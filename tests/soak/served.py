"""A ladder that is served and played as for months, and what its processes take meanwhile."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from ladder.model.matches import MatchState
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from tests.support.processes import children, heap_mib, is_python_child

_ROOT = Path(__file__).resolve().parents[2]
_LADDER = Path(sys.executable).with_name("ladder")
_BOT = _ROOT / "sample_bots" / "python" / "courtisans" / "random"
_ADDRESS = re.compile(r"http://\S+/")
_SECONDS_TO_ANSWER = 30.0
BOTS = 8


@dataclass(frozen=True, slots=True)
class Usage:
    """What one process takes."""

    heap_mib: float
    """Memory that is of no file."""
    files: int
    threads: int


class Served:
    """`ladder serve --play` of a ladder of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        """Make the ladder in this folder; its bots are all the same, so it takes long to settle."""
        self._folder = folder
        self._home = Home(folder / "ladder")
        self._workers = workers
        self._order("init", self._home.path, "--seed", "soak")
        self._releases = 0
        for number in range(BOTS):
            self._enter(f"bot{number}")

    def _order(self, *words: object) -> None:
        subprocess.run([_LADDER, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def _enter(self, name: str) -> None:
        folder = self._folder / name
        folder.mkdir(exist_ok=True)
        for file in _BOT.iterdir():
            if file.is_file():
                text = file.read_text().replace('"random"', f'"{name}"')
                (folder / file.name).write_text(f"{text}# release {self._releases}\n")
        self._order("submit", "--ladder", self._home.path, folder)

    def renew(self) -> None:
        """Submit another version of a bot: a ladder that was settled plays on."""
        self._releases += 1
        self._enter(f"bot{self._releases % BOTS}")

    @contextmanager
    def running(self) -> Iterator[None]:
        """Serve and play it meanwhile."""
        command = [str(_LADDER), "serve", "--play", "--port", "0"]
        told = self._folder / "told.txt"
        with told.open("wb") as out:
            self._process = subprocess.Popen(
                [*command, "--ladder", self._home.path, "--workers", str(self._workers)],
                stdout=out,
                stderr=out,
            )
        try:
            yield
        finally:
            self._process.terminate()
            self._process.wait()

    def has_ended(self) -> bool:
        """Tell whether it is gone."""
        return self._process.poll() is not None

    def visit(self) -> None:
        """Look at its first page, as somebody does now and then."""
        told = _ADDRESS.search((self._folder / "told.txt").read_text(errors="replace"))
        if told is not None:
            # The address is what our own process has printed.
            with closing(urlopen(told[0], timeout=_SECONDS_TO_ANSWER)) as page:  # noqa: S310
                page.read()

    def done(self) -> int:
        """Return how many matches are done."""
        with Ladder.open(self._home) as ladder, ladder.database.read() as tx:
            return matches.count(tx, MatchState.DONE)

    def usage(self) -> dict[str, Usage]:
        """Return what each process takes now: parent, player and workers."""
        named = {"parent": self._process.pid}
        with suppress(OSError):
            for player in filter(is_python_child, children(self._process.pid)):
                named["player"] = player
                workers = filter(is_python_child, children(player))
                named |= {f"worker {n}": pid for n, pid in enumerate(workers, start=1)}
        found: dict[str, Usage] = {}
        for name, pid in named.items():
            with suppress(OSError):  # it has just ended
                found[name] = Usage(heap_mib(pid), _entries(pid, "fd"), _entries(pid, "task"))
        return found


def _entries(pid: int, folder: str) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/{folder}").iterdir())
