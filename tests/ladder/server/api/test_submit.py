"""Submissions over the author API: uploaded, validated, and cleanly entered or refused."""

import asyncio
import hashlib
import io
import json
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ladder.cli.remote import upload
from ladder.cli.remote.client import RemoteLadder
from ladder.model.bots import SubmissionOutcome
from ladder.results import queries
from ladder.server.api import context, routes
from ladder.server.api.context import ApiSettings
from ladder.server.api.rate_limits import RateLimits
from ladder.storage import tokens
from ladder.storage.files.archive import LARGEST_ARCHIVE_BYTES, pack
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.ladder.server.api.test_archive import archive, entry
from tests.support.api_server import Answer, Visitor, serving
from tests.support.ladders import Enter, MakeBot
from tests.support.waiting import until

Listing = Callable[[], list[str]]


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


def sha256_of(content: bytes) -> str:
    """Return the name of an upload."""
    return hashlib.sha256(content).hexdigest()


def put(visitor: Visitor, content: bytes, begin: int = 0, end: int | None = None) -> Answer:
    """Send a part of an archive."""
    end = len(content) if end is None else end
    given = f"bytes {begin}-{end - 1}/{len(content)}"
    path = f"/uploads/{sha256_of(content)}"
    return visitor.ask("PUT", path, content[begin:end], Content_Range=given)


def offset(visitor: Visitor, content: bytes) -> int:
    """Return how much of an archive the ladder has."""
    answer = visitor.ask("HEAD", f"/uploads/{sha256_of(content)}")
    return int(answer.headers["upload-offset"])


def over(visitor: Visitor, sha256: str) -> Any:
    """Wait for a submission's end, and return it."""
    while True:
        found = visitor.get(f"/submissions/{sha256}?after=100000&wait=5").json
        if found["state"] != "running":
            return found


def submitted(visitor: Visitor, content: bytes, **headers: str) -> Any:
    """Submit in one go, and return the submission once it is over."""
    answer = visitor.ask("POST", "/submissions", content, **headers)
    assert answer.status == 202, answer
    return over(visitor, answer.json["sha256"])


class Broken:
    """An upload that sends a part of its announced bytes, and then nothing."""

    def __init__(self, visitor: Visitor, content: bytes, begin: int, end: int) -> None:
        """Send the part."""
        host, _, port = visitor.address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)))
        head = (
            f"PUT /api/v1/uploads/{sha256_of(content)} HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {visitor.token}\r\n"
            f"Content-Range: bytes {begin}-{len(content) - 1}/{len(content)}\r\n"
            f"Content-Length: {len(content) - begin}\r\n\r\n"
        )
        self.socket.sendall(head.encode() + content[begin:end])

    def answer(self) -> Any:
        """Return the problem that the server answers, and close."""
        self.socket.settimeout(60)
        with self.socket, self.socket.makefile("rb") as file:
            while file.readline().strip():
                pass
            return json.loads(file.readline())

    def close(self) -> None:
        """Break the connection off."""
        self.socket.close()


def in_store(ladder: Ladder) -> list[str]:
    """Return the names of all bots."""
    with ladder.database.read() as tx:
        return [*bots.names(tx)]


@pytest.fixture
def remote(api: str, token: str) -> Iterator[RemoteLadder]:
    """Let ann reach the ladder."""
    with RemoteLadder(api, token) as remote:
        yield remote


@pytest.mark.costly
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


@pytest.mark.costly
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


@pytest.mark.costly
def test_a_changed_bot_replaces_the_one_before(
    remote: RemoteLadder, make_bot: MakeBot, ladder: Ladder, enter: Enter
) -> None:
    """The reply names the replaced one."""
    enter(ladder, make_bot("eve"), author="ann")

    changed = remote.submit(make_bot("eve", "better"), Heard())

    assert changed.outcome is SubmissionOutcome.NEW
    assert changed.replaced is not None
    assert (changed.version.number, changed.replaced.number) == (2, 1)


