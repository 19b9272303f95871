"""A table: who may sit where, who sees what, and how it ends."""

import asyncio
import json
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from http import HTTPStatus
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from ladder.server.tables.messages import Kind, Leave, Look, Order, TableError, TableSettings
from ladder.server.tables.process import KEPT_S, Tables
from ladder.server.tables.screen import DECISION_S, MOST_MISSED
from ladder.server.tables.table import LOBBY_S, LOOK_S, Table
from referee.games.base import Seat
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec, Watch
from referee.hosting.person import Person
from referee.match.match import Match, MatchSetup
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import Played, Told, random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.fake_time import run
from tests.support.games import GAMES

in_every_game = pytest.mark.parametrize("game", GAMES)

SEATS = 3
ME_AND_STAND_INS = (Kind.PERSON, Kind.STAND_IN, Kind.STAND_IN)
PEOPLE = (Kind.PERSON, Kind.STAND_IN, Kind.PERSON)


class Runner:
    """Plays a match, or a given one, between people and stand-ins."""

    def __init__(self, given: Match | None = None) -> None:
        self.given = given

    async def play(self, spec: MatchSpec, people: Mapping[Seat, Person], watch: Watch) -> Any:
        """Ask the people until the match is over."""
        match = self.given or match_of(spec, people)
        match.use_plain_dialect(people)
        watch(match)
        while match.due is not None:
            if match.due.seat not in people:
                await asyncio.sleep(DECISION_S)  # a bot of another world
            await people[match.due.seat].decide(match, match.due.seat)
            watch(match)
        return SimpleNamespace(record=None)


def match_of(spec: MatchSpec, people: Mapping[Seat, Person]) -> Match:
    """The match of a specification without bots."""
    without = frozenset(range(len(spec.seats))) - people.keys()
    setup = MatchSetup(
        spec.match_id, spec.game, len(spec.seats), spec.master_seed, without_bot=without
    )
    return Match(setup)


def order(
    game: str, seats: Sequence[Kind] = ME_AND_STAND_INS, own: Seat = 0, visitor: str = "ann"
) -> Order:
    """A table without bots."""
    spec = MatchSpec("a match", game, (None,) * len(seats), secrets.token_hex())
    people = [seat for seat, kind in enumerate(seats) if kind is Kind.PERSON]
    return Order("a ladder", spec, None, people, own, visitor)


def table(game: str, seats: Sequence[Any] = ME_AND_STAND_INS, match: Match | None = None) -> Table:
    """A table whose match begins as soon as all people are there."""
    laid = Table(order(game, seats))
    runner: Any = Runner(match)
    laid.begin(runner, lambda: None)
    laid.join(laid.secret, "")
    return laid


async def look(table: Table, secret: str = "", after: int = -1) -> dict[str, Any]:
    """What a viewer sees now, or after the next change."""
    seen = await table.look(secret, after)
    found: dict[str, Any] = json.loads(seen.state)
    return found


async def settled(table: Table, secret: str = "") -> dict[str, Any]:
    """What a viewer sees once all tasks wait."""
    for _ in range(10):
        await asyncio.sleep(0)
    return await look(table, secret)


@in_every_game
def test_a_person_plays_a_match_by_answers(game: str) -> None:
    """Each question is answered once; the end says who won."""

    async def main() -> None:
        laid, questions = table(game), set()
        seen = await look(laid, laid.secret)
        while seen["state"] != "over":
            if asked := seen["asked"]:
                assert asked["question"] not in questions
                assert seen["text"]
                questions.add(asked["question"])
                laid.answer(laid.secret, asked["question"], len(asked["options"]) - 1)
            seen = await look(laid, laid.secret, seen["version"])
        assert seen["words"].startswith("The game is over: ")
        assert seen["film"]["outcomes"]
        assert seen["text"]
        assert len(questions) > 1

    run(main())


def test_only_the_secret_of_a_seat_answers_and_leaves() -> None:
    """Spectators and forged secrets are refused."""

    async def main() -> None:
        laid = table("courtisans")
        asked = (await settled(laid, laid.secret))["asked"]
        for forged in ("", "x", laid.secret[:-1], f"{laid.secret}é"):
            with pytest.raises(TableError):
                laid.answer(forged, asked["question"], 0)
            with pytest.raises(TableError):
                laid.leave(forged)
        assert (await look(laid, laid.secret))["asked"] == asked
        await laid.close()

    run(main())


