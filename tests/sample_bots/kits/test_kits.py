"""The kits: each builds, is the random bot that it says it is, and its page tells the truth.

The shell's kit has no build and is tried with the quick tests too, the others as proofs.
"""

import asyncio
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
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
MOST_ACTIONS = 100
"""Requests with more are not asked often enough to see that all are drawn equally."""
ASKED = 30
"""How often a bot is asked for each legal action."""


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


def kinds(match: Match) -> set[Any]:
    """What kinds of thing the seat to act may do."""
    if match.setup.game == "courtisans":
        hand = match.state.observation(match.state.to_act or 0).hand
        return {(len(set(hand)), sum(card.role.name == "ASSASSIN" for card in hand))}
    decision = match.state.legal().decision
    return {(decision, type(action)) for action in match.state.legal_actions()}


def requests(game: str, matches: int) -> Iterator[tuple[bytes, Sequence[Any]]]:
    """Yield requests as if each began its match, with what is legal: every kind of it once."""
    known: set[Any] = set()
    for number in range(matches):
        name = f"asked {number}"
        match = Match(MatchSetup(name, game, 3, name, config=FREEDOM[game]))
        stream = Stream(name)
        starts: dict[int, referee_pb2.MatchStart] = {}
        while (due := match.due) is not None:
            legal = match.state.legal_actions()
            message = referee_pb2.RefereeMessage.FromString(due.payload)
            start = starts.setdefault(due.seat, message.request.start)
            if len(legal) <= MOST_ACTIONS and not kinds(match) <= known:
                known |= kinds(match)
                message.request.start.CopyFrom(start)
                yield message.SerializeToString(), list(legal)
            match.decide(match.state.random_action(stream), elapsed_us=0)


def is_even(drawn: Counter[Any], actions: int) -> bool:
    """Tell whether counts of equal chances are as even as all but one in 10^10 would be."""
    freedom, chance = actions - 1, 23.0  # exp(-23) is 10^-10
    mean = drawn.total() / actions
    spread: float = sum((count - mean) ** 2 for count in drawn.values()) / mean
    limit: float = freedom + 2 * (freedom * chance) ** 0.5 + 2 * chance
    return spread < limit


def told(action: Any) -> tuple[type[Any], Any]:
    """Return an action so that it differs from those of other kinds with the same fields."""
    return type(action), action


@pytest.mark.proof
@pytest.mark.parametrize(
    ("game", "matches", "least"), [("courtisans", 40, 5), ("miracles", 25, 20)]
)
def test_a_kit_draws_each_legal_action_equally_often(
    kit: Manifest, running: Running, game: str, matches: int, least: int
) -> None:
    """Asked the same again and again it does every legal thing, and none more than others."""

    async def draw() -> None:
        asked = list(requests(game, matches))
        assert len(asked) >= least
        async with running(kit) as bot:
            for request, legal in asked:
                drawn: Counter[Any] = Counter()
                for _ in range(ASKED * len(legal)):
                    reply = referee_pb2.BotMessage.FromString(await bot.ask(request))
                    drawn[told(codec_named(game).decode_action(reply.decision.action))] += 1
                assert set(drawn) == set(map(told, legal))
                assert is_even(drawn, len(legal)), drawn

    asyncio.run(draw())


@dataclass(frozen=True, slots=True)
class Example:
    """Where the example of a kit's page goes."""

    fence: str
    """How its block of code is marked."""
    file: str
    function: str
    """What the function that it takes the place of looks like, there and in the example."""
    opening: str
    """What the body of the function comes after."""
    prints: str
    """A line that prints something."""


EXAMPLES = {
    "go": Example(
        "go", "strategy.go", r"(?ms)^func [^\n]*Courtisans.*?^}\n", "{\n", 'println("hm")'
    ),
    "rust": Example(
        "rust",
        "src/strategy.rs",
        r"(?ms)^pub fn choose_courtisans.*?^}\n",
        "{\n",
        'println!("hm");',
    ),
    "cpp": Example(
        "cpp",
        "strategy.cpp",
        r"(?ms)^pb::CourtisansAction choose_courtisans.*?^}\n",
        "{\n",
        'std::printf("hm\\n");',
    ),
    "java": Example(
        "java",
        "src/main/java/bot/Strategy.java",
        r"(?ms)^( *)static CourtisansAction chooseCourtisans.*?^\1}\n",
        "{\n",
        'System.out.println("hm");',
    ),
    "typescript": Example(
        "ts",
        "src/strategy.ts",
        r"(?ms)^export function chooseCourtisans.*?^}\n",
        "{\n",
        'console.log("hm");',
    ),
    "shell": Example(
        "jq", "strategy.jq", r"(?ms)^def choose_courtisans:.*?;\n", ":\n", '("hm" | debug) as $_ |'
    ),
}


def test_the_example_of_a_readme_plays_and_may_print(
    language: str, kit: Manifest, build: Build, running: Running, tmp_path: Path
) -> None:
    """Put into a copy of the kit, it builds and plays, and what it prints harms nothing."""
    folder, example = tmp_path / language, EXAMPLES[language]
    shutil.copytree(kit.directory, folder, symlinks=True)
    page = (folder / "README.md").read_text()
    (text,) = re.findall(rf"```{example.fence}\n(.*?)```", page, re.DOTALL)
    (strategy,) = folder.glob(f"**/{example.file}")
    strategy.write_text(edited(strategy.read_text(), text, example))

    async def play() -> None:
        async with running(build(folder)) as bot:
            await bot.play(Match(MatchSetup("example", "courtisans", 3, "example")))

    asyncio.run(play())


def edited(strategy: str, text: str, example: Example) -> str:
    """Return a strategy with the function of the example, which prints, and all that it needs."""
    new = re.search(example.function, text)
    old = re.search(example.function, strategy)
    assert new
    assert old
    opening, body = new[0].split(example.opening, 1)
    function = f"{opening}{example.opening}{example.prints}\n{body}"
    before, after = strategy[: old.start()], strategy[old.end() :]
    return f"{before}{text[: new.start()]}{function}{after}"


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
