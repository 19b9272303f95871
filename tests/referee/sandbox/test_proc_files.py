"""What programs see of /proc: of the machine nothing, and a bot has constant files alone."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.sandbox.contain import proc_files
from referee.sandbox.contain.proc_files import CONSTANT, HARMLESS
from referee.sandbox.levels import Sandbox
from referee.sandbox.program import Program

Printed = Callable[..., str]


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder that every user may enter."""
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o755)
    return folder


STATE = """
import os
for folder, folders, files in os.walk("/proc"):
    if folder == "/proc":
        print("links", os.stat(folder).st_nlink * (not BUILDING))
        folders[:] = [it for it in folders if not it.isdigit() and it not in ("acpi", "bus", "tty")]
    for name in (*folders, *files):
        path = f"{folder}/{name}"
        if os.path.islink(path) or name in SETTLED or path.startswith("/proc/sysvipc"): continue
        try: print(path, repr(open(path, "rb").read()) if name in files else os.listdir(path))
        except OSError: pass
"""


@pytest.mark.parametrize("building", [False, True])
def test_proc_tells_nothing_of_the_machine(
    strict: Sandbox, printed: Printed, bot: Path, *, building: bool
) -> None:
    """What can be read there never changes, whatever the machine does; a build sees itself, too."""
    settled = sorted(HARMLESS) if building else []
    script = f"SETTLED, BUILDING = {settled}, {building}\n{STATE}"
    first = printed(strict, script, bot, writable=building)
    busy = [os.pipe() for _ in range(100)]
    with subprocess.Popen(["sleep", "100"]) as running:
        again = printed(strict, script, bot, writable=building)
        running.kill()

    assert again == first
    assert {line.split()[0].split("/")[-1] for line in first.splitlines()} >= set(CONSTANT)
    assert ("/proc/sys []" in first) == building
    for ends in busy:
        os.close(ends[0])
        os.close(ends[1])


def test_a_bot_has_no_file_system_of_processes(
    strict: Sandbox, printed: Printed, bot: Path
) -> None:
    """Its files would tell who else has a page mapped, and what the machine counts."""
    script = (
        "import os\n"
        "print(sorted(os.listdir('/proc')), os.listdir('/proc/self'))\n"
        "print(os.stat('/proc').st_dev == os.stat('/').st_dev)\n"
        "print(open('/proc/self/maps').read(), end='')"
    )
    listed, same, maps = printed(strict, script, bot).splitlines()

    assert listed == f"{sorted(['2', 'self', *CONSTANT])} ['stat', 'maps', 'fd']"
    assert same == "True"
    assert maps.endswith("[stack]")


STACK = """
import ctypes, threading
libc = ctypes.CDLL(None)
asked, start, size = ctypes.create_string_buffer(64), ctypes.c_void_p(), ctypes.c_size_t()
failed = libc.pthread_getattr_np(ctypes.c_void_p(threading.get_ident()), asked)
libc.pthread_attr_getstack(asked, ctypes.byref(start), ctypes.byref(size))
libc.getauxval.restype = ctypes.c_ulong
name = libc.getauxval(31)  # AT_EXECFN: the kernel puts it at the end of the stack
print(failed, start.value < name < start.value + size.value, size.value <= 16 << 20)
"""


def test_a_program_finds_its_stack(strict: Sandbox, printed: Printed, bot: Path) -> None:
    """The loader looks that up in /proc, and .NET does not start without."""
    assert printed(strict, STACK, bot) == "0 True True\n"


def test_a_program_sees_no_other_process(strict: Sandbox, printed: Printed, bot: Path) -> None:
    """A build sees two of its own: the first of the namespace, and itself. A bot, itself alone."""
    script = "import os; print(*(name for name in os.listdir('/proc') if name.isdigit()))"

    assert len(printed(strict, script, bot, writable=True).split()) == 2
    assert printed(strict, script, bot).split() == ["2"]


@pytest.mark.parametrize("building", [False, True])
def test_the_first_process_tells_nothing(
    strict: Sandbox,
    printed: Printed,
    bot: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    building: bool,
) -> None:
    """What starts a bot must not have the referee's environment: it could be read there."""
    monkeypatch.setenv("SECRET_OF_THE_REFEREE", "1")
    script = (
        "import glob\n"
        "for name in glob.glob('/proc/*/environ'):\n"
        "    try: print(open(name).read())\n"
        "    except OSError as error: print(error.strerror)"
    )

    assert "SECRET" not in printed(strict, script, bot, writable=building)


@pytest.mark.parametrize("building", [False, True])
def test_the_first_process_is_out_of_reach(
    strict: Sandbox, printed: Printed, bot: Path, *, building: bool
) -> None:
    """In the memory of bubblewrap's own a program would be neither limited nor stopped."""
    script = (
        "import os\n"
        "for file in ('mem', 'task/1/mem', 'fd', 'root'):\n"
        "    try: os.close(os.open('/proc/1/' + file, os.O_RDWR * file.endswith('mem')))\n"
        "    except FileNotFoundError: print('nothing')\n"
        "try: os.mkdir('/proc/1/x')\n"
        "except OSError as error: print(error.strerror)"
    )
    said = printed(strict, script, bot, writable=building).splitlines()

    assert said[:4] == ["nothing"] * 4
    assert len(said) == 5


@pytest.mark.parametrize(("name", "found"), [("own", "/bot/own"), ("sh", "")])
def test_a_bots_own_program_finds_itself(strict: Sandbox, bot: Path, name: str, found: str) -> None:
    """By the link that runtimes ask; for a shell, which starts others, there is none."""
    shutil.copy(shutil.which("readlink") or "", bot / "own")
    commands = {"own": ("./own", "/proc/self/exe"), "sh": ("sh", "-c", "./own /proc/self/exe")}

    async def output() -> str:
        process = await strict.start(Program(commands[name], bot))
        await process.exited()
        await process.kill()
        return process.output().strip()

    assert asyncio.run(output()) == found


def test_a_machine_may_have_many_cores(
    strict: Sandbox, printed: Printed, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told of them is longer than a pipe is wide."""
    contents = (b"processor\n" * 100_000, *proc_files.contents(building=False)[1:])
    monkeypatch.setattr("referee.sandbox.contain.strict.contents", lambda **_: contents)

    assert printed(strict, "print(len(open('/proc/cpuinfo').read()))", bot) == "1000000\n"
