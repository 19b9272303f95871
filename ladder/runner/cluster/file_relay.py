"""How bots' files get from the ladder to its workers, on the links that the cluster has anyway.

A worker asks the scheduler for an archive, piece by piece. The scheduler has no bots: a ladder
always has a request there that waits for what is wanted, sends what it has of it, and the scheduler
keeps the last archives in its memory, so that each is sent to it once for many workers. Nothing is
kept on a disk, and nothing of it outlives the scheduler: a ladder begins anew with the next one.

All of them know the archive by the digest of its files. Only the worker checks it.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from distributed import Client, Scheduler, Worker
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.protocol.pickle import dumps
from distributed.utils import sync
from distributed.worker import WORKER_ANY_RUNNING

from ladder.model.errors import BundleError, LadderError
from ladder.runner.cluster.bot_store import Fetch, pack
from ladder.storage.files.archive import LARGEST_STORED_ARCHIVE_BYTES
from ladder.storage.files.folder import Home

if TYPE_CHECKING:
    from concurrent.futures import Future

_LOG = logging.getLogger("courtyard.cluster")

PATIENCE_S = 60.0
"""How long a worker waits for a piece, as while the ladder or the scheduler is started anew."""
_KEPT_BYTES = 256 << 20
"""The bytes of whole archives that the scheduler keeps, besides those under way."""
_LONGEST_WAIT_S = 10.0
"""How long the scheduler lets a request wait."""
_PAUSE_S = 0.5
_NAME = "courtyard-files"


class UnavailableError(LadderError):
    """No ladder sends a bot's files now."""


@dataclass(slots=True)
class _Archive:
    """An archive in the scheduler's memory, as far as it has arrived."""

    pieces: list[bytes] = field(default_factory=list)
    size: int = 0
    is_whole: bool = False
    ladder: str = ""
    """The ladder that sends it; empty if none does yet."""
    readers: int = 0
    """How many requests wait for it."""
    refusals: dict[str, str] = field(default_factory=dict)
    """Why which ladders do not send it."""


class FileRelay(SchedulerPlugin):
    """The scheduler's part: keeps the archives that workers ask for, and tells ladders which."""

    name = _NAME
    idempotent = True

    def __init__(self) -> None:
        """Begin with nothing."""
        self._archives: OrderedDict[str, _Archive] = OrderedDict()
        """By digest; the longest unread first."""
        self._ladders: set[str] = set()
        self._kept = 0
        """Bytes of all pieces."""

    async def start(self, scheduler: Scheduler) -> None:
        """Answer workers and ladders from now on."""
        self._changed = asyncio.Condition()
        scheduler.handlers["courtyard_files_read"] = self.read
        scheduler.handlers["courtyard_files_wanted"] = self.wanted
        scheduler.handlers["courtyard_files_send"] = self.send

    def remove_client(self, scheduler: Scheduler, client: str) -> None:  # noqa: ARG002 -- Dask's
        """Let others send what a ladder that is gone was to send."""
        self._ladders.discard(client)
        for archive in self._archives.values():
            archive.refusals.pop(client, None)
            if archive.ladder == client and not archive.is_whole:
                archive.ladder = ""

    async def read(self, digest: str, index: int, wait_s: float) -> dict[str, Any]:
        """Answer a worker: a `piece`, b"" behind the last; or `refused`, why; or ask again."""
        archive = self._archives.setdefault(digest, _Archive())
        self._archives.move_to_end(digest)
        archive.readers += 1
        try:
            await self._notify()
            await self._wait(
                lambda: len(archive.pieces) > index or self._is_settled(archive), wait_s
            )
        finally:
            archive.readers -= 1
        if index < len(archive.pieces):
            return {"piece": archive.pieces[index]}
        if archive.is_whole:
            return {"piece": b""}
        refused = next(iter(archive.refusals.values())) if self._is_settled(archive) else None
        if not archive.readers and not archive.ladder:  # who asks later may have more luck
            self._forget(digest)
        return {"again": True} if refused is None else {"refused": refused}

    async def wanted(self, ladder: str) -> list[str]:
        """Return what a ladder is to send now, by digest; wait for the first."""
        self._ladders.add(ladder)
        await self._wait(lambda: bool(self._open_to(ladder)))
        digests = self._open_to(ladder) if ladder in self._ladders else []
        for digest in digests:
            self._archives[digest].ladder = ladder
        return digests

    async def send(
        self, ladder: str, digest: str, index: int, piece: bytes = b"", refused: str = ""
    ) -> bool:
        """Take a piece, b"" behind the last, or why there is none; return whether to go on."""
        archive = self._archives.get(digest)
        if archive is None or archive.is_whole or archive.ladder != ladder:
            return False
        if not index:
            self._empty(archive)
        if not refused and index != len(archive.pieces):
            refused = "its pieces arrived out of order"
        if archive.size + len(piece) > LARGEST_STORED_ARCHIVE_BYTES:
            refused = "its archive is too large"
        if refused:
            archive.refusals[ladder], archive.ladder = refused, ""
        elif piece:
            archive.pieces.append(piece)
            archive.size += len(piece)
            self._kept += len(piece)
        else:
            archive.is_whole = True
            self._make_room(but=archive)
        await self._notify()
        return bool(piece and not refused)

    def _open_to(self, ladder: str) -> list[str]:
        """Return what no other ladder sends; this ladder sends its unfinished archives anew."""
        return [
            digest
            for digest, archive in self._archives.items()
            if not archive.is_whole
            and archive.ladder in ("", ladder)
            and ladder not in archive.refusals
        ]

    def _is_settled(self, archive: _Archive) -> bool:
        """Return whether nothing more comes: all has, or every ladder here refuses."""
        if archive.is_whole:
            return True
        return bool(archive.refusals) and self._ladders <= archive.refusals.keys()

    def _make_room(self, but: _Archive) -> None:
        for digest, archive in [*self._archives.items()]:
            if self._kept <= _KEPT_BYTES:
                break
            if archive.is_whole and archive is not but:
                self._forget(digest)

    def _forget(self, digest: str) -> None:
        if (archive := self._archives.pop(digest, None)) is not None:
            self._kept -= archive.size

    def _empty(self, archive: _Archive) -> None:
        self._kept -= archive.size
        archive.pieces, archive.size = [], 0

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _wait(self, is_so: Callable[[], bool], seconds: float = _LONGEST_WAIT_S) -> None:
        """Wait until it is so, but not for ever."""
        try:
            async with asyncio.timeout(min(seconds, _LONGEST_WAIT_S)), self._changed:
                await self._changed.wait_for(is_so)
        except TimeoutError:
            return


