"""Build a bot: run each build step of its bot.toml to its end in a sandbox.

Compilers run code at compile time, and package managers run code of strangers. So a build is
contained like a bot: it may write to its own folder only, all its processes end with it, and it has
no network unless allowed.
"""

import asyncio
import codecs
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import courtyard.v1

from referee.core import folders
from referee.core.errors import RefereeError
from referee.core.faults import FaultKind
from referee.core.verdicts import Came, Facts, judge
from referee.hosting.manifest import Manifest
from referee.hosting.scripts import explained
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.levels import Sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program

SECONDS = 300.0
"""Time limit of all steps together."""
CPU_SECONDS = 600.0
"""CPU time limit of all steps together, over all cores; without control groups only the first
process of each step counts."""
LARGEST_BYTES = 1024 * 1024 * 1024
"""Largest size of a built folder."""
LOG_KEPT = 64 * 1024
"""Number of characters kept from the end of the output."""

_MIB = 1024 * 1024
_LIMITS = Limits(
    memory_bytes=2048 * _MIB,
    address_space_bytes=64 * 1024 * _MIB,
    processes=1024,
    cores=os.cpu_count() or 1,
    open_files=4096,
    file_bytes=512 * _MIB,
    scratch_bytes=1024 * _MIB,
)
_SECONDS_BETWEEN_LOOKS = 1.0
Say = Callable[[str], None]
"""Takes a text for people."""
_PROTOCOL = Path(*courtyard.v1.__path__)


def _nothing() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of all steps together."""

    kind: str = "build"
    """What the steps are, in words."""
    seconds: float = SECONDS
    cpu_seconds: float = CPU_SECONDS
    bytes: int = LARGEST_BYTES
    """The most that the folder may hold."""
    stop: Callable[[], str] = _nothing
    """Returns another reason to stop a step, empty if there is none; called every second."""


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build."""

    failure: str
    """Which step failed and how, in one line; empty if all passed."""
    log: str
    """The end of the log: each step and its output."""


def build(
    steps: Sequence[Sequence[str]],
    folder: Path,
    sandbox: Sandbox,
    *,
    network: bool,
    on_command: Say,
    on_output: Say = lambda _: None,
    environment: Mapping[str, str] | None = None,
    bounds: Bounds = Bounds(),
) -> Built:
    """Run the steps in the folder in order, up to the first that fails.

    Calls `on_command` with each command before it runs, and `on_output` every second with the new
    output, at most its last 16 KiB; adds `environment` to the cleared one. Raise `RefereeError` if
    this machine cannot run programs, or had no memory left for a step.
    """
    place = Path(tempfile.mkdtemp(prefix="courtyard-build-"))
    try:
        environment = {**(environment or {}), "COURTYARD_PROTO": _protocol_in(sandbox, place)}
        building = _Building(sandbox, folder, place, environment, network, on_output, bounds)
        return asyncio.run(building.run(steps, on_command))
    except OSError as error:
        raise RefereeError(f"nothing can be built here: {error}") from error
    finally:
        shutil.rmtree(place, ignore_errors=True)


def build_in_place(
    manifest: Manifest, sandbox: Sandbox, *, network: bool, on_command: Say
) -> Built:
    """Build a bot in its author's folder; the arguments are those of `build`.

    At level trusted the steps get the author's environment.
    """
    own = {name: value for name, value in os.environ.items() if name != "PATH"}
    return build(
        manifest.build,
        manifest.directory,
        sandbox,
        network=network,
        on_command=on_command,
        environment=own if sandbox.level is Level.TRUSTED else {},
    )


def _protocol_in(sandbox: Sandbox, place: Path) -> str:
    """Copy the .proto files where the build can read them; return the folder for `protoc -I`.

    Path and file times are the same in every build, so that incremental builds stay incremental.
    """
    if sandbox.level is Level.TRUSTED:
        return str(_PROTOCOL.parents[1])
    target = place / "courtyard" / "v1"
    target.mkdir(parents=True)
    for file in _PROTOCOL.glob("*.proto"):
        shutil.copy2(file, target / file.name)
        (target / file.name).chmod(0o644)
    for folder in (place, target.parent, target):  # a sandbox may run the build as another user
        folder.chmod(0o755)
    return sandbox.seen(place)


