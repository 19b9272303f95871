"""Commands that talk to a remote ladder, and the one that serves its author API."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.ladder.server.api.matches import BLOCK, finish, planned_block, some_record
from tests.support import windows
from tests.support.api_server import serving
from tests.support.ladders import Command, Ended, MakeBot

RANDOM = Path(__file__).parents[4] / "sample_bots/python/courtisans/random"
Elsewhere = Callable[..., Ended]


@pytest.fixture
def token_file(tmp_path: Path, token: str) -> Path:
    """Write ann's token to a file."""
    file = tmp_path / "ann.token"
    file.write_text(f"{token}\n")
    return file


@pytest.fixture
def elsewhere(
    api: str, command: Command, token_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Elsewhere:
    """Run commands as ann, at a remote ladder."""
    monkeypatch.setenv("COURTYARD_URL", api)
    monkeypatch.setenv("COURTYARD_TOKEN_FILE", str(token_file))
    return command


@pytest.mark.costly
@pytest.mark.both_engines
def test_submit_and_look(elsewhere: Elsewhere, make_bot: MakeBot) -> None:
    """Remote `submit` enters a bot, not an unfit one, and the log tells its author why."""
    entered = elsewhere("submit", make_bot("eve"))
    assert (entered.status, entered.err) == (0, "")
    assert entered.out.splitlines()[-1] == "eve version 1 plays."
    assert "Validating eve in two matches" in entered.out

    unfit = elsewhere("submit", make_bot("eve", "forfeits"))
    assert unfit.status == 1
    assert "Last output of eve:\n  eve was here" in unfit.out
    assert unfit.err.endswith("error: not entered: eve\n")

    log = elsewhere("log", "eve").out
    assert "Version 1, " in log
    assert "rejected: it forfeited its validation match" in log
    assert "Output:\n  eve was here" in elsewhere("log", "eve", "--version", 2).out
    record = json.loads(elsewhere("log", "eve", "--version", 2, "--json").out)
    assert record["seats"][0]["name"] == "eve"
    bots = elsewhere("bots").out
    assert re.search(r"^eve +1 +plays ", bots, re.MULTILINE)
    assert re.search(r"^eve +2 +rejected: ", bots, re.MULTILINE)


def test_submit_folders_of_one_name(
    elsewhere: Elsewhere, make_bot: MakeBot, tmp_path: Path
) -> None:
    """Remote `submit` refuses different folders of one name before it sends any."""
    folders = [make_bot("eve", text).rename(tmp_path / text) for text in ("one", "two")]

    ended = elsewhere("submit", *folders)

    assert ended.status == 1
    assert "they all have the name eve" in ended.err
    assert "eve" not in elsewhere("bots").out


@pytest.mark.proof
def test_an_author_on_windows_submits_and_looks(
    api: str, make_bot: MakeBot, token_file: Path
) -> None:
    """`submit`, `bots`, `standings` and `log` with --url need nothing that Windows lacks."""
    program = Path(sys.executable).with_name("ladder")
    reach = ("--url", api, "--token-file", token_file)

    def on_windows(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *words, *reach],
            env={**os.environ, **windows.ENVIRONMENT},
            capture_output=True,
            text=True,
            check=False,
        )

    entered = on_windows("submit", make_bot("eve"))
    unfit = on_windows("submit", make_bot("eve", "forfeits"))
    looks = [on_windows(*words) for words in (["bots"], ["standings"], ["log", "eve"], ["matches"])]

    assert (entered.returncode, entered.stderr) == (0, "")
    assert entered.stdout.splitlines()[-1] == "eve version 1 plays."
    assert (unfit.returncode, unfit.stderr) == (1, "error: not entered: eve\n")
    assert "Last output of eve:\n  eve was here" in unfit.stdout
    assert [(look.returncode, look.stderr) for look in looks] == [(0, "")] * len(looks)