class FileSupply:
    """The ladder's part: sends the files that workers of a cluster want."""

    def __init__(self, home: Home) -> None:
        """Send the files of this ladder."""
        self._home = home
        self._serving: Future[None] | None = None

    def begin(self, client: Client) -> None:
        """Serve the scheduler of a client, until `end`; raise `LadderError` if it cannot be."""
        try:
            client.register_plugin(FileRelay())
        except ModuleNotFoundError as error:
            raise LadderError(
                f"the scheduler cannot pass on bots' files: {error}: start it by `ladder scheduler`"
            ) from None
        loop: Any = client.loop
        self._serving = asyncio.run_coroutine_threadsafe(self._serve(client), loop.asyncio_loop)

    def end(self) -> None:
        """Serve no more; call it before the client is closed."""
        if self._serving is not None:
            self._serving.cancel()
            self._serving = None

    async def _serve(self, client: Client) -> None:
        while client.status != "closed":
            try:
                wanted = await _scheduler_of(client).courtyard_files_wanted(ladder=client.id)
                if wanted is None:  # another scheduler is there
                    await _scheduler_of(client).register_scheduler_plugin(
                        plugin=dumps(FileRelay()), name=_NAME, idempotent=True
                    )
                for digest in wanted or ():
                    await self._send(client, digest)
            except OSError:  # the scheduler is away for now
                await asyncio.sleep(_PAUSE_S)
            except Exception:  # noqa: BLE001 -- a bug, but workers need files
                _LOG.exception("bots' files are not sent to the cluster")
                await asyncio.sleep(_PAUSE_S)

    async def _send(self, client: Client, digest: str) -> None:
        """Send an archive, or why that is impossible."""
        pieces = pack(self._home, digest)
        for index in count():
            message: dict[str, Any] = {"ladder": client.id, "digest": digest, "index": index}
            try:
                message["piece"] = await asyncio.to_thread(next, pieces, b"")
            except (BundleError, OSError) as error:
                message["refused"] = str(error)
            if not await _scheduler_of(client).courtyard_files_send(**message):
                return


def _scheduler_of(client: Client) -> Any:
    """Return what calls the scheduler; raise `OSError` if the client is closed."""
    if client.scheduler is None:
        raise OSError("the client is closed")
    return client.scheduler


def fetch_by(worker: Worker, patience_s: float = PATIENCE_S) -> Fetch:
    """Return what fetches files in a task of a worker.

    It raises `UnavailableError` if no piece comes for so long, `BundleError` if the ladder itself
    lacks the files.
    """

    def fetch(digest: str) -> Iterator[bytes]:
        for index in count():
            if not (piece := _read(worker, digest, index, patience_s)):
                return
            yield piece

    return fetch


def _read(worker: Worker, digest: str, index: int, patience_s: float) -> bytes:
    """Return a piece of an archive, b"" behind the last."""
    until = time.monotonic() + patience_s
    while (left_s := until - time.monotonic()) > 0 and worker.status in WORKER_ANY_RUNNING:
        try:
            ask = worker.scheduler.courtyard_files_read
            answer = sync(worker.loop, ask, digest=digest, index=index, wait_s=left_s)
        except OSError:
            answer = None
        if answer is None:  # no scheduler, or no ladder has been there yet
            time.sleep(_PAUSE_S)
        elif "piece" in answer:
            return bytes(answer["piece"])
        elif "refused" in answer:
            raise BundleError(f"the ladder does not send them: {answer['refused']}")
    raise UnavailableError(
        f"no ladder has sent the files {digest[:12]}… within {patience_s:g} s; is it still running?"
    )
