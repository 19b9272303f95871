"""The kits: each builds, always answers legally, and its page tells the truth.

The shell's kit has no build and is tried with the quick tests too, the others as proofs.
"""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import referee_pb2

from referee.games.randomness import Stream
from referee.hosting.manifest import Manifest
from referee.match.match import Match, MatchSetup
from referee.wire import codec_named
from tests.support.games import GAMES

Running = Callable[[Manifest], AbstractAsyncContextManager[Any]]
Build = Callable[[Path], Manifest]
FREEDOM: Mapping[str, Mapping[str, Any]] = {
    "courtisans": {},
    "miracles": {"move_may_stay": True, "income_without_action": True},
}
"""Configurations with the most kinds of legal action."""


@pytest.mark.parametrize("matches", [1, pytest.param(25, marks=pytest.mark.proof)])
@pytest.mark.parametrize("game", GAMES)
def test_a_kit_plays_by_the_rules_and_exits_with_its_stream(
    kit: Manifest, running: Running, game: str, matches: int
) -> None:
    """At tables of every size none of its decisions is a fault, and it exits with status 0."""

    async def play() -> None:
        async with running(kit) as bot:
            for seats in (2, 3, 4, 5):
                for number in range(matches):
                    name = f"{seats} {number}"
                    await bot.play(Match(MatchSetup(name, game, seats, name)))
            assert await bot.end() == 0

    asyncio.run(play())


def requests(game: str) -> Iterator[tuple[bytes, Any]]:
    """Yield requests as if each began its match, with their states: every kind of them once.

    Any legal actions lead there, so also where a kit's own choices never do.
    """
    known: set[Any] = set()
    for number in range(20):
        name = f"asked {number}"
        match = Match(MatchSetup(name, game, 2 + number % 4, name, config=FREEDOM[game]))
        stream = Stream(name)
        starts: dict[int, referee_pb2.MatchStart] = {}
        while (due := match.due) is not None:
            message = referee_pb2.RefereeMessage.FromString(due.payload)
            start = starts.setdefault(due.seat, message.request.start)
            fields = [x if isinstance(x, Enum) else bool(x) for x in match.state.legal()]
            kind = (match.setup.seats, *fields)
            if kind not in known:
                known.add(kind)
                message.request.start.CopyFrom(start)
                yield message.SerializeToString(), match.state
            match.decide(match.state.random_action(stream), elapsed_us=0)


@pytest.mark.costly
@pytest.mark.parametrize(("game", "kinds"), [("courtisans", 8), ("miracles", 200)])
def test_a_kit_answers_every_kind_of_request_legally(
    kit: Manifest, running: Running, game: str, kinds: int
) -> None:
    """Whatever is open to it, it does one of these things."""

    async def ask() -> None:
        asked = list(requests(game))
        assert len(asked) >= kinds
        async with running(kit) as bot:
            for request, state in asked:
                reply = referee_pb2.BotMessage.FromString(await bot.ask(request))
                state.check(codec_named(game).decode_action(reply.decision.action))

    asyncio.run(ask())


@dataclass(frozen=True, slots=True)
class Example:
    """Where the example of a kit's page goes."""

    fence: str
    """How its block of code is marked."""
    file: str
    old: str
    """What it takes the place of."""
    prints: str
    """What prints something, before it."""


EXAMPLES = {
    "go": Example("go", "strategy.go", r"\trand\.Shuffle.*\n", 'println("hm")\n'),
    "rust": Example("rust", "src/strategy.rs", r" *fastrand::shuffle.*\n", 'println!("hm");\n'),
    "cpp": Example("cpp", "strategy.cpp", r" *std::shuffle.*\n", 'std::puts("hm");\n'),
    "java": Example(
        "java",
        "src/main/java/bot/Strategy.java",
        r" *Collections\.shuffle.*\n",
        'System.out.println("hm");\n',
    ),
    "typescript": Example("ts", "src/strategy.ts", r" *const own = .*\n", 'console.log("hm");\n'),
    "shell": Example("jq", "strategy.jq", r".*as \$i\n", '("hm" | debug) as $_ |\n'),
}


def test_the_example_of_a_readme_plays_and_may_print(
    language: str, kit: Manifest, build: Build, running: Running, tmp_path: Path
) -> None:
    """Put into a copy of the kit, it builds and plays, and what it prints harms nothing."""
    folder, example = tmp_path / language, EXAMPLES[language]
    shutil.copytree(kit.directory, folder, symlinks=True)
    page = (folder / "README.md").read_text()
    (code,) = re.findall(rf"```{example.fence}\n(.*?)```", page, re.DOTALL)
    (strategy,) = folder.glob(f"**/{example.file}")
    (old,) = re.findall(example.old, text := strategy.read_text())
    strategy.write_text(text.replace(old, example.prints + code))

    async def play() -> None:
        async with running(build(folder)) as bot:
            await bot.play(Match(MatchSetup("example", "courtisans", 3, "example")))

    asyncio.run(play())


def test_a_kit_that_no_referee_started_says_so(kit: Manifest) -> None:
    """It exits with status 1 and one line that tells what is missing and what to do."""
    own = kit.directory / kit.command[0]
    ended = subprocess.run(
        [own if own.is_file() else kit.command[0], *kit.command[1:]],
        cwd=kit.directory,
        env={"PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert not ended.stdout
    said = ended.stderr
    assert re.fullmatch(r".*COURTYARD_\w+ (is|are) .*`referee play`.*\n", said), said
