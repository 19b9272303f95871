"""The numbers of a bot's page."""

from dataclasses import replace

import pytest

from ladder.model.matches import MatchState
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.bot_page import BotPage, bot_page
from ladder.server.web.leaderboard_page import leaderboard
from ladder.server.web.schedule_page import rounds


@pytest.fixture(scope="module")
def pages(source: PublicReader, snapshot: Snapshot) -> dict[str, BotPage]:
    """All bots' pages."""
    rows = {row.standing.bot: row for row in leaderboard(snapshot).rows}
    names = {tally.version.bot for tally in snapshot.tallies if tally.matches}
    return {
        name: bot_page(snapshot, name, rows, source.records, rounds(snapshot))
        for name in sorted(names)
    }


def test_head_to_head_mirrors(pages: dict[str, BotPage]) -> None:
    """Each bot's head-to-head result is the mirror of its opponent's."""
    for name, page in pages.items():
        for other in page.opponents:
            (mirror,) = (own for own in pages[other.bot].opponents if own.bot == name)
            assert (other.matches, other.level) == (mirror.matches, mirror.level)
            assert other.ahead + mirror.ahead + other.level == other.matches
            assert other.share + mirror.share == pytest.approx(1)


def test_seats_add_up(pages: dict[str, BotPage], snapshot: Snapshot) -> None:
    """Seats' matches and victories sum to the bot's; all bots' victories to all matches."""
    wins = 0.0
    for page in pages.values():
        assert sum(seat.matches for seat in page.seats) == page.matches
        own = sum(tally.wins for tally, _ in page.versions)
        assert sum(seat.wins for seat in page.seats) == pytest.approx(own)
        wins += own
    assert wins == pytest.approx(len(snapshot.finished))


def test_faults_add_up(pages: dict[str, BotPage]) -> None:
    """Faults by kind sum to the versions' forfeits."""
    for page in pages.values():
        forfeits = sum(tally.forfeits for tally, _ in page.versions)
        assert sum(times for _, times in page.faults) == forfeits
    assert any(page.faults for page in pages.values())


def test_versions_and_latest_are_newest_first(pages: dict[str, BotPage]) -> None:
    """The newest version and the newest match come first."""
    page = next(page for page in pages.values() if len(page.versions) > 1)
    assert [tally.version.number for tally, _ in page.versions] == [2, 1]
    order = [(line.round, line.index) for line in page.latest]
    assert order == sorted(order, reverse=True)


def test_a_retired_bot_has_a_page(pages: dict[str, BotPage]) -> None:
    """A retired bot lacks only a leaderboard row."""
    (page,) = (page for page in pages.values() if page.row is None)
    assert page.versions
    assert page.curves


def test_luck_of_the_latest_matches_is_shown(pages: dict[str, BotPage]) -> None:
    """Each match on a bot's page says what luck gave the bot, and how sure that is."""
    for page in pages.values():
        assert page.luck.keys() == {line.match_id for line in page.latest}
        assert all(error > 0 for _, error in page.luck.values())


def test_intervals_hold_the_shares(pages: dict[str, BotPage]) -> None:
    """A share against an opponent lies in its interval, which mirrors the opponent's."""
    for name, page in pages.items():
        for other in page.opponents:
            low, high = other.interval
            assert 0 <= low <= other.share <= high <= 1
            (mirror,) = (own for own in pages[other.bot].opponents if own.bot == name)
            assert mirror.interval == pytest.approx((1 - high, 1 - low))


def test_its_state_tells_tables_the_time_left_and_what_is_settled(
    source: PublicReader, snapshot: Snapshot
) -> None:
    """While a bot plays, its page estimates the rest of the round; P says what is settled."""
    running = [replace(line, state=MatchState.RUNNING) for line in snapshot.waiting]
    sure = replace(snapshot.prospect, wanted=0.5)  # every bot that is ahead is
    playing = replace(snapshot, waiting=running, prospect=sure)
    rows = {row.standing.bot: row for row in leaderboard(playing).rows}
    seated = {seat.version.bot for line in running for seat in line.seats if seat.version}
    for name, row in rows.items():
        page = bot_page(playing, name, rows, source.records, rounds(playing))
        at_a_table = f"Plays at 1 table, about 1s left in round {snapshot.round}"
        assert page.state == (at_a_table if name in seated else "Waits for its next match")
        chance = row.standing.better_than_next
        assert page.sure == ("" if chance is None else f"settled, P {chance:.2f}")
    assert "not settled yet, P 0." in "".join(
        bot_page(snapshot, name, rows, source.records, rounds(snapshot)).sure for name in rows
    )
