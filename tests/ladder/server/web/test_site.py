"""Which pages exist, and what no page may show."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ladder.model.errors import UnknownMatchError
from ladder.model.matches import PlannedMatch, Played
from ladder.results import queries
from ladder.results.headline import headline
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.site import Site
from ladder.server.web.static_files import static_files
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from referee.match.record import record_from_json
from tests.ladder.server.web.conftest import age


@pytest.mark.costly
def test_served_and_exported_pages_are_the_same(few: Path, exported: Path) -> None:
    """They have the same bytes, but for what only a server has, and pages that poll."""
    link = re.compile(
        rb'<a class="own" .*\n|<section class="card">\n<h2 id="keep">(?:.*\n)*?</section>\n'
    )
    with Ladder.open(Home(few)) as ladder:
        source = PublicReader(ladder)
        live = Site([(source.snapshot(), source)], live=True)
        different = [
            path.relative_to(exported).as_posix()
            for path in sorted(exported.rglob("*.html"))
            if link.sub(b"", live.page(path.relative_to(exported).as_posix()) or b"")
            != path.read_bytes()
        ]
    bots = sorted(f"bots/{path.name}" for path in (exported / "bots").iterdir())
    assert different == [*bots, "index.html", "rounds/index.html"]


def test_a_match_that_is_not_done_has_no_page(site: Site, snapshot: Snapshot) -> None:
    """An unplayed match is announced, but has no page."""
    (waiting,) = snapshot.waiting
    assert site.page(f"matches/{waiting.match_id}.html") is None


def test_nothing_of_a_deal_in_play_is_public(ladder: Ladder, played: Callable[..., Played]) -> None:
    """Of two matches with one deal, the first stays secret until the second is over."""
    with ladder.database.write() as tx:
        playing = tuple(bots.active(tx))
        pair = [PlannedMatch(f"{i:032x}", 1, i, playing, deal="a deal") for i in range(2)]
        matches.add(tx, pair)
        matches.finish(tx, played(pair[0], 1, 2, 3, 4))
    source = PublicReader(ladder)
    snapshot = source.snapshot()
    site = Site([(snapshot, source)], live=False)
    assert ([*snapshot.finished], snapshot.embargoed, len(snapshot.waiting)) == ([], 1, 1)
    assert [tally.matches for tally in snapshot.tallies] == [0] * 4
    assert site.page(f"matches/{pair[0].match_id}.html") is None
    with pytest.raises(UnknownMatchError):
        source.records([queries.match(ladder, pair[0].match_id)])
    with ladder.database.write() as tx:
        matches.finish(tx, played(pair[1], 1, 2, 3, 4))
    snapshot = source.snapshot()
    assert (len(snapshot.finished), snapshot.embargoed, snapshot.waiting) == (2, 0, [])
    assert [tally.wins for tally in snapshot.tallies] == [2, 0, 0, 0]
    assert {curve.points[-1].matches for curve in snapshot.curves.values()} == {2}


def test_secrets_are_on_no_page(few: Path, exported: Path) -> None:
    """No file holds the ladder's secret, its path, or a bot's command."""
    with Ladder.open(Home(few)) as ladder:
        secret = ladder.settings.secret
    words = [secret, str(few), "start-me-up", "master_seed"]
    for path in exported.rglob("*"):
        if path.is_file():
            text = path.read_text()
            assert not [word for word in words if word in text], path


def test_what_bots_say_of_themselves_is_text(exported: Path) -> None:
    """A description with markup is shown literally, not obeyed."""
    pages = [path.read_text() for path in (exported / "bots").iterdir()]
    assert any("Plays the &lt;2th&gt; idea &amp; no other" in page for page in pages)
    assert not any("<2th>" in page for page in pages)


def test_ladders_of_the_same_kind_have_places_of_their_own(
    source: PublicReader, snapshot: Snapshot
) -> None:
    """Ids tell two ladders of one game and size apart."""
    other = replace(snapshot, ladder_id="f" * 32)
    site = Site([(snapshot, source), (other, source)], live=False)
    prefixes = [part.prefix for part in site.parts]
    assert prefixes == [f"courtisans-4-{snapshot.ladder_id[:8]}/", "courtisans-4-ffffffff/"]
    assert all(site.page(f"{prefix}index.html") for prefix in prefixes)


def test_an_empty_ladder_has_pages(home: Home) -> None:
    """Before any match, every page can be shown."""
    with Ladder.open(home) as ladder:
        source = PublicReader(ladder)
        site = Site([(source.snapshot(), source)], live=False)
        assert b"No bot plays here yet" in (site.page("index.html") or b"")
        assert b"No match has been played yet" in (site.page("rounds/index.html") or b"")


def test_a_snapshot_follows_the_ladder(ladder: Ladder) -> None:
    """A submission changes the stamp, and the next snapshot shows it."""
    source = PublicReader(ladder)
    before = source.snapshot()
    age(ladder.home)
    stamp = source.stamp()
    assert source.stamp() == stamp
    ladder.retire("ann")
    assert source.stamp() != stamp
    active = [[t.version.active for t in s.tallies] for s in (before, source.snapshot())]
    assert active == [[True] * 4, [False, True, True, True]]


def test_licences_travel_with_what_they_cover() -> None:
    """The site holds the licences of its bundled packages."""
    licence = static_files()["static/vendor/uplot/LICENSE"].decode()
    assert "Permission is hereby granted" in licence


def test_a_match_is_named_by_its_result_and_leads_on(source: PublicReader) -> None:
    """A match's title says who beat whom; the page links those beside it, its file and record."""
    site = Site([(source.snapshot(), source)], live=True)
    first, second, third = site.parts[0].snapshot.finished[:3]
    page = (site.page(f"matches/{second.match_id}.html") or b"").decode()

    assert f"<h1>{headline(second.seats)}</h1>" in page
    assert f'href="../matches/{first.match_id}.html" rel="prev"' in page
    assert f'href="../matches/{third.match_id}.html" rel="next"' in page
    assert 'rel="prev"' not in (site.page(f"matches/{first.match_id}.html") or b"").decode()

    record = (site.page(f"matches/{second.match_id}.json") or b"").decode()
    assert record_from_json(record).match_id == second.match_id
    assert f"referee repro {second.match_id[:8]}.json --seat 0" in page


def test_a_match_as_one_file_asks_for_nothing(source: PublicReader) -> None:
    """The file of a match holds its scripts and styles, and links to no other page."""
    site = Site([(source.snapshot(), source)], live=True)
    match = site.parts[0].snapshot.finished[0].match_id
    page = (site.page(f"matches/{match}-file.html") or b"").decode()
    links = re.findall(r'(?:src|href)="([^"]*)"', page)

    assert {*links} == {"data:,", "#content"}
    assert page.count("<script") == page.count("</script>") == 3
    exported = Site([(source.snapshot(), source)], live=False)
    assert exported.page(f"matches/{match}-file.html") is None