@dataclass(slots=True)
class _Building:
    """One build."""

    sandbox: Sandbox
    folder: Path
    place: Path
    environment: Mapping[str, str]
    network: bool
    on_output: Say
    bounds: Bounds
    cpu_us: int = 0
    """CPU time of the finished steps."""
    pauses: Pauses = field(default_factory=Pauses)
    began_ns: int = 0

    async def run(self, steps: Sequence[Sequence[str]], on_command: Say) -> Built:
        with self.pauses.watching():
            self.began_ns = self.pauses.now_ns()
            return await self._run(steps, on_command)

    def _left(self) -> float:
        """Return the seconds left; pauses of this process do not count."""
        paused_us = self.pauses.paused_us(self.began_ns)
        return self.bounds.seconds - (time.monotonic_ns() - self.began_ns) / 1e9 + paused_us / 1e6

    async def _run(self, steps: Sequence[Sequence[str]], on_command: Say) -> Built:
        log, failure = "", ""
        for number, step in enumerate(steps, start=1):
            command = shlex.join(step)
            on_command(command)
            what = f"step {number} of {len(steps)} of the {self.bounds.kind} ({command})"
            failure, output = await self._step(step, what)
            log += f"$ {command}\n{output}\n"
            if failure:
                break
        return Built(failure, log[-LOG_KEPT:])

    async def _step(self, step: Sequence[str], what: str) -> tuple[str, str]:
        """Run one step; return its failure, empty if none, and its output."""
        program = Program(
            command=tuple(step),
            directory=self.folder,
            place=self.place,
            environment=self.environment,
            writable=True,
            network=self.network,
            limits=_LIMITS,
        )
        try:
            process = await self.sandbox.start(program)
        except OSError as error:
            if judge(Facts(Came.NO_PROCESS, errno=error.errno)).is_void:
                raise
            return explained(f"{what} cannot be started: {error.strerror}", self.folder, step), ""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            failure = await self._ended(process, step, what, decoder)
        finally:
            await process.kill()
        self._report(process, decoder)
        self.cpu_us += process.usage().cpu_us
        # Only now can nothing change the folder any more.
        return failure or await self._excess(what), process.output()

    def _report(self, process: BotProcess, decoder: codecs.IncrementalDecoder) -> None:
        if text := decoder.decode(process.fresh_output()):
            self.on_output(text)

    async def _ended(
        self,
        process: BotProcess,
        step: Sequence[str],
        what: str,
        decoder: codecs.IncrementalDecoder,
    ) -> str:
        """Wait until the process ends or exceeds a limit; return its failure, empty if none."""
        while (left := self._left()) > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(process.exited(), min(left, _SECONDS_BETWEEN_LOOKS))
                ending = await process.ending(FaultKind.FAILED_TO_START, f"{what} failed")
                if ending.exit_code == 0:
                    return ""
                return explained(ending.reason, self.folder, step, process.output())
            self._report(process, decoder)
            if failure := await self._excess(what):
                return failure
            if (self.cpu_us + process.usage().cpu_us) / 1e6 > self.bounds.cpu_seconds:
                most = f"{self.bounds.cpu_seconds:.0f} s of CPU time"
                return f"{what} was stopped: a {self.bounds.kind} may use {most}"
        most = f"{self.bounds.seconds:.0f} s"
        return f"{what} was stopped: a {self.bounds.kind} may take {most}"

    async def _excess(self, what: str) -> str:
        """Return what exceeds the bounds, but for time; empty if nothing does."""
        # In a thread: waiting for a busy disk must not look like a pause of the referee.
        excess = await asyncio.to_thread(folders.excess, self.folder, self.bounds.bytes)
        reason = f"the folder {excess}" if excess else self.bounds.stop()
        return f"{what} was stopped: {reason}" if reason else ""
