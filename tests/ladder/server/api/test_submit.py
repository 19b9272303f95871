"""Submissions over the author API: uploaded, validated, and cleanly entered or refused."""

import asyncio
import hashlib
import io
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from courtyard.v1 import ladder_pb2 as pb

from ladder.cli.remote.client import RemoteLadder
from ladder.model.bots import SubmissionOutcome
from ladder.results import queries
from ladder.server.api import context
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.server import AuthorApi, AuthorApiSettings
from ladder.storage import tokens
from ladder.storage.files.archive import LARGEST_ARCHIVE_BYTES, pack
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.ladder.server.api.conftest import SETTINGS, Refused, Visit, Visitor, opened, refusal
from tests.ladder.server.api.test_archive import archive, entry
from tests.support.ladders import Enter, MakeBot
from tests.support.waiting import until

Listing = Callable[[], list[str]]
Part = pb.SubmitRequest


class Heard:
    """Collects what a submission says."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.said: list[str] = []
        self.offsets: list[int] = []
        self.total = 0

    def say(self, text: str) -> None:
        """Keep a line."""
        self.said.append(text)

    def sent(self, done: int, total: int) -> None:
        """Keep the progress."""
        self.offsets.append(done)
        self.total = total


def archive_of(folder: Path) -> bytes:
    """Return a bot's archive."""
    file = io.BytesIO()
    pack(folder, file)
    return file.getvalue()


def opening(content: bytes, size: int | None = None, sha256: bytes | None = None) -> Part:
    """Return the first message of an upload."""
    return Part(
        open=pb.OpenUpload(
            sha256=hashlib.sha256(content).digest() if sha256 is None else sha256,
            size_bytes=len(content) if size is None else size,
        )
    )


def refused(visitor: Visitor, *parts: Part) -> Refused:
    """Return how a submission is refused."""
    return refusal(lambda: visitor.call("Submit", iter(parts)))


def in_store(ladder: Ladder) -> list[str]:
    """Return the names of all bots."""
    with ladder.database.read() as tx:
        return [*bots.names(tx)]


@pytest.fixture
def remote(api: AuthorApi, token: str) -> Iterator[RemoteLadder]:
    """Let ann reach the ladder."""
    with RemoteLadder(api.address, token) as remote:
        yield remote


def test_a_bot_is_submitted_from_elsewhere(
    remote: RemoteLadder, make_bot: MakeBot, ladder: Ladder, uploads: Listing
) -> None:
    """The bot belongs to its author, keeps its digest, and plays; the archive is gone."""
    heard = Heard()

    submission = remote.submit(make_bot("eve"), heard)

    (version,) = queries.versions(ladder, "eve")
    assert (submission.outcome, submission.version.bot) == (SubmissionOutcome.NEW, "eve")
    assert submission.version.digest == version.digest
    assert version.active
    assert heard.said[0] == "Unpacking."
    assert heard.said[1].startswith("Validating eve in two matches against the stand-in")
    assert (heard.offsets[0], heard.offsets[-1]) == (0, heard.total)
    assert uploads() == []
    with ladder.database.read() as tx:
        assert bots.author(tx, "eve") == "ann"