def zipped(folder: Path) -> bytes:
    """Return a folder's files in a zip, below a folder of its name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.iterdir()):
            made.write(path, f"{folder.name}/{path.name}")
    return file.getvalue()


def form_of(folder: Path) -> bytes:
    """Return a form with a folder's files, as a browser sends them."""
    parts = b"".join(
        b'--limit\r\nContent-Disposition: form-data; name="files"; filename="%b/%b"\r\n\r\n%b\r\n'
        % (folder.name.encode(), path.name.encode(), path.read_bytes())
        for path in sorted(folder.iterdir())
    )
    return b"%b--limit--\r\n" % parts


@pytest.mark.costly
@pytest.mark.parametrize("made", [archive_of, zipped, form_of])
def test_one_request_submits_a_bot(
    made: Callable[[Path], bytes], ann: Visitor, make_bot: MakeBot, ladder: Ladder, uploads: Listing
) -> None:
    """An archive, a zip and a form give the same bot; its log tells how it was entered."""
    folder = make_bot("eve")
    (folder / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)

    done = submitted(ann, made(folder))

    assert (done["state"], done["outcome"], done["version"]["own"]) == ("over", "new", True)
    log = ann.get(f"/submissions/{done['sha256']}/log").body.decode()
    assert log.startswith("Unpacking.\nValidating eve in two matches")
    assert log.endswith("\neve version 1 plays.\n")
    assert (ladder.home.bundle(done["version"]["digest"]) / "run.sh").stat().st_mode & 0o111
    assert uploads() == []


@pytest.mark.costly
def test_the_same_again_changes_nothing(ann: Visitor, make_bot: MakeBot) -> None:
    """Who sends an archive twice learns that it plays already."""
    content = archive_of(make_bot("eve"))

    first, second = submitted(ann, content), submitted(ann, content)

    assert (first["outcome"], second["outcome"]) == ("new", "unchanged")
    assert second["version"]["digest"] == first["version"]["digest"]
    assert [each["sha256"] for each in ann.get("/submissions").json] == [sha256_of(content)]


@pytest.mark.costly
def test_a_log_grows(ann: Visitor, make_bot: MakeBot) -> None:
    """A client that waits gets the next lines as soon as there are some, each once."""
    content = archive_of(make_bot("eve"))
    sha256 = ann.ask("POST", "/submissions", content).json["sha256"]
    log, at, state = "", 0, "running"
    while state == "running":
        found = ann.get(f"/submissions/{sha256}?after={at}&wait=30").json
        assert found["log"] or found["state"] != "running"
        log, at, state = log + found["log"], found["next"], found["state"]

    assert log.count("\n") == 2
    assert log.startswith("Unpacking.\nValidating eve")