@pytest.mark.costly
def test_a_bot_that_is_unfit_elsewhere_can_be_asked_again_here(
    elsewhere: Elsewhere, make_bot: MakeBot, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed line fetches the record; the next line names record and folder."""
    folder = make_bot("eve", "forfeits")
    said = elsewhere("submit", folder).out.splitlines()
    monkeypatch.delenv("COURTYARD_URL")
    monkeypatch.delenv("COURTYARD_TOKEN_FILE")
    fetch, ask = (
        next(line for line in said if line.startswith(start)).removeprefix(start)
        for start in ("Save its record:", "Replay it:")
    )
    line, _, file = fetch.strip().partition(" > ")
    fetched = elsewhere(*shlex.split(line)[1:]).out

    assert f"--url {api} --token-file " in line
    assert json.loads(fetched)["seats"][0]["name"] == "eve"
    assert shlex.split(ask)[1:] == ["repro", file, "--seat", "0", str(folder)]


def test_what_the_ladder_shows(elsewhere: Elsewhere) -> None:
    """Remote standings equal the ladder's in every form; no match is public yet."""
    printed = elsewhere("standings").out.splitlines()
    assert printed[0] == "ladder · Courtisans, 4 seats"
    assert [line.split()[2] for line in printed[2:6]] == ["ann", "bob", "cat", "dan"]
    assert [row["bot"] for row in json.loads(elsewhere("standings", "--json").out)] == [
        "ann",
        "bob",
        "cat",
        "dan",
    ]
    by_least = json.loads(elsewhere("standings", "--order", "conservative", "--json").out)
    assert [row["conservative"] for row in by_least] == sorted(
        (row["mu"] - 3 * row["sigma"] for row in by_least), reverse=True
    )
    assert len(elsewhere("matches").out.splitlines()) == 2


@pytest.mark.costly
def test_refusals_are_one_line(
    elsewhere: Elsewhere, make_bot: MakeBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each error says what is wrong and what to do."""
    (tmp_path / "wrong").write_text("courtyard_9_" + "x" * 43)
    (tmp_path / "binary").write_bytes(b"\xff")
    tries = {
        ("submit", make_bot("bob")): "the bot 'bob' is another author's; give yours another name",
        ("log", "ann"): "the bot 'ann' is another author's; only they read its logs",
        ("match", "f0"): "no match begins with 'f0'; `ladder matches` lists them",
        ("bots", "--ladder", tmp_path): f"choose either the ladder in {tmp_path} or the one at",
        ("bots", "--url", "ftp://x"): "ftp://x: a ladder's address is https://HOST or http://HOST",
        ("bots", "--url", "127.0.0.1:1"): "127.0.0.1:1 cannot be reached without TLS",
        ("bots", "--token-file", tmp_path / "wrong"): "the token is wrong, expired or revoked",
        ("bots", "--token-file", tmp_path / "binary"): "this file holds no token",
        ("bots", "--token-file", tmp_path / "none"): "No such file or directory",
    }
    for arguments, why in tries.items():
        ended = elsewhere(*arguments)
        assert (ended.status, ended.err.count("\n")) == (1, 1), ended
        assert why in ended.err
    monkeypatch.delenv("COURTYARD_TOKEN_FILE")
    assert "a remote ladder needs a token: put it into a file" in elsewhere("bots").err
    monkeypatch.delenv("COURTYARD_URL")
    assert "give the remote ladder's address by --url" in elsewhere("watch").err


@pytest.mark.costly
def test_a_match_elsewhere(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match has a view, a log for its author, and a record for `referee verify`.

    Until the match is public, an author's replay shows the own seat's view.
    """
    home = planned_block(tmp_path / "block", "courtisans", 2, ("ann", "bob"))
    with Ladder.open(home) as block:
        finish(block, BLOCK[0], some_record("courtisans", 2, fault_of=0))
        (tmp_path / "token").write_text(tokens.create(block, "ann"))
        monkeypatch.setenv("COURTYARD_TOKEN_FILE", str(tmp_path / "token"))
        with serving([block]) as api:
            monkeypatch.setenv("COURTYARD_URL", f"http://{api}")
            kept, others, missing = (
                command("replay", BLOCK[0], "--seat", seat) for seat in (0, 1, -1)
            )
            finish(block, BLOCK[1], some_record("courtisans", 2))
            seen, whole = command("replay", BLOCK[1], "--seat", 0), command("replay", BLOCK[1])
            shown = command("match", BLOCK[0][:4]).out
            log = command("log", "ann", BLOCK[0][:4]).out
            record = json.loads(command("match", BLOCK[1], "--json").out)
            asked = command("repro", BLOCK[1], "--seat", 0, tmp_path / "nowhere")
            bot = command("show", "ann").out
            command("report", "--html", tmp_path / "report.html")

    assert shown.startswith(f"match {BLOCK[0]}, number 1 of round 1: done\n")
    assert "decisions, finished 20" in shown
    assert log.startswith(f"ann version 1 on seat 0 of match {BLOCK[0]}: place 2, ")
    assert "Forfeit: PROTOCOL_ERROR." in log
    assert f"\nReplay it, once it is public: ladder repro {BLOCK[0][:12]} --seat 0 --url " in log
    assert "Output:\n  mine" in log
    assert record["match_id"] == BLOCK[1]
    assert "nowhere' cannot be started" in asked.err
    assert bot.startswith("ann · ")
    assert re.search(r"^ann +1 +plays ", bot, re.MULTILINE)
    assert "<title>" in (tmp_path / "report.html").read_text()
    assert f"match {BLOCK[0]}\nAs bot 0 v1 (seat 0) saw it.\n" in kept.out
    assert "bot 0 v1 (seat 0) forfeits: protocol error (" in kept.out
    assert (others.status, others.out) == (1, "")
    assert "is kept secret until its deal is played on all seats; your seats" in others.err
    assert missing.err == "error: there is no seat -1: seats count from 0\n"
    assert f"match {BLOCK[1]}\nAs bot 0 v1 (seat 0) saw it.\n" in seen.out
    assert whole.out.startswith("Courtisans · 2 seats · seed some seed\n")
    assert "saw it." not in whole.out


@pytest.fixture
def served(ladder: Ladder) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve a ladder with its author API by the command."""
    program = Path(sys.executable).with_name("ladder")
    metrics = ["--metrics", "127.0.0.1:0"]
    with subprocess.Popen(
        [program, "serve", "--port", "0", "--ladder", ladder.home.path, *metrics],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        said = [server.stdout.readline() for _ in range(2)]
        assert said[0].startswith("The metrics are at http://127.0.0.1:")
        found = re.match(r"Open (http://127\.0\.0\.1:\d+)/ ", said[1])
        assert found, said
        yield server, found[1]
        server.kill()


@pytest.mark.costly
def test_a_ladder_that_is_served(
    served: tuple[subprocess.Popen[str], str], token_file: Path, ladder: Ladder
) -> None:
    """A real bot is sent, validated and entered; watching ends cleanly with the ladder."""
    server, address = served
    program = Path(sys.executable).with_name("ladder")
    reach = ["--url", address, "--token-file", str(token_file)]

    done = subprocess.run(
        [program, "submit", RANDOM, *reach], capture_output=True, text=True, check=False
    )
    with subprocess.Popen(
        [program, "watch", *reach],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as watching:
        assert watching.stdout is not None
        first = watching.stdout.readline()
        server.send_signal(signal.SIGINT)
        out, err = server.communicate()
        _, why = watching.communicate()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "random version 1 plays."
    assert first.startswith("standings: 1. ")
    assert (server.returncode, out, err) == (0, "Stopped.\n", "")
    assert (watching.returncode, why) == (
        1,
        "error: the ladder is stopping; try again when it is back\n",
    )
    assert [*ladder.home.uploads.iterdir()] == []


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--metrics", "here"], "here: an address is HOST:PORT, such as 127.0.0.1:8001"),
        (["--metrics", "127.0.0.1:{taken}"], "127.0.0.1:{taken}: Address already in use"),
        (["--tls-cert", "x"], "--tls-cert, --tls-key and --client-ca need --remote HOST:PORT"),
        (["--host", ""], "name the host to listen on, such as 127.0.0.1"),
    ],
)
def test_what_cannot_be_served_is_never_said_to_be_open(
    command: Command, ladder: Ladder, options: list[str], why: str
) -> None:
    """The command checks everything before it prints its address; an error is one line only."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        words = [word.replace("{taken}", taken) for word in options]
        ended = command("serve", "--port", 0, "--ladder", ladder.home.path, *words)

    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("error: ")
    assert ended.err.endswith(why.replace("{taken}", taken) + "\n")
    assert ended.err.count("\n") == 1
