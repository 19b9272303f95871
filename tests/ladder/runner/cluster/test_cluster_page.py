"""What docs/cluster.md shows can be typed, and works."""

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import typer

from ladder.cli.app import app
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.storage.ladder import Ladder
from tests.ladder.runner.conftest import FAKE_RUN
from tests.support.clusters import ROOT, kill, line
from tests.support.lacking import need_dask
from tests.support.ladders import MakeBot
from tests.support.new_ladder import new_ladder

PAGE = (ROOT / "docs" / "cluster.md").read_text()


def shown(kind: str) -> list[str]:
    """Return the examples of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("example", shown("console"))
def test_commands_are_understood(example: str) -> None:
    """Each command of the page exists, with these options."""
    _, _, name, *words = shlex.split(example)
    group = typer.main.get_group(app)
    command = group.commands[name]
    command.make_context(name, words)


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A cluster of plain Dask commands, as shown: the scheduler's address, and the worker."""
    need_dask()
    ClusterCertificates(tmp_path / "certificates").make()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    found = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{found}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    with ExitStack() as stack:
        started = []
        for example, said in zip(shown("sh"), ("Scheduler at", "Registered to"), strict=True):
            here = example.replace("HOST", "127.0.0.1").replace("8786", port)
            variable, _, command = here.partition(" dask ")
            process = subprocess.Popen(
                ["sh", "-c", f"exec env {variable} dask {command}" if command else f"exec {here}"],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.callback(kill, process)
            line(process, said)
            started.append(process)
        yield f"tls://127.0.0.1:{port}", started[-1]


@pytest.mark.proof
def test_plain_dask_commands_do(
    dask: tuple[str, subprocess.Popen[str]],
    tmp_path: Path,
    make_bot: MakeBot,
    enter: Callable[..., object],
) -> None:
    """A ladder plays on a scheduler and a worker that are started by Dask's own commands."""
    home = new_ladder(tmp_path / "ladder", "always the same")
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("ann"))
    ended = subprocess.run(
        [*FAKE_RUN, home.path, "5", "1"],
        cwd=ROOT,
        env={
            **os.environ,
            "CLUSTER": dask[0],
            "CERTIFICATES": str(tmp_path / "certificates"),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert "with 4 cores." in ended.stdout
    assert ended.stdout.splitlines()[-1] == "report 5 0 0 False"
