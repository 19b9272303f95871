"""Remote bots: a token submits them over the author API and admits them at the gateway."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ladder.results import queries
from ladder.runner.remote.gateway_process import Admission
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.match.verify import verify
from referee.transports.gateway import NotAdmittedError
from tests.support.api_server import serving
from tests.support.bot_clients import BotClients
from tests.support.ladders import Command
from tests.support.remote_bots import HERE, Keys

MakeBot = Callable[..., Path]
PROGRAM = Path(sys.executable).with_name("ladder")


@pytest.mark.costly
def test_a_remote_bot_is_submitted_by_the_author_api(
    home: Home, make_remote_bot: MakeBot, command: Command, tmp_path: Path
) -> None:
    """`submit` sends only bot.toml, and enters the bot untried; its author's token admits it."""
    with Ladder.open(home) as ladder:
        files = {author: tmp_path / f"{author}.token" for author in ("ann", "bob")}
        for author, file in files.items():
            file.write_text(tokens.create(ladder, author))
        with serving([ladder]) as api:
            reach = ("--url", api, "--token-file", files["ann"])
            first = command("submit", make_remote_bot("ada"), *reach)
            second = command("submit", make_remote_bot("ada", release="2"), *reach)
            listed = command("bots", *reach)
        one, two = queries.versions(ladder, "ada")
        admitted = Admission(ladder)(files["ann"].read_text(), "ada")
        with pytest.raises(NotAdmittedError, match="you have no remote bot 'ada'"):
            Admission(ladder)(files["bob"].read_text(), "ada")

    assert (first.status, first.out.splitlines()) == (0, ["Unpacking.", "ada version 1 plays."])
    assert "ada version 2 plays; it replaces version 1." in second.out
    assert re.search(r"^ada +2 +plays ", listed.out, re.MULTILINE)
    assert (one.is_remote, two.is_remote, admitted) == (True, True, "ada@2")
    assert [file.name for file in home.bundle(two.digest).iterdir()] == ["bot.toml"]


@pytest.mark.proof
def test_it_joins_at_the_gate_and_plays(
    home: Home, make_remote_bot: MakeBot, tmp_path: Path
) -> None:
    """One served ladder: the author API takes bots, the gateway plays them."""
    keys = Keys.made(tmp_path)
    with Ladder.open(home) as ladder:
        of = {
            bot: tokens.create(ladder, author) for bot, author in (("ada", "ann"), ("ben", "bob"))
        }
    for bot, token in of.items():
        (tmp_path / bot).write_text(token)
    there = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with served(home, keys) as (api, gateway), ExitStack() as stack:
        for bot in of:
            reach = ("--url", api, "--token-file", tmp_path / bot)
            subprocess.run([PROGRAM, "submit", make_remote_bot(bot), *reach], env=there, check=True)
        stack.enter_context(BotClients(gateway, keys.roots, of))
        watching = stack.enter_context(
            subprocess.Popen(
                [PROGRAM, "watch", *reach], env=there, stdout=subprocess.PIPE, text=True
            )
        )
        assert watching.stdout is not None
        over = re.compile(r"match ([0-9a-f]+) done: ")
        seen = next(found for line in watching.stdout if (found := over.match(line)))
        watching.kill()

    with Ladder.open(home) as ladder:
        match = queries.match(ladder, seen[1])
        assert verify(queries.record(ladder, match)) == []
    played = {seat.version.bot: seat.result for seat in match.seats if seat.version}
    assert played.keys() == {"ada", "ben"}
    assert not any(result.forfeit for result in played.values() if result)


@contextmanager
def served(home: Home, keys: Keys) -> Iterator[tuple[str, str]]:
    """Serve a ladder and play it; yield the addresses of its pages and its gateway."""
    where = ("--port", "0", "--remote", f"{HERE}:0", "--workers", "1")
    certificate = ("--tls-cert", keys.of_gate.chain, "--tls-key", keys.of_gate.key)
    with subprocess.Popen(
        [PROGRAM, "serve", "--play", "--ladder", home.path, *where, *certificate],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout is not None
        found: dict[str, str] = {}
        while len(found) < 2:  # they open in any order
            line = server.stdout.readline()
            for what in ("Open http://", "Remote bots can join at "):
                if at := re.search(rf"{what}(127\.0\.0\.1:\d+)", line):
                    found[what] = at[1]
        yield found["Open http://"], found["Remote bots can join at "]
        server.send_signal(signal.SIGINT)
        said, _ = server.communicate()
    assert (server.returncode, said.splitlines()[-1]) == (0, "Stopped.")
