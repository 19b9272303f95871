"""A bot advises a seat that somebody else plays: told what the seat is told, and nothing else."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import record_pb2

from referee.games.randomness import Stream
from referee.hosting.adviser import Advice, Adviser, NoAdviceError
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchRunner, MatchSpec
from referee.hosting.person import Asked, Person
from referee.hosting.running_bot import BotSpec, RunningBot, bot_spec_of
from referee.hosting.sample_bots import bot_folder
from referee.match.match import Match, MatchSetup, Request
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import Played, random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.games import GAMES

STARTUP_MS = 60_000
SEATS = 3
WORLDS = 2
BOTS = Path(__file__).parents[2] / "bots"
in_every_game = pytest.mark.parametrize("game", GAMES)
PLAIN = "plain"
dialects = pytest.mark.parametrize("bot", ["greedy", PLAIN])
PLAIN_BOT = """
import json, sys
print(json.dumps({"hello": {"protocolVersion": 1, "name": "plain", "plain": True}}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "request" in message:
        number, position = message["request"]["number"], message["request"]["plain"]
        choice = (number + len(line)) % len(position["options"])
        answer = {"matchId": message["matchId"], "decision": {"number": number, "choice": choice}}
        print(json.dumps(answer), flush=True)
"""


BotNamed = Callable[[str, str], BotSpec]


@pytest.fixture(scope="module")
def bot_named(tmp_path_factory: pytest.TempPathFactory) -> BotNamed:
    """A sample bot of a game, or one of the plain dialect that decides by what it is told."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "bot.py").write_text(PLAIN_BOT)
    plain = BotSpec(PLAIN, folder, ("python3", "bot.py"), transport="stdio-json")

    def named(name: str, game: str) -> BotSpec:
        return plain if name == PLAIN else bot_spec_of(load_manifest(bot_folder(name, game)))

    return named


@pytest.fixture(scope="module")
def host() -> Any:
    """Plays matches of trusted bots."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as opened:
        yield opened


@dataclass
class Advised:
    """Takes an adviser's options."""

    adviser: Adviser
    match: Match | None = None
    advice: Advice | None = None

    def watch(self, match: Match) -> None:
        """Keep the match."""
        self.match = match

    async def ask(self, asked: Asked) -> int:
        """Take an option."""
        assert self.match is not None
        if asked.begins:
            self.advice = await self.adviser.advise(self.match)
        assert self.advice is not None
        index = self.advice.path[asked.number]
        assert asked.step.options[index].label == self.advice.labels[asked.number]
        return index

    def end(self, _: Sequence[Any]) -> None:
        """Show nothing."""


def spec(game: str, bot: BotSpec | None) -> MatchSpec:
    """A match of a bot or a person on seat 1, and stand-ins."""
    return MatchSpec("m", game, (None, bot, None), "seed")


@pytest.mark.costly
@pytest.mark.sweep
@dialects
@in_every_game
def test_who_follows_a_bots_advice_plays_its_match(
    host: Host, bot_named: BotNamed, game: str, bot: str
) -> None:
    """These bots decide by the bytes that they are told, so these must be the same."""
    adviser_spec = bot_named(bot, game)

    async def play(runner: MatchRunner) -> record_pb2.Record:
        screen = Advised(Adviser(runner, adviser_spec, STARTUP_MS, 1))
        people = {1: Person("ada", screen)}
        record = (await runner.play(spec(game, None), people, screen.watch)).record
        await screen.adviser.close()
        return record

    record, own = host.run(play), host.play(spec(game, adviser_spec))
    assert [one.action for one in record.decisions] == [one.action for one in own.decisions]


@pytest.mark.costly
@pytest.mark.sweep
@in_every_game
def test_a_bot_that_is_asked_late_is_told_what_was_before(
    host: Host, bot_named: BotNamed, game: str
) -> None:
    """Advice now and then is what one who was asked at all decisions would say."""

    @dataclass
    class Both:
        """Asks two advisers, one of them always, and follows neither."""

        always: Adviser
        rarely: Adviser
        match: Match | None = None
        asked: int = 0

        async def ask(self, asked: Asked) -> int:
            """Compare them."""
            assert self.match is not None
            if asked.begins:
                self.asked += 1
                advice = await self.always.advise(self.match)
                if self.asked % 3 == 0:
                    assert await self.rarely.advise(self.match) == advice
                    assert await self.rarely.advise(self.match) == advice
            return 0

        def watch(self, match: Match) -> None:
            """Keep the match."""
            self.match = match

        def end(self, _: Sequence[Any]) -> None:
            """Show nothing."""

    async def play(runner: MatchRunner) -> int:
        greedy = bot_named("greedy", game)
        always, rarely = (Adviser(runner, greedy, STARTUP_MS, 1) for _ in range(2))
        screen = Both(always, rarely)
        await runner.play(spec(game, None), {1: Person("ada", screen)}, screen.watch)
        for adviser in (always, rarely):
            await adviser.close()
        return screen.asked

    assert host.run(play) > 3


class Tapped:
    """Runs bots of a runner, and keeps what they are sent."""

    def __init__(self, runner: MatchRunner) -> None:
        self.runner = runner
        self.sent: list[bytes] = []

    @asynccontextmanager
    async def beside(self, bot_spec: BotSpec, startup_ms: int) -> AsyncIterator[Any]:
        """Run a bot behind a tap."""
        async with self.runner.beside(bot_spec, startup_ms) as bot:
            yield TappedBot(bot, self.sent)


@dataclass
class TappedBot:
    """A bot behind a tap."""

    bot: RunningBot
    sent: list[bytes]

    @property
    def speaks_plain(self) -> bool:
        """As the bot does."""
        return self.bot.speaks_plain

    async def ask(self, due: Request) -> Any:
        """Ask it."""
        self.sent.append(due.payload)
        return await self.bot.ask(due)


@pytest.mark.costly
@pytest.mark.sweep
@dialects
@in_every_game
def test_advice_tells_nothing_that_the_seat_cannot_know(
    host: Host, bot_named: BotNamed, game: str, bot: str
) -> None:
    """In worlds that the seat cannot tell apart, the bot is sent the same bytes and says the same.

    There stand-ins' cards, the seed, and the reasons of others' faults are others, too.
    """
    here = next(found for number in count() if not stood_in(found := some_match(game, number)))
    stream = Stream(game, "advice")
    asked = [told for told in here.told if told.body == "request" and told.decisions > SEATS]
    for told in stream.shuffled(asked)[:WORLDS]:
        world = redrawn(here, told, stream)
        actions = [decided.action for decided in here.decisions]
        matches = (
            rebuilt(here, here.deal, actions, told.decisions, "seed"),
            rebuilt(here, world.deal, [*world.actions], told.decisions, "another seed"),
        )
        one, other = (host.run(partial(heard, match, bot_named(bot, game))) for match in matches)
        assert one == other
        assert len(one[0]) > 1


async def heard(match: Match, bot: BotSpec, runner: MatchRunner) -> tuple[list[bytes], Advice]:
    """What an adviser of the due seat is sent, and what it says."""
    assert match.due is not None
    tapped: Any = Tapped(runner)
    adviser = Adviser(tapped, bot, STARTUP_MS, match.due.seat)
    advice = await adviser.advise(match)
    await adviser.close()
    return tapped.sent, advice


def some_match(game: str, number: int) -> Played:
    """One of many random matches."""
    return random_match(TRIED[game].secrets, SEATS, {}, f"advice {number}")


def stood_in(played: Played) -> bool:
    """Whether a stand-in decided; its seed makes it decide otherwise in another world."""
    return any(decided.stand_in for decided in played.decisions)


def test_a_bot_that_fails_ends_and_is_started_again(host: Host) -> None:
    """With the reason of a forfeit; nothing is left running."""
    failing = bot_spec_of(load_manifest(BOTS / "last_words" / "bot.toml"))

    async def play(runner: MatchRunner) -> list[str]:
        match = Match(MatchSetup("m", "courtisans", SEATS, "seed"))
        assert match.due is not None
        adviser = Adviser(runner, failing, STARTUP_MS, match.due.seat)
        reasons, before = [], asyncio.all_tasks()
        for _ in range(2):
            with pytest.raises(NoAdviceError) as error:
                await adviser.advise(match)
            reasons.append(str(error.value))
        assert asyncio.all_tasks() <= before
        return reasons

    for reason in host.run(play):
        assert reason.startswith("the bot ended its stream")