def test_what_does_not_belong_to_a_bot_is_not_sent(
    remote: RemoteLadder, make_bot: MakeBot, ladder: Ladder, enter: Enter
) -> None:
    """A bot has the same files wherever it is submitted, and the author is told what stays out."""
    folder = make_bot("eve", manifest='include = ["data/model.bin"]\n')
    (folder / ".gitignore").write_text(".gitignore\ndata/\n")
    for name in ("data/model.bin", "data/log.txt", ".venv/pyvenv.cfg"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    heard = Heard()

    sent = remote.submit(folder, heard).version

    kept = ladder.home.bundle(sent.digest).rglob("*")
    assert {path.name for path in kept if path.is_file()} == {"bot.py", "bot.toml", "model.bin"}
    assert any(said.startswith("Left out of eve: ") and ".venv" in said for said in heard.said)
    assert enter(ladder, folder, author="ann").outcome is SubmissionOutcome.UNCHANGED


def test_a_changed_bot_replaces_the_one_before(
    remote: RemoteLadder, make_bot: MakeBot, ladder: Ladder, enter: Enter
) -> None:
    """The reply names the replaced one."""
    enter(ladder, make_bot("eve"), author="ann")

    changed = remote.submit(make_bot("eve", "better"), Heard())

    assert changed.outcome is SubmissionOutcome.NEW
    assert changed.replaced is not None
    assert (changed.version.number, changed.replaced.number) == (2, 1)


HOSTILE = {
    "zip bomb": (archive(entry("bot.toml", bytes(9 << 20))), "BAD_BUNDLE", "200 times its size"),
    "path traversal": (archive(entry("../../evil")), "BAD_BUNDLE", "leaves the bot's folder"),
    "no archive": (b"#!/bin/sh\n", "BAD_BUNDLE", "not compressed by gzip"),
    "bad manifest": (archive(entry("bot.toml", b"name = 1")), "BAD_BUNDLE", "bot.toml: "),
    "another's": (
        archive(entry("bot.toml", b'name = "bob"\ngames = ["courtisans"]\ncommand = ["x"]')),
        "NOT_YOUR_BOT",
        "the bot 'bob' is another author's",
    ),
}


@pytest.mark.sweep
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_bundle(
    what: str, ann: Visitor, ladder: Ladder, home: Home, uploads: Listing
) -> None:
    """The reason names no path of the ladder, and nothing is left behind."""
    content, reason, why = HOSTILE[what]
    before = sorted(home.path.rglob("*"))

    found = refused(ann, opening(content), Part(chunk=content))

    assert found.reason == reason
    assert why in found.message
    assert str(home.path) not in found.message
    assert "new-" not in found.message
    assert uploads() == []
    assert in_store(ladder) == ["ann", "bob", "cat", "dan"]
    files = {path.name for path in home.path.rglob("*")} - {path.name for path in before}
    assert {name for name in files if not name.endswith(".lock")} <= {
        "uploads",
        "ladder.db-wal",
        "ladder.db-shm",
    }


WHOLE = b"x" * 1000
BROKEN = {
    "nothing": ([], "BAD_REQUEST"),
    "no opening": ([Part(chunk=b"x")], "BAD_REQUEST"),
    "an empty message": ([Part()], "BAD_REQUEST"),
    "no digest": ([opening(WHOLE, sha256=b"short")], "BAD_REQUEST"),
    "opened twice": ([opening(WHOLE), opening(WHOLE)], "BAD_REQUEST"),
    "an empty chunk": ([opening(WHOLE), Part(chunk=b"")], "BAD_REQUEST"),
    "empty": ([opening(b"")], "ARCHIVE_TOO_LARGE"),
    "oversized": ([opening(WHOLE, LARGEST_ARCHIVE_BYTES + 1)], "ARCHIVE_TOO_LARGE"),
    "longer than announced": ([opening(WHOLE), Part(chunk=WHOLE + b"x")], "UPLOAD_TOO_LONG"),
    "truncated": ([opening(WHOLE), Part(chunk=WHOLE[:-1])], "UPLOAD_TRUNCATED"),
    "other than announced": (
        [opening(WHOLE), Part(chunk=WHOLE[:-1] + b"y")],
        "DIGEST_MISMATCH",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_an_upload_that_is_not_as_announced(what: str, ann: Visitor, uploads: Listing) -> None:
    """The API refuses it with a reason, and removes what arrived."""
    parts, reason = BROKEN[what]

    found = refused(ann, *parts)

    assert (found.code, found.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert uploads() == []


class Wire:
    """A connection to the API that breaks once, after so many bytes.

    It breaks only after the folder of uploads holds more than a part of them.
    """

    def __init__(self, address: str, cut_after: int, uploads: Path, stored: int) -> None:
        """Listen on a free port."""
        self._uploads, self._stored = uploads, stored
        self._to = address
        self._cut_after: int | None = cut_after
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            host, _, port = self._to.rpartition(":")
            far = socket.create_connection((host, int(port)))
            threading.Thread(target=self._carry, args=(far, near, None), daemon=True).start()
            self._carry_and_cut(near, far)

    def _carry_and_cut(self, near: socket.socket, far: socket.socket) -> None:
        limit, self._cut_after = self._cut_after, None
        arguments = (near, far, limit)
        threading.Thread(target=self._carry, args=arguments, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, limit: int | None) -> None:
        carried = 0
        try:
            while (data := source.recv(4096)) and (limit is None or carried < limit):
                target.sendall(data)
                carried += len(data)
            if limit is not None and carried >= limit:
                until(lambda: _size(self._uploads) > self._stored)
        except OSError:
            pass
        for each in (source, target):
            each.close()


def test_a_reason_is_short_however_long_the_name(
    api: AuthorApi, visit: Visit, token: str, make_bot: MakeBot, caplog: pytest.LogCaptureFixture
) -> None:
    """What an author wrote is told in part, and is no failure of the server's."""
    folder = make_bot("eve")
    (folder / "bot.toml").write_text(f'name = "{"é" * 30_000}"\ngames = ["courtisans"]\n')
    content = archive_of(folder)
    found = refused(visit(api.address, token), opening(content), Part(chunk=content))

    assert found.reason == "BAD_BUNDLE"
    assert len(found.message) < 5_000
    assert not any(record.exc_info for record in caplog.records)


def test_an_upload_that_is_cut_goes_on(
    api: AuthorApi, token: str, make_bot: MakeBot, ladder: Ladder
) -> None:
    """A new connection automatically resumes from what the ladder has."""
    bot = make_bot("eve")
    (bot / "book").write_bytes(hashlib.shake_256(b"book").digest(2_000_000))
    wire = Wire(api.address, cut_after=1_000_000, uploads=ladder.home.uploads, stored=200_000)
    heard = Heard()
    with RemoteLadder(f"http://{wire.address}", token) as remote:
        submission = remote.submit(bot, heard)
    wire.close()

    assert submission.outcome is SubmissionOutcome.NEW
    assert "The connection was cut; trying again." in heard.said
    backwards = [b for a, b in zip(heard.offsets, heard.offsets[1:], strict=False) if b <= a]
    assert len(backwards) == 1
    assert backwards[0] > 200_000
    assert queries.versions(ladder, "eve")[0].digest == submission.version.digest


def test_a_cut_upload_waits_and_is_only_its_authors(
    ladder: Ladder, make_bot: MakeBot, visit: Visit, token: str, uploads: Listing
) -> None:
    """An upload survives the API's restart; another author's same archive starts anew."""
    content = archive_of(make_bot("eve"))
    half = len(content) // 2
    with opened([ladder]) as api:
        go_on = threading.Event()

        def parts() -> Iterator[Part]:
            yield opening(content)
            yield Part(chunk=content[:half])
            go_on.wait()

        call = visit(api.address, token).call("Submit", parts())
        assert next(call).offset_bytes == 0
        until(lambda: _size(ladder.home.uploads) == half)
        call.cancel()
        go_on.set()
    assert len(uploads()) == 1
    with opened([ladder]) as api:
        ann, bob = (visit(api.address, each) for each in (token, tokens.create(ladder, "bob")))
        of_bob = bob.call("Submit", iter([opening(content)]))
        assert next(of_bob).offset_bytes == 0
        of_ann = ann.call("Submit", iter([opening(content), Part(chunk=content[half:])]))
        assert next(of_ann).offset_bytes == half
        *_, last = of_ann

    assert last.submission.outlook == pb.OUTLOOK_NEW
    assert last.submission.version.own


def test_a_submission_outlives_its_stream(
    ann: Visitor, make_bot: MakeBot, ladder: Ladder, uploads: Listing
) -> None:
    """Sending the same archive again shows its progress, and uploads nothing."""
    content = archive_of(make_bot("eve", "hangs"))
    first = ann.call("Submit", iter([opening(content), Part(chunk=content)]))
    assert next(first).offset_bytes == 0
    assert next(first).progress == "Unpacking."
    first.cancel()

    second = ann.call("Submit", iter([opening(content)]))

    assert next(second).offset_bytes == len(content)
    assert next(second).progress == "Unpacking."
    assert next(second).progress.startswith("Validating eve")
    second.cancel()


def test_an_author_api_that_closes_enters_nothing(
    ladder: Ladder, make_bot: MakeBot, visit: Visit, token: str, uploads: Listing
) -> None:
    """The author is told; the archive stays, so a new submission sends nothing."""
    content = archive_of(make_bot("eve", "hangs"))
    with opened([ladder]) as api:
        stub = visit(api.address, token)
        call = stub.call("Submit", iter([opening(content), Part(chunk=content)]))
        while not next(call).progress.startswith("Validating"):
            pass
    found = refusal(lambda: call)

    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "LADDER_STOPPING")
    digest = hashlib.sha256(content).hexdigest()
    assert [name.rpartition("-")[2] for name in uploads()] == [digest]
    assert in_store(ladder) == ["ann", "bob", "cat", "dan"]


def test_an_upload_that_says_nothing_is_ended(
    ladder: Ladder, visit: Visit, token: str, uploads: Listing
) -> None:
    """A silent upload loses its place; what arrived stays."""
    content, go_on = b"x" * 100, threading.Event()

    def parts() -> Iterator[Part]:
        yield opening(content)
        yield Part(chunk=content[:50])
        go_on.wait()

    with opened([ladder], _with(silence_s=0.1)) as api:
        found = refusal(lambda: visit(api.address, token).call("Submit", parts()))
        go_on.set()

    assert (found.code, found.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "UPLOAD_STALLED")
    assert len(uploads()) == 1


def test_uploads_at_once(ladder: Ladder, visit: Visit, token: str) -> None:
    """Uploads are limited for each author and for all together."""
    go_on = threading.Event()

    def parts(content: bytes) -> Iterator[Part]:
        yield opening(content)
        go_on.wait()

    with opened([ladder], _with(uploads=2, uploads_an_author=1)) as api:
        ann, bob, cat = (
            visit(api.address, tokens.create(ladder, name)) for name in ("ann", "bob", "cat")
        )
        calls = [ann.call("Submit", parts(b"0")), bob.call("Submit", parts(b"1"))]
        assert [next(call).offset_bytes for call in calls] == [0, 0]
        again = refusal(lambda: ann.call("Submit", parts(b"2")))
        another = refusal(lambda: cat.call("Submit", parts(b"3")))
        go_on.set()

    assert (again.reason, again.message) == ("TOO_MANY_UPLOADS", "ann already has 1 submissions")
    assert (another.reason, another.metadata) == ("TOO_MANY_UPLOADS", {"limit": "2"})
    assert another.retry


def test_an_archive_that_is_sent_twice_at_once(
    ladder: Ladder, make_bot: MakeBot, visit: Visit, token: str
) -> None:
    """The newer stream takes over: the older one's connection broke unnoticed."""
    content, go_on = archive_of(make_bot("eve")), threading.Event()

    def parts() -> Iterator[Part]:
        yield opening(content)
        yield Part(chunk=content[:100])
        go_on.wait()

    with opened([ladder], _with(uploads_an_author=1)) as api:
        ann = visit(api.address, token)
        older = ann.call("Submit", parts())
        assert next(older).offset_bytes == 0
        until(lambda: _size(ladder.home.uploads) == 100)
        newer = ann.call("Submit", iter([opening(content), Part(chunk=content[100:])]))
        assert next(newer).offset_bytes == 100
        *_, last = newer
        superseded = refusal(lambda: older)
        go_on.set()

    assert (superseded.code, superseded.reason) == (grpc.StatusCode.ABORTED, "UPLOAD_TAKEN_OVER")

    assert last.submission.outlook == pb.OUTLOOK_NEW


def test_bytes_of_one_author(ladder: Ladder, visit: Visit, token: str, uploads: Listing) -> None:
    """An author who sends too many waits, then goes on."""
    content = b"x" * 1000
    with opened([ladder], _with(submitted_bytes=500, submitted_bytes_a_second=1)) as api:
        parts = [opening(content), *(Part(chunk=content[i : i + 400]) for i in (0, 400, 800))]
        found = refused(visit(api.address, token), *parts)

    assert (found.reason, found.metadata) == ("RATE_LIMITED", {"limit": "bytes"})
    assert found.retry
    assert _size(ladder.home.uploads) == 400


def test_a_full_disk(
    ladder: Ladder,
    visit: Visit,
    token: str,
    uploads: Listing,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The author may retry later, the owner learns why; nothing is left, and no traceback."""
    content = b"x" * 1000
    name = hashlib.sha256(b"ann").hexdigest()[:32]
    file = f"{name}-{hashlib.sha256(content).hexdigest()}"

    with opened([ladder], _with(kept_upload_s=1e12)) as api:  # the device may be an old file
        (ladder.home.uploads / file).symlink_to("/dev/full")
        found = refused(visit(api.address, token), opening(content), Part(chunk=content))

    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "CANNOT_STORE")
    assert caplog.messages == ["an archive of ann cannot be stored: No space left on device"]
    assert caplog.records[0].exc_info is None
    assert uploads() == []


def test_old_uploads_make_room(ladder: Ladder, visit: Visit, token: str, uploads: Listing) -> None:
    """Each author keeps only the newest cut uploads."""
    with opened([ladder], _with(silence_s=0.05, kept_uploads_an_author=2)) as api:
        for number in range(4):
            go_on = threading.Event()

            def parts(content: bytes = b"%d" % number, until: Any = go_on) -> Iterator[Part]:
                yield opening(content * 2)
                yield Part(chunk=content)
                until.wait()

            refusal(lambda sent=parts: visit(api.address, token).call("Submit", sent()))  # type: ignore[misc]
            go_on.set()

    digests = [hashlib.sha256(b"%d" % number * 2).hexdigest() for number in (2, 3)]
    assert sorted(name.split("-")[1] for name in uploads()) == sorted(digests)


def _with(**limits: Any) -> AuthorApiSettings:
    return replace(SETTINGS, limits=RateLimits(**limits))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_a_folder_that_cannot_be_swept_is_told_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Sweeping goes on, and warns the owner again only after a success."""
    monkeypatch.setattr(context, "_SWEEP_EVERY_S", 0)
    fails = iter([True, True, False, True, True])
    over = threading.Event()

    def sweep() -> None:
        fail = next(fails, None)
        if fail is None:
            over.set()
        elif fail:
            raise PermissionError(13, "no", "uploads")

    async def swept() -> None:
        uploads: Any = SimpleNamespace(sweep=sweep)
        sweeping = asyncio.create_task(context._sweep(uploads))
        await asyncio.to_thread(over.wait)
        sweeping.cancel()

    asyncio.run(swept())
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "uploads: no" in caplog.messages[0]
