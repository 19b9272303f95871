"""The sandbox for an ordinary user: when these tests run as root, they run once more as another.

Root and others get their sandboxes in different ways, and continuous integration is often root.
"""

import os
import pwd
import re
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import courtyard
import courtyard_kit
import pytest

import referee
from tests.support.lacking import skip
from tests.support.sampling import SAMPLE

HERE = Path(__file__).parent
COVERT_CHANNELS = HERE.parents[1] / "security" / "test_covert_channels.py"
PYTHON = "/usr/bin/python3"
ROOTS = [
    str(Path(package.__file__ or "").parents[1]) for package in (referee, courtyard, courtyard_kit)
]


pytestmark = pytest.mark.long


@pytest.fixture
def as_user() -> Iterator[Callable[..., "subprocess.CompletedProcess[str]"]]:
    """Run pytest as a user who may nothing, by the system's Python."""
    if os.geteuid() != 0:
        skip("only root can become another user", "sudo make test")
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not os.path.realpath(PYTHON).endswith(name):
        skip(f"{PYTHON}, which every user can run, is no {name}", f"make test PYTHON={PYTHON}")
    folder = Path(tempfile.mkdtemp(prefix="courtyard-user-"))
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    packages = folder / "venv" / "lib" / name / "site-packages"
    (packages / "all.pth").write_text("\n".join([*site.getsitepackages(), *ROOTS]))
    user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)

    def run(*arguments: object, sample: int = SAMPLE) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [f"{folder}/venv/bin/python", "-m", "pytest", *map(str, arguments)],
            cwd=folder,
            env={
                "PATH": os.defpath,
                "PYTEST_ADDOPTS": "-pno:cacheprovider",
                "TMPDIR": str(folder),
                "PYTHONDONTWRITEBYTECODE": "1",
                "COURTYARD_SAMPLE": str(sample),
            },
            user=user.pw_uid,
            group=user.pw_gid,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        yield run
    finally:
        shutil.rmtree(folder)


def test_a_user_has_a_sandbox(
    as_user: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    """What a program sees and may do is the same as when root starts it."""
    files = ("test_strict.py", "test_proc_files.py", "test_shared_inodes.py")
    done = as_user(*(HERE / name for name in files))

    assert done.returncode == 0, done.stdout


@pytest.mark.proof
def test_no_user_takes_a_lease_or_has_counts_of_its_own(
    as_user: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    """A bot of an ordinary user owns the packages beside Python; who opens one would wait 45 s.

    And what the kernel counts for each user passes between its bots: the attack is a real one.
    """
    done = as_user(COVERT_CHANNELS, "-k", "(lease and passes) or (one_user and trusted)", sample=1)

    assert done.returncode == 0, done.stdout
    assert re.search(r"\b[4-6] passed", done.stdout), done.stdout  # with or without bubblewrap


@pytest.mark.proof
def test_no_bot_of_a_user_tells_another(
    as_user: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    """All channels, for bots that have the user of the referee."""
    done = as_user(COVERT_CHANNELS, "-k", "passes")

    assert done.returncode == 0, done.stdout


@pytest.mark.proof
def test_a_user_has_all_of_it(
    as_user: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    """All tests of the sandbox; the packages beside this Python are not beside that one."""
    done = as_user(HERE, "-k", "not python3_is_the_python")

    assert done.returncode == 0, done.stdout
