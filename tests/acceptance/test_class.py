"""A teacher's day: the commands of the log in docs/class.md, and pupils who submit meanwhile."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ladder.submission.starter_kits import KITS, VENDOR_SCRIPT, kit_folder, new_bot, vendor
from tests.ladder.server.api.test_submit import archive_of, sha256_of
from tests.support.api_server import Visitor
from tests.support.ladders import Command
from tests.support.waiting import until

LOG = Path(__file__).parents[2] / "docs" / "class.md"
MOST_COMMANDS = 6
FEW, MANY = 4, 30
LATE = "Nora Berg"
RENAMED, NEW_NAME = "Pupil 02", "Yusuf Aydin"
CRASHES = """

_asked = 0
_real = choose


def choose(position):
    global _asked
    _asked += 1
    return _real(position) if _asked < 20 else [][1]
"""
"""What a bot does after its validation match."""


class Teacher:
    """Types what the log shows, at addresses of this machine."""

    def __init__(self, folder: Path) -> None:
        """Work in a folder."""
        self.folder = folder
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.port = free.getsockname()[1]
        log = re.findall(r"^```console\n(.*?)^```$", LOG.read_text(), re.DOTALL | re.MULTILINE)[-1]
        _, *told = log.split("$ ladder ")
        self.told = {command: lines for command, *lines in map(str.splitlines, told)}
        """What the log shows of what each command prints."""
        self._environment = {**os.environ, "COLUMNS": "110"}

    def typed(self, begin: str) -> str:
        """Return the log's one command that begins so."""
        (command,) = (one for one in self.told if one.startswith(begin))
        return command

    def words(self, begin: str) -> list[str]:
        """Return it as words, at addresses of this machine."""
        at_home = self.typed(begin).replace("192.168.1.20:8000", f"127.0.0.1:{self.port}")
        at_home = at_home.replace("--host 0.0.0.0 --port 8000", f"--port {self.port}")
        return [str(Path(sys.executable).with_name("ladder")), *shlex.split(at_home)]

    def types(self, begin: str) -> str:
        """Type a command, and return what it prints."""
        done = subprocess.run(
            self.words(begin),
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        print(f"$ ladder {begin}\n{done.stdout}")  # noqa: T201 -- the log
        return done.stdout

    @contextmanager
    def serves(self) -> Iterator[None]:
        """Serve and play the ladder while the block runs."""
        with (
            (self.folder / "log").open("wb") as log,
            subprocess.Popen(
                self.words("serve"), cwd=self.folder, stdout=log, stderr=log
            ) as server,
        ):
            try:
                until(lambda: b"Open http" in (self.folder / "log").read_bytes())
                yield
            finally:
                server.terminate()

    def visitors(self, sheet: str) -> dict[str, Visitor]:
        """Return the pupils on printed invitations, by name."""
        text = (self.folder / "7b" / sheet).read_text("utf-8")
        found = zip(
            re.findall("<h1>(.*)</h1>", text), re.findall("/me/#([^<]+)<", text), strict=True
        )
        return {name: Visitor(f"127.0.0.1:{self.port}", token) for name, token in found}


def submit(pupil: Visitor, archive: bytes) -> str:
    """Send a bot, as often as it is asked to wait; return the last line of its log."""
    until(lambda: pupil.ask("POST", "/submissions", archive).status != 429)
    log = until(lambda: _log(pupil, archive))
    return log.splitlines()[-1]


def _log(pupil: Visitor, archive: bytes) -> str:
    """Return the log of a submission up to its end; nothing if it was asked for too often."""
    answer = pupil.get(f"/submissions/{sha256_of(archive)}/log")
    return "" if answer.status == 429 else answer.body.decode()


def bots(folder: Path, number: int, *, every_kit: bool) -> Iterator[Path]:
    """Make `number` bots: one of each kit that can be built here, the others of the first kit."""
    sources = [kit_folder("python", "courtisans")]
    if every_kit:
        there = [name for name in KITS if all(map(shutil.which, KITS[name].programs))]
        sources += [kit_folder(name, "courtisans") for name in there if name != "python"]
        sources += [kit_folder(name, None, plain=True) for name in there]
    for i in range(number):
        made = folder / f"bot-{i}"
        new_bot(made, sources[i] if i < len(sources) else sources[0], "courtisans")
        if (made / VENDOR_SCRIPT).exists():
            assert not vendor(made)
        yield made


def the_day(folder: Path, number: int, *, every_kit: bool) -> None:
    """Let a class of `number` do what the log says; one crashes, one is renamed, one comes late."""
    teacher = Teacher(folder)
    names = [f"Pupil {i:02}" for i in range(1, number)]
    (folder / "names.csv").write_text("name\n" + "\n".join(names))
    *made, late = bots(folder / "made", number, every_kit=every_kit)
    _crash(made[0] / "bot.py")
    archives = [archive_of(bot) for bot in made]

    teacher.types("class create")
    pupils = teacher.visitors("invitations.html")
    assert [*pupils] == names
    with teacher.serves():
        with ThreadPoolExecutor(number) as threads:
            said = [*threads.map(submit, pupils.values(), archives)]
        teacher.types("class invite")
        (latecomer,) = teacher.visitors("2invitations.html").values()
        said.append(submit(latecomer, archive_of(late)))
        assert said == [f"bot-{i} version 1 plays." for i in range(number)]
        until(lambda: _all_have_played(latecomer), seconds=600)
        teacher.types("tournament")
    known = folder / "7b" / "class.csv"
    known.write_text(known.read_text("utf-8").replace(RENAMED, NEW_NAME), "utf-8")
    results = teacher.types("class results")

    for name in ({*names} - {RENAMED}) | {LATE, NEW_NAME}:
        assert name in results, results


def _shape(line: str) -> str:
    """Return a line with each number as 0."""
    return re.sub(r"\d+", "0", line)


def _crash(file: Path) -> None:
    code = file.read_text()
    begin = code.rindex("\n\nif __name__")
    file.write_text(code[:begin] + CRASHES + code[begin:])


def _all_have_played(pupil: Visitor) -> bool:
    answer = pupil.get("/standings")
    if answer.status == 429:  # asked too often
        return False
    rows: Sequence[dict[str, int]] = answer.json["standings"]
    return all(row["matches"] for row in rows)


def test_the_commands_of_the_log_are_few_and_work(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class is made, one member comes late, and results are shown before anything is played."""
    monkeypatch.chdir(tmp_path)
    teacher = Teacher(tmp_path)
    (tmp_path / "names.csv").write_text("name\nPupil 1\nPupil 2\n")
    begins = ("class create", "class invite", "class results")
    ended = [command(*teacher.words(begin)[1:]) for begin in begins]

    printed = {_shape(line) for done in ended for line in done.out.splitlines()}
    assert len(teacher.told) <= MOST_COMMANDS
    shown = [line for begin in begins[:2] for line in teacher.told[teacher.typed(begin)]]
    assert {*map(_shape, shown)} <= {*printed, "..."}
    assert [(done.status, done.err) for done in ended] == [(0, "")] * 3
    assert [*teacher.visitors("invitations.html")] == ["Pupil 1", "Pupil 2"]
    assert [*teacher.visitors("2invitations.html")] == [LATE]
    assert all(name in ended[-1].out for name in ("Pupil 1", "Pupil 2", LATE))


@pytest.mark.long
@pytest.mark.proof
def test_a_teacher_of_thirty_needs_few_commands(
    tmp_path: Path, proof_cases: Callable[[int], int]
) -> None:
    """Thirty pupils, with each kit that can be built here; with -s it prints the log."""
    number = max(FEW, proof_cases(MANY))
    the_day(tmp_path, number, every_kit=number == MANY)
