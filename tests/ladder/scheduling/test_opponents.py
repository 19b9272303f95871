"""Nothing is played to settle a ranking in which no bot has an opponent."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ladder.model.bots import Submission
from ladder.model.errors import NoPlayersError
from ladder.model.matches import Played
from ladder.model.presence import Presence
from ladder.model.settings import SameAuthor
from ladder.results import queries
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import planned_matches
from ladder.server.public.reader import PublicReader
from ladder.server.web.leaderboard_page import leaderboard
from ladder.server.web.schedule_page import rounds
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.support.ladders import Command

RESTS = "No bot has an opponent: the ladder rests until another bot enters."
REMOTE = "Remote bots play while they are connected and have an opponent."


class Club:
    """A ladder and those who enter it."""

    def __init__(
        self,
        home: Home,
        make_bot: Callable[[str], Path],
        make_remote_bot: Callable[[str], Path],
        enter: Callable[..., Submission],
    ) -> None:
        """Begin without bots."""
        self.ladder = Ladder.open(home)
        self.presence = Presence()
        self._make, self._make_remote, self._enter = make_bot, make_remote_bot, enter

    def enter(self, *names: str, author: str | None = None) -> None:
        """Enter bots of this machine."""
        for name in names:
            self._enter(self.ladder, self._make(name), author=author)

    def enter_remote(self, name: str, *, connected: bool) -> None:
        """Enter a remote bot of an author of its own."""
        entered = self._enter(self.ladder, self._make_remote(name), author=f"author of {name}")
        self.presence.update(entered.version.gateway_name, int(connected))

    def planner(self, rounds: int | None = None, *, until_settled: bool = True) -> LadderPlanner:
        """Return a planner for those who are there."""
        return LadderPlanner(
            self.ladder, rounds, until_settled=until_settled, presence=self.presence
        )

    def rest(self) -> str:
        """Return what the pages say of it."""
        snapshot = PublicReader(self.ladder).snapshot()
        (said,) = {leaderboard(snapshot).rest, rounds(snapshot).rest}
        return said


@pytest.fixture
def club(
    home: Home,
    make_bot: Callable[[str], Path],
    make_remote_bot: Callable[[str], Path],
    enter: Callable[..., Submission],
) -> Iterator[Club]:
    """Make a ladder without bots."""
    made = Club(home, make_bot, make_remote_bot, enter)
    with made.ladder:
        yield made


def one_bot(club: Club) -> str:
    """Enter a single bot."""
    club.enter("ann")
    return RESTS


def one_bot_of_an_author(club: Club) -> str:
    """Enter the single bot of an author."""
    club.enter("ann", author="eve")
    return RESTS


def all_others_retired(club: Club) -> str:
    """Let all but one retire."""
    club.enter("ann", "bob", "cat")
    club.ladder.retire("bob")
    club.ladder.retire("cat")
    return RESTS


def one_author(club: Club) -> str:
    """Enter bots that may not meet each other."""
    club.enter("ann", "bob", "cat", author="eve")
    return RESTS


def one_connected_remote_bot(club: Club) -> str:
    """Let one remote bot be connected, and another not."""
    club.enter_remote("here", connected=True)
    club.enter_remote("gone", connected=False)
    return REMOTE


def one_that_waits_for_remote_bots(club: Club) -> str:
    """Let a bot of this machine wait for remote ones."""
    club.enter("ann")
    club.enter_remote("gone", connected=False)
    return REMOTE


def one_author_at_home_and_another_away(club: Club) -> str:
    """Let the only bot that others may meet be away."""
    club.enter("ann", "bob", author="eve")
    club.enter_remote("gone", connected=False)
    return REMOTE


ALONE = [
    one_bot,
    one_bot_of_an_author,
    all_others_retired,
    one_author,
    one_connected_remote_bot,
    one_that_waits_for_remote_bots,
    one_author_at_home_and_another_away,
]


@pytest.mark.sweep
@pytest.mark.parametrize("alone", ALONE)
def test_without_an_opponent_nothing_is_to_be_settled(
    club: Club, alone: Callable[[Club], str]
) -> None:
    """A run until the ranking is settled ends at once, and the pages say why nothing is played."""
    said = alone(club)

    with pytest.raises(NoPlayersError, match=r"has no opponent|are of one author"):
        club.planner()
    assert club.rest() == said


@pytest.mark.sweep
@pytest.mark.parametrize("alone", ALONE)
def test_who_gets_an_opponent_plays(club: Club, alone: Callable[[Club], str]) -> None:
    """As soon as another bot enters, there are matches of both, and the pages say no more."""
    alone(club)
    club.enter("new")
    with club.ladder.database.read() as tx:
        blocks = club.planner().plan(tx) or ()
        known = bots.all_versions(tx)

    tables = [{known[v].bot for v in table if v} for block in blocks for table in block.tables]
    assert tables
    assert all("new" in table and len(table) > 1 for table in tables)
    assert club.rest() in ("", REMOTE)


def test_an_opponent_that_retires_meanwhile_ends_it(club: Club) -> None:
    """The plan ends when only one bot is left of those that it began with."""
    club.enter("ann", "bob")
    planner = club.planner()
    club.ladder.retire("bob")

    with (
        club.ladder.database.read() as tx,
        pytest.raises(NoPlayersError, match="ann has no opponent, as no other bot can play"),
    ):
        planner.plan(tx)


def test_planned_matches_are_still_played(club: Club, played: Callable[..., Played]) -> None:
    """What was planned before the opponent retired is played, then the plan ends."""
    club.enter("ann", "bob")
    planner = club.planner(1, until_settled=False)
    with club.ladder.database.write() as tx:
        known = bots.all_versions(tx)
        blocks = planner.plan(tx) or ()
        planned = planned_matches(club.ladder.settings, 1, blocks, known)
        matches.add(tx, planned)
    club.ladder.retire("bob")

    left = club.planner()
    with club.ladder.database.write() as tx:
        matches.finish(tx, *(played(match, 1, 2, 3, 4) for match in planned))
    with club.ladder.database.read() as tx, pytest.raises(NoPlayersError, match="no opponent"):
        left.plan(tx)
    with pytest.raises(NoPlayersError, match="no opponent"):
        club.planner()


def test_who_asks_for_rounds_gets_them(club: Club) -> None:
    """The rounds of a single bot are played against stand-ins, and a line says what for."""
    club.enter("ann")
    planner = club.planner(2, until_settled=False)

    with club.ladder.database.read() as tx:
        (block,) = planner.plan(tx) or ()
    assert sorted(block.tables[0], key=bool) == [None, None, None, 1]
    assert planner.notice().startswith("Only ann can play: stand-ins take the other seats")


def test_authors_who_may_meet_settle_something(club: Club) -> None:
    """Bots of one author have opponents where the owner lets them meet."""
    one_author(club)
    club.ladder.change({"same_author": SameAuthor.TOGETHER})

    assert club.planner().ahead() is None
    assert club.rest() == ""


def test_the_command_says_so_in_one_line(club: Club, command: Command) -> None:
    """`ladder run --until-settled` plays nothing and fails; --rounds plays."""
    club.enter("ann")
    ended = command("run", "--until-settled", "--ladder", club.ladder.home.path)

    assert ended.status == 1
    assert ended.err == (
        "error: ann has no opponent, as no other bot can play: submit one with "
        "`ladder submit PATH`, or connect a remote one\n"
    )
    assert queries.latest(club.ladder, 1) == []