@pytest.mark.costly
def test_a_log_is_never_silent_for_long(
    ann: Visitor, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing new comes, a line says so, lest a web server ends the answer."""
    monkeypatch.setattr(routes, "_TOKEN_CHECK_S", 0.01)
    sha256 = ann.ask("POST", "/submissions", archive_of(make_bot("eve", "hangs"))).json["sha256"]
    with ann.opened("GET", f"/submissions/{sha256}/log") as answer:
        assert b"Still under way.\n" in iter(answer.readline, b"")


@pytest.mark.costly
def test_a_log_is_told_at_its_end_though_all_places_are_taken(
    ladder: Ladder, make_bot: MakeBot
) -> None:
    """Readers who never leave keep no author from learning what became of a submission."""
    with serving([ladder], ApiSettings(limits=RateLimits(watchers=1))) as address:
        ann = Visitor(address, tokens.create(ladder, "ann"))
        sha256 = submitted(ann, archive_of(make_bot("eve")))["sha256"]
        with ann.opened("GET", "/watch") as watched:
            assert watched.status == 200
            log = ann.get(f"/submissions/{sha256}/log").body

    assert log.endswith(b"eve version 1 plays.\n")


@pytest.mark.costly
def test_a_build_tells_what_it_prints(ann: Visitor, make_bot: MakeBot) -> None:
    """The log has the output of the build, before the submission is over and after."""
    build = 'build = [["sh", "-c", "echo compiled here"]]\n'
    done = submitted(ann, archive_of(make_bot("eve", manifest=build)))

    assert "Building eve: sh -c 'echo compiled here'\ncompiled here\n" in done["log"] or (
        "compiled here\n" in ann.get(f"/submissions/{done['sha256']}").json["log"]
    )


@pytest.mark.costly
def test_retire_return_describe(ann: Visitor, make_bot: MakeBot, ladder: Ladder) -> None:
    """An author takes a bot off the schedule, puts it back, and says something else of it."""
    submitted(ann, archive_of(make_bot("eve")))

    def change(**changed: Any) -> Any:
        return ann.ask("PATCH", "/bots/eve", json.dumps(changed).encode()).json

    assert change(active=False)["active"] is False
    assert change(active=False)["active"] is False
    assert not queries.versions(ladder, "eve")[0].active
    found = change(active=True, description="sees through you")
    assert (found["active"], found["description"]) == (True, "sees through you")
    assert change(description="two\nlines")["reason"] == "BAD_REQUEST"
    assert change(name="bob")["reason"] == "BAD_REQUEST"
    submitted(ann, archive_of(make_bot("eve", "better")))
    assert ann.get("/bots/eve").json["description"] == ""


def zip_of(files: dict[str, bytes], mode: int = 0o100644) -> bytes:
    """Return a zip of these files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, mode << 16
            made.writestr(info, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def form(name: bytes, content: bytes = b"content") -> bytes:
    """Return a form with one file of this name."""
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="%b"\r\n\r\n' % name
    return head + content + b"\r\n--x--\r\n"


HOSTILE = {
    "zip bomb": (archive(entry("bot.toml", bytes(9 << 20))), "BAD_BUNDLE", "200 times its size"),
    "path traversal": (archive(entry("../../evil")), "BAD_BUNDLE", "leaves the bot's folder"),
    "zip traversal": (zip_of({"../evil": b"x"}), "BAD_BUNDLE", "leaves the bot's folder"),
    "zip of a link": (zip_of({"a": b"/etc/passwd"}, mode=0o120777), "BAD_BUNDLE", "only plain"),
    "zip of zeros": (zip_of({"bot.toml": bytes(9 << 20)}), "BAD_BUNDLE", "200 times its size"),
    "2,001 files": (
        zip_of({f"{n}": b"" for n in range(2001)}),
        "BAD_BUNDLE",
        "more than 2000 files",
    ),
    "name twice": (zip_of({"a": b"", "./a": b""}), "BAD_BUNDLE", "occurs twice"),
    "a cut zip": (zip_of({"a": b"x" * 1000})[:-30], "BAD_BUNDLE", "not a zip file"),
    "a damaged zip": (b"PK" + zip_of({"a": b"xyz"})[2:40] + b"PK", "BAD_BUNDLE", "not a zip"),
    "a form of .. ": (form(b"../evil"), "BAD_BUNDLE", "leaves the bot's folder"),
    "a form of an absolute path": (form(b"/etc/passwd"), "BAD_BUNDLE", "absolute"),
    "a form of an archive": (
        form(b"bot.tgz", archive(entry("../../evil"))),
        "BAD_BUNDLE",
        "leaves the bot's folder",
    ),
    "a form of a bomb": (
        form(b"bot.zip", zip_of({"bot.toml": bytes(9 << 20)})),
        "BAD_BUNDLE",
        "200 times its size",
    ),
    "a cut form": (form(b"bot.toml")[:-20], "BAD_BUNDLE", "the form is"),
    "no form": (b"--" + b"x" * 1000, "BAD_BUNDLE", "neither an archive"),
    "no archive": (b"#!/bin/sh\n", "BAD_BUNDLE", "not compressed by gzip"),
    "bad manifest": (archive(entry("bot.toml", b"name = 1")), "BAD_BUNDLE", "bot.toml: "),
    "another's": (
        archive(entry("bot.toml", b'name = "bob"\ngames = ["courtisans"]\ncommand = ["x"]')),
        "NOT_YOUR_BOT",
        "the bot 'bob' is another author's",
    ),
}


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_bundle(
    what: str, ann: Visitor, ladder: Ladder, home: Home, uploads: Listing
) -> None:
    """The reason names no path of the ladder, and nothing is left behind."""
    content, reason, why = HOSTILE[what]
    before = sorted(home.path.rglob("*"))

    found = submitted(ann, content)["problem"]

    assert found["reason"] == reason
    assert why in found["detail"]
    assert str(home.path) not in found["detail"]
    assert "new-" not in found["detail"]
    assert uploads() == []
    assert in_store(ladder) == ["ann", "bob", "cat", "dan"]
    files = {path.name for path in home.path.rglob("*")} - {path.name for path in before}
    assert {name for name in files if not name.endswith(".lock")} <= {
        "uploads",
        "ladder.db-wal",
        "ladder.db-shm",
    }


@pytest.mark.costly
def test_names_that_differ_by_case_are_two_files(
    ann: Visitor, make_bot: MakeBot, ladder: Ladder
) -> None:
    """A ladder's machine tells them apart, in a zip too."""
    folder = make_bot("eve")
    (folder / "BOT.py").write_text("another")
    done = submitted(ann, zipped(folder))
    names = {path.name for path in ladder.home.bundle(done["version"]["digest"]).iterdir()}
    assert names == {"bot.toml", "bot.py", "BOT.py"}


CONTENT = b"x" * 1000


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", "BAD_REQUEST"),
        ("bytes 0-99", "BAD_REQUEST"),
        ("bytes 9-5/1000", "BAD_REQUEST"),
        ("bytes 0-1000/1000", "BAD_REQUEST"),
        ("bytes 0-999/*", "BAD_REQUEST"),
        (f"bytes 0-999/{LARGEST_ARCHIVE_BYTES + 1}", "ARCHIVE_TOO_LARGE"),
        ("bytes 5-999/1000", "UPLOAD_OFFSET"),
        ("bytes 0-9/1000", "UPLOAD_TOO_LONG"),
    ],
)
def test_a_part_that_is_not_as_announced(ann: Visitor, given: str, reason: str, home: Home) -> None:
    """It is refused with a reason, and nothing of it stays."""
    path = f"/uploads/{sha256_of(CONTENT)}"
    assert ann.ask("PUT", path, CONTENT, Content_Range=given).reason == reason
    assert not [*home.uploads.glob("*")]


