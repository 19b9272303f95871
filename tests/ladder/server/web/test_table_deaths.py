"""Whatever is killed while a person plays, the person finds the table, or one clear sentence."""

import os
import random
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from html import unescape
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ladder.server.tables.process import NO_TABLE
from tests.ladder.server.web.conftest import COMMAND
from tests.support.new_ladder import new_ladder
from tests.support.processes import children, family, is_python_child
from tests.support.visitors import Visitor
from tests.support.waiting import until

CASES = 10
"""Of each victim."""
MOST_ANSWERS = 9
SENTENCES = (
    NO_TABLE,
    "The match ended without a result: a bot could not be run, or this machine had a problem.",
    "The server of the tables was restarted.",
    "The tables are not ready: try again in a moment.",
)
GOES_ON = ("playing", "over")


@contextmanager
def serving(ladder: Path, port: str) -> Iterator["tuple[subprocess.Popen[str], str]"]:
    """Serve a ladder with tables; yield the server and its host."""
    command = [str(COMMAND), "serve", "--tables", "3", "--ladder", str(ladder), "--port", port]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server, urlsplit(server.stdout.readline().split()[1]).netloc
        finally:
            server.kill()


def server_itself(server: int) -> int:
    """The server."""
    return server


def process_of_tables(server: int) -> int:
    """The process that plays all tables."""
    (found,) = filter(is_python_child, children(server))
    return found


def some_bot(server: int) -> int:
    """A process below that one: a bot, what contains it, or what starts all of them."""
    return random.choice([*family(process_of_tables(server))][1:])


@pytest.mark.proof
@pytest.mark.parametrize("victim", [server_itself, process_of_tables, some_bot])
def test_the_person_finds_the_table_or_a_sentence(
    victim: Callable[[int], int], tmp_path: Path, proof_cases: Callable[[int], int]
) -> None:
    """At random moments; a server that is started again answers at the same address."""
    ladder = new_ladder(tmp_path / "ladder", "courtisans", game="courtisans", seats=3).path
    port = "0"
    for case in range(proof_cases(CASES)):
        random.seed(f"{victim.__name__} {case}")
        with serving(ladder, port) as (server, host):
            port = host.partition(":")[2]
            visitor = Visitor(host)
            table = visitor.open("courtisans", "me", "sample random", "sample greedy")
            for _ in range(random.randrange(1, MOST_ANSWERS)):
                take_any(visitor, table)
            killing = threading.Thread(target=os.kill, args=(victim(server.pid), signal.SIGKILL))
            killing.start()
            with suppress(OSError, ValueError, KeyError):  # no server, or another answer
                take_any(visitor, table)
            killing.join()
            if victim is not server_itself:
                check(visitor, table)
        if victim is server_itself:
            with serving(ladder, port):
                check(visitor, table)


def take_any(visitor: Visitor, table: str) -> None:
    """Answer the next question, if there is one."""
    if visitor.state(table)["state"] in GOES_ON:
        asked = visitor.question(table)
        option = random.randrange(len(asked["options"]))
        visitor.answer(table, {"question": asked["question"], "option": option})


def check(visitor: Visitor, table: str) -> None:
    """Find the match playable to its end, or a sentence on the page and in the state."""

    def answered() -> Any:
        status, _, page = visitor.ask(table)
        return page if status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND) else None

    page = unescape(until(answered))
    seen = visitor.state(table)
    if seen.get("state") in GOES_ON:
        assert visitor.play(table)["state"] in ("over", "ended")
        return
    told = re.findall(r'role="(?:alert|status)">([^<]+)<', page)
    assert [sentence.strip() for sentence in told] == [seen["words"]], page
    assert seen["words"] in SENTENCES
