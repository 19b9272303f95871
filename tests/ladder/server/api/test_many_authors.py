"""Many authors upload and watch at once, and a slow reader holds none of them up."""

import os
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

import pytest

from ladder.model.matches import MatchState
from ladder.server.api.context import ApiSettings
from ladder.server.api.rate_limits import RateLimits
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from ladder.submission.starter_kits import new_bot
from ladder.submission.submit import submit
from referee.hosting.sample_bots import sample_bot
from tests.ladder.server.api.test_submit import archive_of
from tests.security.test_strangers import serving as served_by_command
from tests.support import authors
from tests.support.api_server import serving
from tests.support.ladders import MakeBot
from tests.support.new_ladder import new_ladder

FEW, MANY, SLOW = 2, 200, 20
LONGEST_MEDIAN_S = 0.5
FILES = 4096


@pytest.mark.costly
def test_authors_upload_and_watch_at_once(ladder: Ladder, make_bot: MakeBot) -> None:
    """With room for fewer, each is told to wait, gets in, and hears of all; none meets an error."""
    archives = {
        tokens.create(ladder, f"author-{number}"): archive_of(make_bot(f"bot-{number}"))
        for number in range(FEW)
    }
    limits = RateLimits(uploads=FEW // 2, watchers=2 * FEW)
    with serving([ladder], ApiSettings(limits=limits)) as address:
        crowd = authors.many(address, archives, hurry=250)

    assert not crowd.failures, crowd.statuses
    assert crowd.outcomes == {"plays.": FEW}
    assert set(crowd.news) == set(archives)


@pytest.mark.proof
def test_two_hundred_authors(tmp_path: Path, proof_cases: Callable[[int], int]) -> None:
    """While the ladder plays and some read nothing, half of all pages come within half a second."""
    archives, number_of_authors = {}, max(FEW, proof_cases(MANY))
    with Ladder.open(new_ladder(tmp_path / "ladder", "a seed", seats=2)) as ladder:
        for name in ("random", "greedy"):
            submit(ladder, sample_bot(f"python/courtisans/{name}"), lambda _: None)
        for number in range(number_of_authors):
            bot = tmp_path / f"bot-{number}"
            new_bot(bot, sample_bot("python/courtisans/random"), None)
            archives[tokens.create(ladder, f"author-{number}")] = archive_of(bot)
        options = ("--play", "--workers", str(max(1, (os.cpu_count() or 1) // 2)))
        with served_by_command(ladder, tmp_path, *options, files=FILES) as served:
            crowd = authors.many(served.address, archives, slow_readers=SLOW)
            log = served.log.read_text()
        with ladder.database.read() as tx:
            played = matches.count(tx, MatchState.DONE)
    print(  # noqa: T201 -- a measurement
        f"\n{number_of_authors} authors, {len(crowd.page_s)} pages: median "
        f"{median(crowd.page_s):.3f} s, 95 % {quantiles(crowd.page_s, n=20)[-1]:.3f} s, at most "
        f"{max(crowd.page_s):.2f} s; {dict(crowd.statuses)}; {played} matches played"
    )
    assert not crowd.failures, crowd.statuses
    assert crowd.outcomes == {"plays.": number_of_authors}
    assert median(crowd.page_s) <= LONGEST_MEDIAN_S
    assert played
    assert "Traceback" not in log