def test_a_digest_that_differs(ann: Visitor, uploads: Listing) -> None:
    """An archive that is another than announced is refused, and removed."""
    found = ann.ask("PUT", f"/uploads/{sha256_of(b'y')}", CONTENT)
    assert (found.status, found.reason) == (400, "DIGEST_MISMATCH")
    assert ann.ask("PUT", "/uploads/short", CONTENT).reason == "BAD_REQUEST"
    assert ann.ask("POST", "/submissions", b"").reason == "ARCHIVE_TOO_LARGE"
    assert uploads() == []


@pytest.mark.costly
def test_a_reason_is_short_however_long_the_name(
    ann: Visitor, make_bot: MakeBot, caplog: pytest.LogCaptureFixture
) -> None:
    """What an author wrote is told in part, and is no failure of the server's."""
    folder = make_bot("eve")
    (folder / "bot.toml").write_text(f'name = "{"é" * 30_000}"\ngames = ["courtisans"]\n')
    found = submitted(ann, archive_of(folder))["problem"]

    assert found["reason"] == "BAD_BUNDLE"
    assert len(found["detail"]) < 5_000
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize(
    "share", [19, *(pytest.param(i, marks=pytest.mark.proof) for i in range(50) if i != 19)]
)
def test_an_upload_that_is_cut_goes_on(
    share: int, ann: Visitor, make_bot: MakeBot, ladder: Ladder
) -> None:
    """Wherever an upload is cut, what has arrived need not be sent again."""
    content = archive_of(make_bot("eve"))
    cut = len(content) * share // 50
    broken = Broken(ann, content, 0, cut)
    until(lambda: _size(ladder.home.uploads) == cut)
    broken.close()

    assert offset(ann, content) == cut
    assert put(ann, content, cut).status == 202
    assert over(ann, sha256_of(content))["outcome"] == "new"