def test_an_invitation_gives_one_person_the_seat() -> None:
    """By a name; the match begins when all are there, and a seat's own secret opens it again."""

    async def main() -> None:
        laid = table("courtisans", PEOPLE)
        assert (await settled(laid))["state"] == "lobby"
        ((_, invitation),) = (await look(laid, laid.secret))["invitations"]
        assert not (await look(laid, ""))["invitations"]
        other = laid.join(invitation, " Ada\n\u202e  Lovelace, the Countess")
        with pytest.raises(TableError):
            laid.join(invitation, "")
        assert laid.join(other, "x") == other != invitation
        shown = await settled(laid, other)
        assert shown["state"] == "playing"
        assert [seat["you"] for seat in shown["seats"]] == [False, False, True]
        names = [seat["name"] for seat in shown["seats"]]
        assert names == ["guest 1", "stand-in", "Ada Lovelace, the Counte"]
        await laid.close()

    run(main())


def test_a_table_ends_if_people_do_not_come_or_leave_or_sleep() -> None:
    """In one sentence, and at the same time for all."""

    async def ended(seats: Sequence[Any], act: Callable[[Table], None]) -> tuple[str, float]:
        laid = table("courtisans", seats)
        seen = await look(laid)
        act(laid)
        while seen["state"] != "ended":
            seen = await look(laid, "", seen["version"])
        return seen["words"], asyncio.get_running_loop().time()

    def stay(_: Table) -> None:
        """Do nothing."""

    words, at = run(ended(PEOPLE, stay))
    assert (words, at) == ("Not all invited people came within half an hour.", LOBBY_S)
    words, at = run(ended(ME_AND_STAND_INS, stay))
    assert (words, at) == ("Three decisions in a row were not answered.", MOST_MISSED * DECISION_S)
    words, at = run(ended(ME_AND_STAND_INS, lambda laid: laid.leave(laid.secret)))
    assert (words, at) == ("guest left the table.", 0)


@pytest.mark.parametrize("sleeps", [False, True])
def test_the_others_play_on_when_a_person_leaves_or_sleeps(*, sleeps: bool) -> None:
    """The seat forfeits, and the stand-in has it; nobody can take it again."""

    async def main() -> None:
        laid = table("courtisans", PEOPLE)
        ((_, invitation),) = (await look(laid, laid.secret))["invitations"]
        other = laid.join(invitation, "Ada")
        await settled(laid)
        if not sleeps:
            laid.leave(other)
            laid.leave(other)
        seen = await look(laid, laid.secret)
        while seen["state"] != "over":
            if asked := seen["asked"]:
                laid.answer(laid.secret, asked["question"], 0)
            seen = await look(laid, laid.secret, seen["version"])
        assert [bool(forfeit) for _, _, forfeit in seen["film"]["outcomes"]] == [False, False, True]
        assert [seat["kind"] for seat in seen["seats"]] == ["person", "stand-in", "stand-in"]
        assert [seat["name"] for seat in seen["seats"]] == ["guest 1", "stand-in", "Ada"]

    run(main())


def test_a_table_without_people_ends() -> None:
    """Bots do not play on alone."""

    async def main() -> None:
        laid = table("courtisans", PEOPLE)
        ((_, invitation),) = (await look(laid, laid.secret))["invitations"]
        other = laid.join(invitation, "Ada")
        await settled(laid)
        laid.leave(laid.secret)
        assert (await settled(laid, laid.secret))["words"].startswith("You left the table")
        assert (await look(laid))["state"] == "playing"
        laid.leave(other)
        assert (await look(laid))["words"] == "Ada left the table."

    run(main())


def test_a_look_waits_for_news_but_not_for_ever() -> None:
    """After a while it returns what the viewer has seen before."""

    async def main() -> None:
        laid, loop = table("courtisans"), asyncio.get_running_loop()
        seen = await settled(laid, laid.secret)
        before = loop.time()
        assert (await look(laid, laid.secret, seen["version"]))["version"] == seen["version"]
        assert loop.time() == before + LOOK_S
        await laid.close()

    run(main())