@pytest.mark.costly
def test_a_client_goes_on_by_itself(
    api: str,
    token: str,
    make_bot: MakeBot,
    ladder: Ladder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new connection resumes from what the ladder has."""
    monkeypatch.setattr(upload, "_PART", 400_000)
    bot = make_bot("eve")
    (bot / "book").write_bytes(hashlib.shake_256(b"book").digest(2_000_000))
    wire = Wire(api, cut_after=300_000, uploads=ladder.home.uploads, stored=100_000)
    heard = Heard()
    with closing(wire), RemoteLadder(f"http://{wire.address}", token) as remote:
        submission = remote.submit(bot, heard)

    assert submission.outcome is SubmissionOutcome.NEW
    assert "The connection was cut; trying again." in heard.said
    assert queries.versions(ladder, "eve")[0].digest == submission.version.digest


@pytest.mark.costly
def test_a_client_waits_where_it_is_told_to(ladder: Ladder, token: str, make_bot: MakeBot) -> None:
    """An author who sends too fast is let wait, and then goes on."""
    settings = ApiSettings(limits=RateLimits(requests=2, requests_a_second=20))
    with serving([ladder], settings) as address, RemoteLadder(address, token) as remote:
        assert remote.submit(make_bot("eve"), Heard()).outcome is SubmissionOutcome.NEW


class Wire:
    """Connections to the API, the first long one of which breaks.

    It breaks after a number of bytes, once the folder of uploads holds more than a part of them.
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
            for arguments in ((far, near, None), (near, far, self._cut_after)):
                threading.Thread(target=self._carry, args=arguments, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, limit: int | None) -> None:
        carried = 0
        try:
            while (data := source.recv(4096)) and (limit is None or carried < limit):
                target.sendall(data)
                carried += len(data)
            if limit is not None and carried >= limit:
                self._cut_after = None
                until(lambda: _size(self._uploads) > self._stored)
        except OSError:
            pass
        for each in (source, target):
            each.close()


@pytest.mark.costly
def test_a_cut_upload_waits_and_is_only_its_authors(
    ladder: Ladder, make_bot: MakeBot, token: str, uploads: Listing
) -> None:
    """An upload survives the server's restart; another author's same archive starts anew."""
    content = archive_of(make_bot("eve"))
    half = len(content) // 2
    with serving([ladder]) as address:
        assert put(Visitor(address, token), content, 0, half).json == {"offset": half}
    assert len(uploads()) == 1
    with serving([ladder]) as address:
        ann, bob = (Visitor(address, each) for each in (token, tokens.create(ladder, "bob")))
        assert (offset(ann, content), offset(bob, content)) == (half, 0)
        assert put(ann, content, half).status == 202
        assert over(ann, sha256_of(content))["version"]["own"]
        assert bob.get(f"/submissions/{sha256_of(content)}").reason == "UNKNOWN_SUBMISSION"


@pytest.mark.costly
def test_a_submission_outlives_its_request(ann: Visitor, make_bot: MakeBot) -> None:
    """Sending the same archive again meanwhile leads to the same submission."""
    content = archive_of(make_bot("eve", "hangs"))
    assert put(ann, content).json["state"] == "running"
    sha256 = sha256_of(content)
    until(lambda: "Validating eve" in ann.get(f"/submissions/{sha256}?wait=5").json["log"])

    assert "Validating eve" in put(ann, content).json["log"]


@pytest.mark.costly
def test_a_server_that_stops_enters_nothing(
    ladder: Ladder, make_bot: MakeBot, token: str, uploads: Listing
) -> None:
    """The author is told; the archive stays, so a new submission sends nothing."""
    content = archive_of(make_bot("eve", "hangs"))
    sha256 = sha256_of(content)
    with ExitStack() as stack:
        with serving([ladder]) as address:
            ann = Visitor(address, token)
            put(ann, content)
            until(lambda: "Validating" in ann.get(f"/submissions/{sha256}?wait=5").json["log"])
            waiting = stack.enter_context(ann.opened("GET", f"/submissions/{sha256}/log"))
        said = waiting.read().decode()

    assert said.endswith("Refused: the ladder is stopping; try again when it is back\n")
    assert [name.rpartition("-")[2] for name in uploads()] == [sha256]
    assert in_store(ladder) == ["ann", "bob", "cat", "dan"]
    with serving([ladder]) as address:
        ann = Visitor(address, token)
        assert offset(ann, content) == len(content)
        whole = f"bytes */{len(content)}"
        assert ann.ask("PUT", f"/uploads/{sha256}", b"", Content_Range=whole).status == 202


@pytest.mark.costly
def test_an_upload_from_its_start_replaces_what_is_stored(ann: Visitor, make_bot: MakeBot) -> None:
    """Who sends a whole archive without a range need not know what the ladder has."""
    content = archive_of(make_bot("eve"))
    put(ann, content, 0, 10)
    assert ann.ask("PUT", f"/uploads/{sha256_of(content)}", content).status == 202
    assert over(ann, sha256_of(content))["outcome"] == "new"


@pytest.mark.costly
def test_an_upload_that_says_nothing_is_ended(ladder: Ladder, token: str, uploads: Listing) -> None:
    """A silent upload loses its place; what arrived stays."""
    with serving([ladder], _with(silence_s=0.1)) as address:
        found = Broken(Visitor(address, token), CONTENT, 0, 50).answer()

    assert (found["status"], found["reason"]) == (408, "UPLOAD_STALLED")
    assert len(uploads()) == 1


@pytest.mark.costly
def test_uploads_at_once(ladder: Ladder) -> None:
    """Uploads are limited for each author and for all together."""
    with serving([ladder], _with(uploads=2, uploads_an_author=1)) as address, ExitStack() as stack:
        ann, bob, cat = (
            Visitor(address, tokens.create(ladder, name)) for name in ("ann", "bob", "cat")
        )
        for visitor in (ann, bob):
            stack.enter_context(closing(Broken(visitor, CONTENT, 0, 1)))
        until(lambda: _size(ladder.home.uploads) == 2)
        again, another = put(ann, CONTENT + b"2"), put(cat, CONTENT + b"3")

    assert again.reason == "TOO_MANY_UPLOADS"
    assert again.json["detail"] == "ann already has 1 submissions"
    assert (another.status, another.json["metadata"]) == (429, {"limit": "2"})
    assert int(another.headers["retry-after"]) > 0


@pytest.mark.costly
def test_an_archive_that_is_sent_twice_at_once(
    ladder: Ladder, make_bot: MakeBot, token: str
) -> None:
    """The newer request takes over: the older one's connection broke unnoticed."""
    content = archive_of(make_bot("eve"))
    with serving([ladder]) as address:
        ann = Visitor(address, token)
        older = Broken(ann, content, 0, 100)
        until(lambda: _size(ladder.home.uploads) == 100)
        assert put(ann, content, 100).status == 202
        superseded = older.answer()
        assert over(ann, sha256_of(content))["outcome"] == "new"

    assert (superseded["status"], superseded["reason"]) == (409, "UPLOAD_TAKEN_OVER")


def test_bytes_of_one_author(ladder: Ladder, token: str) -> None:
    """An author who sends too many waits, then goes on."""
    limits = _with(submitted_bytes=500, submitted_bytes_a_second=1)
    with serving([ladder], limits) as address:
        ann = Visitor(address, token)
        assert put(ann, CONTENT, 0, 400).status == 200
        found = put(ann, CONTENT, 400)

    assert (found.status, found.reason) == (429, "RATE_LIMITED")
    assert found.json["metadata"] == {"limit": "bytes"}
    assert int(found.headers["retry-after"]) > 0
    assert _size(ladder.home.uploads) == 400


def test_a_full_disk(
    ladder: Ladder, token: str, uploads: Listing, caplog: pytest.LogCaptureFixture
) -> None:
    """The author may retry later, the owner learns why; nothing is left, and no traceback."""
    file = f"{sha256_of(b'ann')[:32]}-{sha256_of(CONTENT)}"

    with serving([ladder], _with(kept_upload_s=1e12)) as address:  # the device may be an old file
        until(ladder.home.uploads.is_dir)
        (ladder.home.uploads / file).symlink_to("/dev/full")
        found = put(Visitor(address, token), CONTENT)

    assert (found.status, found.reason) == (503, "CANNOT_STORE")
    assert caplog.messages == ["an archive of ann cannot be stored: No space left on device"]
    assert caplog.records[0].exc_info is None
    assert uploads() == []


def test_old_uploads_make_room(ladder: Ladder, token: str, uploads: Listing) -> None:
    """Each author keeps only the newest cut uploads."""
    with serving([ladder], _with(kept_uploads_an_author=2)) as address:
        for number in range(4):
            put(Visitor(address, token), b"%d" % number * 2, 0, 1)

    digests = [sha256_of(b"%d" % number * 2) for number in (2, 3)]
    assert sorted(name.split("-")[1] for name in uploads()) == sorted(digests)


def _with(**limits: Any) -> ApiSettings:
    return ApiSettings(limits=RateLimits(**limits))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*"))


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