def test_another_person_does_not_learn_how_many_steps_one_takes() -> None:
    """A step that completes no decision is no news for others."""

    async def main() -> None:
        laid = table("miracles", PEOPLE)
        ((_, invitation),) = (await look(laid, laid.secret))["invitations"]
        other = laid.join(invitation, "")
        own, public, others = [await settled(laid, key) for key in (laid.secret, "", other)]
        asked = own["asked"] or others["asked"]
        key = laid.secret if own["asked"] else other
        watcher = other if own["asked"] else laid.secret
        seen = others if own["asked"] else own
        laid.answer(key, asked["question"], 0)
        after = await settled(laid, key)
        assert len(after["asked"]["taken"]) == 1
        assert await look(laid) == public
        assert await look(laid, watcher) == seen
        await laid.close()

    run(main())


@in_every_game
def test_a_seat_sees_nothing_of_what_it_cannot_know(game: str) -> None:
    """In worlds that it cannot tell apart, it sees the same, and so does a spectator."""
    here = next(found for number in count() if not stood_in(found := some_match(game, number)))
    actions = [decided.action for decided in here.decisions]
    stream = Stream(game, "worlds")
    for told in stream.shuffled(here.told)[:12]:
        world = redrawn(here, told, stream)
        matches = (
            rebuilt(here, deal, done, told.decisions, seed)
            for deal, done, seed in (
                (here.deal, actions, "seed"),
                (world.deal, [*world.actions], "another seed"),
            )
        )
        (one, public), (other, elsewhere) = (run(seen_by(told, match)) for match in matches)
        assert one == other
        assert public == elsewhere
        assert public["film"]["own"] == {}


async def seen_by(told: Told, match: Match) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the seat of a message sees of a match then, and what a spectator does."""
    seats = [Kind.PERSON if seat == told.seat else Kind.STAND_IN for seat in range(SEATS)]
    laid = Table(order(match.setup.game, seats, told.seat))
    runner: Any = Runner(match)
    laid.begin(runner, lambda: None)
    laid.join(laid.secret, "")
    found = await settled(laid, laid.secret), await look(laid)
    await laid.close()
    return found


def some_match(game: str, number: int) -> Played:
    """One of many random matches."""
    return random_match(TRIED[game].secrets, SEATS, {}, f"tables {number}")


def stood_in(played: Played) -> bool:
    """Whether a stand-in decided; its seed makes it decide otherwise in another world."""
    return any(decided.stand_in for decided in played.decisions)


def keeping(act: Callable[[Tables], Coroutine[Any, Any, None]], most: int = 3) -> None:
    """Act on the tables of a process, of which `most` may be open."""

    async def main() -> None:
        runner: Any = Runner()
        tables = Tables(TableSettings(most, json=False), lambda _: runner)
        await act(tables)
        await tables.close()

    run(main())


def test_tables_are_limited_by_visitor_and_in_all() -> None:
    """A table that has ended makes room."""

    async def act(tables: Tables) -> None:
        first = await tables.answer(order("courtisans"))
        await tables.answer(order("courtisans"))
        with pytest.raises(TableError, match="You already have 2"):
            await tables.answer(order("courtisans"))
        await tables.answer(order("courtisans", visitor="bob"))
        with pytest.raises(TableError, match="All 3 tables"):
            await tables.answer(order("courtisans", visitor="carp"))
        await tables.answer(Leave(first.table, first.secret))
        await tables.answer(order("courtisans", visitor="carp"))

    keeping(act)


def test_an_ended_table_is_kept_for_an_hour() -> None:
    """Then it is gone, as one that never was."""

    async def act(tables: Tables) -> None:
        opened = await tables.answer(order("courtisans"))
        await tables.answer(Leave(opened.table, opened.secret))
        await asyncio.sleep(KEPT_S - 1)
        assert (await tables.answer(Look(opened.table, ""))).seat is None
        await asyncio.sleep(2)
        for name in (opened.table, "", "../x"):
            with pytest.raises(TableError) as refused:
                await tables.answer(Look(name, ""))
            assert refused.value.status == HTTPStatus.NOT_FOUND

    keeping(act)
